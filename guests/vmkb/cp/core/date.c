/* SPDX-License-Identifier: MIT */
#include "defs.h"
#include "lib.h"

const char system_node[] = "VMKB";
const char cp_level[] = "VM/KB VERSION 0.1.0";

/* Civil date of a day number since 1970-01-01, valid to 2099: years of 365 days, one in four
 * longer. */
static void civil(uint64_t days, unsigned *y, unsigned *m, unsigned *d)
{
    static const uint8_t length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = 1970;

    for (;; year++) {
        unsigned in_year = year % 4 == 0 ? 366 : 365;
        if (days < in_year)
            break;
        days -= in_year;
    }
    unsigned month = 0;
    for (;; month++) {
        unsigned in_month = length[month] + (month == 1 && year % 4 == 0);
        if (days < in_month)
            break;
        days -= in_month;
    }
    *y = year;
    *m = month + 1;
    *d = (unsigned)days + 1;
}

void date_format(uint64_t us, char text[24])
{
    uint64_t s = us / 1000000;
    unsigned y, m, d, t = (unsigned)(s % 86400);

    civil(s / 86400, &y, &m, &d);
    fmt(text, 24, "%02u/%02u/%02u %02u:%02u:%02u", m, d, y % 100, t / 3600, t / 60 % 60, t % 60);
}

const char *weekday(uint64_t us)
{
    static const char *const names[] = {"THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY",
                                        "MONDAY", "TUESDAY", "WEDNESDAY"};
    return names[us / 86400000000UL % 7];
}
