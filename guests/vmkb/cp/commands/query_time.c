/* SPDX-License-Identifier: MIT */
/* QUERY TIME [(FULL]: in VM/370's layout, under the CPU model in force. FULL adds microseconds, counts
 * and the model's name (docs/formats.md). */
#include "query.h"
#include "lib.h"
#include "models.h"

void time_line(const char *what, char *text, size_t size)
{
    char stamp[24];
    uint64_t now = unix_us();

    date_format(now, stamp);
    fmt(text, size, "%s %.8s UTC %s %.8s", what, stamp + 9, weekday(now), stamp);
}

static uint64_t since(uint64_t now, uint64_t base)
{
    return now - base;
}

static struct usage used(const struct usage *now, const struct usage *base)
{
    struct usage u = {since(now->time, base->time), since(now->instr, base->instr),
                      since(now->moved, base->moved), since(now->summed, base->summed)};
    return u;
}

/* mmm:ss.hh, as the CONNECT line has processor times */
static void minutes(char *text, size_t size, uint64_t us)
{
    uint64_t h = us / 10000;

    fmt(text, size, "%03lu:%02lu.%02lu", h / 6000, h / 100 % 60, h % 100);
}

void connect_line(struct vm *vm, char *text, size_t size)
{
    struct usage virt = used(&vm->acct.virt, &vm->acct_base.virt);
    struct usage cp = used(&vm->acct.cp, &vm->acct_base.cp);
    uint64_t s = (us_now() - vm->acnt_tod) / 1000000;
    uint64_t v = model_us(&virt);
    char virtcpu[16], totcpu[16];

    minutes(virtcpu, sizeof(virtcpu), v);
    minutes(totcpu, sizeof(totcpu), v + model_us(&cp));
    fmt(text, size, "CONNECT= %02lu:%02lu:%02lu VIRTCPU= %s TOTCPU= %s", s / 3600, s / 60 % 60, s % 60,
        virtcpu, totcpu);
}

static void full(struct cmd *c, const char *what, const struct usage *u)
{
    cmd_say(c, "%-5s %12lu US %12lu INSTR %12lu MOVED %12lu SUMMED", what, model_us(u), u->instr, u->moved,
            u->summed);
}

int query_time(struct cmd *c)
{
    char line[LINE_MAX], word[12];
    bool want_full = false;

    while (cmd_word(c, word, sizeof(word))) {
        const char *w = word[0] == '(' ? word + 1 : word;
        if (*w && !cmd_is(w, "FULL", 1))
            return cmd_error(c, 3, "DMKCQG003E INVALID OPTION - %s", word);
        want_full = want_full || *w;
    }
    time_line("TIME IS", line, sizeof(line));
    cmd_say(c, "%s", line);
    connect_line(c->vm, line, sizeof(line));
    cmd_say(c, "%s", line);
    if (want_full) {
        struct usage virt = used(&c->vm->acct.virt, &c->vm->acct_base.virt);
        struct usage total = used(&c->vm->acct.cp, &c->vm->acct_base.cp);
        full(c, "VIRT", &virt);
        total.time += virt.time;
        total.instr += virt.instr;
        total.moved += virt.moved;
        total.summed += virt.summed;
        full(c, "TOTAL", &total);
        cmd_say(c, "MODEL %s CORRECTIONS %lu", model_name(), c->vm->acct.corrections);
    }
    return 0;
}
