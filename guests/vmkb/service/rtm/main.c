/* SPDX-License-Identifier: MIT */
/* RTMSF. IPL RTMSF PARM [LINE] [LOG] [seconds]: LINE keeps it from taking the 3270 at once. */
#include "act.h"
#include "ctype.h"
#include "diag.h"
#include "logfile.h"
#include "say.h"

#define FIRST_US   1000000 /* the first interval is short, so that there is something to see */
#define AGAIN_US   100000        /* until the screen is tried again */

static void option(const char *word, bool *line)
{
    unsigned n = 0;

    if (strcmp(word, "LINE") == 0)
        *line = true;
    else if (strcmp(word, "LOG") == 0)
        act_command("SET LOG ON", 10, 0);
    else {
        for (; is_digit(*word) && n <= RTM_SECONDS_MAX; word++)
            n = n * 10 + (unsigned)(*word - '0');
        if (!*word && n >= 1 && n <= RTM_SECONDS_MAX)
            rtm.seconds = n;
        else
            say("RTMCMD003E INVALID OPERAND; IPL RTMSF PARM [LINE] [LOG] [SECONDS]");
    }
}

static bool options(const struct diag_id *id)
{
    bool line = false;
    char word[9];
    unsigned n = 0;

    for (unsigned i = 0; i <= sizeof(id->ipl_parm); i++) {
        char c = i < sizeof(id->ipl_parm) ? id->ipl_parm[i] : ' ';
        if (c != ' ' && c) {
            if (n < sizeof(word) - 1)
                word[n++] = (char)to_upper(c);
        } else if (n) {
            word[n] = 0;
            n = 0;
            option(word, &line);
        }
    }
    return line;
}

static void event(struct event *e, long got)
{
    char text[LINE_MAX], from[9];
    long n;

    if (got == EV_SCREEN) {
        panel_input();
    } else if (got == EV_CONSOLE) {
        n = diag_read(text, sizeof(text), READ_NOWAIT);
        if (n >= 0)
            act_command(text, (size_t)n, 0);
    } else if (got == EV_SMSG) {
        name_string(from, e->from);
        act_command(e->text, e->text_len, from);
    } else if (got == EV_ATTN) {
        diag_attn();
    }
}

static uint64_t wait_us(void)
{
    uint64_t now = tod_us();
    uint64_t left = rtm.due_us > now ? rtm.due_us - now : 1;

    return rtm.screen && rtm.busy && left > AGAIN_US ? AGAIN_US : left;
}

void vm_main(void);
void vm_main(void)
{
    struct diag_id id;
    struct event e;

    diag_id(&id);
    name_string(rtm.self, id.userid);
    rtm.seconds = 10;
    bool line = options(&id);
    act_sample();
    rtm.due_us = tod_us() + FIRST_US;
    if (!line)
        panel_start();
    if (!rtm.screen)
        say("RTMCMD020I RTMSF SAMPLES EVERY %u SECONDS; HELP LISTS THE COMMANDS", rtm.seconds);
    for (;;) {
        long got = diag_wait(EV_CONSOLE | EV_SCREEN | EV_SMSG | EV_ATTN, &e, wait_us());
        if (tod_us() >= rtm.due_us) {
            uint64_t step = (uint64_t)rtm.seconds * 1000000;
            act_sample();
            rtm.due_us += step;
            if (rtm.due_us <= tod_us())
                rtm.due_us = tod_us() + step;    /* it was held up: no samples in a row */
        }
        if (got != EV_TIMER)
            event(&e, got);
        else if (rtm.screen && rtm.busy)
            panel_paint();
    }
}
