/* SPDX-License-Identifier: MIT */
/* Drives guests/vmkb/cp/display/display*.c from a pipe (pipe.h): the first byte of a request is an
 * operation letter. `harness fuzz SEED ROUNDS` runs without a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../pipe.h"
#include "display.h"

static struct display d;
static struct display_io io;
static char sysname[64];
static char logo_text[DISPLAY_LOGO_LINES][128];
static const char *logo[DISPLAY_LOGO_LINES];
static struct display_config config = { .sysname = sysname, .logo = logo };

/* more, hold, hilight, then strings ended by zero: system name, logo rows. */
static void init(const uint8_t *p, size_t n)
{
    const uint8_t *end = p + n;

    config.more_secs = p[0];
    config.hold_secs = p[1];
    config.hilight = p[2];
    config.logo_lines = 0;
    p += 3;
    snprintf(sysname, sizeof sysname, "%s", (const char *)p);
    for (p += strlen((const char *)p) + 1; p < end; p += strlen((const char *)p) + 1) {
        unsigned i = config.logo_lines++;
        snprintf(logo_text[i], sizeof logo_text[i], "%s", (const char *)p);
        logo[i] = logo_text[i];
    }
    display_init(&d, &config);
}

static void put_input(const uint8_t *rm, size_t n, uint64_t now)
{
    struct display_input in;

    display_input(&d, rm, n, now, &in);
    put8(in.kind);
    put8(in.hidden);
    put(in.text, in.text ? in.len : 0);
}

static void state(void)
{
    put64(display_deadline(&d));
    put16((unsigned)display_room(&d));
    put8(display_fs_busy(&d));
    put8(display_fs_active(&d));
    put8(display_fs_lost(&d));
}

static void query_pf(unsigned n)
{
    const struct display_pf *pf = display_pf(&d, n);

    if (!pf)
        return;
    put8(pf->kind);
    put(pf->text, pf->len);
}

static void serve(const uint8_t *p, uint32_t n)
{
    switch (*p++) {
    case 'I': init(p, n - 1); break;
    case 'c': display_connected(&d); break;
    case 'r': display_refresh(&d); break;
    case 'l': display_logoff(&d); break;
    case 'm': display_mode(&d, p[0], p[1]); break;
    case 'u': display_consumed(&d); break;
    case 'M': display_set_more(&d, p[0], p[1]); break;
    case 'H': display_set_hilight(&d, p[0]); break;
    case 'L': display_set_lossy(&d); break;
    case 't': display_tick(&d, get64(p)); break;
    case 'w': put8((unsigned)-display_write(&d, p + 1, n - 2, p[0])); break;
    case 'a': display_attention(&d, get64(p)); break;
    case 'n':
        if (display_next(&d, get64(p), &io)) {
            put8(io.ccw);
            if (io.ccw != DISPLAY_CCW_READ_MODIFIED)
                put(io.data, io.len);
        }
        break;
    case 'd': display_done(&d, p[0], get64(p + 1)); break;
    case 'i': put_input(p + 8, n - 9, get64(p)); break;
    case 'P': put8((unsigned)-display_set_pf(&d, p[0], p[1], p + 2, n - 3)); break;
    case 'Q': query_pf(p[0]); break;
    case 'F': put8((unsigned)-display_fs_write(&d, p + 1, n - 2, p[0])); break;
    case 'E': display_fs_end(&d); break;
    case 's': state(); break;
    default: exit(2);
    }
}

/* Random input streams: nonsense, or an AID with well-formed and broken fields. */
static size_t random_input(uint8_t *rm)
{
    static const uint8_t aids[] = { 0x7D, 0x6D, 0x6C, 0x6E, 0x6B, 0x60, 0x88, 0xF1, 0x7C, 0x4C };
    size_t n = chance(200);

    for (size_t i = 0; i < n; i++)
        rm[i] = (uint8_t)chance(256);
    if (n > 6 && chance(4)) {
        rm[0] = aids[chance(sizeof aids)];
        memcpy(rm + 3, chance(2) ? "\x11\x5B\x60" : "\x11\x06\xE0", 3);
    }
    return n;
}

static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "fuzz: %s\n", what);
        exit(1);
    }
}

/* Any calls in any order: the sanitizers watch memory, this watches sizes and the queue. */
static void fuzz(unsigned rounds)
{
    static uint8_t bytes[5000];
    uint64_t now = 0;

    config.more_secs = 50;
    config.hold_secs = 10;
    config.hilight = true;
    display_init(&d, &config);
    display_connected(&d);
    if (chance(2))
        display_set_lossy(&d);
    while (rounds--) {
        now += chance(3) ? chance(2000) : chance(70000000);
        switch (chance(16)) {
        case 0: case 1: case 2: case 3: case 4:
            if (display_next(&d, now, &io)) {
                check(io.len > 0 && io.len <= DISPLAY_IO_MAX, "length of a channel program");
                if (chance(3) == 0)
                    display_attention(&d, now);
                display_done(&d, chance(20) > 0, now);
            }
            break;
        case 5: case 6: {
            size_t n = random_input(bytes);
            put_input(bytes, n, now);
            reply_len = 0;
            break;
        }
        case 7: case 8: case 9:
            for (size_t i = 0; i < 300; i++)
                bytes[i] = (uint8_t)chance(256);
            display_write(&d, bytes, chance(300), chance(4));
            break;
        case 10: display_mode(&d, chance(3), chance(2)); break;
        case 11: display_consumed(&d); break;
        case 12: display_fs_write(&d, bytes, chance(4100), chance(2)); break;
        case 13: display_set_pf(&d, chance(26), chance(4), bytes, chance(70)); break;
        case 14: display_set_more(&d, chance(3) * 25, chance(3) * 5); break;
        default:
            switch (chance(11)) {
            case 0: display_connected(&d); break;
            case 1: display_refresh(&d); break;
            case 2: display_logoff(&d); break;
            case 3: display_fs_end(&d); break;
            default: display_attention(&d, now); break;
            }
        }
        check(display_room(&d) >= 0 && display_room(&d) <= DISPLAY_QUEUE, "room");
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0) {
        chance_seed(strtoul(argv[2], NULL, 10));
        fuzz((unsigned)strtoul(argv[3], NULL, 10));
        return 0;
    }
    return pipe_serve(serve) ? 0 : 2;
}
