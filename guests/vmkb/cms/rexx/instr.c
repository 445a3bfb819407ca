/* SPDX-License-Identifier: MIT */
/* Keyword instructions to code. */
#include "compile.h"

/* After IF's or WHEN's expression: takes THEN, which may begin the next record. */
static void rx_then(struct rx_compiler *c)
{
    while (c->t.kind == T_SEMI)
        rx_next(c);
    if (!rx_is(&c->t, "THEN"))
        rx_raise(c->rx, 18);
    rx_next(c);
}

static void optional_expr(struct rx_compiler *c, int op)
{
    if (rx_ends(c)) {
        rx_emit(c, op, 0);
        return;
    }
    rx_expr(c, 0);
    rx_need_end(c);
    rx_emit(c, op, 1);
}

/* As optional_expr, for instructions whose missing expression is the empty string. */
static void expr_or_empty(struct rx_compiler *c, int op)
{
    if (rx_ends(c)) {
        rx_emit_constant(c, rx_text("", 0));
    } else {
        rx_expr(c, 0);
        rx_need_end(c);
    }
    rx_emit(c, op, 0);
}

static void need_expr(struct rx_compiler *c)
{
    if (rx_ends(c))
        rx_raise(c->rx, 35);
    rx_expr(c, 0);
    rx_need_end(c);
}

static void if_(struct rx_compiler *c)
{
    rx_expr(c, STOP_THEN);
    uint32_t jump = rx_emit_jump(c, OP_JF);
    rx_then(c);
    rx_open(c, B_THEN)->patch = jump;
}

static void when(struct rx_compiler *c)
{
    if (!c->nblocks || c->blocks[c->nblocks - 1].kind != B_SELECT)
        rx_raise(c->rx, 9);
    c->blocks[c->nblocks - 1].whens = true;
    rx_expr(c, STOP_THEN);
    uint32_t jump = rx_emit_jump(c, OP_JF);
    rx_then(c);
    rx_open(c, B_WHEN)->patch = jump;
}

static void otherwise(struct rx_compiler *c)
{
    struct rx_block *b = c->nblocks ? &c->blocks[c->nblocks - 1] : NULL;
    if (!b || b->kind != B_SELECT)
        rx_raise(c->rx, 9);
    if (!b->whens)
        rx_raise(c->rx, 7);
    b->kind = B_OTHERWISE;
}

static void select_(struct rx_compiler *c)
{
    rx_need_end(c);
    rx_open(c, B_SELECT);
}

/* DO's TO, BY and FOR, in any order, each once. */
static void limits(struct rx_compiler *c, struct rx_loop *loop)
{
    for (;;) {
        char which = rx_is(&c->t, "TO") ? 'T' : rx_is(&c->t, "BY") ? 'B'
                     : rx_is(&c->t, "FOR")                          ? 'F'
                                                                    : 0;
        if (!which)
            return;
        for (int k = 0; k < loop->exprs; k++)
            if (loop->order[k] == which)
                rx_raise(c->rx, 27);
        rx_next(c);
        rx_expr(c, STOP_DO);
        loop->order[loop->exprs++] = which;
    }
}

static void do_(struct rx_compiler *c)
{
    if (rx_ends(c)) {
        rx_open(c, B_DO);
        return;
    }
    struct rx_loop *loop = rx_own(c, sizeof *loop);
    *loop = (struct rx_loop){0};
    struct rx_tok second = rx_peek(c);
    if (c->t.kind == T_SYM && second.kind == T_OP && second.op == OP_EQ) {
        loop->var = rx_tok_symbol(c, &c->t);
        if (loop->var->ref.kind == S_STEM)
            rx_raise(c->rx, 32);
        loop->flags = LOOP_VAR;
        rx_next(c);
        rx_next(c);
        rx_expr(c, STOP_DO);
        loop->order[loop->exprs++] = 'I';
        limits(c, loop);
    } else if (c->t.kind == T_CONST && second.kind == T_OP && second.op == OP_EQ) {
        rx_raise(c->rx, 31);
    } else if (rx_is(&c->t, "FOREVER")) {
        rx_next(c);
    } else if (!rx_is(&c->t, "WHILE") && !rx_is(&c->t, "UNTIL")) {
        rx_expr(c, STOP_WHILE);
        loop->flags = LOOP_COUNT;
        loop->order[loop->exprs++] = 'I';
    }
    loop->clause = c->start;
    rx_emit_place(c, OP_DO, loop); /* goes on at top */
    loop->iterate = c->n;
    bool until = rx_is(&c->t, "UNTIL");
    if (until) {
        rx_next(c);
        rx_emit_place(c, OP_AGAIN, loop);
        rx_expr(c, 0);
        rx_need_end(c);
        rx_emit_place(c, OP_UNTIL, loop);
    }
    rx_emit_place(c, OP_NEXT, loop); /* goes on at top, or leaves */
    loop->top = c->n;
    if (rx_is(&c->t, "WHILE")) {
        rx_next(c);
        rx_emit_place(c, OP_AGAIN, loop);
        rx_expr(c, 0);
        rx_emit_place(c, OP_WHILE, loop);
    }
    if (!rx_ends(c))
        rx_raise(c->rx, 27);
    rx_open(c, B_LOOP)->loop = loop;
}

static void end(struct rx_compiler *c)
{
    struct rx_block *b = c->nblocks ? &c->blocks[c->nblocks - 1] : NULL;
    if (!b || b->kind == B_THEN || b->kind == B_ELSE || b->kind == B_WHEN)
        rx_raise(c->rx, 10);
    if (!rx_ends(c)) {
        if (c->t.kind != T_SYM)
            rx_raise(c->rx, 20);
        if (b->kind != B_LOOP || b->loop->var != rx_tok_symbol(c, &c->t))
            rx_raise(c->rx, 10);
        rx_next(c);
        rx_need_end(c);
    }
    c->nblocks--;
    c->done = true;
    if (b->kind == B_LOOP) {
        bool until = (c->code[b->loop->iterate] & 0xff) != OP_NEXT;
        rx_emit_place(c, until ? OP_ITERATE : OP_NEXT, b->loop);
        b->loop->leave = c->n;
    } else if (b->kind == B_SELECT || b->kind == B_OTHERWISE) {
        if (b->kind == B_SELECT)
            rx_emit(c, OP_ERROR, 7); /* no WHEN was true and there is no OTHERWISE */
        for (uint32_t at = b->ends; at;) {
            uint32_t before = c->code[at] >> 8;
            rx_patch(c, at, c->n);
            at = before;
        }
    }
}

static void leave_or_iterate(struct rx_compiler *c, int op)
{
    struct rx_sym *var = NULL;
    if (!rx_ends(c)) {
        if (c->t.kind != T_SYM)
            rx_raise(c->rx, 20);
        var = rx_tok_symbol(c, &c->t);
        rx_next(c);
        rx_need_end(c);
    }
    for (int k = c->nblocks - 1; k >= 0; k--)
        if (c->blocks[k].kind == B_LOOP && (!var || c->blocks[k].loop->var == var)) {
            rx_emit_place(c, op, c->blocks[k].loop);
            return;
        }
    rx_raise(c->rx, 28);
}

/* SIGNAL and CALL, ON and OFF; SYNTAX and NOVALUE cannot be returned from. */
static void trap(struct rx_compiler *c, bool on, bool call)
{
    static const char *const names[CONDITIONS] = {"ERROR", "FAILURE", "HALT", "NOVALUE", "SYNTAX"};
    rx_next(c);
    int condition = -1;
    for (int k = 0; k < CONDITIONS; k++)
        if (rx_is(&c->t, names[k]))
            condition = k;
    if (condition < 0 || (call && (condition == COND_NOVALUE || condition == COND_SYNTAX)))
        rx_raise(c->rx, 25);
    struct rx_sym *label = rx_tok_symbol(c, &c->t);
    rx_next(c);
    if (on && rx_is(&c->t, "NAME")) {
        rx_next(c);
        if (c->t.kind != T_SYM && c->t.kind != T_CONST && c->t.kind != T_STR)
            rx_raise(c->rx, 19);
        label = rx_tok_symbol(c, &c->t);
        rx_next(c);
    }
    rx_need_end(c);
    rx_emit(c, OP_TRAP, (uint32_t)condition | (on ? 0 : TRAP_OFF) | (call ? TRAP_CALL : 0));
    rx_word(c, rx_place(c->rx, label));
}

static void call(struct rx_compiler *c)
{
    if (c->t.kind != T_SYM && c->t.kind != T_CONST && c->t.kind != T_STR)
        rx_raise(c->rx, 19);
    struct rx_tok second = rx_peek(c);
    if ((rx_is(&c->t, "ON") || rx_is(&c->t, "OFF")) && second.kind == T_SYM) {
        trap(c, rx_is(&c->t, "ON"), true);
        return;
    }
    bool quoted = c->t.kind == T_STR;
    struct rx_sym *sym = rx_tok_symbol(c, &c->t);
    rx_next(c);
    int n = rx_arguments(c, false);
    rx_need_end(c);
    rx_emit_call(c, sym, (uint32_t)n | (quoted ? CALL_QUOTED : 0));
}

static void parse(struct rx_compiler *c)
{
    static const struct {
        const char *word;
        int source;
    } sources[] = {{"ARG", PS_ARG},         {"PULL", PS_PULL},       {"EXTERNAL", PS_EXTERNAL},
                   {"SOURCE", PS_SOURCE},   {"VERSION", PS_VERSION}, {"NUMERIC", PS_NUMERIC}};
    bool upper = rx_is(&c->t, "UPPER");
    if (upper)
        rx_next(c);
    struct rx_sym *var = NULL;
    int source = -1;
    if (rx_is(&c->t, "VAR")) {
        source = PS_VAR;
        rx_next(c);
        if (c->t.kind != T_SYM)
            rx_raise(c->rx, c->t.kind == T_CONST ? 31 : 20);
        var = rx_tok_symbol(c, &c->t);
        rx_next(c);
    } else if (rx_is(&c->t, "VALUE")) {
        source = PS_VALUE;
        rx_next(c);
        if (rx_is(&c->t, "WITH"))
            rx_emit(c, OP_OMIT, 0);
        else
            rx_expr(c, STOP_WITH);
        if (!rx_is(&c->t, "WITH"))
            rx_raise(c->rx, 38);
        rx_next(c);
    } else {
        for (size_t k = 0; k < sizeof sources / sizeof sources[0]; k++)
            if (rx_is(&c->t, sources[k].word))
                source = sources[k].source;
        if (source < 0)
            rx_raise(c->rx, c->t.kind == T_SYM ? 25 : 20);
        rx_next(c);
    }
    rx_emit_place(c, OP_PARSE, rx_template_of(c, source, upper, var));
}

static void procedure(struct rx_compiler *c)
{
    const struct rx_names *names;
    if (rx_ends(c)) {
        struct rx_names *none = rx_own(c, sizeof *none);
        none->n = 0;
        names = none;
    } else {
        if (!rx_is(&c->t, "EXPOSE"))
            rx_raise(c->rx, 25);
        rx_next(c);
        names = rx_names_of(c);
    }
    rx_emit_place(c, OP_PROC, names);
}

static void signal_(struct rx_compiler *c)
{
    struct rx_tok second = rx_ends(c) ? c->t : rx_peek(c);
    if ((rx_is(&c->t, "ON") || rx_is(&c->t, "OFF")) && second.kind == T_SYM) {
        trap(c, rx_is(&c->t, "ON"), false);
    } else if (rx_is(&c->t, "VALUE") || c->t.kind == T_LP) {
        if (c->t.kind != T_LP)
            rx_next(c);
        need_expr(c);
        rx_emit(c, OP_SIGNALV, 0);
    } else {
        if (c->t.kind != T_SYM && c->t.kind != T_CONST && c->t.kind != T_STR)
            rx_raise(c->rx, 19);
        struct rx_sym *sym = rx_tok_symbol(c, &c->t);
        rx_next(c);
        rx_need_end(c);
        rx_emit_place(c, OP_SIGNAL, sym);
    }
}

static void address(struct rx_compiler *c)
{
    if (rx_ends(c)) {
        rx_emit(c, OP_ADDRSWAP, 0);
        return;
    }
    if (rx_is(&c->t, "VALUE") || c->t.kind == T_LP) {
        if (c->t.kind != T_LP)
            rx_next(c);
        need_expr(c);
        rx_emit(c, OP_ADDRV, 0);
        return;
    }
    if (c->t.kind != T_SYM && c->t.kind != T_CONST && c->t.kind != T_STR)
        rx_raise(c->rx, 19);
    struct rx_sym *sym = rx_tok_symbol(c, &c->t);
    rx_emit_constant(c, rx_text(sym->name, sym->len));
    rx_next(c);
    if (rx_ends(c)) {
        rx_emit(c, OP_ADDRV, 0);
        return;
    }
    need_expr(c);
    rx_emit(c, OP_ADDRCMD, 0);
}

static void numeric(struct rx_compiler *c)
{
    int what = rx_is(&c->t, "DIGITS") ? NUM_DIGITS : rx_is(&c->t, "FUZZ") ? NUM_FUZZ
               : rx_is(&c->t, "FORM")                                     ? NUM_FORM_VALUE
                                                                          : -1;
    if (what < 0)
        rx_raise(c->rx, c->t.kind == T_SYM ? 25 : 20);
    rx_next(c);
    if (what == NUM_FORM_VALUE) {
        bool sci = rx_ends(c) || rx_is(&c->t, "SCIENTIFIC"), eng = rx_is(&c->t, "ENGINEERING");
        if (sci || eng) {
            if (!rx_ends(c))
                rx_next(c);
            rx_need_end(c);
            rx_emit(c, OP_OMIT, 0);
            rx_emit(c, OP_NUMERIC, sci ? NUM_FORM_SCI : NUM_FORM_ENG);
            return;
        }
        if (rx_is(&c->t, "VALUE"))
            rx_next(c);
        need_expr(c);
    } else if (rx_ends(c)) {
        rx_emit(c, OP_OMIT, 0);
    } else {
        need_expr(c);
    }
    rx_emit(c, OP_NUMERIC, (uint32_t)what);
}

static void trace(struct rx_compiler *c)
{
    struct rx_tok second = rx_ends(c) ? c->t : rx_peek(c);
    if (c->t.kind == T_SYM && (second.kind == T_SEMI || second.kind == T_EOF)) {
        struct rx_sym *sym = rx_tok_symbol(c, &c->t); /* TRACE R: the letter, not a variable */
        rx_emit_constant(c, rx_text(sym->name, sym->len));
        rx_next(c);
        rx_emit(c, OP_TRACE, 0);
        return;
    }
    if (rx_is(&c->t, "VALUE"))
        rx_next(c);
    expr_or_empty(c, OP_TRACE);
}

static void names(struct rx_compiler *c, int op)
{
    rx_emit_place(c, op, rx_names_of(c));
}

enum key {
    K_IF, K_WHEN, K_OTHERWISE, K_SELECT, K_DO, K_END, K_LEAVE, K_ITERATE, K_CALL, K_PARSE, K_ARG,
    K_PULL, K_PROCEDURE, K_SIGNAL, K_ADDRESS, K_NUMERIC, K_TRACE, K_DROP, K_UPPER, K_SAY, K_PUSH,
    K_QUEUE, K_RETURN, K_EXIT, K_INTERPRET, K_OPTIONS, K_NOP, K_THEN, K_ELSE, KEYS
};

static const char *const keywords[KEYS] = {
    "IF", "WHEN", "OTHERWISE", "SELECT", "DO", "END", "LEAVE", "ITERATE", "CALL", "PARSE", "ARG",
    "PULL", "PROCEDURE", "SIGNAL", "ADDRESS", "NUMERIC", "TRACE", "DROP", "UPPER", "SAY", "PUSH",
    "QUEUE", "RETURN", "EXIT", "INTERPRET", "OPTIONS", "NOP", "THEN", "ELSE",
};

/* Compiles the clause when it begins with a keyword; false when it is a command. */
bool rx_instruction(struct rx_compiler *c)
{
    int key = 0;
    char first = (char)to_upper(c->t.s[0]);
    while (key < KEYS && !(keywords[key][0] == first && rx_is(&c->t, keywords[key])))
        key++;
    if (key == KEYS)
        return false;
    if (key == K_THEN || key == K_ELSE)
        rx_raise(c->rx, 8);
    rx_next(c);
    c->done = key > K_END;
    switch (key) {
    case K_IF: if_(c); break;
    case K_WHEN: when(c); break;
    case K_OTHERWISE: otherwise(c); break;
    case K_SELECT: select_(c); break;
    case K_DO: do_(c); break;
    case K_END: end(c); break;
    case K_LEAVE: leave_or_iterate(c, OP_LEAVE); break;
    case K_ITERATE: leave_or_iterate(c, OP_ITERATE); break;
    case K_CALL: call(c); break;
    case K_PARSE: parse(c); break;
    case K_ARG: rx_emit_place(c, OP_PARSE, rx_template_of(c, PS_ARG, true, NULL)); break;
    case K_PULL: rx_emit_place(c, OP_PARSE, rx_template_of(c, PS_PULL, true, NULL)); break;
    case K_PROCEDURE: procedure(c); break;
    case K_SIGNAL: signal_(c); break;
    case K_ADDRESS: address(c); break;
    case K_NUMERIC: numeric(c); break;
    case K_TRACE: trace(c); break;
    case K_DROP: names(c, OP_DROP); break;
    case K_UPPER: names(c, OP_UPPER); break;
    case K_SAY: expr_or_empty(c, OP_SAY); break;
    case K_PUSH: expr_or_empty(c, OP_PUSH); break;
    case K_QUEUE: expr_or_empty(c, OP_QUEUE); break;
    case K_RETURN: optional_expr(c, OP_RETURN); break;
    case K_EXIT: optional_expr(c, OP_EXIT); break;
    case K_INTERPRET: need_expr(c); rx_emit(c, OP_INTERPRET, 0); break;
    case K_OPTIONS: need_expr(c); rx_emit(c, OP_OPTIONS, 0); break;
    case K_NOP: rx_need_end(c); break;
    }
    return true;
}
