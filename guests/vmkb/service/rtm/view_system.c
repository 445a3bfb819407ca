/* SPDX-License-Identifier: MIT */
/* DISPLAY SYSTEM: the last interval, and the ones before it; DISPLAY LOG: all that are kept. */
#include "rtm.h"

#define SYSTEM_PAST 7

static void processor(struct rtm_text *t, const char *what, uint32_t timer, uint32_t model,
                      const char *rate, const char *value)
{
    rtm_add(t, "%-20s%s %s    %-20s%s", what, rtm_num(timer, 9, 2), rtm_num(model, 9, 2), rate,
            value);
}

static void past_head(struct rtm_text *t)
{
    rtm_add(t,
            "TIME        CPU%%     CP%%    USR%%   WAIT%%     I/O/S   IUCV/S CONS/S READY   SECS");
}

/* Line by line, the last interval first. The text of one is made once: most of a view's cost is in
 * numbers. */
static void past_lines(struct rtm_text *t, struct rtm_history *h, unsigned most)
{
    const struct rtm_system *s;
    char at[9];

    for (unsigned n = 0; n < most && (s = rtm_past(h, n)) != 0; n++) {
        char *kept = h->line[s - h->past];
        if (*kept) {
            rtm_copy(t, kept);
            continue;
        }
        rtm_clock(s->end_us, at);
        rtm_add(t, "%s %s %s %s %s %s %s %s %5u %s", at, rtm_num(rtm_busy(s, false), 7, 2),
                rtm_num(s->cp.timer + s->own.timer, 7, 2), rtm_num(s->virt.timer, 7, 2),
                rtm_num(s->wait, 7, 2), rtm_num(s->io, 9, 1), rtm_num(s->iucv, 8, 1),
                rtm_num(s->console, 6, 1), s->queue[0] + s->queue[1],
                rtm_num(s->length_us / 10000, 6, 1));
        memcpy(kept, t->line[t->lines - 1], RTM_WIDTH + 1);
    }
}

void rtm_view_system(struct rtm_text *t, const struct rtm_interval *i, struct rtm_history *h)
{
    const struct rtm_system *s = &i->system;
    t->head = 1;
    rtm_add(t, "PROCESSOR %%             TIMER     MODEL    PER SECOND");
    processor(t, "CPU BUSY", rtm_busy(s, false), rtm_busy(s, true), "I/O STARTED",
              rtm_num(s->io, 12, 2));
    processor(t, "  VIRTUAL (USERS)", s->virt.timer, s->virt.model, "IUCV MESSAGES",
              rtm_num(s->iucv, 12, 2));
    processor(t, "  CP FOR USERS", s->cp.timer, s->cp.model, "CONSOLE LINES",
              rtm_num(s->console, 12, 2));
    processor(t, "  CP, NOBODY'S", s->own.timer, s->own.model, "MDC BLOCKS READ",
              rtm_num(s->mdc_reads, 12, 2));
    rtm_add(t, "%-20s%s %9s    %-20s%12lu", "WAIT", rtm_num(s->wait, 9, 2), "-", "INSTRUCTIONS",
            (unsigned long)s->instr);
    rtm_add(t, "%-20s%9s %s    %-20s%s %%", "T/V RATIO", "", rtm_num(s->tv, 9, 2), "MDC HIT RATIO",
            s->mdc_hit == RTM_NONE ? "           -" : rtm_num(s->mdc_hit, 12, 2));
    rtm_add(t, "%-20s%s %s    %-20s%12u", "RTMSF ITSELF", rtm_num(s->self.timer, 9, 2),
            rtm_num(s->self.model, 9, 2), "USERS LOGGED ON", s->users);
    rtm_add(t, "  INSTRUCTIONS AN INTERVAL %12lu    %-20s%12u", (unsigned long)s->self_instr,
            "  AT A TERMINAL", s->connected);
    rtm_add(t, "%-20s%s OF %6uK    %-20s%s %5u", "STORAGE IN USE %", rtm_num(s->storage, 9, 2),
            s->pages * 4, "READY IN Q1, Q2", rtm_num((uint64_t)s->queue[0] * 100, 6, 0),
            s->queue[1]);
    rtm_add(t, " ");
    rtm_add(t, "LAST INTERVALS, BY THE CPU TIMER");
    past_head(t);
    past_lines(t, h, SYSTEM_PAST);
}

void rtm_view_log(struct rtm_text *t, struct rtm_history *h)
{
    t->head = 1;
    past_head(t);
    past_lines(t, h, RTM_HISTORY);
}
