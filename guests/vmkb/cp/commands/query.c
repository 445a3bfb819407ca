/* SPDX-License-Identifier: MIT */
/* QUERY: finds the operand in a table of its own; each answer is a function in a query_*.c file. */
#include "query.h"
#include "lib.h"

int cmd_query(struct cmd *c)
{
    char word[10];

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCQG026E OPERAND MISSING OR INVALID");
    for (const struct query *q = queries; q->name; q++)
        if (cmd_is(word, q->name, q->min) && (q->classes & c->vm->classes))
            return q->run(c);
    return query_userid(c, word);
}
