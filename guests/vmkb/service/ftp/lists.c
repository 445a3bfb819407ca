/* SPDX-License-Identifier: MIT */
/* Lines of listings. */
#include "server.h"

static void civil(uint64_t seconds, unsigned v[6])
{
    uint64_t days = seconds / 86400; /* from 1900-01-01 */
    static const uint8_t length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned y = 1900;

    for (;; y++) {
        unsigned in_year = y % 4 == 0 && y != 1900 ? 366 : 365;
        if (days < in_year)
            break;
        days -= in_year;
    }
    unsigned m = 0;
    while (days >= length[m] + (unsigned)(m == 1 && y % 4 == 0 && y != 1900)) {
        days -= length[m] + (unsigned)(m == 1 && y % 4 == 0 && y != 1900);
        m++;
    }
    v[0] = y;
    v[1] = m + 1;
    v[2] = (unsigned)days + 1;
    v[3] = (unsigned)(seconds % 86400 / 3600);
    v[4] = (unsigned)(seconds / 60 % 60);
    v[5] = (unsigned)(seconds % 60);
}

int list_line(const struct fs_stat *st, int style, char *text, size_t size)
{
    unsigned t[6];
    unsigned fn = (unsigned)blank_trim(st->name.fn, 8), ft = (unsigned)blank_trim(st->name.ft, 8);

    if (style == LIST_NAMES)
        return fmt(text, size, "%.*s.%.*s", (int)fn, (const char *)st->name.fn, (int)ft,
                   (const char *)st->name.ft);
    civil(st->written, t);
    return fmt(text, size, "%-8.8s %-8.8s %c %10u %10u %8u %u/%02u/%02u %2u:%02u:%02u",
               (const char *)st->name.fn, (const char *)st->name.ft, st->recfm, st->lrecl,
               st->records, st->blocks, t[1], t[2], t[0] % 100, t[3], t[4], t[5]);
}

/* As ls -l of a UNIX system writes it: the year stands for the time of day half a year later. */
int list_unix(const struct fs_stat *st, const struct disk *d, uint64_t bytes, uint64_t now,
              char *text, size_t size)
{
    static const char month[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    unsigned t[6];

    civil(st->written, t);
    int n = fmt(text, size, "-r%c-r--r-- 1 %-8s %03X      %10lu %s %2u ", d->writable ? 'w' : '-',
                d->owner, d->vaddr, (unsigned long)bytes, month[t[1] - 1], t[2]);
    if (st->written <= now + 86400 && now < st->written + 180 * 86400UL)
        n += fmt(text + n, size - (size_t)n, "%02u:%02u ", t[3], t[4]);
    else
        n += fmt(text + n, size - (size_t)n, "%5u ", t[0]);
    return n + list_line(st, LIST_NAMES, text + n, size - (size_t)n);
}

void time_words(uint64_t seconds, char text[15])
{
    unsigned t[6];

    civil(seconds, t);
    fmt(text, 15, "%04u%02u%02u%02u%02u%02u", t[0], t[1], t[2], t[3], t[4], t[5]);
}

int list_facts(const struct fs_stat *st, unsigned facts, uint64_t bytes, char *text, size_t size)
{
    char time[15];
    int n = 0;

    text[0] = 0;
    time_words(st->written, time);
    if (facts & FACT_TYPE)
        n += fmt(text + n, size - (size_t)n, "type=file;");
    if (facts & FACT_SIZE)
        n += fmt(text + n, size - (size_t)n, "size=%lu;", bytes);
    if (facts & FACT_MODIFY)
        n += fmt(text + n, size - (size_t)n, "modify=%s;", time);
    n += fmt(text + n, size - (size_t)n, " ");
    return n + list_line(st, LIST_NAMES, text + n, size - (size_t)n);
}
