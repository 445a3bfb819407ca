/* SPDX-License-Identifier: MIT */
/* TRACE INSTRUCTION|BRANCH|STORE [RANGE hexloc[-hexloc|.bytes]] [RUN|NORUN], TRACE END; PER is the
 * same. ADSTOP hexloc|OFF. Machines take no interruptions, so those are not traced. */
#include "commands.h"
#include "ctype.h"
#include "lib.h"
#include "query/query.h"

static bool hex(const char **text, uint64_t *value)
{
    const char *p = *text;

    *value = 0;
    for (; hex_value(*p) >= 0 && p - *text < 16; p++)
        *value = *value << 4 | (unsigned)hex_value(*p);
    bool any = p != *text;
    *text = p;
    return any;
}

static int invalid(struct cmd *c, const char *word)
{
    return cmd_error(c, 4, "DMKTRC004E INVALID HEXLOC - %s", word);
}

static int range(struct cmd *c, struct per_trap *t)
{
    char word[40];
    const char *p = word;

    if (!cmd_word(c, word, sizeof(word)) || !hex(&p, &t->from))
        return invalid(c, word);
    t->to = t->from;
    if (*p == '-' || *p == '.') {
        bool bytes = *p++ == '.';
        if (!hex(&p, &t->to))
            return invalid(c, word);
        t->to = bytes ? t->from + t->to - 1 : t->to;
    }
    return *p || t->to < t->from ? invalid(c, word) : 0;
}

/* The machine can be watched. */
static int free_to(struct cmd *c)
{
    const struct vm *other = per_traced();

    if (c->vm->sie)
        return cmd_error(c, 7, "DMKTRC007E A MACHINE UNDER SIE IS NOT TRACED");
    if (c->vm->wait & WAIT_NOTREADY)
        return cmd_error(c, 7, "DMKTRC007E NOTHING TO TRACE; IPL A SYSTEM FIRST");
    if (other && other != c->vm)
        return cmd_error(c, 7, "DMKTRC007E %s IS TRACED; ONE MACHINE CAN BE", other->userid);
    return 0;
}

static int ended(struct cmd *c)
{
    per_end(c->vm);
    cmd_info(c, "TRACE ENDED");
    return 0;
}

static int options(struct cmd *c, struct per_trap *t)
{
    char word[12];
    int rc = 0;

    while (rc == 0 && cmd_word(c, word, sizeof(word))) {
        if (cmd_is(word, "RANGE", 2) || cmd_is(word, "INTO", 4))
            rc = range(c, t);
        else if (cmd_is(word, "RUN", 3) || cmd_is(word, "NORUN", 3))
            t->run = word[0] == 'R';
        else if (strcmp(word, "TERMINAL") != 0)
            rc = cmd_bad_option(c, "TRC", word);
    }
    return rc;
}

int cmd_trace(struct cmd *c)
{
    struct per_trap t = {.to = UINT64_MAX};
    char word[14];

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKTRC026E OPERAND MISSING OR INVALID");
    if (cmd_is(word, "END", 3))
        return ended(c);
    if (cmd_is(word, "INSTRUCTION", 1) || cmd_is(word, "ALL", 3))
        t.kind = PER_FETCH;
    else if (cmd_is(word, "BRANCH", 2))
        t.kind = PER_BRANCH;
    else if (cmd_is(word, "STORE", 2))
        t.kind = PER_STORE;
    else
        return cmd_error(c, 7, "DMKTRC007E %s IS NOT TRACED; INSTR, BRANCH AND STORE ARE", word);
    int rc = free_to(c);
    if (rc == 0)
        rc = options(c, &t);
    if (rc == 0)
        per_start(c->vm, &t);
    return rc;
}

int cmd_adstop(struct cmd *c)
{
    struct per_trap t = {.kind = PER_STOP};
    char word[20];
    const char *p = word;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKTRC026E OPERAND MISSING OR INVALID");
    if (strcmp(word, "OFF") == 0) {
        per_end(c->vm);
        return 0;
    }
    if (!hex(&p, &t.from) || *p)
        return invalid(c, word);
    int rc = free_to(c);
    if (rc == 0)
        per_start(c->vm, &t);
    return rc;
}

int query_trace(struct cmd *c)
{
    static const char *const kinds[] = {"INSTR", "BRANCH", "STORE", "ADSTOP"};
    const struct per_trap *t = per_trap(c->vm);

    if (cmd_end(c, "CQG") != 0)
        return 3;
    if (!t)
        cmd_say(c, "NO TRACE IS ACTIVE");
    else if (t->kind == PER_STOP)
        cmd_say(c, "ADSTOP %lX", t->from);
    else
        cmd_say(c, "TRACE %s RANGE %lX-%lX %s", kinds[t->kind], t->from, t->to,
                t->run ? "RUN" : "NORUN");
    return 0;
}
