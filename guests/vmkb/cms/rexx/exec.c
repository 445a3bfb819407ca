/* SPDX-License-Identifier: MIT */
/*
 * The loop that runs compiled code. Values of the clause being run are on the value stack above
 * the arguments of the current level; everything that changes the flow returns where to go on.
 */
#include "rx.h"

static void trace_result(struct rx *rx, rx_val v)
{
    if (rx->lv.trace == 'R' && rx_traces(rx))
        rx_trace_value(rx, ">>>", v);
}

/* TRACE I: what is now on top of the stack. */
static void intermediate(struct rx *rx, const char *mark)
{
    if (rx_traces(rx))
        rx_trace_value(rx, mark, rx->stack[rx->sp - 1]);
}

static rx_val concat(struct rx *rx, rx_val a, rx_val b, uint32_t blanks)
{
    a = rx_as_text(rx, a);
    b = rx_as_text(rx, b);
    size_t n = (size_t)a.len + blanks + b.len;
    char *p = rx_temp(rx, n);
    if (a.len)
        memcpy(p, a.s, a.len);
    if (blanks)
        p[a.len] = ' ';
    if (b.len)
        memcpy(p + a.len + blanks, b.s, b.len);
    return rx_text(p, n);
}

static inline __attribute__((always_inline)) void assign(struct rx *rx, struct rx_sym *sym,
                                                         rx_val v)
{
    if (sym->pool == rx->lv.pool->id && v.kind == V_INT && sym->var->kind != V_STR) {
        sym->var->kind = V_INT; /* by far the most common: a counter */
        sym->var->i = v.i;
    } else {
        rx_set(rx, sym, v);
    }
    trace_result(rx, v);
}

static inline __attribute__((always_inline)) rx_val fetch(struct rx *rx, struct rx_sym *sym)
{
    if (sym->pool == rx->lv.pool->id) {
        const struct rx_var *v = sym->var;
        if (v->kind == V_INT)
            return rx_int(v->i);
        if (v->kind == V_STR)
            return rx_text(v->p, v->len);
    }
    return rx_get(rx, sym);
}

static rx_val logic(struct rx *rx, int op, rx_val a, rx_val b)
{
    bool x = rx_logical(rx, a), y = rx_logical(rx, b);
    return rx_int(op == OP_AND ? x && y : op == OP_OR ? x || y : x != y);
}

static void say(struct rx *rx, rx_val v)
{
    static const struct rexx_str terminal = {"", 0};
    v = rx_as_text(rx, v);
    trace_result(rx, v);
    rx_line_out(rx, &terminal, v);
}

static void stack(struct rx *rx, bool lifo, rx_val v)
{
    v = rx_as_text(rx, v);
    trace_result(rx, v);
    if (rx->env->stack_put && rx->env->stack_put(rx->env, lifo, v.s, v.len))
        rx_raise(rx, 48); /* CMS's program stack is full */
}

/* Runs a command; returns where to go on: at back, or where ERROR or FAILURE is trapped. */
static const uint32_t *command(struct rx *rx, const char *address, rx_val v,
                               const uint32_t *back)
{
    v = rx_keep(rx, rx_as_text(rx, v));
    char t = rx->lv.trace;
    if (t == 'C')
        rx_trace_step(rx, rx->clause);
    if (t == 'C' || (rx_traces(rx) && t != 'A'))
        rx_trace_value(rx, ">>>", v);
    int rc = rx_host_command(rx, address, v);
    rx_set(rx, rx->rc, rx_int(rc));
    bool shown = t == 'C' || rx_traces(rx);
    if (rc && (shown || t == 'E' || (rc < 0 && strchr("NFLS", t)))) {
        char out[40];
        if (!shown)
            rx_trace_step(rx, rx->clause);
        int n = fmt(out, sizeof out, "       +++ RC(%d) +++", rc);
        rx_show(rx, out, (uint32_t)n);
    }
    if (rc < 0 && rx->lv.trap[COND_FAILURE])
        return rx_traps(rx, COND_FAILURE) ? rx_trapped(rx, COND_FAILURE, v, back) : back;
    if (rc && rx_traps(rx, COND_ERROR))
        return rx_trapped(rx, COND_ERROR, v, back);
    return back;
}

static inline __attribute__((always_inline)) void push(struct rx *rx, rx_val v)
{
    if (rx->sp >= rx->stack_size)
        rx_raise(rx, 39);
    rx->stack[rx->sp++] = v;
}

static inline __attribute__((always_inline)) rx_val pop(struct rx *rx)
{
    return rx->stack[--rx->sp];
}

/* The two values on top, the first of them, if both are whole numbers that DIGITS holds exactly. */
static inline __attribute__((always_inline)) rx_val *whole_pair(const struct rx *rx)
{
    rx_val *v = rx->stack + rx->sp - 2;
    int64_t limit = rx->lv.limit;
    return v[0].kind == V_INT && v[1].kind == V_INT && v[0].i < limit && v[0].i > -limit &&
                   v[1].i < limit && v[1].i > -limit
               ? v
               : NULL;
}

/* + and - of whole numbers, in place; false when there is more to it. */
static inline __attribute__((always_inline)) bool whole_sum(struct rx *rx, bool minus)
{
    rx_val *v = whole_pair(rx);
    if (!v)
        return false;
    int64_t sum = minus ? v[0].i - v[1].i : v[0].i + v[1].i;
    if (sum >= rx->lv.limit || sum <= -rx->lv.limit)
        return false;
    v->i = sum;
    rx->sp--;
    return true;
}

/* = and the like of whole numbers, in place; false when there is more to it. */
static inline __attribute__((always_inline)) bool whole_order(struct rx *rx, int op)
{
    rx_val *v = rx->lv.fuzz ? NULL : whole_pair(rx);
    if (!v)
        return false;
    int64_t a = v[0].i, b = v[1].i;
    v->i = op == OP_EQ   ? a == b
           : op == OP_NE ? a != b
           : op == OP_LT ? a < b
           : op == OP_LE ? a <= b
           : op == OP_GT ? a > b
                         : a >= b;
    rx->sp--;
    return true;
}

/* CALL or a function: internal label, built-in function, external routine, in this order. */
static const uint32_t *call(struct rx *rx, uint32_t operand, const uint32_t *pc)
{
    struct rx_sym *sym = rx_at(rx, *pc++);
    uint32_t n = operand & (CALL_FUNCTION - 1);
    bool function = operand & CALL_FUNCTION;
    if (sym->label && !(operand & CALL_QUOTED))
        return rx_call_label(rx, sym, n, function, pc);
    const rx_val *args = rx->stack + rx->sp - n;
    rx_val v;
    bool given = true;
    if (sym->builtin) {
        v = rx_builtin_call(rx, sym->builtin, args, n);
    } else {
        given = rx_external(rx, sym, args, n, &v);
        if (!given && function)
            rx_raise(rx, 44);
    }
    rx->sp -= n;
    if (function)
        push(rx, v);
    else if (given)
        rx_set(rx, rx->result, v);
    else
        rx_drop(rx, rx->result);
    return pc;
}

static void upper_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    (void)from;
    rx_set(rx, sym, rx_upper(rx, rx_get(rx, sym)));
}

static void drop_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    (void)from;
    rx_drop(rx, sym);
}

static void set_trap(struct rx *rx, uint32_t operand, struct rx_sym *label)
{
    uint8_t bit = (uint8_t)(1 << (operand & 7));
    rx->lv.trap[operand & 7] = operand & TRAP_OFF ? NULL : label;
    rx->lv.delayed &= (uint8_t)~bit;
    rx->lv.by_call &= (uint8_t)~bit;
    if (operand & TRAP_CALL)
        rx->lv.by_call |= bit;
}

/* HALT between clauses; returns where to go on, at here once CALL ON's routine has run. */
static const uint32_t *halt(struct rx *rx, const uint32_t *here)
{
    if (!rx->lv.trap[COND_HALT]) {
        rx->halted = false;
        rx_raise(rx, 4);
    }
    rx->countdown = 1;
    if (!rx_traps(rx, COND_HALT))
        return NULL; /* it waits until the routine that runs has returned */
    rx->halted = false;
    return rx_trapped(rx, COND_HALT, rx_text("", 0), here);
}

/* What a clause begins with when there is more to do than to begin; NULL: it goes on. */
static const uint32_t *clause_start(struct rx *rx, const uint32_t *here)
{
    rx->top = rx->lv.temps;
    if (--rx->countdown == 0)
        rx_poll(rx);
    if (rx->lv.trace == 'S' && !rx->lv.asked) {
        rx_trace_scan(rx, here);
        return NULL;
    }
    const uint32_t *to = rx->halted ? halt(rx, here) : NULL;
    if (!to && rx->pause && !rx->lv.asked)
        to = rx_trace_pause(rx, here);
    if (!to && strchr("ARI", rx->lv.trace))
        rx_trace_step(rx, rx->clause);
    return to;
}

static const uint32_t *finish(struct rx *rx, const rx_val *v)
{
    rx->has_value = v != NULL;
    if (v)
        rx->exit_value = rx_keep(rx, rx_as_text(rx, *v));
    rx->finished = true;
    return NULL;
}

static const uint32_t *give_back(struct rx *rx, bool has_value, bool leave)
{
    rx_val v;
    if (has_value) {
        v = pop(rx);
        trace_result(rx, v);
    }
    return leave ? finish(rx, has_value ? &v : NULL) : rx_return(rx, has_value ? &v : NULL);
}

/* TRACE I: the name that a compound symbol stands for now. */
static void name_of_compound(struct rx *rx, struct rx_sym *sym)
{
    if (rx_traces(rx))
        rx_trace_value(rx, ">C>", rx_compound_name(rx, sym));
}

/*
 * Runs from rx->pc until the program ends (rx->finished) or TRACE I begins or ends. There are two
 * of this function, so that each operation is not asked whether it is traced.
 */
static inline __attribute__((always_inline)) void run(struct rx *rx, const bool each)
{
    const uint32_t *pc = rx->pc;
    while (pc) {
        uint32_t w = *pc++, operand = w >> 8;
        int op = w & 0xff;
        rx_val a, b;
        switch (op) {
        case OP_CLAUSE:
            rx->clause = pc - 1;
            pc++;
            if (rx->lv.trace == 'N' && rx->countdown > 1 && !each) {
                rx->countdown--;
                rx->top = rx->lv.temps;
            } else if (each != (rx->lv.trace == 'I')) {
                rx->pc = pc - 2;
                return;
            } else {
                const uint32_t *to = clause_start(rx, pc - 2);
                pc = rx->finished ? NULL : to ? to : pc;
            }
            break;
        case OP_LABEL:
            pc++;
            if (strchr("ARIL", rx->lv.trace))
                rx_trace_step(rx, pc - 2);
            break;
        case OP_CONST:
            push(rx, *(const rx_val *)rx_at(rx, operand));
            if (each && (*pc & 0xff) != OP_TRACE) /* TRACE O: a word, no literal */
                intermediate(rx, ">L>");
            break;
        case OP_VAR: case OP_STEM: case OP_COMP:
            if (each && op == OP_COMP)
                name_of_compound(rx, rx_at(rx, operand));
            push(rx, fetch(rx, rx_at(rx, operand)));
            if (each)
                intermediate(rx, ">V>");
            break;
        case OP_SETV:
            assign(rx, rx_at(rx, operand), pop(rx));
            break;
        case OP_SETS: case OP_SETC:
            a = pop(rx);
            rx_set(rx, rx_at(rx, operand), a);
            trace_result(rx, a);
            break;
        case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_IDIV: case OP_REM: case OP_POW:
            if (op > OP_SUB || !whole_sum(rx, op == OP_SUB)) {
                b = pop(rx);
                a = pop(rx);
                push(rx, rx_arith(rx, op, a, b));
            }
            if (each)
                intermediate(rx, ">O>");
            break;
        case OP_CAT: case OP_BCAT:
            b = pop(rx);
            a = pop(rx);
            push(rx, concat(rx, a, b, op == OP_BCAT));
            if (each)
                intermediate(rx, ">O>");
            break;
        case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
        case OP_SEQ: case OP_SNE: case OP_SLT: case OP_SLE: case OP_SGT: case OP_SGE:
            if (op > OP_GE || !whole_order(rx, op)) {
                b = pop(rx);
                a = pop(rx);
                push(rx, rx_compare(rx, op, a, b));
            }
            if (each)
                intermediate(rx, ">O>");
            break;
        case OP_AND: case OP_OR: case OP_XOR:
            b = pop(rx);
            a = pop(rx);
            push(rx, logic(rx, op, a, b));
            if (each)
                intermediate(rx, ">O>");
            break;
        case OP_NEG: case OP_PLUS:
            push(rx, rx_negate(rx, op, pop(rx)));
            if (each)
                intermediate(rx, ">P>");
            break;
        case OP_NOT:
            push(rx, rx_int(!rx_logical(rx, pop(rx))));
            if (each)
                intermediate(rx, ">P>");
            break;
        case OP_OMIT:
            push(rx, (rx_val){.kind = V_OMIT});
            break;
        case OP_JMP:
            pc += (int32_t)w >> 8;
            break;
        case OP_JF:
            a = pop(rx);
            trace_result(rx, a);
            if (!rx_logical(rx, a))
                pc += (int32_t)w >> 8;
            break;
        case OP_CALL:
            a = rx_int(rx->depth);
            pc = call(rx, operand, pc);
            if (each && (operand & CALL_FUNCTION) && a.i == rx->depth) /* no label was entered */
                intermediate(rx, ">F>");
            break;
        case OP_SAY:
            say(rx, pop(rx));
            break;
        case OP_CMD:
            pc = command(rx, rx->lv.address, pop(rx), pc);
            break;
        case OP_PUSH: case OP_QUEUE:
            stack(rx, op == OP_PUSH, pop(rx));
            break;
        case OP_RETURN: case OP_EXIT:
            b = rx_int(rx->lv.function);
            pc = give_back(rx, operand, op == OP_EXIT);
            if (pc && b.i && rx->lv.trace == 'I')
                intermediate(rx, ">F>");
            if (pc && each != (rx->lv.trace == 'I')) {
                rx->pc = pc;
                return;
            }
            break;
        case OP_DO:
            pc = rx_do(rx, rx_at(rx, operand));
            break;
        case OP_NEXT:
            pc = rx_step(rx, rx_at(rx, operand));
            break;
        case OP_AGAIN: /* what goes wrong in a condition goes wrong in DO's clause */
            rx->clause = rx->lv.code->code + ((struct rx_loop *)rx_at(rx, operand))->clause;
            break;
        case OP_WHILE: case OP_UNTIL:
            a = pop(rx);
            trace_result(rx, a);
            if (rx_logical(rx, a) == (op == OP_UNTIL))
                pc = rx_leave(rx, rx_at(rx, operand), false);
            break;
        case OP_LEAVE: case OP_ITERATE:
            pc = rx_leave(rx, rx_at(rx, operand), op == OP_ITERATE);
            break;
        case OP_PARSE:
            rx_parse(rx, rx_at(rx, operand));
            break;
        case OP_PROC:
            rx_procedure(rx, rx_at(rx, operand));
            break;
        case OP_DROP:
            rx_each_name(rx, rx_at(rx, operand), false, NULL, drop_action);
            break;
        case OP_UPPER:
            rx_each_name(rx, rx_at(rx, operand), true, NULL, upper_action);
            break;
        case OP_SIGNAL:
            pc = rx_signal(rx, rx_at(rx, operand));
            break;
        case OP_SIGNALV:
            a = rx_as_text(rx, pop(rx));
            pc = rx_signal(rx, rx_intern(rx, a.s, a.len, false));
            break;
        case OP_TRAP:
            set_trap(rx, operand, rx_at(rx, *pc++));
            break;
        case OP_ADDRV:
            rx_set_address(rx, pop(rx));
            break;
        case OP_ADDRSWAP: {
            char was[sizeof rx->lv.address];
            memcpy(was, rx->lv.address, sizeof was);
            memcpy(rx->lv.address, rx->lv.other_address, sizeof was);
            memcpy(rx->lv.other_address, was, sizeof was);
            break;
        }
        case OP_ADDRCMD: {
            char name[9];
            b = pop(rx);
            a = rx_as_text(rx, pop(rx));
            if (a.len > 8)
                rx_raise(rx, 29);
            fmt(name, sizeof name, "%.*s", (int)a.len, a.s);
            pc = command(rx, name, b, pc);
            break;
        }
        case OP_NUMERIC:
            a = pop(rx);
            rx_numeric(rx, (int)operand, a.kind == V_OMIT ? NULL : &a);
            break;
        case OP_TRACE:
            rx_trace_setting(rx, pop(rx));
            break;
        case OP_OPTIONS:
            pop(rx);
            break;
        case OP_INTERPRET:
            a = pop(rx);
            trace_result(rx, a);
            pc = rx_interpret(rx, a, pc);
            break;
        case OP_ERROR:
            rx_raise(rx, (int)operand);
        case OP_END:
            pc = operand ? rx_interpret_end(rx) : finish(rx, NULL);
            break;
        default:
            rx_raise(rx, 49);
        }
    }
}

/* Runs from rx->pc until the program ends or something is raised. */
void rx_loop_run(struct rx *rx)
{
    while (!rx->finished) {
        if (rx->lv.trace == 'I')
            run(rx, true);
        else
            run(rx, false);
    }
}
