/* SPDX-License-Identifier: MIT */
/* Lines of a view, and numbers in columns. */
#include "rtm.h"

void rtm_add(struct rtm_text *t, const char *f, ...)
{
    va_list ap;

    if (t->lines == RTM_LINES)
        return;
    memset(t->line[t->lines], 0, sizeof(t->line[0]));
    va_start(ap, f);
    vfmt(t->line[t->lines], sizeof(t->line[0]), f, ap);
    va_end(ap);
    t->lines++;
}

void rtm_copy(struct rtm_text *t, const char line[RTM_WIDTH + 1])
{
    if (t->lines < RTM_LINES)
        memcpy(t->line[t->lines++], line, RTM_WIDTH + 1);
}

const char *rtm_num(uint64_t hundredths, unsigned width, unsigned decimals)
{
    static char buffer[16][32];
    static unsigned next;
    char *b = buffer[next = (next + 1) % 16];
    static const unsigned divisor[3] = {100, 10, 1};

    for (unsigned d = decimals > 2 ? 2 : decimals;; d--) {
        uint64_t v = (hundredths + divisor[d] / 2) / divisor[d];
        unsigned scale = 100 / divisor[d];
        int n = d ? fmt(b, sizeof(buffer[0]), "%*lu.%0*lu", width ? (int)(width - d - 1) : 0,
                        (unsigned long)(v / scale), (int)d, (unsigned long)(v % scale))
                  : fmt(b, sizeof(buffer[0]), "%*lu", (int)width, (unsigned long)v);
        if ((unsigned)n <= width || width == 0)
            return b;
        if (d == 0)
            break;
    }
    memset(b, '*', width);
    b[width] = 0;
    return b;
}

void rtm_clock(uint64_t unix_us, char text[9])
{
    unsigned s = (unsigned)(unix_us / 1000000 % 86400);

    fmt(text, 9, "%02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

/* Civil date of a day number, by 400-year eras of 146097 days that begin on March 1. */
void rtm_date(uint64_t unix_us, char text[11])
{
    uint64_t days = unix_us / 1000000 / 86400 + 719468;
    uint64_t era = days / 146097, day = days % 146097;
    uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    uint64_t in_year = day - (365 * year + year / 4 - year / 100);
    uint64_t month = (5 * in_year + 2) / 153;
    uint64_t mday = in_year - (153 * month + 2) / 5 + 1;

    month = month < 10 ? month + 3 : month - 9;
    fmt(text, 11, "%04u-%02u-%02u", (unsigned)(year + era * 400 + (month <= 2)), (unsigned)month,
        (unsigned)mday);
}
