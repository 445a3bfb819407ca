/* SPDX-License-Identifier: MIT */
/*
 * Drives guests/vmkb/cp/comm/lat/ from a pipe (pipe.h): of each record the first byte is an
 * operation letter. `harness fuzz SEED ROUNDS` runs without a pipe: valid frames, damaged, and
 * checks after each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../pipe.h"
#include "lat.h"

struct term {
    struct lat_session *s;      /* 0: free */
    size_t len, room;           /* of out; how much input it takes */
    uint8_t out[65536];
};

static struct lat lat;
static struct term terms[LAT_SESSIONS];
static uint64_t now;
static int no_terminal;
static unsigned long opened, closed, sent, bad_frames;
static const uint8_t mac[6] = {2, 1, 0, 0, 0, 1};

static unsigned id_of(const struct term *t)
{
    return (unsigned)(t - terms) + 1;
}

static void op_send(const uint8_t *frame, size_t len)
{
    sent++;
    if (len < 60 || len > 1514 || memcmp(frame + 6, mac, 6) != 0 || frame[12] != 0x60
        || frame[13] != 4)
        bad_frames++;
    put8('f');
    put16((unsigned)len);
    put(frame, len);
}

static void *op_open(struct lat_session *s)
{
    struct term *t = &terms[lat_id(&lat, s) - 1];

    if (no_terminal)
        return 0;
    if (t->s)
        abort();
    t->s = s;
    t->len = 0;
    t->room = 65536;
    opened++;
    put8('o');
    put8(id_of(t));
    return t;
}

static void op_close(void *term)
{
    struct term *t = term;

    if (!t->s)
        abort();
    t->s = 0;
    closed++;
    put8('c');
    put8(id_of(t));
}

static size_t op_input(void *term, const uint8_t *text, size_t len)
{
    struct term *t = term;

    if (len > t->room)
        len = t->room;
    t->room -= len;
    put8('i');
    put8(id_of(t));
    put16((unsigned)len);
    put(text, len);
    return len;
}

static size_t op_output(void *term, uint8_t *to, size_t max)
{
    struct term *t = term;
    size_t n = t->len < max ? t->len : max;

    memcpy(to, t->out, n);
    memmove(t->out, t->out + n, t->len - n);
    t->len -= n;
    return n;
}

static size_t op_waiting(const void *term)
{
    return ((const struct term *)term)->len;
}

static void op_attention(void *term)
{
    put8('a');
    put8(id_of(term));
}

static void op_work_for(const void *term)
{
    if (term && !((const struct term *)term)->s)
        abort();
}

static const struct lat_ops ops = {op_send,   op_open,    op_close,     op_input,
                                   op_output, op_waiting, op_attention, op_work_for};

static void write_out(unsigned id, const uint8_t *text, size_t n)
{
    struct term *t = &terms[id - 1];

    if (!t->s)
        return;
    if (n > sizeof(t->out) - t->len)
        n = sizeof(t->out) - t->len;
    memcpy(t->out + t->len, text, n);
    t->len += n;
    lat_ready(&lat, t->s, now);
}

static void frame_in(const uint8_t *p, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1); /* so that a byte read too far is seen */

    memcpy(exact, p, n);
    lat_frame(&lat, exact, n, now);
    free(exact);
}

static void counts(void)
{
    const struct lat_counts *c = &lat.counts;

    put8('k');
    put64(c->malformed);
    put64(c->duplicates);
    put64(c->out_of_order);
    put64(c->resent);
    put64(c->unknown);
    put64(c->refused);
    put64(c->violations);
    put64(c->circuits_lost);
}

static void operation(const uint8_t *p, uint32_t n)
{
    uint64_t next;

    switch (p[0]) {
    case 'I':
        now = get64(p + 1);
        memset(terms, 0, sizeof(terms));
        no_terminal = p[9];
        lat_init(&lat, &ops, mac, "\x56\x4d\x4b\x42", "\x68\x69", now); /* VMKB, in ISO 8859-1 */
        break;
    case 'F':
        now = get64(p + 1);
        frame_in(p + 9, n - 9);
        break;
    case 'T':
        now = get64(p + 1);
        next = lat_tick(&lat, now);
        put8('n');
        put64(next);
        break;
    case 'O':
        write_out(p[1], p + 2, n - 2);
        break;
    case 'R':
        terms[p[1] - 1].room = (size_t)p[2] << 8 | p[3];
        if (terms[p[1] - 1].s)
            lat_ready(&lat, terms[p[1] - 1].s, now);
        break;
    case 'L':
        if (terms[p[1] - 1].s)
            lat_closing(&lat, terms[p[1] - 1].s, now);
        break;
    case 'S':
        lat_shutdown(&lat, now);
        break;
    case 'K':
        counts();
        break;
    }
}

/* fuzzing */

static size_t ethernet(uint8_t *f, int from)
{
    memcpy(f, mac, 6);
    memset(f + 6, 0, 6);
    f[6] = 2;
    f[11] = (uint8_t)from;
    f[12] = 0x60;
    f[13] = 4;
    return 14;
}

static size_t start_frame(uint8_t *f, int from)
{
    static const uint8_t body[] = {6, 0, 0, 0, 1, 0,   0,   255, 0xdc, 5, 5,   2,   255, 0, 8, 20,
                                   0, 0, 1, 1, 4, 'V', 'M', 'K', 'B',  3, 'L', 'A', 'T', 0, 0};
    size_t n = ethernet(f, from);

    memcpy(f + n, body, sizeof(body));
    return n + sizeof(body);
}

static size_t one_slot(uint8_t *p)
{
    static const uint8_t start[] = {1, 1, 127, 4, 'V', 'M', 'K', 'B', 0, 0};
    static const uint8_t types[] = {0, 0, 0, 9, 9, 10, 11, 12, 13};
    unsigned type = types[chance(9)], len = chance(40);

    p[0] = type == 9 ? 0 : (uint8_t)chance(12);
    p[1] = (uint8_t)(1 + chance(12));
    for (unsigned i = 0; i < len; i++)
        p[4 + i] = (uint8_t)chance(256);
    if (type == 9) {
        len = sizeof(start);
        memcpy(p + 4, start, len);
    }
    /* often the ids of a session that there is */
    const struct lat_session *s = &lat.session[chance(3)];
    if (type != 9 && s->circuit && chance(4)) {
        p[0] = (uint8_t)lat_id(&lat, s);
        p[1] = s->remote;
    }
    p[2] = (uint8_t)len;
    p[3] = (uint8_t)(type << 4 | chance(16));
    p[4 + len] = 0;
    return 4 + len + (len & 1);
}

static size_t run_frame(uint8_t *f, int from)
{
    size_t n = ethernet(f, from);
    const struct lat_circuit *c = 0;

    for (unsigned i = 0; i < LAT_CIRCUITS; i++)
        if (lat.circuit[i].running && lat.circuit[i].mac[5] == from)
            c = &lat.circuit[i];
    if (!c)
        return start_frame(f, from);
    unsigned slots = chance(12);
    f[n] = chance(20) ? 2 : (uint8_t)chance(64);
    f[n + 1] = (uint8_t)slots;
    f[n + 2] = (uint8_t)c->id;
    f[n + 3] = (uint8_t)(c->id >> 8);
    f[n + 4] = (uint8_t)c->remote;
    f[n + 5] = (uint8_t)(c->remote >> 8);
    f[n + 6] = (uint8_t)(c->received + (chance(8) ? 1 : chance(4)));
    f[n + 7] = (uint8_t)(c->sent - (chance(8) ? 0 : chance(3)));
    n += 8;
    while (slots--)
        n += one_slot(f + n);
    return n;
}

static size_t damage(uint8_t *f, size_t n)
{
    switch (chance(8)) {
    case 0:
        return 14 + chance((unsigned)(n - 13));
    case 1:
        for (unsigned k = 1 + chance(4); k; k--)
            f[14 + chance((unsigned)(n - 14))] ^= (uint8_t)(1 << chance(8));
        return n;
    case 2:
        f[14 + chance((unsigned)(n - 14))] = (uint8_t)chance(256);
        return n;
    case 3:
        for (unsigned k = chance(200); k && n < 1600; k--)
            f[n++] = (uint8_t)chance(256);
        return n;
    case 4:
        f[15] = (uint8_t)chance(256); /* number of slots */
        return n;
    default:
        return n;
    }
}

static size_t any_frame(uint8_t *f)
{
    int from = 1 + (int)chance(20);
    size_t n;

    switch (chance(12)) {
    case 0:
        n = start_frame(f, from);
        break;
    case 1:
        n = ethernet(f, from);
        for (unsigned k = chance(1700); k; k--)
            f[n++] = (uint8_t)chance(256);
        if (chance(2))
            memcpy(f, "\x09\x00\x2b\x00\x00\x0f\x02", 7);
        if (chance(2))
            f[14] = 0x38;
        return n;
    default:
        n = run_frame(f, from);
    }
    return damage(f, n);
}

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

static void check_all(void)
{
    unsigned open = 0;

    for (unsigned i = 0; i < LAT_CIRCUITS; i++) {
        const struct lat_circuit *c = &lat.circuit[i];
        unsigned n = 0, queued = 0;
        for (unsigned k = 0; k < LAT_SESSIONS; k++) {
            n += lat.session[k].circuit == c;
            queued += lat.session[k].circuit == c && lat.session[k].queued;
        }
        check(n == c->sessions, "sessions of a circuit");
        check(!n || c->running, "a session on a circuit that is down");
        for (const struct lat_session *s = c->first; s; s = s->next, queued--)
            check(s->circuit == c && queued, "the queue of a circuit");
        check(!queued, "a session is queued and not in the queue");
        check(c->saved_len <= 1514 && c->control_count <= LAT_CONTROLS, "a circuit's message");
        check(!c->payer || c->payer->circuit == c, "the payer of a circuit");
        open += n;
    }
    check(open == opened - closed, "terminals");
    for (unsigned k = 0; k < LAT_SESSIONS; k++) {
        check(lat.session[k].held <= LAT_HELD, "held input");
        check(!lat.session[k].circuit || terms[k].s == &lat.session[k], "a session's terminal");
    }
    check(!bad_frames, "a frame that was sent");
    check(!lat.processing, "an answer that was not sent");
}

static void fuzz(unsigned rounds)
{
    uint8_t frame[4096];

    quiet = 1;
    now = 1;
    lat_init(&lat, &ops, mac, "\x56\x4d\x4b\x42", "\x68\x69", now);
    for (unsigned i = 0; i < rounds; i++) {
        now += chance(20000);
        frame_in(frame, any_frame(frame));
        if (!chance(4))
            write_out(1 + chance(12), frame, chance(600));
        if (!chance(50) && terms[i % 12].s)
            lat_closing(&lat, terms[i % 12].s, now);
        if (!chance(8))
            terms[chance(12)].room = chance(300);
        if (!chance(30))
            lat_tick(&lat, now);
        if (i % 16 == 0 || rounds < 20000)
            check_all();
    }
    const struct lat_counts *c = &lat.counts;
    printf("frames %lu malformed %lu unknown %lu refused %lu violations %lu duplicates %lu order "
           "%lu opened %lu sent %lu\n",
           (unsigned long)c->frames_in, (unsigned long)c->malformed, (unsigned long)c->unknown,
           (unsigned long)c->refused, (unsigned long)c->violations, (unsigned long)c->duplicates,
           (unsigned long)c->out_of_order, opened, sent);
    for (unsigned i = 0; i < 2000; i++) {
        now += 1000000;
        lat_tick(&lat, now);
    }
    check_all();
    check(opened == closed, "a terminal that was never closed");
    frame_in(frame, start_frame(frame, 99));
    check(lat.circuit[0].running, "a circuit after it all");
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0) {
        chance_seed(strtoull(argv[2], 0, 10));
        fuzz((unsigned)atoi(argv[3]));
        return 0;
    }
    return pipe_serve(operation) ? 0 : 1;
}
