/* SPDX-License-Identifier: MIT */
/* Expressions to code: operands push, operators pop. */
#include "compile.h"

static void binary(struct rx_compiler *c, int least);

/* Priorities, low to high; 0 for what is no operator. */
static int priority(int op)
{
    switch (op) {
    case OP_OR: case OP_XOR: return 1;
    case OP_AND: return 2;
    case OP_CAT: return 4;
    case OP_ADD: case OP_SUB: return 5;
    case OP_MUL: case OP_DIV: case OP_IDIV: case OP_REM: return 6;
    case OP_POW: return 7;
    }
    return op >= OP_EQ && op <= OP_SGE ? 3 : 0;
}

enum { P_CONCAT = 4 };

static bool stops(const struct rx_compiler *c)
{
    const struct rx_tok *t = &c->t;
    if (t->kind != T_SYM || !c->stop)
        return false;
    if ((c->stop & STOP_THEN) && rx_is(t, "THEN"))
        return true;
    if ((c->stop & STOP_WITH) && rx_is(t, "WITH"))
        return true;
    if ((c->stop & STOP_DO) && (rx_is(t, "TO") || rx_is(t, "BY") || rx_is(t, "FOR")))
        return true;
    return (c->stop & (STOP_DO | STOP_WHILE)) && (rx_is(t, "WHILE") || rx_is(t, "UNTIL"));
}

static rx_val hex_string(struct rx_compiler *c, const struct rx_tok *t, char *out)
{
    /* digits from the right in bytes; blanks only between whole bytes (X) or nibbles (B) */
    uint32_t group = t->suffix == 'X' ? 2 : 4, bits = t->suffix == 'X' ? 4 : 1;
    uint32_t n = 0, in_group = 0, digits = 0;
    bool first = true;
    for (uint32_t k = 0; k < t->len; k++) {
        if (t->s[k] == ' ') {
            if (k == 0 || k == t->len - 1 || t->s[k] != ' ')
                rx_raise(c->rx, 15);
            if (!first && in_group % group)
                rx_raise(c->rx, 15);
            first = false;
            in_group = 0;
            continue;
        }
        int v = hex_value(t->s[k]);
        if (v < 0 || (bits == 1 && v > 1))
            rx_raise(c->rx, 15);
        in_group++;
        digits++;
    }
    if (!first && in_group % group)
        rx_raise(c->rx, 15);
    uint32_t total = digits * bits, bytes = (total + 7) / 8, bit = bytes * 8 - total;
    memset(out, 0, bytes);
    for (uint32_t k = 0; k < t->len; k++) {
        if (t->s[k] == ' ')
            continue;
        unsigned v = (unsigned)hex_value(t->s[k]) << (8 - bits - bit % 8);
        out[bit / 8] = (char)((unsigned char)out[bit / 8] | v);
        bit += bits;
        n = bytes;
    }
    return rx_text(out, n);
}

static struct rx_literal *new_literal(struct rx_compiler *c, size_t text)
{
    struct rx_literal *l = rx_own(c, sizeof *l + text);
    l->ref = (struct rx_ref){.kind = S_CONST, .at = &l->value};
    return l;
}

/* Emits a value that is kept as long as the code. */
void rx_emit_constant(struct rx_compiler *c, rx_val v)
{
    struct rx_literal *l = new_literal(c, 0);
    l->value = v;
    rx_emit_place(c, OP_LEAF, l);
}

/* A string token, kept as long as the code. */
struct rx_literal *rx_literal(struct rx_compiler *c, const struct rx_tok *t)
{
    struct rx_literal *l = new_literal(c, t->suffix || t->doubled ? t->len : 0);
    rx_val *v = &l->value;
    char *room = l->text;
    if (t->suffix) {
        *v = hex_string(c, t, room);
    } else if (t->doubled) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < t->len; k++) {
            room[n++] = t->s[k];
            if (t->s[k] == t->quote)
                k++;
        }
        *v = rx_text(room, n);
    } else {
        *v = rx_text(t->s, t->len);
    }
    if (v->len > REXX_NAME && t->suffix)
        rx_raise(c->rx, 30);
    int64_t i;
    if (rx_plain_int(v->s, v->len, &i))
        *v = rx_int(i);
    return l;
}

/*
 * Arguments separated by commas, pushed; returns their number. parens: up to ')', which is
 * taken; otherwise (CALL) up to the end of the clause.
 */
int rx_arguments(struct rx_compiler *c, bool parens)
{
    int n = 0, given = 0;
    bool left_out = false;
    unsigned stop = c->stop;
    for (;;) {
        bool over = parens ? c->t.kind == T_RP : rx_ends(c);
        if (n >= RX_ARGS && !over)
            rx_raise(c->rx, 40);
        if (over || c->t.kind == T_COMMA) {
            if (!over || n)
                rx_emit(c, OP_OMIT, 0);
            n += !over || n;
        } else {
            if (rx_ends(c))
                rx_raise(c->rx, 36);
            rx_expr(c, 0);
            left_out |= given != n;
            given = ++n;
        }
        if (c->t.kind == T_COMMA) {
            rx_next(c);
            continue;
        }
        if (parens ? c->t.kind == T_RP : rx_ends(c))
            break;
        rx_raise(c->rx, parens && rx_ends(c) ? 36 : parens ? 35 : 37);
    }
    c->stop = stop;
    if (parens)
        rx_next(c);
    c->left_out = left_out;
    for (; n > given; n--) /* what was only commas at the end was not given */
        c->n--;
    return n;
}

/* Emits the call of a routine, whose arguments have just been read. */
void rx_emit_call(struct rx_compiler *c, struct rx_sym *sym, uint32_t how)
{
    if (!sym->ref.builtin)
        sym->ref.builtin = rx_builtin_find(sym->name, sym->len);
    if (!c->left_out && rx_builtin_takes(sym->ref.builtin, how & (CALL_FUNCTION - 1)))
        how |= CALL_FITS;
    rx_emit(c, OP_CALL, how);
    rx_word(c, rx_place(c->rx, sym));
}

static void operand(struct rx_compiler *c)
{
    struct rx_tok t = c->t;
    if (t.kind == T_LP) {
        unsigned stop = c->stop;
        rx_next(c);
        if (rx_ends(c))
            rx_raise(c->rx, 36);
        rx_expr(c, 0);
        if (c->t.kind != T_RP)
            rx_raise(c->rx, c->t.kind == T_COMMA ? 37 : 36);
        c->stop = stop;
        rx_next(c);
        return;
    }
    if (t.kind != T_SYM && t.kind != T_CONST && t.kind != T_STR)
        rx_raise(c->rx, t.kind == T_COMMA || t.kind == T_RP ? 37 : 35);
    rx_next(c);
    if (c->t.kind == T_LP && !c->t.blank && !t.suffix) {
        struct rx_sym *sym = rx_tok_symbol(c, &t);
        rx_next(c);
        int n = rx_arguments(c, true);
        rx_emit_call(c, sym, (uint32_t)n | CALL_FUNCTION | (t.kind == T_STR ? CALL_QUOTED : 0));
        return;
    }
    if (t.kind == T_STR) {
        rx_emit_place(c, OP_LEAF, rx_literal(c, &t));
        return;
    }
    rx_emit_place(c, OP_LEAF, rx_tok_symbol(c, &t));
}

static void prefixed(struct rx_compiler *c)
{
    int op = c->t.kind == T_NOT                          ? OP_NOT
             : c->t.kind == T_OP && c->t.op == OP_SUB ? OP_NEG
             : c->t.kind == T_OP && c->t.op == OP_ADD ? OP_PLUS
                                                      : 0;
    if (!op) {
        operand(c);
        return;
    }
    if (++c->depth > RX_EXPR_DEPTH)
        rx_raise(c->rx, 39);
    rx_next(c);
    prefixed(c);
    c->depth--;
    rx_emit(c, op, 0);
}

/* The operator that comes next: 0 none; concatenation by blank or abuttal needs no token. */
static int upcoming(const struct rx_compiler *c, bool *token)
{
    const struct rx_tok *t = &c->t;
    *token = false;
    switch (t->kind) {
    case T_OP:
        *token = true;
        return t->op;
    case T_SYM: case T_CONST: case T_STR: case T_LP: case T_NOT:
        if (stops(c))
            return 0;
        return t->blank ? OP_BCAT : OP_CAT;
    }
    return 0;
}

/* Whether the code from a place on is one operand that is pushed. */
static bool is_leaf(const struct rx_compiler *c, uint32_t from, uint32_t to)
{
    return to == from + 1 && (c->code[from] & 0xff) == OP_LEAF;
}

/*
 * Emits an operator behind its operands, whose code begins at left and at right. What is only
 * pushed for it goes with it instead.
 */
static void operator(struct rx_compiler *c, int op, uint32_t left, uint32_t right)
{
    if (!is_leaf(c, right, c->n)) {
        rx_emit(c, op, 0);
        return;
    }
    bool both = is_leaf(c, left, right);
    uint32_t first = c->code[both ? left : right] >> 8, second = both ? c->code[right] >> 8 : 0;
    int how = op == OP_ADD                     ? OP_ADD1
              : op == OP_SUB                   ? OP_SUB1
              : op >= OP_EQ && op <= OP_GE ? OP_ORDER1
                                               : OP_ANY1;
    c->n = both ? left : right;
    rx_emit(c, both ? how + OP_ADD2 - OP_ADD1 : how, first);
    rx_emit(c, op, second);
}

static void binary(struct rx_compiler *c, int least)
{
    if (++c->depth > RX_EXPR_DEPTH)
        rx_raise(c->rx, 39);
    uint32_t left = c->n;
    prefixed(c);
    for (;;) {
        bool token;
        int op = upcoming(c, &token);
        int p = op == OP_BCAT ? P_CONCAT : op ? priority(op) : 0;
        if (!p || p < least)
            break;
        if (token)
            rx_next(c);
        uint32_t right = c->n;
        binary(c, p + 1);
        operator(c, op, left, right);
    }
    c->depth--;
}

/*
 * One expression, up to the end of the clause, ')' or ',' or one of the keywords of stop.
 * Raises Errors 35, 36, 37, 39.
 */
void rx_expr(struct rx_compiler *c, unsigned stop)
{
    unsigned outer = c->stop;
    c->stop = stop;
    if (stop && stops(c))
        rx_raise(c->rx, 35);
    binary(c, 1);
    c->stop = outer;
}
