/* SPDX-License-Identifier: MIT */
/* PARSE templates and lists of names, from source to tables. */
#include "compile.h"

static uint32_t tokens_left(struct rx_compiler *c)
{
    struct rx_lexer look = c->lx;
    uint32_t n = 1;
    for (struct rx_tok t = c->t; t.kind != T_SEMI && t.kind != T_EOF; t = rx_lex(c->rx, &look))
        n++;
    return n;
}

static struct rx_sym *in_parens(struct rx_compiler *c)
{
    rx_next(c);
    if (c->t.kind != T_SYM)
        rx_raise(c->rx, c->t.kind == T_CONST ? 31 : 19);
    struct rx_sym *sym = rx_tok_symbol(c, &c->t);
    rx_next(c);
    if (c->t.kind != T_RP)
        rx_raise(c->rx, 46);
    rx_next(c);
    return sym;
}

static int32_t whole(struct rx_compiler *c)
{
    int64_t i;
    struct rx_num x;
    rx_val text = rx_text(c->t.s, c->t.len);
    if (!rx_whole_rounded(c->rx, text, 9, &i)) /* 9: RX_EXPONENT is the largest pattern */
        rx_raise(c->rx, rx_num_parse(c->rx, text, &x) ? 26 : 38);
    rx_next(c);
    return (int32_t)i;
}

static void item(struct rx_compiler *c, struct rx_item *it)
{
    *it = (struct rx_item){0};
    switch (c->t.kind) {
    case T_SYM:
        it->kind = PT_VAR;
        it->sym = rx_tok_symbol(c, &c->t);
        rx_next(c);
        return;
    case T_CONST:
        if (c->t.len == 1 && c->t.s[0] == '.') {
            it->kind = PT_SKIP;
            rx_next(c);
            return;
        }
        it->kind = PT_ABS;
        it->n = whole(c);
        return;
    case T_STR:
        it->kind = PT_LITERAL;
        it->value = &rx_literal(c, &c->t)->value;
        rx_next(c);
        return;
    case T_COMMA:
        it->kind = PT_COMMA;
        rx_next(c);
        return;
    case T_LP:
        it->kind = PT_VARLIT;
        it->sym = in_parens(c);
        return;
    case T_OP: {
        int op = c->t.op;
        if (op != OP_ADD && op != OP_SUB && op != OP_EQ)
            break;
        rx_next(c);
        if (c->t.kind == T_LP) {
            it->kind = op == OP_ADD ? PT_VPLUS : op == OP_SUB ? PT_VMINUS : PT_VABS;
            it->sym = in_parens(c);
            return;
        }
        if (c->t.kind != T_CONST)
            break;
        it->kind = op == OP_ADD ? PT_PLUS : op == OP_SUB ? PT_MINUS : PT_ABS;
        it->n = whole(c);
        return;
    }
    }
    rx_raise(c->rx, 38);
}

/* The template that stands from here to the end of the clause. */
struct rx_template *rx_template_of(struct rx_compiler *c, int source, bool upper,
                                   struct rx_sym *var)
{
    struct rx_template *t = rx_own(c, sizeof *t + tokens_left(c) * sizeof t->item[0]);
    t->source = (uint8_t)source;
    t->upper = upper;
    t->var = var;
    t->n = 0;
    while (!rx_ends(c))
        item(c, &t->item[t->n++]);
    return t;
}

/* The names that stand from here to the end of the clause; Error 20 when there is none. */
const struct rx_names *rx_names_of(struct rx_compiler *c)
{
    struct rx_names *names = rx_own(c, sizeof *names + tokens_left(c) * sizeof names->at[0]);
    names->n = 0;
    while (!rx_ends(c)) {
        bool indirect = c->t.kind == T_LP;
        names->at[names->n].indirect = indirect;
        if (indirect) {
            names->at[names->n++].sym = in_parens(c);
            continue;
        }
        if (c->t.kind != T_SYM)
            rx_raise(c->rx, c->t.kind == T_CONST ? 31 : 20);
        names->at[names->n++].sym = rx_tok_symbol(c, &c->t);
        rx_next(c);
    }
    if (!names->n)
        rx_raise(c->rx, 20);
    return names;
}
