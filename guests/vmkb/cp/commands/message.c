/* SPDX-License-Identifier: MIT */
/* MESSAGE, WARNING and SMSG: a line for another user. One that cannot be shown is not kept: the
 * sender is told why (CP Command Reference, MESSAGE). ALL is for classes A and B. */
#include "commands.h"
#include "lib.h"
#include "smsg.h"

#define OPERATORS (CLASS(CLASS_A) | CLASS(CLASS_B))

struct note {
    const char *kind;        /* MSG or WNG; 0: the text alone is shown, MSGNOH */
    uint32_t wanted;         /* SET_ bit of a receiver who wants it */
    char from[12], time[9];
};

/* The machine whose terminal shows what is said to vm: its own, or its secondary user's. */
static const struct vm *shown_by(const struct vm *vm)
{
    const struct vm *s = vm->term ? vm : vm->secuser[0] ? vm_find(vm->secuser) : 0;

    return s && s->term ? s : 0;
}

/* Why vm cannot have the note, or 0. */
static const char *refuses(const struct vm *vm, const struct note *n)
{
    const struct vm *shows = shown_by(vm);

    if (!(vm->set & n->wanted))
        return n->wanted == SET_MSG ? "MSG OFF" : "WNG OFF";
    if (!shows)
        return "DISCONNECTED";
    return shows->term->ops->room(shows->term, 8) ? 0 : "SCREEN FULL";
}

static void deliver(struct vm *vm, const struct note *n, const char *text)
{
    char line[LINE_MAX + 40];
    int len = n->kind ? fmt(line, sizeof(line), "%s %s FROM %-8s: %s", n->time, n->kind, n->from,
                            text)
                      : fmt(line, sizeof(line), "%s", text);

    console_line(vm, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1, LINE_ALARM);
}

static void to_all(struct note *n, const char *text)
{
    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE && !refuses(&vms[i], n))
            deliver(&vms[i], n, text);
}

static void from(struct cmd *c, struct note *n)
{
    char stamp[24];

    if (c->vm)
        fmt(n->from, sizeof(n->from), "%s", c->vm->userid);
    else
        fmt(n->from, sizeof(n->from), "LOGN%s", c->term->name);
    date_format(unix_us(), stamp);
    fmt(n->time, sizeof(n->time), "%.8s", stamp + 9);
}

static int send(struct cmd *c, const char *kind, uint32_t wanted)
{
    struct note n = {.kind = kind, .wanted = wanted};
    char word[USERID_WORD];

    from(c, &n);
    if (!cmd_userid(c, "MSG", word))
        return 20;
    if (!*c->args)
        return cmd_error(c, 26, "DMKMSG026E OPERAND MISSING OR INVALID");
    if (c->vm && (c->vm->classes & OPERATORS) && strcmp(word, "ALL") == 0) {
        to_all(&n, c->args);
        return 0;
    }
    if (cmd_is(word, "OPERATOR", 2))
        fmt(word, sizeof(word), "OPERATOR");
    if (!c->vm && strcmp(word, "*") == 0)
        return cmd_error(c, 20, "DMKMSG020E USERID MISSING OR INVALID");
    struct vm *vm = cmd_user(c, "MSG", word);
    if (!vm)
        return 45;
    const char *why = refuses(vm, &n);
    if (why)
        return cmd_error(c, 57, "DMKMSG057W %s NOT RECEIVING; %s", vm->userid, why);
    deliver(vm, &n, c->args);
    return 0;
}

int cmd_message(struct cmd *c)
{
    return send(c, "MSG", SET_MSG);
}

int cmd_msgnoh(struct cmd *c)
{
    return send(c, 0, SET_MSG);
}

int cmd_warning(struct cmd *c)
{
    return send(c, "WNG", SET_WNG);
}

int cmd_smsg(struct cmd *c)
{
    char word[USERID_WORD];

    if (!cmd_userid(c, "MSG", word))
        return 20;
    if (!*c->args)
        return cmd_error(c, 26, "DMKMSG026E OPERAND MISSING OR INVALID");
    struct vm *vm = cmd_user(c, "MSG", word);
    if (!vm)
        return 45;
    if (!(vm->set & SET_SMSG))
        return cmd_error(c, 57, "DMKMSG057W %s NOT RECEIVING; SMSG OFF", vm->userid);
    if (smsg_put(vm, c->vm->userid, c->args, strlen(c->args)) != 0)
        return cmd_error(c, 57, "DMKMSG057W %s NOT RECEIVING; %d SPECIAL MESSAGES ARE WAITING",
                         vm->userid, SMSG_MAX);
    return 0;
}
