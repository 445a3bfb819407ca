/* SPDX-License-Identifier: MIT */
/* The compiler's own state, shared by compile.c, expr.c, instr.c and template.c. */
#ifndef VMKB_RX_COMPILE_H
#define VMKB_RX_COMPILE_H

#include "rx.h"

enum { B_DO, B_LOOP, B_SELECT, B_OTHERWISE, B_THEN, B_ELSE, B_WHEN };

struct rx_block {
    uint8_t kind;
    bool whens;           /* B_SELECT: a WHEN was seen */
    uint32_t patch;       /* jump to be told where this part ends */
    uint32_t ends;        /* B_SELECT: chain of jumps to its END */
    struct rx_loop *loop; /* B_LOOP */
};

struct rx_pending_label {
    struct rx_pending_label *next;
    struct rx_sym *sym;
    uint32_t at;
};

enum { STOP_THEN = 1, STOP_WITH = 2, STOP_DO = 4, STOP_WHILE = 8 };

struct rx_compiler {
    struct rx *rx;
    struct rx_lexer lx;
    struct rx_tok t; /* the current token */
    struct rx_tok first; /* of the clause */
    uint32_t *code;
    uint32_t n, cap;
    uint32_t start; /* of the clause's code: where an error takes it back to */
    struct rx_block *blocks;
    int nblocks;
    uint32_t skip_line, skip_col; /* where the lexer stood before the token being skipped */
    int depth;     /* of the expression */
    unsigned stop; /* STOP_...: keywords that end an expression */
    bool interpreted;
    bool left_out; /* an argument before the last one was not given */
    bool done;     /* a whole instruction has just ended */
    struct rx_owned *owned;
    struct rx_pending_label *labels;
};

/* compile.c */
void rx_next(struct rx_compiler *c);
struct rx_tok rx_peek(struct rx_compiler *c);
void rx_emit(struct rx_compiler *c, int op, uint32_t operand);
void rx_word(struct rx_compiler *c, uint32_t w);
void rx_emit_place(struct rx_compiler *c, int op, const void *p);
uint32_t rx_emit_jump(struct rx_compiler *c, int op);
void rx_patch(struct rx_compiler *c, uint32_t at, uint32_t to);
void *rx_own(struct rx_compiler *c, size_t n);
bool rx_is(const struct rx_tok *t, const char *word);
bool rx_ends(const struct rx_compiler *c);
void rx_need_end(struct rx_compiler *c);
struct rx_sym *rx_tok_symbol(struct rx_compiler *c, const struct rx_tok *t);
struct rx_block *rx_open(struct rx_compiler *c, int kind);

/* expr.c */
void rx_expr(struct rx_compiler *c, unsigned stop);
struct rx_literal *rx_literal(struct rx_compiler *c, const struct rx_tok *t);
void rx_emit_constant(struct rx_compiler *c, rx_val v);
void rx_emit_call(struct rx_compiler *c, struct rx_sym *sym, uint32_t how);
int rx_arguments(struct rx_compiler *c, bool parens);

/* template.c */
struct rx_template *rx_template_of(struct rx_compiler *c, int source, bool upper,
                                   struct rx_sym *var);
const struct rx_names *rx_names_of(struct rx_compiler *c);

/* instr.c */
bool rx_instruction(struct rx_compiler *c);

#endif
