/* SPDX-License-Identifier: MIT */
/* What the instructions of a program do, for the loop in exec.c. */
#include "rx.h"

/* TRACE R: the result of a clause. */
void rx_trace_result(struct rx *rx, rx_val v)
{
    if (rx->lv.trace == 'R' && rx_traces(rx))
        rx_trace_value(rx, ">>>", v);
}

static rx_val concat(struct rx *rx, const rx_val *x, const rx_val *y, uint32_t blanks)
{
    rx_val a = rx_as_text(rx, *x), b = rx_as_text(rx, *y);
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

/* a op b, for every operator that has two operands. */
rx_val rx_operate(struct rx *rx, int op, const rx_val *a, const rx_val *b)
{
    if (op <= OP_POW)
        return rx_arith(rx, op, *a, *b);
    if (op <= OP_BCAT)
        return concat(rx, a, b, op == OP_BCAT);
    return rx_int(op <= OP_SGE ? rx_compare(rx, op, a, b) : rx_logic(rx, op, a, b));
}

void rx_say(struct rx *rx, rx_val v)
{
    static const struct rexx_str terminal = {"", 0};
    v = rx_as_text(rx, v);
    rx_trace_result(rx, v);
    rx_line_out(rx, &terminal, v);
}

void rx_stack(struct rx *rx, bool lifo, rx_val v)
{
    v = rx_as_text(rx, v);
    rx_trace_result(rx, v);
    if (rx->env->stack_put && rx->env->stack_put(rx->env, lifo, v.s, v.len))
        rx_raise(rx, 48); /* CMS's program stack is full */
}

/* Runs a command; returns where to go on: at back, or where ERROR or FAILURE is trapped. */
const uint32_t *rx_command(struct rx *rx, const char *address, rx_val v,
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

/* CALL or a function: internal label, built-in function, external routine, in this order. */
const uint32_t *rx_call(struct rx *rx, uint32_t operand, const uint32_t *pc)
{
    struct rx_sym *sym = rx_at(rx, *pc++);
    uint32_t n = operand & (CALL_FUNCTION - 1);
    bool function = operand & CALL_FUNCTION;
    if (sym->label && !(operand & CALL_QUOTED))
        return rx_call_label(rx, sym, n, function, pc);
    const rx_val *args = rx->sp - n;
    rx_val v;
    bool given = true;
    if (sym->ref.builtin) {
        v = rx_builtin_call(rx, sym->ref.builtin, args, n);
    } else {
        given = rx_external(rx, sym, args, n, &v);
        if (!given && function)
            rx_raise(rx, 44);
    }
    rx->sp -= n;
    if (function)
        rx_push(rx, v);
    else if (given)
        rx_set(rx, rx->result, v);
    else
        rx_drop(rx, rx->result);
    return pc;
}

void rx_upper_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    (void)from;
    rx_set(rx, sym, rx_upper(rx, rx_value(rx, &sym->ref)));
}

void rx_drop_action(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    (void)from;
    rx_drop(rx, sym);
}

void rx_set_trap(struct rx *rx, uint32_t operand, struct rx_sym *label)
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

/* What a clause that was counted begins with when there is more to do; NULL: it goes on. */
const uint32_t *rx_clause_start(struct rx *rx, const uint32_t *here)
{
    rx->top = rx->lv.temps;
    if (rx->countdown <= 0)
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

const uint32_t *rx_finish(struct rx *rx, const rx_val *v)
{
    rx->has_value = v != NULL;
    if (v)
        rx->exit_value = rx_keep(rx, rx_as_text(rx, *v));
    rx->finished = true;
    return NULL;
}

const uint32_t *rx_give_back(struct rx *rx, bool has_value, bool leave)
{
    rx_val v;
    if (has_value) {
        v = rx_pop(rx);
        rx_trace_result(rx, v);
    }
    return leave ? rx_finish(rx, has_value ? &v : NULL) : rx_return(rx, has_value ? &v : NULL);
}

