/* SPDX-License-Identifier: MIT */
/* STORE hexloc hexdata ... | Gn hexdata ... | PSW mask address: the machine's storage, words from
 * an address on or (Shexloc) bytes, its registers and, under SIE, its PSW. Text that machines
 * share stays as it is. */
#include "commands.h"
#include "ctype.h"
#include "lib.h"

enum { WORD_DIGITS = 16, STRING_DIGITS = 64 };

static bool number(const char *word, uint64_t *value)
{
    const char *p = word;

    *value = 0;
    for (; hex_value(*p) >= 0; p++)
        *value = *value << 4 | (unsigned)hex_value(*p);
    return *word && !*p && p - word <= WORD_DIGITS;
}

static int bad_data(struct cmd *c, const char *word)
{
    return cmd_error(c, 5, "DMKCDS005E INVALID HEXDATA - %s", word);
}

static int registers(struct cmd *c, const char *digits)
{
    char word[STRING_DIGITS + 2];
    uint32_t r;
    uint64_t value;
    bool any = false;

    if (!cmd_number(digits, &r) || r > 15)
        return cmd_error(c, 10, "DMKCDS010E INVALID REGISTER - G%s", digits);
    for (; cmd_word(c, word, sizeof(word)); any = true) {
        if (!number(word, &value))
            return bad_data(c, word);
        if (c->vm->sie)
            sie_set_gr(c->vm, r, value);
        else
            c->vm->ctx.gr[r] = value;
        r = (r + 1) % 16;
    }
    return any ? 0 : bad_data(c, "MISSING");
}

static int psw(struct cmd *c)
{
    char word[STRING_DIGITS + 2] = "MISSING";
    uint64_t mask, addr;

    if (!c->vm->sie)
        return cmd_error(c, 4, "DMKCDS004E PSW CANNOT BE STORED; BEGIN hexloc GOES ON THERE");
    if (!cmd_word(c, word, sizeof(word)) || !number(word, &mask)
        || !cmd_word(c, word, sizeof(word)) || !number(word, &addr))
        return bad_data(c, word);
    sie_set_psw(c->vm, &(struct psw){mask, addr});
    return 0;
}

/* Bytes of an even number of digits; a word of fewer than eight is filled with zeros before it. */
static int put(struct cmd *c, uint64_t at, const char *digits, unsigned bytes)
{
    size_t n = strlen(digits), missing = bytes * 2 - n;
    uint8_t *to = c->vm->sie ? sie_storage(c->vm, at, bytes) : vm_ptr(c->vm, at, bytes);

    if (!to)
        return cmd_error(c, 160, "DMKCDS160E HEXLOC %lX NOT IN THE MACHINE'S OWN STORAGE", at);
    memset(to, 0, bytes);
    for (size_t i = 0; i < n; i++)
        to[(i + missing) / 2] |= (uint8_t)(hex_value(digits[i]) << ((i + missing) % 2 ? 0 : 4));
    return 0;
}

static int storage(struct cmd *c, const char *hexloc, bool string)
{
    char word[STRING_DIGITS + 2];
    uint64_t at, value;
    bool any = false;
    int rc = 0;

    if (!number(hexloc, &at) || (!string && at % 4))
        return cmd_error(c, 4, "DMKCDS004E INVALID HEXLOC - %s", hexloc);
    for (; rc == 0 && cmd_word(c, word, sizeof(word)); any = true) {
        size_t n = strlen(word);
        for (size_t i = 0; i < n; i++)
            if (hex_value(word[i]) < 0)
                return bad_data(c, word);
        if (string ? n > STRING_DIGITS || n % 2 : n > 8 || !number(word, &value))
            return bad_data(c, word);
        unsigned bytes = string ? (unsigned)n / 2 : 4;
        rc = put(c, at, word, bytes);
        at += bytes;
    }
    return any ? rc : bad_data(c, "MISSING");
}

int cmd_store(struct cmd *c)
{
    char word[20];
    int rc;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCDS026E OPERAND MISSING OR INVALID");
    if (c->vm->wait & WAIT_NOTREADY)
        return cmd_error(c, 4, "DMKCDS004E NOTHING TO CHANGE; IPL A SYSTEM FIRST");
    if (strcmp(word, "STATUS") == 0)
        return cmd_error(c, 4, "DMKCDS004E STATUS CANNOT BE STORED; DISPLAY SHOWS IT");
    if (strcmp(word, "PSW") == 0)
        rc = psw(c);
    else if (word[0] == 'G')
        rc = registers(c, word + 1);
    else
        rc = storage(c, word + (word[0] == 'S' || word[0] == 'L'), word[0] == 'S');
    if (rc == 0)
        cmd_info(c, "STORE COMPLETE");
    return rc;
}
