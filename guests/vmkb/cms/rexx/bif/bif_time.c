/* SPDX-License-Identifier: MIT */
/* DATE and TIME. */
#include "bif.h"

static const char *const months[12] = {"January", "February", "March", "April", "May", "June",
                                       "July", "August", "September", "October", "November",
                                       "December"};
static const char *const days[7] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
                                    "Saturday", "Sunday"};

static void now(struct rx *rx, struct rexx_time *t)
{
    *t = (struct rexx_time){.year = 1900, .month = 1, .day = 1};
    if (rx->env->now)
        rx->env->now(rx->env, t);
    if (t->month < 1 || t->month > 12)
        t->month = 1;
}

static bool leap(int y)
{
    return (y % 4 == 0 && y % 100) || y % 400 == 0;
}

static int day_of_year(int y, int m, int d)
{
    static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return before[m - 1] + d + (m > 2 && leap(y));
}

/* Whole days from 1 January 0001 (Gregorian, backwards too); that day was a Monday. */
static int base_days(int y, int m, int d)
{
    int p = y - 1;
    return p * 365 + p / 4 - p / 100 + p / 400 + day_of_year(y, m, d) - 1;
}

static rx_val text(struct rx *rx, const char *s)
{
    return rx_keep(rx, rx_z(s));
}

rx_val bif_date(struct rx *rx, const struct rx_args *a)
{
    struct rexx_time t;
    char b[40];
    now(rx, &t);
    int yy = t.year % 100, base = base_days(t.year, t.month, t.day);
    switch (rx_arg_option(rx, a, 0, 'N')) {
    case 'B': return rx_int(base);
    case 'C': return rx_int(base - base_days(t.year - yy, 1, 1) + 1);
    case 'D': return rx_int(day_of_year(t.year, t.month, t.day));
    case 'E': fmt(b, sizeof b, "%02d/%02d/%02d", t.day, t.month, yy); break;
    case 'J': fmt(b, sizeof b, "%02d%03d", yy, day_of_year(t.year, t.month, t.day)); break;
    case 'M': return rx_z(months[t.month - 1]);
    case 'N': fmt(b, sizeof b, "%d %.3s %d", t.day, months[t.month - 1], t.year); break;
    case 'O': fmt(b, sizeof b, "%02d/%02d/%02d", yy, t.month, t.day); break;
    case 'S': fmt(b, sizeof b, "%04d%02d%02d", t.year, t.month, t.day); break;
    case 'U': fmt(b, sizeof b, "%02d/%02d/%02d", t.month, t.day, yy); break;
    case 'W': return rx_z(days[(base % 7 + 7) % 7]);
    default: rx_raise(rx, 40);
    }
    return text(rx, b);
}

/* TIME('E') and TIME('R'): seconds since the clock of this level was started; R starts it anew. */
static rx_val elapsed(struct rx *rx, bool reset)
{
    char b[40];
    uint64_t t = rx->env->micros ? rx->env->micros(rx->env) : 0;
    uint64_t since = rx->lv.clock_set ? t - rx->lv.clock : 0;
    if (reset || !rx->lv.clock_set) {
        rx->lv.clock = t;
        rx->lv.clock_set = true;
    }
    if (!since)
        return rx_int(0);
    fmt(b, sizeof b, "%lu.%06lu", (unsigned long)(since / 1000000),
        (unsigned long)(since % 1000000));
    return text(rx, b);
}

rx_val bif_time(struct rx *rx, const struct rx_args *a)
{
    struct rexx_time t;
    char b[40], option = rx_arg_option(rx, a, 0, 'N');
    now(rx, &t);
    int twelve = t.hour % 12 ? t.hour % 12 : 12;
    switch (option) {
    case 'C': fmt(b, sizeof b, "%d:%02d%s", twelve, t.minute, t.hour < 12 ? "am" : "pm"); break;
    case 'E': case 'R': return elapsed(rx, option == 'R');
    case 'H': return rx_int(t.hour);
    case 'L':
        fmt(b, sizeof b, "%02d:%02d:%02d.%06d", t.hour, t.minute, t.second, t.micro);
        break;
    case 'M': return rx_int(t.hour * 60 + t.minute);
    case 'N': fmt(b, sizeof b, "%02d:%02d:%02d", t.hour, t.minute, t.second); break;
    case 'S': return rx_int((t.hour * 60 + t.minute) * 60 + t.second);
    default: rx_raise(rx, 40);
    }
    return text(rx, b);
}
