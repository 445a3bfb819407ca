/* SPDX-License-Identifier: MIT */
/* DISPLAY Gn[-n] | PSW | hexloc[-hexloc|.bytes]: the machine's registers, PSW and storage, in the
 * manner of VM/370's DISPLAY with 64-bit registers. */
#include "commands.h"
#include "ctype.h"
#include "lib.h"

#define STORAGE_MAX 1024     /* bytes of one command */

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

static int invalid(struct cmd *c)
{
    return cmd_error(c, 4, "DMKCDB004E INVALID HEXLOC - MISSING, MALFORMED OR NOT IN STORAGE");
}

static int registers(struct cmd *c, const char *operand)
{
    uint64_t from = 0, to = 15;

    if (*operand) {
        if (!hex(&operand, &from))
            return invalid(c);
        to = from;
        if (*operand == '-') {
            operand++;
            if (!hex(&operand, &to))
                return invalid(c);
        }
    }
    if (*operand || from > to || to > 15)
        return cmd_error(c, 9, "DMKCDB009E INVALID RANGE");
    for (uint64_t r = from; r <= to; r += 4) {
        char line[LINE_MAX];
        int n = fmt(line, sizeof(line), "GPR %2lu =", r);
        for (uint64_t i = r; i <= to && i < r + 4; i++)
            n += fmt(line + n, sizeof(line) - (size_t)n, " %016lX", c->vm->ctx.gr[i]);
        cmd_say(c, "%s", line);
    }
    return 0;
}

static void storage_line(struct cmd *c, uint64_t at, const uint8_t *bytes)
{
    char line[LINE_MAX];
    int n = fmt(line, sizeof(line), "%08lX ", at);

    for (int i = 0; i < 16; i++)
        n += fmt(line + n, sizeof(line) - (size_t)n, i % 4 ? "%02X" : " %02X", bytes[i]);
    n += fmt(line + n, sizeof(line) - (size_t)n, "  *");
    for (int i = 0; i < 16; i++)
        line[n++] = is_print(bytes[i]) ? (char)bytes[i] : '.';
    line[n++] = '*';
    line[n] = 0;
    cmd_say(c, "%s", line);
}

static int storage(struct cmd *c, const char *operand)
{
    uint64_t from, end;

    if (!hex(&operand, &from))
        return invalid(c);
    end = from;
    if (*operand == '-' || *operand == '.') {
        bool length = *operand++ == '.';
        if (!hex(&operand, &end))
            return invalid(c);
        if (length)
            end = end ? from + end - 1 : from;
    }
    if (*operand || end < from || end - from >= STORAGE_MAX)
        return cmd_error(c, 9, "DMKCDB009E INVALID RANGE");
    from &= ~15UL;
    for (; from <= end; from += 16) {
        const uint8_t *bytes = vm_source(c->vm, from, 16);
        if (!bytes)
            return invalid(c);
        storage_line(c, from, bytes);
    }
    return 0;
}

int cmd_display(struct cmd *c)
{
    char word[40];

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCDB026E OPERAND MISSING OR INVALID");
    do {
        int rc = 0;
        if (strcmp(word, "PSW") == 0)
            cmd_say(c, "PSW = %016lX %016lX", c->vm->ctx.psw.mask, c->vm->ctx.psw.addr);
        else if (word[0] == 'G')
            rc = registers(c, word + 1);
        else
            rc = storage(c, word);
        if (rc)
            return rc;
    } while (cmd_word(c, word, sizeof(word)));
    return 0;
}
