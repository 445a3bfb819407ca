/* SPDX-License-Identifier: MIT */
/* Find a command, see whether its issuer may use it, run it. */
#include <stdarg.h>
#include "command.h"
#include "ctype.h"
#include "lib.h"

/* A terminal's queue keeps two rows for the line that says how much more there was. */
static bool no_room(struct cmd *c, unsigned rows)
{
    struct terminal *t = c->vm ? c->vm->term : c->term;

    return t && !t->ops->room(t, rows + 2);
}

/* Lines that were lost before are told of first. */
static bool already_lost(struct cmd *c)
{
    struct terminal *t = c->vm ? c->vm->term : c->term;

    if (t)
        terminal_tell_lost(t);
    return t && t->not_shown;
}

static void answer(struct cmd *c, const char *text, size_t len)
{
    if (!c->reply && (c->not_shown || already_lost(c) || no_room(c, (unsigned)(len + 79) / 80))) {
        c->not_shown++;
        return;
    }
    if (c->reply) {
        for (size_t i = 0; i < len && c->reply_len < c->reply_max; i++)
            c->reply[c->reply_len++] = text[i];
        if (c->reply_len < c->reply_max)
            /* EBCDIC new line, between answers of DIAGNOSE X'08' */
            c->reply[c->reply_len++] = '\x15';
    } else if (c->vm) {
        console_line(c->vm, text, len, 0);
    } else if (c->term) {
        c->term->ops->write(c->term, text, len, 0);
    }
}

void cmd_say(struct cmd *c, const char *f, ...)
{
    char text[LINE_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    answer(c, text, n);
}

int cmd_error(struct cmd *c, int rc, const char *f, ...)
{
    char text[LINE_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    uint32_t set = c->vm ? c->vm->set : SET_EMSG;
    if ((set & SET_EMSG) && n > 11 && text[10] == ' ' && memcmp(text, "DMK", 3) == 0) {
        if (set & SET_EMSG_CODE)
            n = 10;
        if (set & SET_EMSG_TEXT) {
            n -= 11;
            memmove(text, text + 11, n);
        }
    }
    if (set & SET_EMSG)
        answer(c, text, n);
    return rc;
}

void cmd_info(struct cmd *c, const char *f, ...)
{
    char text[LINE_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    if (!c->vm || (c->vm->set & SET_IMSG))
        answer(c, text, n);
}

void cmd_reset(struct cmd *c)
{
    c->reset = true;
    c->reply = 0;
    c->reply_len = 0;
}

int cmd_end(struct cmd *c, const char *module)
{
    char word[16];

    if (!cmd_word(c, word, sizeof(word)))
        return 0;
    return cmd_bad_option(c, module, word);
}

bool cmd_word(struct cmd *c, char *word, size_t size)
{
    size_t n = 0;

    while (*c->args == ' ')
        c->args++;
    for (; *c->args && *c->args != ' '; c->args++)
        if (n + 1 < size)
            word[n++] = (char)to_upper(*c->args);
    word[n] = 0;
    while (*c->args == ' ')
        c->args++;
    return n != 0;
}

bool cmd_is(const char *word, const char *name, size_t min)
{
    size_t n = strlen(word);

    return n >= min && n <= strlen(name) && memcmp(word, name, n) == 0;
}

bool cmd_vaddr(const char *word, uint16_t *vaddr)
{
    static const char digits[] = "0123456789ABCDEF";
    unsigned v = 0;
    size_t n = strlen(word);

    if (n == 0 || n > 4)
        return false;
    for (; *word; word++) {
        const char *d = strchr(digits, *word);
        if (!d)
            return false;
        v = v * 16 + (unsigned)(d - digits);
    }
    *vaddr = (uint16_t)v;
    return v != 0;
}

bool cmd_number(const char *word, uint32_t *n)
{
    size_t len = strlen(word);

    *n = 0;
    if (len == 0 || len > 9)
        return false;
    for (; *word; word++) {
        if (!is_digit(*word))
            return false;
        *n = *n * 10 + (uint32_t)(*word - '0');
    }
    return true;
}

struct vm *cmd_user(struct cmd *c, const char *module, const char *word)
{
    if (!*word || strcmp(word, "*") == 0)
        return c->vm;
    struct vm *vm = vm_find(word);
    if (!vm)
        cmd_error(c, 45, "DMK%s045E %s NOT LOGGED ON", module, word);
    return vm;
}

bool cmd_userid(struct cmd *c, const char *module, char word[USERID_WORD])
{
    if (cmd_word(c, word, USERID_WORD) && strlen(word) <= 8)
        return true;
    cmd_error(c, 20, "DMK%s020E USERID MISSING OR INVALID", module);
    return false;
}

struct vm *cmd_one_user(struct cmd *c, const char *module, int *rc)
{
    char word[USERID_WORD];

    *rc = 20;
    if (!cmd_userid(c, module, word))
        return 0;
    *rc = cmd_end(c, module);
    if (*rc != 0)
        return 0;
    struct vm *vm = cmd_user(c, module, word);
    *rc = vm ? 0 : 45;
    return vm;
}

struct vm *cmd_own_or_user(struct cmd *c, const char *module, uint32_t classes, int *rc)
{
    char word[USERID_WORD];

    cmd_word(c, word, sizeof(word));
    if (word[0] && strcmp(word, "*") != 0 && !(c->vm->classes & classes)) {
        *rc = cmd_bad_option(c, module, word);
        return 0;
    }
    struct vm *vm = cmd_user(c, module, word);
    *rc = vm ? cmd_end(c, module) : 45;
    return *rc == 0 ? vm : 0;
}

static const struct command *find(const char *word, uint32_t classes, bool *known)
{
    *known = false;
    for (const struct command *t = commands; t->name; t++) {
        if (!cmd_is(word, t->name, t->min))
            continue;
        *known = true;
        if (t->classes & classes)
            return t;
    }
    return 0;
}

static int run_command(struct cmd *c)
{
    char word[13];
    bool known;
    char *line = c->text;

    while (*line == ' ')
        line++;
    c->args = line;
    if (*line == '*' || !cmd_word(c, word, sizeof(word)))
        return 0;            /* a comment, or nothing */
    if (c->vm && strcmp(word, "CP") == 0 && *c->args && !cmd_word(c, word, sizeof(word)))
        return 0;
    c->table = find(word, c->vm ? c->vm->classes & ANY : PRE_LOGON, &known);
    if (c->table)
        return c->table->run(c);
    if (!c->vm)
        return cmd_error(c, 1, known ? "LOGON MUST BE THE FIRST COMMAND: LOGON USERID"
                                     : "INVALID COMMAND BEFORE LOGON: %s", word);
    return cmd_error(c, 1, "DMKCFC001E ?CP: %s", word);
}

static void set_text(struct cmd *c, const char *text, size_t len)
{
    if (len > CMD_MAX)
        len = CMD_MAX;
    memcpy(c->text, text, len);
    c->text[blank_trim(c->text, len)] = 0;
}

void command_console(struct vm *vm, struct terminal *t, const char *text, size_t len)
{
    struct cmd c = {.vm = vm, .term = t};
    struct account *who = acct_current();

    set_text(&c, text, len);
    if (vm) {
        acct_change(&vm->acct);
        console_keep(vm, text, len);
    }
    run_command(&c);
    if (vm && vm->state != VM_HERE) {
        who = &acct_system;  /* it was a LOGOFF */
    } else if (c.not_shown) {
        t->not_shown += c.not_shown;
        terminal_tell_lost(t);
    }
    acct_change(who);
}

/* DIAGNOSE X'08'. Lines of the command are separated by X'15'; returns the last one's code. */
long command_diag(struct vm *vm, const char *text, size_t len, char *reply, size_t max, long *got)
{
    struct cmd c = {.vm = vm, .term = 0, .reply = reply, .reply_max = max};
    long rc = 0;

    while (len && vm->state == VM_HERE && !c.reset) {
        size_t n = 0;
        while (n < len && text[n] != '\x15')
            n++;
        set_text(&c, text, n);
        rc = run_command(&c);
        text += n;
        len -= n;
        if (len) {
            text++;
            len--;
        }
    }
    if (c.not_shown && vm->state == VM_HERE && vm->term) {
        vm->term->not_shown += c.not_shown;
        terminal_tell_lost(vm->term);
    }
    *got = (long)c.reply_len;
    return rc;
}
