/* SPDX-License-Identifier: MIT */
/* DATE and TIME: of now, or of a date or time in one of the forms that they return. */
#include "bif.h"

enum { LAST_BASE = 3652058 }; /* 31 December 9999 */

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

/* A date or time being read: so many digits, one character, or the end; ok: all were there. */
struct reader {
    const char *p, *end;
    bool ok;
};

static int digits(struct reader *r, int least, int most)
{
    int v = 0, n = 0;
    for (; n < most && r->p < r->end && is_digit(*r->p); n++)
        v = v * 10 + (*r->p++ - '0');
    r->ok &= n >= least;
    return v;
}

static void mark(struct reader *r, char c)
{
    r->ok = r->ok && r->p < r->end && *r->p++ == c;
}

/* The name's first n letters, in any case. */
static bool named(struct reader *r, const char *name, size_t n)
{
    bool same = (size_t)(r->end - r->p) >= n;
    for (size_t k = 0; same && k < n; k++)
        same = to_upper(r->p[k]) == to_upper(name[k]);
    if (same)
        r->p += n;
    return same;
}

static int month(struct reader *r)
{
    for (int m = 0; m < 12; m++)
        if (named(r, months[m], 3))
            return m + 1;
    r->ok = false;
    return 1;
}

/* A year of two digits is one of the hundred from 50 years ago on. */
static int year(struct reader *r, int this_year)
{
    int y = digits(r, 2, 2) + this_year - this_year % 100;
    return y < this_year - 50 ? y + 100 : y > this_year + 49 ? y - 100 : y;
}

static void set_base(struct rexx_time *t, int base)
{
    int y = base / 366 + 1;
    while (base_days(y + 1, 1, 1) <= base)
        y++;
    int m = 12;
    while (base_days(y, m, 1) > base)
        m--;
    *t = (struct rexx_time){.year = y, .month = m, .day = base - base_days(y, m, 1) + 1};
}

/* The day n of those from a base on, in this many years at most. */
static bool set_day(struct rexx_time *t, int base, int64_t n, int last)
{
    if (n < 1 || n > last - base)
        return false;
    set_base(t, base + (int)n - 1);
    return true;
}

/* Reads a date in DATE's form; t is today and becomes that day. */
static bool read_date(struct rx *rx, rx_val v, char form, struct rexx_time *t)
{
    v = rx_as_text(rx, v);
    struct reader r = {v.s, v.s + v.len, true};
    int y = t->year, yy = y % 100, m = 1, d = 1;
    int64_t n = 0;
    if (strchr("BCD", form) && !rx_whole(rx, v, &n))
        return false;
    switch (form) {
    case 'B': return set_day(t, 0, n + 1, LAST_BASE + 1);
    case 'C': return set_day(t, base_days(y - yy, 1, 1), n, base_days(y - yy + 100, 1, 1));
    case 'D': return set_day(t, base_days(y, 1, 1), n, base_days(y + 1, 1, 1));
    case 'E': d = digits(&r, 2, 2), mark(&r, '/'), m = digits(&r, 2, 2), mark(&r, '/');
        y = year(&r, y);
        break;
    case 'J':
        y = year(&r, y);
        n = digits(&r, 3, 3);
        return r.ok && r.p == r.end
               && set_day(t, base_days(y, 1, 1), n, base_days(y + 1, 1, 1));
    case 'N': d = digits(&r, 1, 2), mark(&r, ' '), m = month(&r), mark(&r, ' ');
        y = digits(&r, 4, 4);
        break;
    case 'O': y = year(&r, y), mark(&r, '/'), m = digits(&r, 2, 2), mark(&r, '/');
        d = digits(&r, 2, 2);
        break;
    case 'S': y = digits(&r, 4, 4), m = digits(&r, 2, 2), d = digits(&r, 2, 2); break;
    case 'U': m = digits(&r, 2, 2), mark(&r, '/'), d = digits(&r, 2, 2), mark(&r, '/');
        y = year(&r, y);
        break;
    default: return false;
    }
    if (!r.ok || r.p != r.end || y < 1 || m < 1 || m > 12 || d < 1)
        return false;
    set_base(t, base_days(y, m, d));
    return t->month == m;
}

static bool of_day(struct rexx_time *t, int64_t n, int each)
{
    int64_t seconds = n * each;
    if (n < 0 || seconds >= 86400)
        return false;
    *t = (struct rexx_time){.hour = (int)(seconds / 3600), .minute = (int)(seconds / 60 % 60),
                            .second = (int)(seconds % 60)};
    return true;
}

/* Reads a time in TIME's form. */
static bool read_time(struct rx *rx, rx_val v, char form, struct rexx_time *t)
{
    v = rx_as_text(rx, v);
    struct reader r = {v.s, v.s + v.len, true};
    int64_t n = 0;
    if (strchr("HMS", form))
        return rx_whole(rx, v, &n) && of_day(t, n, form == 'H' ? 3600 : form == 'M' ? 60 : 1);
    if (!strchr("CLN", form))
        return false;
    *t = (struct rexx_time){0};
    t->hour = digits(&r, form == 'C' ? 1 : 2, 2);
    mark(&r, ':');
    t->minute = digits(&r, 2, 2);
    if (form == 'C') {
        bool pm = named(&r, "pm", 2);
        if ((!pm && !named(&r, "am", 2)) || t->hour < 1 || t->hour > 12)
            return false;
        t->hour = t->hour % 12 + (pm ? 12 : 0);
    } else {
        mark(&r, ':');
        t->second = digits(&r, 2, 2);
    }
    if (form == 'L') {
        mark(&r, '.');
        t->micro = digits(&r, 6, 6);
    }
    return r.ok && r.p == r.end && t->hour < 24 && t->minute < 60 && t->second < 60;
}

/* Arguments 2 and 3: what is to be converted, and its form, N if it is not given. */
static void converted(struct rx *rx, const struct rx_args *a, struct rexx_time *t,
                      bool (*reads)(struct rx *, rx_val, char, struct rexx_time *))
{
    if (rx_arg_given(a, 1) ? !reads(rx, a->at[1], rx_arg_option(rx, a, 2, 'N'), t)
                           : rx_arg_given(a, 2))
        rx_raise(rx, 40);
}

rx_val bif_date(struct rx *rx, const struct rx_args *a)
{
    struct rexx_time t;
    char b[40];
    now(rx, &t);
    if (a->n > 1)
        converted(rx, a, &t, read_date);
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
    if (a->n > 1)
        converted(rx, a, &t, read_time);
    if (rx_arg_given(a, 1) && (option == 'E' || option == 'R'))
        rx_raise(rx, 40);
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
