/* SPDX-License-Identifier: MIT */
/*
 * Flow of control: loops, calls, SIGNAL, traps and INTERPRET. Each active one is a frame; all
 * frames together are limited (Error 11) and no frame uses the machine's stack.
 */
#include "rx.h"

static struct rx_frame *push_frame(struct rx *rx, int kind)
{
    if (rx->depth >= REXX_CONTROL)
        rx_raise(rx, 11);
    struct rx_frame *f = rx_heap(rx, sizeof *f);
    memset(f, 0, sizeof *f);
    f->kind = (uint8_t)kind;
    f->prev = rx->frame;
    rx->frame = f;
    rx->depth++;
    return f;
}

static void free_text(struct rx *rx, rx_val v)
{
    if (v.kind == V_STR)
        rx_heap_free(rx, (void *)(uintptr_t)v.s, v.len);
}

static void free_condition(struct rx *rx, struct rx_condition *c)
{
    rx_heap_free(rx, c, sizeof *c + c->len);
}

static void restore(struct rx *rx, const struct rx_level *saved)
{
    bool same = rx->lv.digits == saved->digits && rx->lv.fuzz == saved->fuzz;
    rx->lv = *saved;
    rx->pool_id = saved->pool->id;
    if (!same)
        rx_set_digits(rx, saved->digits, saved->fuzz);
}

/* Ends frames until to is the innermost; levels and code are as they were there. */
void rx_unwind(struct rx *rx, const struct rx_frame *to)
{
    while (rx->frame != to) {
        struct rx_frame *f = rx->frame;
        rx->frame = f->prev;
        rx->depth--;
        if (f->kind == F_LOOP) {
            free_text(rx, f->to);
            free_text(rx, f->by);
        } else if (f->kind == F_INTERPRET) {
            rx->lv.code = f->outer;
            if (f->asked)
                rx->lv.asked = false;
            rx_code_free(rx, f->inner);
            rx_heap_free(rx, f->source, f->source_size);
        } else {
            if (rx->lv.own_pool)
                rx_pool_free(rx, rx->lv.pool);
            if (rx->lv.own_condition)
                free_condition(rx, rx->lv.condition);
            restore(rx, &f->saved);
        }
        rx_heap_free(rx, f, sizeof *f);
    }
}

static struct rx_frame *nearest_call(const struct rx *rx)
{
    struct rx_frame *f = rx->frame;
    while (f && f->kind != F_CALL)
        f = f->prev;
    return f;
}

/* Copies pending texts from the variables to the temporaries before routines may change them. */
void rx_steady(struct rx *rx, rx_val *from)
{
    for (rx_val *v = from; v < rx->sp; v++)
        if (v->kind == V_STR && v->s < rx->lo && v->s >= (const char *)rx)
            *v = rx_keep(rx, *v);
}

/* Enters an internal routine with the nargs values on top of the stack as its arguments. */
const uint32_t *rx_call_label(struct rx *rx, struct rx_sym *sym, uint32_t nargs, bool function,
                              const uint32_t *back)
{
    rx_set(rx, rx->sigl, rx_int(rx_clause_line(rx, rx->clause)));
    rx_steady(rx, rx->lv.args + rx->lv.nargs);
    struct rx_frame *f = push_frame(rx, F_CALL);
    f->back = back;
    f->clause = rx->clause;
    f->saved = rx->lv;
    rx->lv.code = rx->program;
    rx->lv.entry = sym->label;
    while ((*rx->lv.entry & 0xff) == OP_LABEL)
        rx->lv.entry += 2;
    rx->lv.calls += rx->lv.calls < 255;
    rx->lv.args = rx->sp - nargs;
    rx->lv.nargs = nargs;
    rx->lv.temps = rx->top;
    rx->lv.own_pool = false;
    rx->lv.handles = false;
    rx->lv.own_condition = false; /* its caller's until it traps one */
    rx->lv.function = function;
    return sym->label;
}

/* RETURN, with a value or without; at the first level it ends the program. */
const uint32_t *rx_return(struct rx *rx, const rx_val *v)
{
    struct rx_frame *f = nearest_call(rx);
    rx_val kept = {.kind = V_OMIT};
    if (v)
        kept = rx_keep(rx, *v);
    if (!f) {
        rx->has_value = v != NULL;
        rx->exit_value = v ? rx_keep(rx, rx_as_text(rx, *v)) : kept;
        rx->finished = true;
        return NULL;
    }
    bool function = rx->lv.function, handles = rx->lv.handles;
    if (function && !v)
        rx_raise(rx, 45);
    const uint32_t *back = f->back;
    rx_val *args = rx->lv.args;
    char *top = rx->lv.temps;
    rx_unwind(rx, f);
    rx->clause = f->clause;
    rx_unwind(rx, f->prev);
    rx->top = top;
    rx->sp = args;
    if (kept.kind == V_STR && kept.len) { /* what lies below top is still there */
        char *p = rx->top - kept.len;
        memmove(p, kept.s, kept.len);
        rx->top = p;
        kept.s = p;
    }
    if (function)
        *rx->sp++ = kept;
    else if (v && !handles)
        rx_set(rx, rx->result, kept);
    else if (!handles)
        rx_drop(rx, rx->result);
    return back;
}

/* SIGNAL: ends all loops and INTERPRETs of this level and goes to a label. */
const uint32_t *rx_signal(struct rx *rx, struct rx_sym *label)
{
    if (!label->label)
        rx_raise(rx, 16);
    rx_set(rx, rx->sigl, rx_int(rx_clause_line(rx, rx->clause)));
    rx_unwind(rx, nearest_call(rx));
    rx->lv.code = rx->program;
    rx->sp = rx->lv.args + rx->lv.nargs;
    return label->label;
}

static void record(struct rx *rx, int condition, rx_val about)
{
    struct rx_condition *c = rx_heap(rx, sizeof *c + about.len);
    c->condition = (uint8_t)condition;
    c->call = rx->lv.by_call >> condition & 1;
    c->len = about.len;
    if (about.len)
        memcpy(c->about, about.s, about.len);
    if (rx->lv.own_condition)
        free_condition(rx, rx->lv.condition);
    rx->lv.condition = c;
    rx->lv.own_condition = true;
}

/* Whether a condition that is raised now goes to a label; not while CALL ON's routine runs. */
bool rx_traps(const struct rx *rx, int condition)
{
    return rx->lv.trap[condition] && !(rx->lv.delayed >> condition & 1);
}

/*
 * A trapped condition. SIGNAL ON: the trap goes off and the program goes on at its label. CALL
 * ON: the label is called, with the trap delayed until it returns to back.
 */
const uint32_t *rx_trapped(struct rx *rx, int condition, rx_val about, const uint32_t *back)
{
    struct rx_sym *label = rx->lv.trap[condition];
    if (!(rx->lv.by_call >> condition & 1)) {
        record(rx, condition, about);
        rx->lv.trap[condition] = NULL;
        return rx_signal(rx, label);
    }
    if (!label->label)
        rx_raise(rx, 16);
    const uint32_t *to = rx_call_label(rx, label, 0, false, back);
    rx->lv.delayed |= (uint8_t)(1 << condition);
    rx->lv.handles = true;
    record(rx, condition, about);
    return to;
}

static bool numbers(const struct rx_frame *f)
{
    return f->by.kind == V_INT && f->to.kind != V_STR;
}

/* Whether the control variable has gone past its limit. */
static bool past(struct rx *rx, const struct rx_frame *f, rx_val v)
{
    if (f->to.kind == V_OMIT)
        return false;
    if (v.kind == V_INT && numbers(f) && !rx->lv.fuzz)
        return f->by_sign < 0 ? v.i < f->to.i : v.i > f->to.i;
    int order = rx_order(rx, v, f->to);
    return f->by_sign < 0 ? order < 0 : order > 0;
}

static rx_val hold(struct rx *rx, rx_val v)
{
    if (v.kind != V_STR)
        return v;
    char *p = rx_heap(rx, v.len);
    memcpy(p, v.s, v.len);
    return rx_text(p, v.len);
}

static const uint32_t *at(const struct rx *rx, uint32_t word)
{
    return rx->lv.code->code + word;
}

static const uint32_t *leave_top(struct rx *rx, const struct rx_loop *loop)
{
    rx_unwind(rx, rx->frame->prev);
    return at(rx, loop->leave);
}

/* Begins a loop with its expressions' values on the stack. */
const uint32_t *rx_do(struct rx *rx, const struct rx_loop *loop)
{
    rx_val first = {.kind = V_OMIT}, to = first, by = rx_int(1);
    int64_t left = -1;
    rx->sp -= loop->exprs;
    for (int k = 0; k < loop->exprs; k++) {
        rx_val v = rx->sp[k];
        bool count = loop->order[k] == 'F' || (loop->flags & LOOP_COUNT);
        if (count) {
            if (!rx_whole_rounded(rx, v, rx->lv.digits, &left) || left < 0)
                rx_raise(rx, 26);
        } else {
            if (v.kind != V_INT || !rx_small(v.i, 0, rx->small))
                v = rx_arith(rx, OP_ADD, v, rx_int(0));
            if (loop->order[k] == 'I')
                first = v;
            else if (loop->order[k] == 'T')
                to = v;
            else
                by = v;
        }
    }
    struct rx_frame *f = push_frame(rx, F_LOOP);
    f->loop = loop;
    f->left = left;
    f->by_sign = rx_order(rx, by, rx_int(0));
    f->to = hold(rx, to);
    f->by = hold(rx, by);
    f->upwards = (loop->flags & LOOP_VAR) && left < 0 && f->by_sign >= 0 && numbers(f);
    f->last = to.kind == V_INT ? to.i : INT64_MAX;
    f->top = at(rx, loop->top);
    if (loop->flags & LOOP_VAR) {
        rx_set(rx, loop->var, first);
        if (past(rx, f, first))
            return leave_top(rx, loop);
    }
    if (f->left >= 0 && f->left-- == 0)
        return leave_top(rx, loop);
    return at(rx, loop->top);
}

static void need_top(struct rx *rx, const struct rx_loop *loop)
{
    if (!rx->frame || rx->frame->kind != F_LOOP || rx->frame->loop != loop)
        rx_raise(rx, 10); /* END was reached without its DO */
}

/* END: the next iteration, or on behind the loop. */
const uint32_t *rx_step(struct rx *rx, const struct rx_loop *loop)
{
    need_top(rx, loop);
    struct rx_frame *f = rx->frame;
    if (rx->lv.trace != 'N' && rx_traces(rx))
        rx_trace_clause(rx, at(rx, loop->clause), "*-*");
    if (loop->flags & LOOP_VAR) {
        struct rx_sym *sym = loop->var;
        int64_t next;
        if (rx_found(rx, &sym->ref) && sym->ref.at->kind == V_INT && numbers(f) &&
            !__builtin_add_overflow(sym->ref.at->i, f->by.i, &next) && next < rx->limit &&
            next > -rx->limit && !rx->lv.fuzz) {
            sym->ref.at->i = next;
            if (past(rx, f, rx_int(next)))
                return leave_top(rx, loop);
        } else {
            rx_val v = rx_arith(rx, OP_ADD, rx_value(rx, &sym->ref), f->by);
            rx_set(rx, sym, v);
            if (past(rx, f, v))
                return leave_top(rx, loop);
        }
    }
    if (f->left >= 0 && f->left-- == 0)
        return leave_top(rx, loop);
    return at(rx, loop->top);
}

/* LEAVE, ITERATE, and the end by WHILE or UNTIL; Error 28 when that loop is not active here. */
const uint32_t *rx_leave(struct rx *rx, const struct rx_loop *loop, bool iterate)
{
    struct rx_frame *f = rx->frame;
    while (f && f->kind == F_LOOP && f->loop != loop)
        f = f->prev;
    if (!f || f->kind != F_LOOP)
        rx_raise(rx, 28);
    rx_unwind(rx, f);
    return iterate ? at(rx, loop->iterate) : leave_top(rx, loop);
}

/* Compiles and enters a text; it ends with rx_interpret_end. */
const uint32_t *rx_interpret(struct rx *rx, rx_val text, const uint32_t *back)
{
    text = rx_as_text(rx, text);
    struct rx_frame *f = push_frame(rx, F_INTERPRET);
    f->outer = rx->lv.code;
    f->resume = back;
    f->resume_clause = rx->clause;
    rx->frame = f->prev; /* not in force until it is whole */
    rx->depth--;
    uint32_t size = (uint32_t)sizeof(struct rexx_str) + text.len;
    char *source = rx_heap(rx, size);
    struct rexx_str *record = (struct rexx_str *)(void *)source;
    record->p = source + sizeof *record;
    record->n = text.len;
    if (text.len)
        memcpy(source + sizeof *record, text.s, text.len);
    struct rx_code *code = rx_compile(rx, record, 1, true);
    code->line_offset = rx_clause_line(rx, rx->clause) - 1;
    f->source = source;
    f->source_size = size;
    f->inner = code;
    rx->frame = f;
    rx->depth++;
    rx->lv.code = code;
    return code->code;
}

const uint32_t *rx_interpret_end(struct rx *rx)
{
    struct rx_frame *f = rx->frame;
    const uint32_t *resume = f->resume;
    rx->clause = f->resume_clause;
    rx_unwind(rx, f->prev);
    return resume;
}

static void expose(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    rx_expose(rx, from, sym);
}

/* PROCEDURE: a new pool of variables; it must be the first clause of a routine (Error 17). */
void rx_procedure(struct rx *rx, const struct rx_names *names)
{
    if (!rx->lv.entry || rx->lv.entry != rx->clause || rx->lv.own_pool)
        rx_raise(rx, 17);
    struct rx_pool *from = rx->lv.pool;
    rx->lv.pool = rx_pool_new(rx);
    rx->pool_id = rx->lv.pool->id;
    rx->lv.own_pool = true;
    rx_each_name(rx, names, true, from, expose);
}
