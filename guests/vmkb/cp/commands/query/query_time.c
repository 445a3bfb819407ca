/* SPDX-License-Identifier: MIT */
/* QUERY TIME [(FULL]: in VM/370's layout, under the CPU model in force. FULL adds microseconds,
 * counts and the model's name (docs/reference/formats.md). */
#include "query.h"
#include "calibrate.h"
#include "lib.h"
#include "models.h"

static void full(struct cmd *c, const char *what, uint64_t us, const struct usage *u)
{
    cmd_say(c, "%-5s %012lu US %012lu INSTR %012lu MOVED %012lu SUMMED", what, us, u->instr,
            u->moved, u->summed);
}

static void add(struct usage *to, const struct usage *from)
{
    to->time += from->time;
    to->instr += from->instr;
    to->moved += from->moved;
    to->summed += from->summed;
}

/* userid: named in the last line when it is not the issuer's own. */
static void say_full(struct cmd *c, const struct usage *virt, const struct usage *cp,
                     uint64_t corrections, const char *userid)
{
    struct usage total = *cp;

    full(c, "VIRT", model_us(virt), virt);
    add(&total, virt);
    full(c, "TOTAL", model_us(virt) + model_us(cp), &total);
    cmd_say(c, "MODEL %s CORRECTIONS %lu COUNTER %s%s%s", model_name(), corrections, counter_name(),
            userid ? " USER " : "", userid ? userid : "");
}

/* QUERY TIME SYSTEM: CP's own work that is no machine's; with FULL the wait follows, what CP has
 * done in interruptions for anybody, which is part of the machines' accounts and of this one, and
 * what of this one went to the work of fixed times. */
static void system_time(struct cmd *c, bool want_full)
{
    char totcpu[16];
    const struct usage none = {0, 0, 0, 0};
    uint64_t s = (us_now() - ipl_tod) / 1000000;

    cpu_minutes(totcpu, sizeof(totcpu), model_us(&acct_system.cp));
    cmd_say(c, "CONNECT= %02lu:%02lu:%02lu VIRTCPU= 000:00.00 TOTCPU= %s", s / 3600, s / 60 % 60,
            s % 60, totcpu);
    if (!want_full)
        return;
    say_full(c, &none, &acct_system.cp, acct_system.corrections, "SYSTEM");
    cmd_say(c, "IDLE  %012lu US OF THE CPU TIMER", acct_idle.virt.time >> 12);
    full(c, "INTR", model_us(&acct_interrupts), &acct_interrupts);
    full(c, "CLOCK", model_us(&acct_clocked), &acct_clocked);
}

/* The operands: at most one userid, and FULL behind a parenthesis. 0, or the number of the
 * message. */
static int operands(struct cmd *c, char userid[10], bool *want_full)
{
    char word[12];
    bool options = false;

    userid[0] = 0;
    *want_full = false;
    while (cmd_word(c, word, sizeof(word))) {
        const char *w = word;
        if (*w == '(') {
            options = true;
            if (!*++w)
                continue;
        }
        if (options && cmd_is(w, "FULL", 1))
            *want_full = true;
        else if (options || userid[0] || strlen(w) > 8)
            return cmd_bad_option(c, "CQG", w);
        else
            fmt(userid, 10, "%s", w);
    }
    return 0;
}

int query_time(struct cmd *c)
{
    char line[LINE_MAX], userid[10];
    bool want_full;
    struct vm *vm = c->vm;
    int rc = operands(c, userid, &want_full);

    if (rc)
        return rc;
    if (strcmp(userid, c->vm->userid) == 0 || strcmp(userid, "*") == 0)
        userid[0] = 0;
    if (userid[0] && !(c->vm->classes & (CLASS(CLASS_A) | CLASS(CLASS_E))))
        return cmd_bad_option(c, "CQG", userid);
    bool system = strcmp(userid, "SYSTEM") == 0;
    if (userid[0] && !system && !(vm = cmd_user(c, "CQG", userid)))
        return 45;
    if (want_full)           /* up to now */
        acct_sample(system ? &acct_system : &vm->acct, system ? userid : vm->userid);
    else
        acct_settle();
    time_line("TIME IS", line, sizeof(line));
    cmd_say(c, "%s", line);
    if (system) {
        system_time(c, want_full);
        return 0;
    }
    connect_line(vm, line, sizeof(line));
    cmd_say(c, "%s", line);
    if (want_full) {
        struct usage virt = usage_since(&vm->acct.virt, &vm->acct_base.virt);
        struct usage cp = usage_since(&vm->acct.cp, &vm->acct_base.cp);
        say_full(c, &virt, &cp, vm->acct.corrections - vm->acct_base.corrections,
                 vm == c->vm ? 0 : vm->userid);
    }
    return 0;
}
