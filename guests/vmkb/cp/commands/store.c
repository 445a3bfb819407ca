/* SPDX-License-Identifier: MIT */
/* STORE hexloc word ... | Gn value ... | PSW mask address: what DISPLAY shows, changed. A word of
 * storage has up to 8 hexadecimal digits and is stored where the one before it ends; registers and
 * the PSW have up to 16. */
#include "commands.h"
#include "ctype.h"

static int invalid(struct cmd *c, const char *word)
{
    return cmd_error(c, 4, "DMKCDS004E INVALID HEXLOC OR VALUE - %s", word);
}

static bool hex(const char *word, unsigned digits, uint64_t *value)
{
    unsigned n = 0;

    for (*value = 0; hex_value(word[n]) >= 0 && n < digits; n++)
        *value = *value << 4 | (unsigned)hex_value(word[n]);
    return n && !word[n];
}

static int psw(struct cmd *c)
{
    char word[20];
    uint64_t mask, addr;

    if (!c->vm->sie)
        return cmd_error(c, 4, "DMKCDS004E THE PSW IS CP'S; BEGIN HAS AN ADDRESS");
    if (!cmd_word(c, word, sizeof(word)) || !hex(word, 16, &mask)
        || !cmd_word(c, word, sizeof(word)) || !hex(word, 16, &addr))
        return invalid(c, word);
    sie_set_psw(c->vm, &(struct psw){mask, addr});
    return 0;
}

static int registers(struct cmd *c, const char *first)
{
    char word[20];
    uint64_t r, value;

    if (!hex(first, 1, &r))
        return invalid(c, first);
    while (cmd_word(c, word, sizeof(word))) {
        if (!hex(word, 16, &value) || r > 15)
            return invalid(c, word);
        if (c->vm->sie)
            sie_set_gr(c->vm, (unsigned)r++, value);
        else
            c->vm->ctx.gr[r++] = value;
    }
    return 0;
}

static int storage(struct cmd *c, const char *first)
{
    char word[20];
    uint64_t at, value;

    if (!hex(first, 16, &at))
        return invalid(c, first);
    for (; cmd_word(c, word, sizeof(word)); at += 4) {
        uint32_t *to = c->vm->sie ? sie_storage(c->vm, at, 4) : vm_ptr(c->vm, at, 4);
        if (!hex(word, 8, &value))
            return invalid(c, word);
        if (!to)
            return cmd_error(c, 160, "DMKCDS160E HEXLOC %lX NOT IN STORAGE", at);
        *to = (uint32_t)value;
    }
    return 0;
}

int cmd_store(struct cmd *c)
{
    char word[20];

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCDS026E OPERAND MISSING OR INVALID");
    if (c->vm->wait & WAIT_NOTREADY)
        return cmd_error(c, 4, "DMKCDS004E NOTHING TO CHANGE; IPL A SYSTEM FIRST");
    int rc = cmd_is(word, "PSW", 3) ? psw(c)
             : word[0] == 'G'       ? registers(c, word + 1)
                                    : storage(c, word);
    if (rc == 0)
        cmd_info(c, "STORE COMPLETE");
    return rc;
}
