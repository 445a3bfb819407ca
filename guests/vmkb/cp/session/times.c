/* SPDX-License-Identifier: MIT */
/* The lines with a time that sessions begin and end with, and QUERY TIME's. */
#include "command.h"
#include "lib.h"
#include "models.h"

void time_line_at(uint64_t at_unix_us, const char *what, char *text, size_t size)
{
    char stamp[24];

    date_format(at_unix_us, stamp);
    fmt(text, size, "%s %.8s UTC %s %.8s", what, stamp + 9, weekday(at_unix_us), stamp);
}

void time_line(const char *what, char *text, size_t size)
{
    time_line_at(unix_us(), what, text, size);
}

void cpu_minutes(char *text, size_t size, uint64_t us)
{
    uint64_t h = us / 10000;

    fmt(text, size, "%03lu:%02lu.%02lu", h / 6000, h / 100 % 60, h % 100);
}

void connect_line(struct vm *vm, char *text, size_t size)
{
    struct usage virt = usage_since(&vm->acct.virt, &vm->acct_base.virt);
    struct usage cp = usage_since(&vm->acct.cp, &vm->acct_base.cp);
    uint64_t s = (us_now() - vm->acnt_tod) / 1000000;
    uint64_t v = model_us(&virt);
    char virtcpu[16], totcpu[16];

    cpu_minutes(virtcpu, sizeof(virtcpu), v);
    cpu_minutes(totcpu, sizeof(totcpu), v + model_us(&cp));
    fmt(text, size, "CONNECT= %02lu:%02lu:%02lu VIRTCPU= %s TOTCPU= %s", s / 3600, s / 60 % 60,
        s % 60, virtcpu, totcpu);
}
