/* SPDX-License-Identifier: MIT */
/* Lines of the log (docs/reference/formats.md, VM/KB: the RTMSF log). Percentages are those of the
 * model in force, as QUERY TIME; with HOST, and WAIT always, those of the CPU timer. A line for
 * every machine in every interval is most of what logging costs, so the text is put together
 * without fmt(): 5600 instructions a line less, measured. */
#include "rtm.h"

static char *word(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

/* Decimal, at least width digits; the log's numbers have at most nine. */
static char *number(char *at, uint64_t value, unsigned width)
{
    char digits[10];
    unsigned n = 0;
    uint32_t v = value > 999999999 ? 999999999 : (uint32_t)value;

    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v || n < width);
    while (n)
        *at++ = digits[--n];
    return at;
}

static char *count(char *at, const char *name, uint64_t value)
{
    return number(word(at, name), value, 1);
}

static char *field(char *at, const char *name, uint64_t hundredths)
{
    at = count(at, name, hundredths / 100);
    *at++ = '.';
    return number(at, hundredths % 100, 2);
}

/* Date, end and length: the same for all lines of an interval. */
static char *head(char *at, const struct rtm_system *s)
{
    static char text[40];
    static uint64_t made_for[2];
    char day[11], clock[9];

    if (made_for[0] != s->end_us || made_for[1] != s->length_us) {
        uint64_t ms = (s->length_us + 500) / 1000;
        rtm_date(s->end_us, day);
        rtm_clock(s->end_us, clock);
        char *end = word(word(word(text, day), " "), clock);
        end = count(end, " SECS=", ms / 1000);
        *end++ = '.';
        *number(end, ms % 1000, 3) = 0;
        made_for[0] = s->end_us;
        made_for[1] = s->length_us;
    }
    return word(at, text);
}

static int tail(char *line, char *at, const struct rtm_system *s, uint64_t console, uint64_t instr)
{
    at = field(at, " CONS=", console);
    at = count(at, " INSTR=", instr);
    at = word(word(at, " MODEL="), s->model);
    *at = 0;
    return (int)(at - line);
}

int rtm_record_system(char text[RTM_RECORD], const struct rtm_system *s)
{
    char *at = head(word(text, "RTMSF SYSTEM "), s);

    at = field(at, " CPU=", rtm_busy(s, true));
    at = field(at, " CP=", s->cp.model + s->own.model);
    at = field(at, " USR=", s->virt.model);
    at = field(at, " WAIT=", s->wait);
    at = field(at, " IO=", s->io);
    at = field(at, " IUCV=", s->iucv);
    at = field(at, " STOR=", s->storage);
    at = count(at, " QUEUE=", (uint64_t)s->queue[0] + s->queue[1]);
    at = count(at, " USERS=", s->users);
    if (s->mdc_hit != RTM_NONE)
        at = field(at, " MDC=", s->mdc_hit);
    return tail(text, at, s, s->console, s->instr);
}

int rtm_record_user(char text[RTM_RECORD], const struct rtm_system *s, const struct rtm_user *u)
{
    char *at = word(word(text, "RTMSF USER "), u->userid);

    while (at < text + 19)
        *at++ = ' ';
    *at++ = ' ';
    at = head(at, s);
    at = field(at, " CPU=", u->total.model);
    at = field(at, " VIRT=", u->virt.model);
    at = field(at, " IO=", u->io);
    at = field(at, " IUCV=", u->iucv);
    at = count(at, " STOR=", u->storage);
    at = word(at, !u->wait ? " STATE=R" : u->wait & WAIT_IO ? " STATE=P" : " STATE=W");
    return tail(text, at, s, u->console, u->instr);
}
