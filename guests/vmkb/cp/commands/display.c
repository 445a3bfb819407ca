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

/* A register: 0 to 15, or a hexadecimal digit. */
static bool number(const char **text, uint64_t *value)
{
    const char *p = *text;
    int digit = hex_value(*p);

    if (digit < 0)
        return false;
    *value = (unsigned)digit;
    if (is_digit(*p++) && is_digit(*p))
        *value = *value * 10 + (unsigned)(*p++ - '0');
    *text = p;
    return true;
}

static int invalid(struct cmd *c)
{
    return cmd_error(c, 4, "DMKCDB004E INVALID HEXLOC - MISSING OR MALFORMED");
}

static uint64_t gr(const struct vm *vm, unsigned r)
{
    return vm->sie ? sie_gr(vm, r) : vm->ctx.gr[r];
}

static int registers(struct cmd *c, const char *operand)
{
    uint64_t from = 0, to = 15;

    if (*operand) {
        if (!number(&operand, &from))
            return invalid(c);
        to = from;
        if (*operand == '-') {
            operand++;
            if (!number(&operand, &to))
                return invalid(c);
        }
    }
    if (*operand || from > to || to > 15)
        return cmd_error(c, 9, "DMKCDB009E INVALID RANGE");
    for (uint64_t r = from; r <= to; r += 4) {
        char line[LINE_MAX];
        int n = fmt(line, sizeof(line), "GPR %2lu =", r);
        for (uint64_t i = r; i <= to && i < r + 4; i++)
            n += fmt(line + n, sizeof(line) - (size_t)n, " %016lX", gr(c->vm, (unsigned)i));
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

/* A machine here is a program above VM_LOW: it has no page 0. */
static int no_storage(struct cmd *c, uint64_t at)
{
    if (c->vm->sie)
        return cmd_error(c, 160, "DMKCDB160E HEXLOC %lX NOT IN STORAGE: 0-%lX", at,
                         c->vm->size - 1);
    if (!c->vm->nss)
        return cmd_error(c, 160, "DMKCDB160E HEXLOC %lX NOT IN STORAGE; NOTHING IS IPLED", at);
    return cmd_error(c, 160, "DMKCDB160E HEXLOC %lX NOT IN STORAGE: %lX-%lX, TEXT %lX-%lX", at,
                     VM_LOW, c->vm->size - 1, VM_TEXT, VM_TEXT + c->vm->nss->text_size - 1);
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
        const uint8_t *bytes =
            c->vm->sie ? sie_storage(c->vm, from, 16) : vm_source(c->vm, from, 16);
        if (!bytes)
            return no_storage(c, from);
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
        const struct psw *psw = c->vm->sie ? sie_psw(c->vm) : &c->vm->ctx.psw;
        if (strcmp(word, "PSW") == 0)
            cmd_say(c, "PSW = %016lX %016lX", psw->mask, psw->addr);
        else if (word[0] == 'G')
            rc = registers(c, word + 1);
        else
            rc = storage(c, word + (strchr("TLS", word[0]) != 0));
        if (rc)
            return rc;
    } while (cmd_word(c, word, sizeof(word)));
    return 0;
}
