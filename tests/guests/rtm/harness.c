/* SPDX-License-Identifier: MIT */
/* RTMSF's pure part on the host. Standard input: lines of words that build two samples and ask for
 * results.
 *   system WHICH now_us virt cp own idle sio hits misses free queue0 queue1 kmips
 *   user WHICH slot userid logon_us virt_us cp_us instr sio iucv console wait
 *   device WHICH devno starts
 *   view NUMBER [userid]      the view, then "."
 *   record                    the log's lines, then "."
 *   stream TOP                the erase stream in hexadecimal
 *   change                    the stream from an empty page to the view, no erase
 *   parse TEXT                what seconds name type, or the message
 *   input HEX                 pf and text
 *   past N                    N more intervals in the history
 */
#include <stdio.h>
#include <stdlib.h>
#include "rtm.h"

static struct rtm_snapshot snap[2];
static struct rtm_interval interval;
static struct rtm_history history;
static struct rtm_text text;
static struct rtm_page page, empty;

static struct usage usage(unsigned long us)
{
    return (struct usage){us << 12, us * 10, 0, 0};
}

static void add_system(const char *args)
{
    unsigned which;
    unsigned long now, virt, cp, own, idle, sio, hits, misses, free_pages, q0, q1, model;
    char name[9];

    if (sscanf(args, "%u %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %8s", &which, &now, &virt,
               &cp, &own, &idle, &sio, &hits, &misses, &free_pages, &q0, &q1, &model, name)
        != 14)
        exit(2);
    struct monitor *m = &snap[which].system;
    memset(&snap[which], 0, sizeof(snap[which]));
    m->now_us = now;
    m->virt = usage(virt);
    m->cp = usage(cp);
    m->system = usage(own);
    m->idle = usage(idle);
    m->virt_us = virt / model;
    m->total_us = virt / model + cp / model;
    m->system_us = own / model;
    m->sio = sio;
    m->mdc_hits = hits;
    m->mdc_misses = misses;
    m->pages_total = 16384;
    m->pages_free = (uint32_t)free_pages;
    m->queue[0] = (uint32_t)q0;
    m->queue[1] = (uint32_t)q1;
    memset(m->model, ' ', 8);
    memcpy(m->model, name, strlen(name));
}

static void add_user(const char *args)
{
    unsigned which, slot, wait;
    char userid[9];
    unsigned long logon, virt, cp, instr, sio, iucv, console;

    if (sscanf(args, "%u %u %8s %lu %lu %lu %lu %lu %lu %lu %u", &which, &slot, userid, &logon,
               &virt, &cp, &instr, &sio, &iucv, &console, &wait)
        != 11)
        exit(2);
    struct rtm_snapshot *s = &snap[which];
    struct monitor *m = &s->user[s->user_count];
    memset(m->userid, ' ', 8);
    memcpy(m->userid, userid, strlen(userid));
    m->virt.time = virt << 12;
    m->cp.time = cp << 12;
    m->virt.instr = instr;
    m->virt_us = virt;
    m->total_us = virt + cp;
    m->sio = sio;
    m->iucv = iucv;
    m->console = console;
    m->wait = wait;
    m->storage = 2048;
    m->logon_us = logon;
    s->slot[s->user_count++] = (uint16_t)slot;
    s->system.users = s->user_count;
}

static void add_device(const char *args)
{
    unsigned which, devno;
    unsigned long starts;

    if (sscanf(args, "%u %x %lu", &which, &devno, &starts) != 3)
        exit(2);
    struct monitor_device *d = &snap[which].device[snap[which].device_count++];
    *d = (struct monitor_device){.devno = (uint16_t)devno, .present = 1, .starts = starts};
    memset(d->volser, ' ', 8);
}

static void dump(const uint8_t *data, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        printf("%02x", data[i]);
    printf("\n");
}

static void view(const char *args)
{
    unsigned what = 0;
    char userid[9] = "";

    sscanf(args, "%u %8s", &what, userid);
    text.head = text.lines = 0;
    if (what == RTM_SYSTEM)
        rtm_view_system(&text, &interval, &history);
    else if (what == RTM_USER)
        rtm_view_users(&text, &interval);
    else if (what == RTM_ONE_USER)
        rtm_view_user(&text, &interval, userid);
    else if (what == RTM_IO)
        rtm_view_io(&text, &interval);
    else if (what == RTM_LOG)
        rtm_view_log(&text, &history);
    else if (what == RTM_HELP)
        rtm_view_help(&text);
    else {
        struct rtm_command c = {.what = (int)what - 100};
        memcpy(c.name, userid, 9);
        rtm_brief(&text, &c, &interval, &history);
    }
    for (unsigned i = 0; i < text.lines; i++)
        printf("%s\n", text.line[i]);
    printf(".\n");
}

static void parse(const char *args)
{
    struct rtm_command c;
    char why[RTM_WIDTH + 1] = "";
    size_t n = strlen(args);
    char *exact = malloc(n ? n : 1);     /* not one byte more, for the sanitizer */

    memcpy(exact, args, n);
    if (rtm_parse(exact, n, &c, why) != 0)
        printf("%s\n", why);
    else
        printf("%d %u %s %s\n", c.what, c.seconds, *c.name ? c.name : "-", *c.type ? c.type : "-");
    free(exact);
}

static void input(const char *args)
{
    size_t n = strlen(args) / 2;
    uint8_t *data = malloc(n ? n : 1);
    struct rtm_input in;
    unsigned byte;

    for (size_t i = 0; i < n; i++) {
        sscanf(args + 2 * i, "%2x", &byte);
        data[i] = (uint8_t)byte;
    }
    rtm_input(&in, data, n);
    printf("%d ", in.pf);
    dump((const uint8_t *)in.text, in.len);
    free(data);
}

int main(void)
{
    static char line[8192];
    static uint8_t stream[RTM_STREAM];
    char record[RTM_RECORD];

    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *args = strchr(line, ' ');
        args = args ? args + 1 : line + strlen(line);
        if (strncmp(line, "system", 6) == 0)
            add_system(args);
        else if (strncmp(line, "user", 4) == 0)
            add_user(args);
        else if (strncmp(line, "device", 6) == 0)
            add_device(args);
        else if (strncmp(line, "rates", 5) == 0) {
            printf("%d\n", rtm_rates(&snap[0], &snap[1], "RTMSF", &interval));
            if (interval.system.length_us)
                rtm_remember(&history, &interval.system);
        } else if (strncmp(line, "past", 4) == 0) {
            for (int i = atoi(args); i > 0; i--)
                rtm_remember(&history, &interval.system);
        } else if (strncmp(line, "view", 4) == 0)
            view(args);
        else if (strncmp(line, "record", 6) == 0) {
            for (unsigned i = 0; i <= interval.user_count; i++) {
                if (i)
                    rtm_record_user(record, &interval.system, &interval.user[i - 1]);
                else
                    rtm_record_system(record, &interval.system);
                printf("%s\n", record);
            }
            printf(".\n");
        } else if (strncmp(line, "stream", 6) == 0) {
            unsigned top = rtm_layout(&page, &text, (unsigned)atoi(args), "TITLE", "");
            printf("%u ", top);
            dump(stream, rtm_stream(stream, &page, &empty, true, false));
        } else if (strncmp(line, "change", 6) == 0) {
            struct rtm_page before = page;
            rtm_layout(&page, &text, (unsigned)atoi(args), "TITLE", "MESSAGE");
            dump(stream, rtm_stream(stream, &page, &before, false, false));
        } else if (strncmp(line, "parse", 5) == 0)
            parse(args);
        else if (strncmp(line, "input", 5) == 0)
            input(args);
        fflush(stdout);
    }
    return 0;
}
