/* SPDX-License-Identifier: MIT */
/* Lines of the log (docs/formats.md, VM/KB: the RTMSF log). Percentages are those of the model in force, as
 * QUERY TIME; with HOST, and WAIT always, those of the CPU timer. */
#include "rtm.h"
#include "vm.h"

static int head(char text[RTM_RECORD], const char *what, const struct rtm_system *s)
{
    char day[11], at[9];
    unsigned ms = (unsigned)((s->length_us + 500) / 1000);

    rtm_date(s->end_us, day);
    rtm_clock(s->end_us, at);
    return fmt(text, RTM_RECORD, "RTMSF %s %s %s SECS=%u.%03u", what, day, at, ms / 1000, ms % 1000);
}

/* The log's numbers have at most nine digits before the point. */
static unsigned long most(uint64_t value)
{
    return value > 999999999 ? 999999999 : (unsigned long)value;
}

static int field(char text[RTM_RECORD], int n, const char *name, uint64_t hundredths)
{
    return n + fmt(text + n, RTM_RECORD - (size_t)n, " %s=%lu.%02lu", name, most(hundredths / 100),
                   (unsigned long)(hundredths % 100));
}

static int tail(char text[RTM_RECORD], int n, const struct rtm_system *s, uint64_t console, uint64_t instr)
{
    n = field(text, n, "CONS", console);
    n += fmt(text + n, RTM_RECORD - (size_t)n, " INSTR=%lu", most(instr));
    return n + fmt(text + n, RTM_RECORD - (size_t)n, " MODEL=%s", s->model);
}

int rtm_record_system(char text[RTM_RECORD], const struct rtm_system *s)
{
    int n = head(text, "SYSTEM", s);

    n = field(text, n, "CPU", rtm_busy(s, true));
    n = field(text, n, "CP", s->cp.model + s->own.model);
    n = field(text, n, "USR", s->virt.model);
    n = field(text, n, "WAIT", s->wait);
    n = field(text, n, "IO", s->io);
    n = field(text, n, "IUCV", s->iucv);
    n = field(text, n, "STOR", s->storage);
    n += fmt(text + n, RTM_RECORD - (size_t)n, " QUEUE=%lu USERS=%u",
             most((uint64_t)s->queue[0] + s->queue[1]), s->users);
    if (s->mdc_hit != RTM_NONE)
        n = field(text, n, "MDC", s->mdc_hit);
    return tail(text, n, s, s->console, s->instr);
}

int rtm_record_user(char text[RTM_RECORD], const struct rtm_system *s, const struct rtm_user *u)
{
    char what[16];
    const char *state = !u->wait ? "R" : u->wait & WAIT_IO ? "P" : "W";

    fmt(what, sizeof(what), "USER %-8s", u->userid);
    int n = head(text, what, s);
    n = field(text, n, "CPU", u->total.model);
    n = field(text, n, "VIRT", u->virt.model);
    n = field(text, n, "IO", u->io);
    n = field(text, n, "IUCV", u->iucv);
    n += fmt(text + n, RTM_RECORD - (size_t)n, " STOR=%u STATE=%s", u->storage, state);
    return tail(text, n, s, u->console, u->instr);
}
