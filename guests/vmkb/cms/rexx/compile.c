/* SPDX-License-Identifier: MIT */
/*
 * The compiler: clause after clause into code. A clause that cannot be compiled becomes the
 * error it would raise, so that everything before it still runs, as in an interpreter.
 */
#include "compile.h"

void rx_next(struct rx_compiler *c)
{
    c->t.kind = T_OP; /* what the token is while it cannot be read: no end of a clause */
    c->t = rx_lex(c->rx, &c->lx);
}

struct rx_tok rx_peek(struct rx_compiler *c)
{
    struct rx_lexer look = c->lx;
    return rx_lex(c->rx, &look);
}

void rx_word(struct rx_compiler *c, uint32_t w)
{
    if (c->n >= c->cap)
        rx_raise(c->rx, 5);
    c->code[c->n++] = w;
}

void rx_emit(struct rx_compiler *c, int op, uint32_t operand)
{
    rx_word(c, (uint32_t)op | operand << 8);
}

/* Emits an operation on something that lies in the arena. */
void rx_emit_place(struct rx_compiler *c, int op, const void *p)
{
    rx_emit(c, op, rx_place(c->rx, p));
}

/* Emits a jump to be patched later; returns where it is. */
uint32_t rx_emit_jump(struct rx_compiler *c, int op)
{
    rx_emit(c, op, 0);
    return c->n - 1;
}

void rx_patch(struct rx_compiler *c, uint32_t at, uint32_t to)
{
    c->code[at] = (c->code[at] & 0xff) | (uint32_t)(to - (at + 1)) << 8;
}

/* Storage that lives as long as the code. */
void *rx_own(struct rx_compiler *c, size_t n)
{
    struct rx_owned *o = rx_heap(c->rx, sizeof *o + n);
    o->size = sizeof *o + n;
    o->next = c->owned;
    c->owned = o;
    return o + 1;
}

/* Whether a token is the symbol word (given in capitals). */
bool rx_is(const struct rx_tok *t, const char *word)
{
    return t->kind == T_SYM && rx_same(rx_text(t->s, t->len), word);
}

bool rx_ends(const struct rx_compiler *c)
{
    return c->t.kind == T_SEMI || c->t.kind == T_EOF;
}

void rx_need_end(struct rx_compiler *c)
{
    if (!rx_ends(c))
        rx_raise(c->rx, c->t.kind == T_COMMA || c->t.kind == T_RP ? 37 : 21);
}

/* The symbol of a symbol token (in capitals) or of a string token (as it is). */
struct rx_sym *rx_tok_symbol(struct rx_compiler *c, const struct rx_tok *t)
{
    if (t->kind != T_STR)
        return rx_intern(c->rx, t->s, t->len, true);
    rx_val v = rx_as_text(c->rx, rx_literal(c, t)->value);
    return rx_intern(c->rx, v.s, v.len, false);
}

/* Opens a block; Error 11 when blocks are nested too deep. */
struct rx_block *rx_open(struct rx_compiler *c, int kind)
{
    if (c->nblocks >= RX_BLOCKS)
        rx_raise(c->rx, 11);
    struct rx_block *b = &c->blocks[c->nblocks++];
    *b = (struct rx_block){.kind = (uint8_t)kind};
    return b;
}

/*
 * An instruction has ended and another token is here: IFs and WHENs that it completed are
 * closed. True when the token is the ELSE of one of them, which is taken.
 */
static bool close_done(struct rx_compiler *c)
{
    c->done = false;
    while (c->nblocks) {
        struct rx_block *b = &c->blocks[c->nblocks - 1];
        if (b->kind == B_THEN) {
            if (rx_is(&c->t, "ELSE")) {
                uint32_t jump = rx_emit_jump(c, OP_JMP);
                rx_patch(c, b->patch, c->n);
                b->kind = B_ELSE;
                b->patch = jump;
                c->start = c->n; /* the jump stays, even if what follows cannot be read */
                rx_next(c);
                return true;
            }
            rx_patch(c, b->patch, c->n);
            c->nblocks--;
        } else if (b->kind == B_ELSE) {
            rx_patch(c, b->patch, c->n);
            c->nblocks--;
        } else if (b->kind == B_WHEN) {
            struct rx_block *select = b - 1;
            rx_emit(c, OP_JMP, select->ends);
            select->ends = c->n - 1;
            rx_patch(c, b->patch, c->n);
            c->nblocks--;
            return false;
        } else {
            return false;
        }
    }
    return false;
}

/* DO groups around the clause that begins; its own END stands as far out as its DO. */
static uint32_t nesting(const struct rx_compiler *c)
{
    uint32_t n = 0;
    bool group = false;
    for (int k = 0; k < c->nblocks; k++) {
        group = c->blocks[k].kind == B_DO || c->blocks[k].kind == B_LOOP;
        n += group;
    }
    return n - (group && rx_is(&c->first, "END"));
}

static void start_clause(struct rx_compiler *c)
{
    rx_emit(c, OP_CLAUSE, c->first.line);
    rx_word(c, c->first.col | nesting(c) << NEST_SHIFT);
}

static void define_label(struct rx_compiler *c)
{
    if (c->interpreted)
        rx_raise(c->rx, 47);
    struct rx_pending_label *l = rx_own(c, sizeof *l);
    l->sym = rx_intern(c->rx, c->t.s, c->t.len, true);
    l->at = c->n;
    l->next = c->labels;
    c->labels = l;
    rx_emit(c, OP_LABEL, c->first.line);
    rx_word(c, c->first.col);
    rx_next(c);
    rx_next(c);
}

static void assignment(struct rx_compiler *c)
{
    struct rx_sym *sym = rx_tok_symbol(c, &c->t);
    if (sym->ref.kind == S_CONST)
        rx_raise(c->rx, 31);
    rx_next(c);
    rx_next(c);
    if (rx_ends(c)) /* "on VM" this is the null string (REXX for CICS reference) */
        rx_emit_place(c, OP_LEAF, rx_intern(c->rx, "", 0, false));
    else
        rx_expr(c, 0);
    rx_need_end(c);
    rx_emit_place(c, sym->ref.kind == S_SIMPLE ? OP_SET : OP_SETS, sym);
    c->done = true;
}

/* True in a SELECT that waits for WHEN, OTHERWISE or END. */
static bool wants_when(const struct rx_compiler *c)
{
    return c->nblocks && c->blocks[c->nblocks - 1].kind == B_SELECT;
}

static void clause(struct rx_compiler *c)
{
    c->first = c->t;
    if (c->t.kind == T_SYM || c->t.kind == T_CONST) {
        struct rx_tok second = rx_peek(c);
        if (second.kind == T_COLON) {
            define_label(c);
            return;
        }
        start_clause(c);
        bool equals = second.kind == T_OP && second.op == OP_EQ;
        if (wants_when(c) && (equals || !(rx_is(&c->t, "WHEN") || rx_is(&c->t, "OTHERWISE") ||
                                          rx_is(&c->t, "END"))))
            rx_raise(c->rx, 7);
        if (equals) {
            assignment(c);
            return;
        }
        if (c->t.kind == T_SYM && rx_instruction(c))
            return;
    } else {
        start_clause(c);
        if (wants_when(c))
            rx_raise(c->rx, 7);
    }
    rx_expr(c, 0); /* anything else is a command */
    rx_need_end(c);
    rx_emit(c, OP_CMD, 0);
    c->done = true;
}

/* Goes to the end of a clause that had an error. */
static void skip_clause(struct rx_compiler *c)
{
    rx_jmp here, *outer = c->rx->catcher;
    c->rx->catcher = &here;
    if (__builtin_setjmp(here)) { /* text that cannot be read: go on behind it */
        if (c->lx.line == c->skip_line && c->lx.col == c->skip_col) {
            c->lx.line++;
            c->lx.col = 0;
        }
    }
    while (!rx_ends(c)) {
        c->skip_line = c->lx.line;
        c->skip_col = c->lx.col;
        rx_next(c);
    }
    c->rx->catcher = outer;
}

/* Compiles up to the end; stays in here until a clause raises an error. */
static void clauses(struct rx_compiler *c)
{
    for (;;) {
        while (c->t.kind == T_SEMI)
            rx_next(c);
        c->first = c->t;
        c->start = c->n;
        if (c->done && close_done(c))
            continue;
        c->start = c->n;
        if (c->t.kind == T_EOF)
            return;
        clause(c);
    }
}

/* Replaces the clause that raised error by that error. */
static void put_error(struct rx_compiler *c, int error)
{
    c->n = c->start;
    start_clause(c);
    rx_emit(c, OP_ERROR, (uint32_t)error);
    struct rx_tok first = c->first;
    if (rx_is(&first, "DO"))
        rx_open(c, B_DO); /* keeps its END in step */
    else if (rx_is(&first, "SELECT"))
        rx_open(c, B_SELECT)->whens = true;
    else
        c->done = true;
    skip_clause(c);
}

static bool guarded(struct rx_compiler *c, void (*what)(struct rx_compiler *))
{
    rx_jmp here, *outer = c->rx->catcher;
    c->rx->catcher = &here;
    bool ok = !__builtin_setjmp(here);
    if (ok)
        what(c);
    c->rx->catcher = outer;
    return ok;
}

static void first_token(struct rx_compiler *c)
{
    rx_next(c);
}

static void finish(struct rx_compiler *c)
{
    if (c->nblocks) {
        if (c->lx.nlines) {
            c->first.line = c->lx.nlines - 1;
            c->first.col = c->lx.lines[c->lx.nlines - 1].n;
        }
        start_clause(c);
        rx_emit(c, OP_ERROR, 14);
    }
    for (int k = 0; k < c->nblocks; k++) {
        struct rx_block *b = &c->blocks[k];
        if (b->kind == B_THEN || b->kind == B_ELSE || b->kind == B_WHEN)
            rx_patch(c, b->patch, c->n - 3);
        for (uint32_t at = b->kind == B_SELECT || b->kind == B_OTHERWISE ? b->ends : 0; at;) {
            uint32_t before = c->code[at] >> 8;
            rx_patch(c, at, c->n - 3);
            at = before;
        }
        if (b->kind == B_LOOP)
            b->loop->leave = c->n - 3;
    }
    rx_emit(c, OP_END, c->interpreted);
}

void rx_code_free(struct rx *rx, struct rx_code *code)
{
    for (struct rx_owned *o = code->owned, *next; o; o = next) {
        next = o->next;
        rx_heap_free(rx, o, o->size);
    }
    rx_heap_free(rx, code, code->size);
}

enum { PLENTY = 32768 }; /* bytes to compile in without tidying up first */

/*
 * Compiles a text. Labels of the program become known to their symbols; INTERPRETed text has
 * none. Only running out of storage is raised (Error 5): other errors are in the code.
 */
struct rx_code *rx_compile(struct rx *rx, const struct rexx_str *lines, uint32_t nlines,
                           bool interpreted)
{
    char *mark = rx->top;
    struct rx_compiler c = {.rx = rx, .interpreted = interpreted};
    c.lx.lines = lines;
    c.lx.nlines = nlines;
    rx->top = (char *)((uintptr_t)rx->top & ~(uintptr_t)7);
    c.blocks = (struct rx_block *)(void *)rx_temp(rx, RX_BLOCKS * sizeof *c.blocks);
    if (rx_space(rx) < PLENTY)
        rx_compact(rx);
    c.cap = (uint32_t)(rx_space(rx) / 2 / sizeof *c.code);
    c.cap &= ~1u;
    c.code = (uint32_t *)(void *)rx_temp(rx, c.cap * sizeof *c.code);
    bool ok = guarded(&c, first_token);
    c.first = c.t;
    while (!ok || !guarded(&c, clauses)) {
        if (rx->error == 5)
            rx_raise(rx, 5);
        put_error(&c, rx->error);
        ok = true;
    }
    finish(&c);
    size_t size = sizeof(struct rx_code) + c.n * sizeof c.code[0];
    struct rx_code *code = rx_heap(rx, size);
    *code = (struct rx_code){.lines = lines, .nlines = nlines, .size = size, .owned = c.owned};
    memcpy(code->code, c.code, c.n * sizeof c.code[0]);
    const struct rx_pending_label *first = NULL;
    for (struct rx_pending_label *l = c.labels, *next; l; l = next) { /* in the order written */
        next = l->next;
        l->next = (struct rx_pending_label *)(uintptr_t)first;
        first = l;
    }
    for (const struct rx_pending_label *l = first; l; l = l->next)
        if (!l->sym->label)
            l->sym->label = code->code + l->at;
    rx->top = mark;
    return code;
}
