/* SPDX-License-Identifier: MIT */
/* DISPLAY USER: a line for each machine, most TOTCPU first; DISPLAY USER userid: all about one. */
#include "rtm.h"

const char *rtm_wait_word(uint32_t wait)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {
        {WAIT_DEAD, "GOING"}, {WAIT_NOTREADY, "NOIPL"}, {WAIT_CP, "CPRD"}, {WAIT_SLEEP, "SLEEP"},
        {WAIT_IO, "DISK"}, {WAIT_OUTPUT, "OUTPT"}, {WAIT_CONSOLE, "CONS"}, {WAIT_EVENT, "EVENT"},
    };

    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (wait & words[i].bit)
            return words[i].word;
    return "READY";
}

void rtm_view_users(struct rtm_text *t, const struct rtm_interval *i)
{
    t->head = 1;
    rtm_add(t, "USERID     CPU%% TOTCPU VIRTCP  T/V   INSTR/S  I/O/S IUCV/S CONS/ STOR-K Q WAIT");
    for (unsigned n = 0; n < i->user_count; n++) {
        const struct rtm_user *u = &i->user[n];
        rtm_add(t, "%-8s %s %s %s %s %s %s %s %s %6u %u%c%s", u->userid,
                rtm_num(u->total.timer, 6, 2), rtm_num(u->total.model, 6, 2),
                rtm_num(u->virt.model, 6, 2), u->tv ? rtm_num(u->tv, 4, 2) : "   -",
                rtm_num(u->instr * 100, 9, 0), rtm_num(u->io, 6, 1), rtm_num(u->iucv, 6, 1),
                rtm_num(u->console, 5, 1), u->storage, u->queue + 1, u->connected ? ' ' : '*',
                rtm_wait_word(u->wait));
    }
    rtm_add(t, "*: NO TERMINAL. CPU%% BY THE TIMER, TOTCPU AND VIRTCP (PERCENT) BY THE MODEL");
}

static const struct rtm_user *find(const struct rtm_interval *i, const char *userid)
{
    for (unsigned n = 0; n < i->user_count; n++)
        if (strcmp(i->user[n].userid, userid) == 0)
            return &i->user[n];
    return 0;
}

static void count(struct rtm_text *t, const char *what, uint64_t rate, uint64_t since)
{
    rtm_add(t, "%-22s%s %20lu", what, rtm_num(rate, 14, 2), (unsigned long)since);
}

bool rtm_view_user(struct rtm_text *t, const struct rtm_interval *i, const char *userid)
{
    const struct rtm_user *u = find(i, userid);

    t->head = 1;
    if (!u) {
        rtm_add(t, "%s WAS NOT LOGGED ON WHEN THE INTERVAL ENDED", userid);
        return false;
    }
    const struct monitor *m = u->now;
    rtm_add(t, "%-22s%14s %20s", u->userid, "THIS INTERVAL", "SINCE LOGON");
    rtm_add(t, "%-22s%14s %20s", "PROCESSOR", "%", "MICROSECONDS");
    count(t, "TOTCPU, CPU TIMER", u->total.timer, (m->virt.time + m->cp.time) >> 12);
    count(t, "VIRTCPU, CPU TIMER", u->virt.timer, m->virt.time >> 12);
    count(t, "TOTCPU, MODEL", u->total.model, m->total_us);
    count(t, "VIRTCPU, MODEL", u->virt.model, m->virt_us);
    rtm_add(t, "%-22s%s", "T/V RATIO", u->tv ? rtm_num(u->tv, 14, 2) : "             -");
    rtm_add(t, " ");
    rtm_add(t, "%-22s%14s %20s", "COUNTS", "PER SECOND", "COUNT");
    count(t, "INSTRUCTIONS", u->instr * 100, m->virt.instr + m->cp.instr);
    count(t, "I/O REQUESTS", u->io, m->sio);
    count(t, "IUCV MESSAGES", u->iucv, m->iucv);
    count(t, "CONSOLE LINES", u->console, m->console);
    rtm_add(t, "%-22s%14s %20lu", "BYTES MOVED", "", (unsigned long)(m->virt.moved + m->cp.moved));
    rtm_add(t, "%-22s%14s %20lu", "BYTES SUMMED", "",
            (unsigned long)(m->virt.summed + m->cp.summed));
    rtm_add(t, "%-22s%14s %20lu", "CORRECTED COUNTS", "", (unsigned long)m->corrections);
    rtm_add(t, " ");
    rtm_add(t, "STORAGE %uK   QUEUE Q%u   WAIT %s   %s", u->storage, u->queue + 1,
            rtm_wait_word(u->wait), u->connected ? "AT A TERMINAL" : "DISCONNECTED");
    return true;
}
