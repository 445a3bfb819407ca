/* SPDX-License-Identifier: MIT */
/*
 * Inside the EXEC processor. A program is compiled once into words (opcode in the low byte, a
 * 24-bit operand above it) and run by one loop without C recursion, so the depth of the REXX
 * program never becomes depth of the machine's stack.
 *
 * Storage: the arena's lower end is the heap (variables, code, frames), its upper end holds
 * temporaries, which a clause drops when it ends. What meets in the middle is Error 5.
 */
#ifndef VMKB_RX_H
#define VMKB_RX_H

#include "ctype.h"
#include "lib.h"
#include "rexx.h"

enum {
    RX_CLASSES = 64,
    RX_BUCKETS = 128,       /* symbol table */
    RX_POOL_BUCKETS = 16,   /* variables of one PROCEDURE level */
    RX_ARGS = 10,           /* arguments of a call (REXX/VM's limit) */
    RX_DIGITS_MAX = 1000,   /* NUMERIC DIGITS, at most */
    RX_EXPR_DEPTH = 150,    /* nesting of an expression: Error 39 */
    RX_BLOCKS = 250,        /* nesting of DO, SELECT, IF in the source: Error 11 */
    RX_LINE = 4096,         /* longest line pulled */
    RX_NUMBERED = 1 << 20,  /* tails from 0 to below it may be in a row */
    RX_NUMBER_LENGTH = 7,   /* of their longest */
    RX_EXPONENT = 999999999
};

/* ---- values ---- */

enum { V_OMIT, V_STR, V_INT };

/*
 * A value is text, or a whole number of up to 18 digits whose text is its plain decimal form.
 * Text may lie in the source, in a variable or in the temporaries.
 */
typedef struct rx_val {
    uint8_t kind;
    uint32_t len;
    union {
        const char *s;
        int64_t i;
    };
} rx_val;

/* ---- symbols and variables ---- */

enum { S_SIMPLE, S_STEM, S_COMPOUND, S_CONST };

struct rx_var;
struct rx_stream;

/*
 * An operand of the code: the beginning of a symbol or of a literal. While pool is that of the
 * level that runs, its value is at; a constant is found like a variable that never changes.
 */
struct rx_ref {
    uint32_t pool;
    uint8_t kind;    /* S_... */
    uint8_t builtin; /* index in the table of built-in functions, 0: none */
    rx_val *at;      /* S_CONST: always there; S_SIMPLE, S_STEM: the variable's, where found */
};

struct rx_literal {
    struct rx_ref ref;
    rx_val value;
    char text[]; /* what is not in the source as it is */
};

struct rx_sym {
    struct rx_ref ref;
    struct rx_sym *next; /* in its bucket */
    uint32_t hash;
    uint32_t len;
    const uint32_t *label;    /* the label of this name, NULL: none */
    rx_val value;             /* S_CONST: its text or number */
    struct rx_compound *tail; /* S_COMPOUND: how its name is made */
    char name[];
};

struct rx_compound {
    struct rx_sym *stem;
    uint32_t n;
    struct rx_sym *piece[]; /* S_SIMPLE: replaced by its value; S_CONST: as it is */
};

struct rx_var {
    rx_val value;         /* V_OMIT: none; first, for rx_ref.at is the variable too */
    struct rx_var *alias; /* EXPOSEd: the caller's variable */
    uint32_t cap;         /* room of its text */
};

/* A simple variable or a stem. */
struct rx_named {
    struct rx_var var;
    struct rx_named *next; /* in its bucket */
    struct rx_sym *sym;
    struct rx_tails *tails;
};

/* A variable of a stem. */
struct rx_tail {
    struct rx_var var;
    struct rx_tail *next; /* in its bucket */
    uint32_t hash;
    uint16_t keylen;
    char key[]; /* not of one that was made by its number */
};

/* Tails that are whole numbers from 0 on are in a row, as far as it reaches; others are hashed. */
struct rx_tails {
    uint32_t count, buckets; /* buckets is a power of two */
    struct rx_tail **at;
    uint32_t used, places;
    struct rx_tail **row;
};

/* A tail that is looked for: a whole number, or (number < 0) n characters. */
struct rx_key {
    int64_t number;
    uint32_t n, hash;
    char s[REXX_NAME];
};

struct rx_pool {
    uint32_t id; /* never used twice in a run */
    uint32_t count;
    struct rx_named *at[RX_POOL_BUCKETS];
};

/* ---- code ---- */

enum rx_op {
    OP_CLAUSE, /* operand: line; next word: column, above it the nesting of DO */
    OP_LABEL,  /* the same, for TRACE L */
    OP_LEAF,                                     /* push; operand: rx_ref's place in the arena */
    OP_SET, OP_SETS,                             /* assign to a simple symbol; to any */
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_IDIV, OP_REM, OP_POW,
    OP_CAT, OP_BCAT,
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
    OP_SEQ, OP_SNE, OP_SLT, OP_SLE, OP_SGT, OP_SGE,
    OP_AND, OP_OR, OP_XOR,
    /*
     * Two operands, of which the second (X1) or both (X2) were not pushed. operand: the first of
     * them; next word: the other one, if any, and in its low byte one of the operators above.
     */
    OP_ADD1, OP_SUB1, OP_ORDER1, OP_ANY1,
    OP_ADD2, OP_SUB2, OP_ORDER2, OP_ANY2,
    OP_OMIT,                                     /* push "no argument" */
    OP_JMP, OP_JF,                               /* operand: words from the next one, signed */
    OP_CALL,                                     /* operand: arguments | CALL_*; next: symbol */
    OP_DO, OP_NEXT, OP_AGAIN, OP_WHILE, OP_UNTIL, /* operand: loop */
    OP_PARSE,                                    /* operand: template */
    OP_NEG, OP_PLUS, OP_NOT,                     /* from here on: what rare() in exec.c does */
    OP_SAY, OP_CMD, OP_PUSH, OP_QUEUE,
    OP_RETURN, OP_EXIT,                          /* operand: 1 with a value */
    OP_LEAVE, OP_ITERATE,                        /* operand: loop */
    OP_PROC, OP_DROP, OP_UPPER,                  /* operand: list of names */
    OP_SIGNAL, OP_SIGNALV,                       /* operand: symbol */
    OP_TRAP,                                     /* operand: condition | TRAP_*; next: label */
    OP_ADDRV, OP_ADDRCMD, OP_ADDRSWAP,
    OP_NUMERIC, OP_TRACE, OP_INTERPRET, OP_OPTIONS,
    OP_ERROR,                                    /* operand: error number */
    OP_END
};

enum { NEST_SHIFT = 24 };
enum { CALL_FUNCTION = 16, CALL_QUOTED = 32, CALL_FITS = 64 }; /* FITS: a built-in function's
                                                                  arguments are enough */
enum { TRAP_OFF = 8, TRAP_CALL = 16 };
enum { COND_ERROR, COND_FAILURE, COND_HALT, COND_NOVALUE, COND_SYNTAX, CONDITIONS };
enum { NUM_DIGITS, NUM_FORM_SCI, NUM_FORM_ENG, NUM_FORM_VALUE, NUM_FUZZ };

/* One compiled text: the program, or the string of an INTERPRET. */
struct rx_owned { /* constants, loops, templates: they go with their code */
    struct rx_owned *next;
    size_t size;
};

struct rx_code {
    const struct rexx_str *lines;
    uint32_t nlines;
    uint32_t line_offset; /* INTERPRET: lines before the INTERPRET clause */
    size_t size;          /* bytes of this block in the heap */
    struct rx_owned *owned;
    uint32_t code[];
};

enum { LOOP_VAR = 1, LOOP_COUNT = 2 };

struct rx_loop {
    struct rx_sym *var;
    uint8_t flags;
    uint8_t exprs;         /* expressions pushed */
    char order[4];         /* what they are: 'I' first value or count, 'T', 'B', 'F' */
    uint32_t top, iterate, leave, clause; /* words from the start of the code */
};

enum { PT_VAR, PT_SKIP, PT_LITERAL, PT_VARLIT, PT_ABS, PT_PLUS, PT_MINUS,
       PT_VABS, PT_VPLUS, PT_VMINUS, PT_COMMA };
enum { PS_ARG, PS_VALUE, PS_VAR, PS_PULL, PS_EXTERNAL, PS_SOURCE, PS_VERSION, PS_NUMERIC };

struct rx_item {
    uint8_t kind;
    int32_t n;           /* PT_ABS, PT_PLUS, PT_MINUS */
    struct rx_sym *sym;  /* PT_VAR, PT_V... */
    const rx_val *value; /* PT_LITERAL */
};

struct rx_template {
    uint8_t source, upper;
    struct rx_sym *var; /* PS_VAR */
    uint32_t n;
    struct rx_item item[];
};

struct rx_names {
    uint32_t n;
    struct {
        struct rx_sym *sym;
        bool indirect; /* (name): its value is a list of names */
    } at[];
};

/* ---- the run ---- */

/* The condition trapped last, for CONDITION(). */
struct rx_condition {
    uint8_t condition;
    bool call; /* by CALL ON */
    uint32_t len;
    char about[];
};

/* What a call saves and RETURN restores. */
struct rx_level {
    const struct rx_code *code;
    const uint32_t *entry; /* where the call entered: PROCEDURE must stand there */
    struct rx_pool *pool;
    char *temps;           /* temporaries below this belong to this level's clauses */
    rx_val *args;          /* on the value stack */
    uint32_t nargs;
    struct rx_sym *trap[CONDITIONS];
    uint8_t by_call; /* a bit for each condition: CALL ON, not SIGNAL ON */
    uint8_t delayed; /* CALL ON's routine is running */
    bool handles;    /* this level was called by CALL ON: RESULT stays */
    bool own_condition;
    struct rx_condition *condition;
    int digits, fuzz;
    bool engineering;
    bool own_pool;
    bool function;
    char trace;
    bool interactive; /* TRACE ?: a pause after each clause that is traced */
    bool asked;       /* what runs was typed in such a pause */
    uint8_t calls;    /* levels above this one, for TRACE's indentation */
    char address[9], other_address[9];
    uint64_t clock; /* TIME('R') */
    bool clock_set;
};

enum { F_CALL, F_LOOP, F_INTERPRET };

struct rx_frame {
    struct rx_frame *prev;
    uint8_t kind;
    union {
        struct { /* F_CALL */
            const uint32_t *back;
            const uint32_t *clause;
            struct rx_level saved;
        };
        struct { /* F_LOOP */
            const struct rx_loop *loop;
            rx_val to, by;   /* text is in the heap */
            int64_t left;    /* iterations still allowed, when flags say so */
            int by_sign;
            bool upwards;    /* by a whole number, not below 0, up to one; no FOR */
            int64_t last;    /* upwards: the value of to, or no limit */
            const uint32_t *top;
        };
        struct { /* F_INTERPRET */
            const uint32_t *resume;
            const uint32_t *resume_clause;
            const struct rx_code *outer;
            struct rx_code *inner;
            char *source; /* the interpreted text, with its record in front */
            uint32_t source_size;
            bool asked;   /* typed in a pause of TRACE ? */
        };
    };
};

typedef void *rx_jmp[5];

struct rx {
    struct rexx_env *env;
    char *lo, *top, *end; /* heap below lo, temporaries from top to end */
    void *free[RX_CLASSES];
    rx_val *sp, *stack_end; /* the value stack grows upwards */
    struct rx_sym *symbols[RX_BUCKETS];
    struct rx_sym *rc, *result, *sigl;
    struct rx_sym *asked; /* the stem of which a command asked for a variable last */
    struct rx_stream *streams; /* of which a line is half read or written */
    const struct rx_code *program;
    struct rx_frame *frame;
    struct rx_level lv;
    uint32_t pool_id;    /* of lv: its pool's */
    int64_t limit;       /* whole numbers below it are exact: 10 to the power digits, at most 18 */
    int64_t small;       /* a power of two: sums of two whole numbers below it are below limit */
    int64_t small_order; /* the same without FUZZ, else 0: how whole numbers are compared */
    uint32_t depth;     /* frames */
    uint32_t pools;     /* ids given out */
    int countdown;      /* clauses until poll */
    const uint32_t *clause; /* the clause being run */
    const uint32_t *pc;     /* where to go on, when the loop is entered */
    const char *name;       /* fn ft fm */
    uint32_t name_len;      /* of "fn ft" */
    bool finished;
    bool killed;
    bool pause; /* TRACE ?: the clause that has just ended was traced */
    bool greeted;
    bool intermediates; /* TRACE I, in the clause that runs */
    int64_t skip; /* TRACE n: pauses (or, below 0, clauses) to leave out */
    const uint32_t *traced; /* the last clause traced, for "=" */
    bool halted; /* HALT waits for the next clause: CALL ON */
    bool has_value; /* EXIT or RETURN gave exit_value */
    char call_kind; /* 'C' command, 'F' function, 'S' subroutine: PARSE SOURCE */
    rx_val exit_value;
    rx_jmp *catcher;
    struct rx *asker; /* whose command has called this program */
    int error;
    rx_val about; /* NOVALUE: the name, until it is trapped */
    uint64_t random;
};

/* heap.c */
void *rx_heap_large(struct rx *rx, size_t n);
void rx_heap_free_large(struct rx *rx, void *p, size_t n);
void rx_code_free(struct rx *rx, struct rx_code *code);
size_t rx_heap_room_large(size_t n);
char *rx_temp_tidied(struct rx *rx, size_t n);
size_t rx_space(const struct rx *rx);
void rx_compact(struct rx *rx);

/* error.c */
_Noreturn void rx_raise(struct rx *rx, int error);
void rx_report(struct rx *rx, int error);
void rx_trace_clause(struct rx *rx, const uint32_t *clause, const char *mark);
void rx_trace_value(struct rx *rx, const char *mark, rx_val v);
uint32_t rx_clause_line(const struct rx *rx, const uint32_t *clause);

/* value.c */
rx_val rx_z(const char *s);
rx_val rx_digits_text(struct rx *rx, int64_t i);
rx_val rx_keep(struct rx *rx, rx_val v);
bool rx_plain_int(const char *s, size_t n, int64_t *i);
bool rx_whole(struct rx *rx, rx_val v, int64_t *i);
bool rx_whole_rounded(struct rx *rx, rx_val v, int digits, int64_t *i);
int rx_int_text(int64_t i, char *buf);
rx_val rx_upper(struct rx *rx, rx_val v);
uint32_t rx_position(rx_val what, rx_val in, uint32_t from);
bool rx_same(rx_val v, const char *z);

/* symbol.c */
struct rx_sym *rx_intern(struct rx *rx, const char *s, uint32_t n, bool fold);
uint32_t rx_hash(const char *s, uint32_t n);
bool rx_symbol_char(int c);

/* tails.c */
void rx_key_set(struct rx_key *k, const char *s, uint32_t n);
void rx_key_text(struct rx_key *k);
struct rx_tail *rx_tail_find(const struct rx_tails *t, struct rx_key *k);
struct rx_tail *rx_tail_add(struct rx *rx, struct rx_tails **tails, struct rx_key *k);
void rx_tails_each(struct rx *rx, struct rx_tails *t, const rx_val *value,
                   bool (*stays)(struct rx *, struct rx_var *, const rx_val *));
void rx_tails_free(struct rx *rx, struct rx_tails *t,
                   bool (*stays)(struct rx *, struct rx_var *, const rx_val *));

/* var.c */
struct rx_pool *rx_pool_new(struct rx *rx);
void rx_pool_free(struct rx *rx, struct rx_pool *pool);
rx_val rx_get(struct rx *rx, struct rx_ref *ref);
bool rx_get_if(struct rx *rx, struct rx_sym *sym, rx_val *v);
rx_val rx_compound_name(struct rx *rx, struct rx_sym *sym);
void rx_set(struct rx *rx, struct rx_sym *sym, rx_val v);
void rx_set_tail(struct rx *rx, struct rx_sym *stem, struct rx_key *k, rx_val v);
bool rx_get_tail(struct rx *rx, struct rx_sym *stem, struct rx_key *k, rx_val *v);
void rx_drop(struct rx *rx, struct rx_sym *sym);
void rx_expose(struct rx *rx, struct rx_pool *from, struct rx_sym *sym);
void rx_each_name(struct rx *rx, const struct rx_names *list, bool itself, struct rx_pool *from,
                  void (*action)(struct rx *, struct rx_pool *, struct rx_sym *));

/* num.c, divide.c, arith.c */
struct rx_num {
    int sign;    /* -1, 0, 1; 0 only for zero */
    int n;       /* digits */
    int64_t exp; /* the value is the digits as a whole number, times 10**exp */
    uint8_t *d;  /* first digit is not 0 unless the number is zero */
};
bool rx_num_parse(struct rx *rx, rx_val v, struct rx_num *x);
rx_val rx_num_text(struct rx *rx, const struct rx_num *x, int digits);
void rx_num_round(struct rx *rx, struct rx_num *x, int digits);
struct rx_num rx_num_add(struct rx *rx, struct rx_num a, struct rx_num b, int digits);
struct rx_num rx_num_mul(struct rx *rx, struct rx_num a, struct rx_num b, int digits);
struct rx_num rx_num_div(struct rx *rx, struct rx_num a, struct rx_num b, int op, int digits);
struct rx_num rx_num_pow(struct rx *rx, struct rx_num a, int64_t n, int digits);
void rx_num_strip(struct rx_num *x);
void rx_num_normalize(struct rx_num *x);
struct rx_num rx_num_zero(void);
int rx_num_top(struct rx *rx, const struct rx_num *x);
bool rx_num_of(struct rx *rx, rx_val v, struct rx_num *x);
rx_val rx_arith(struct rx *rx, int op, rx_val a, rx_val b);
bool rx_whole_arith(const struct rx *rx, int op, int64_t a, int64_t b, int64_t *r);
rx_val rx_negate(struct rx *rx, int op, rx_val a);
bool rx_compare(struct rx *rx, int op, const rx_val *a, const rx_val *b);
int rx_order(struct rx *rx, rx_val a, rx_val b);
bool rx_logical_text(struct rx *rx, rx_val v);

/* lex.c */
enum { T_EOF, T_SEMI, T_SYM, T_CONST, T_STR, T_OP, T_NOT, T_LP, T_RP, T_COMMA, T_COLON };
struct rx_tok {
    uint8_t kind, op;
    bool blank;   /* a blank stood before it */
    bool doubled; /* T_STR: a quote in it is written twice */
    char suffix;  /* T_STR: 'X' or 'B' */
    char quote;
    const char *s;
    uint32_t len, line, col; /* line and col count from 0 */
};
struct rx_lexer {
    const struct rexx_str *lines;
    uint32_t nlines, line, col;
    uint32_t end_line, end_col; /* end of the last token */
};
struct rx_tok rx_lex(struct rx *rx, struct rx_lexer *lx);

/* compile*.c */
struct rx_code *rx_compile(struct rx *rx, const struct rexx_str *lines, uint32_t nlines,
                           bool interpreted);

/* trace.c */
bool rx_traces(const struct rx *rx);
void rx_trace_step(struct rx *rx, const uint32_t *clause);
const uint32_t *rx_trace_pause(struct rx *rx, const uint32_t *here);
bool rx_trace_recover(struct rx *rx, int error);
void rx_trace_scan(struct rx *rx, const uint32_t *pc);
void rx_trace_setting(struct rx *rx, rx_val v);
int rx_trace_name(const struct rx *rx, char *buf);

/* action.c */
void rx_trace_result(struct rx *rx, rx_val v);
rx_val rx_operate(struct rx *rx, int op, const rx_val *a, const rx_val *b);
void rx_say(struct rx *rx, rx_val v);
void rx_stack(struct rx *rx, bool lifo, rx_val v);
const uint32_t *rx_command(struct rx *rx, const char *address, rx_val v, const uint32_t *back);
const uint32_t *rx_call(struct rx *rx, uint32_t operand, const uint32_t *pc);
void rx_upper_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym);
void rx_drop_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym);
void rx_set_trap(struct rx *rx, uint32_t operand, struct rx_sym *label);
const uint32_t *rx_clause_start(struct rx *rx, const uint32_t *here);
const uint32_t *rx_finish(struct rx *rx, const rx_val *v);
const uint32_t *rx_give_back(struct rx *rx, bool has_value, bool leave);

/* exec.c, control.c, parse.c */
void rx_loop_run(struct rx *rx);
const uint32_t *rx_call_label(struct rx *rx, struct rx_sym *sym, uint32_t nargs, bool function,
                              const uint32_t *back);
const uint32_t *rx_return(struct rx *rx, const rx_val *v);
const uint32_t *rx_signal(struct rx *rx, struct rx_sym *label);
const uint32_t *rx_do(struct rx *rx, const struct rx_loop *loop);
const uint32_t *rx_step(struct rx *rx, const struct rx_loop *loop);
const uint32_t *rx_leave(struct rx *rx, const struct rx_loop *loop, bool iterate);
const uint32_t *rx_interpret(struct rx *rx, rx_val text, const uint32_t *back);
const uint32_t *rx_interpret_end(struct rx *rx);
const uint32_t *rx_trapped(struct rx *rx, int condition, rx_val about, const uint32_t *back);
bool rx_traps(const struct rx *rx, int condition);
void rx_poll(struct rx *rx);
void rx_set_digits(struct rx *rx, int digits, int fuzz);
void rx_unwind(struct rx *rx, const struct rx_frame *to);
void rx_steady(struct rx *rx, rx_val *from);
bool rx_external(struct rx *rx, struct rx_sym *sym, const rx_val *args, uint32_t nargs,
                 rx_val *out);
void rx_lend_room(struct rx *rx);
int rx_host_command(struct rx *rx, const char *address, rx_val text);
void rx_procedure(struct rx *rx, const struct rx_names *names);
void rx_set_address(struct rx *rx, rx_val v);
void rx_parse(struct rx *rx, const struct rx_template *t);
void rx_numeric(struct rx *rx, int what, const rx_val *v);
rx_val rx_pull(struct rx *rx, bool terminal);
rx_val rx_source_string(struct rx *rx);

/* stream.c */
void rx_prompt(struct rx *rx);
void rx_show(struct rx *rx, const char *p, uint32_t n);
void rx_streams_end(struct rx *rx);
bool rx_line_out(struct rx *rx, const struct rexx_str *name, rx_val v);
bool rx_line_in(struct rx *rx, const struct rexx_str *name, uint32_t line, rx_val *v);
uint32_t rx_chars_out(struct rx *rx, const struct rexx_str *name, rx_val v);
rx_val rx_chars_in(struct rx *rx, const struct rexx_str *name, uint32_t from, uint32_t n);
uint32_t rx_chars_left(struct rx *rx, const struct rexx_str *name);
uint32_t rx_lines_left(struct rx *rx, const struct rexx_str *name);
bool rx_stream_close(struct rx *rx, const struct rexx_str *name);

/* bif*.c */
struct rx_args {
    const rx_val *at;
    int n;
};
typedef rx_val (*rx_bif)(struct rx *rx, const struct rx_args *a);
struct rx_builtin {
    const char *name;
    uint8_t min, max;
    rx_bif fn;
};
uint8_t rx_builtin_find(const char *s, uint32_t n);
bool rx_builtin_takes(uint8_t index, uint32_t nargs);
rx_val rx_builtin_run(struct rx *rx, uint8_t index, const rx_val *args, uint32_t nargs);
rx_val rx_builtin_call(struct rx *rx, uint8_t index, const rx_val *args, uint32_t nargs);
int64_t rx_int_of(struct rx *rx, rx_val arg, int64_t least);
char rx_char_of(struct rx *rx, rx_val arg);
char rx_arg_option(struct rx *rx, const struct rx_args *a, int i, char other);

#include "value.h"

#endif
