/* SPDX-License-Identifier: MIT */
/* QUERY: finds the operand in a table of its own; each answer is a function in a query_*.c file.
 * What is no operand is the address of a minidisk or a userid, as in VM. */
#include "ctype.h"
#include "query.h"
#include "lib.h"
#include "spool.h"
#include "vctc.h"

/* PFnn: the number goes back to the operands. */
static bool pf_number(struct cmd *c, const char *word)
{
    if (strncmp(word, "PF", 2) != 0 || !is_digit(word[2]) || *c->args)
        return false;
    while (c->args[-1] == ' ')
        c->args--;
    c->args -= strlen(word + 2);
    return true;
}

void query_item(struct query_row *row, const char *item)
{
    if (item) {
        size_t n = strlen(row->line);
        fmt(row->line + n, sizeof(row->line) - n, "%s%s", n ? ", " : "", item);
    }
    if (item ? ++row->n == QUERY_PER_LINE : row->n != 0) {
        cmd_say(row->c, "%s", row->line);
        row->line[0] = 0;
        row->n = 0;
    }
}

int cmd_query(struct cmd *c)
{
    char word[10];
    uint16_t vaddr;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCFC026E OPERAND MISSING OR INVALID");
    if (pf_number(c, word))
        word[2] = 0;
    for (const struct query *q = queries; q->name; q++)
        if (cmd_is(word, q->name, q->min) && (q->classes & c->vm->classes))
            return q->run(c);
    if (cmd_vaddr(word, &vaddr) && !vm_find(word)
        && (mdisk_find(c->vm, vaddr) || spool_device(c->vm, vaddr) || vctc_find(c->vm, vaddr)))
        return query_device(c, word);
    if (!vm_find(word) && cmd_option_absent("QUERY", word))
        return cmd_bad_option(c, "CQG", word);
    return query_userid(c, word);
}
