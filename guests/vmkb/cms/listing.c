/* SPDX-License-Identifier: MIT */
#include "listing.h"

static void two(char *to, unsigned n, char lead)
{
    to[0] = n < 10 ? lead : (char)('0' + n / 10);
    to[1] = (char)('0' + n % 10);
}

/* Days are counted from 1900-03-01, so that a leap day is the last of its year; 2100 is not reached
 * by the two digits of a year. */
/* Date and time of `written` (seconds since 1900-01-01): "mm/dd/yy hh:mm:ss" with no zero before
 * the month and the hour. buf has 18 bytes. */
static void listing_date(char buf[18], uint64_t written)
{
    uint64_t days = written / 86400;
    unsigned second = (unsigned)(written % 86400);
    unsigned year, month, day;

    if (days < 59) { /* January and February 1900 */
        year = 0;
        month = days < 31 ? 1 : 2;
        day = (unsigned)days - (month == 2 ? 31 : 0) + 1;
    } else {
        unsigned d = (unsigned)days - 59;
        year = (4 * d + 3) / 1461;
        unsigned of_year = d - 1461 * year / 4;
        unsigned m = (5 * of_year + 2) / 153;
        day = of_year - (153 * m + 2) / 5 + 1;
        month = m < 10 ? m + 3 : m - 9;
        if (m >= 10)
            year++;
    }
    memcpy(buf, "  /  /     :  :  ", 18);
    two(buf, month, ' ');
    two(buf + 3, day, '0');
    two(buf + 6, year % 100, '0');
    two(buf + 9, second / 3600, ' ');
    two(buf + 12, second / 60 % 60, '0');
    two(buf + 15, second % 60, '0');
}

/* n right-justified in `width` columns. */
static char *number(char *to, unsigned width, uint32_t n)
{
    memset(to, ' ', width);
    for (char *p = to + width; p > to; n /= 10) {
        *--p = (char)('0' + n % 10);
        if (n < 10)
            break;
    }
    return to + width;
}

/* Written by hand, not by a format: a listing is what terminals are busy with. */
unsigned listing_line(char buf[LISTING_LINE], enum listing detail, const struct fs_stat *st,
                      char letter, const uint8_t label[8])
{
    char *p = buf;

    memcpy(p, st->name.fn, 8);
    p += 8;
    if (detail >= LIST_FTYPE) {
        *p++ = ' ';
        memcpy(p, st->name.ft, 8);
        p += 8;
    }
    if (detail >= LIST_FMODE) {
        *p++ = ' ';
        *p++ = letter;
        *p++ = (char)('0' + st->mode);
    }
    if (detail >= LIST_FORMAT) {
        *p++ = ' ';
        *p++ = st->recfm == FS_FIXED ? 'F' : 'V';
        *p++ = ' ';
        p = number(p, 10, st->lrecl);
    }
    if (detail >= LIST_ALLOC) {
        *p++ = ' ';
        p = number(p, 10, st->records);
        *p++ = ' ';
        p = number(p, 10, st->blocks);
    }
    if (detail >= LIST_DATE) {
        *p++ = ' ';
        listing_date(p, st->written);
        p += 17;
    }
    if (detail >= LIST_LABEL) {
        *p++ = ' ';
        memcpy(p, label, 6);
        p += 6;
    }
    while (p > buf && p[-1] == ' ')
        p--;
    return (unsigned)(p - buf);
}

const char *listing_heading(enum listing detail)
{
    static const char *const headings[] = {
        [LIST_FNAME] = "",
        [LIST_FTYPE] = "",
        [LIST_FMODE] = "",
        [LIST_FORMAT] = "FILENAME FILETYPE FM FORMAT LRECL",
        [LIST_ALLOC] = "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS",
        [LIST_DATE] = "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS     DATE     TIME",
        [LIST_LABEL] =
            "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS     DATE     TIME LABEL",
    };
    return headings[detail];
}
