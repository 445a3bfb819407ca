/* SPDX-License-Identifier: MIT */
/*
 * The loop that runs compiled code. Values of the clause being run are on the value stack above
 * the arguments of the current level; everything that changes the flow returns where to go on.
 */
#include "rx.h"

#define ALWAYS static inline __attribute__((always_inline))

/* Whether no clause is traced, whatever it does. */
ALWAYS bool untraced(const struct rx *rx)
{
    return rx->lv.trace == 'N' || rx->lv.trace == 'O';
}

/* TRACE I: what is now on top of the stack. */
static void intermediate(struct rx *rx, const char *mark)
{
    if (rx->intermediates && rx_traces(rx))
        rx_trace_value(rx, mark, rx->sp[-1]);
}

ALWAYS int op_of(uint32_t w)
{
    return w & 0xff;
}

ALWAYS void *operand(struct rx *rx, uint32_t w)
{
    return rx_at(rx, w >> 8);
}

/* A whole number that has come out: to the simple variable it is for, else it is pushed. */
ALWAYS const uint32_t *whole(struct rx *rx, const uint32_t *pc, int64_t i)
{
    if (op_of(*pc) == OP_SET) {
        const struct rx_ref *to = operand(rx, *pc);
        if (rx_found(rx, to) && to->at->kind != V_STR) {
            to->at->kind = V_INT;
            to->at->i = i;
            return pc + 1;
        }
    }
    rx_push(rx, rx_int(i));
    return pc;
}

/* A truth that has come out: to the jump that it decides, else it is pushed. */
ALWAYS const uint32_t *truth(struct rx *rx, const uint32_t *pc, bool holds)
{
    if (op_of(*pc) == OP_JF)
        return pc + 1 + (holds ? 0 : (int32_t)*pc >> 8);
    rx_push(rx, rx_int(holds));
    return pc;
}

ALWAYS bool is_whole(const struct rx *rx, const struct rx_ref *ref)
{
    return rx_found(rx, ref) && ref->at->kind == V_INT;
}

/* a < b, a = b or a > b: as a bit, and the bits for which an operator holds. */
ALWAYS bool holds(int op, int64_t a, int64_t b)
{
    static const uint8_t bits[] = {2, 5, 1, 3, 4, 6}; /* = \= < <= > >= */
    return bits[op - OP_EQ] & (a < b ? 1 : a == b ? 2 : 4);
}

/* Where the value of an operand is: in room, if it has to be made. */
ALWAYS const rx_val *value_at(struct rx *rx, struct rx_ref *ref, rx_val *room)
{
    if (rx_found(rx, ref) && ref->at->kind != V_OMIT)
        return ref->at;
    *room = rx_get(rx, ref);
    return room;
}

/* An operator that has no way of its own. */
ALWAYS const uint32_t *any(struct rx *rx, const uint32_t *pc, int op, const rx_val *a,
                           const rx_val *b)
{
    int64_t r;
    bool whole_ones = op <= OP_POW && a->kind == V_INT && b->kind == V_INT;
    if (whole_ones && rx_whole_arith(rx, op, a->i, b->i, &r))
        return whole(rx, pc, r);
    rx_push(rx, rx_operate(rx, op, a, b));
    return pc;
}

/* An operator of two operands that were not pushed; pc is behind its first word w. */
ALWAYS const uint32_t *two(struct rx *rx, uint32_t w, const uint32_t *pc, const int how)
{
    struct rx_ref *x = operand(rx, w), *y = operand(rx, *pc);
    int op = op_of(*pc++);
    if (how != OP_ANY2 && is_whole(rx, x) && is_whole(rx, y)) {
        int64_t a = x->at->i, b = y->at->i;
        if (how == OP_ORDER2) {
            if (rx_small(a, b, rx->small_order))
                return truth(rx, pc, holds(op, a, b));
        } else if (rx_small(a, b, rx->small)) {
            return whole(rx, pc, how == OP_ADD2 ? a + b : a - b);
        }
    }
    rx_val a_room, b_room;
    const rx_val *a = value_at(rx, x, &a_room), *b = value_at(rx, y, &b_room);
    return how == OP_ORDER2 ? truth(rx, pc, rx_compare(rx, op, a, b))
                                 : any(rx, pc, op, a, b);
}

/* An operator whose first operand is on the stack. */
ALWAYS const uint32_t *one(struct rx *rx, uint32_t w, const uint32_t *pc, const int how)
{
    struct rx_ref *y = operand(rx, w);
    int op = op_of(*pc++);
    rx->sp--;
    if (how != OP_ANY1 && rx->sp->kind == V_INT && is_whole(rx, y)) {
        int64_t a = rx->sp->i, b = y->at->i;
        if (how == OP_ORDER1) {
            if (rx_small(a, b, rx->small_order))
                return truth(rx, pc, holds(op, a, b));
        } else if (rx_small(a, b, rx->small)) {
            return whole(rx, pc, how == OP_ADD1 ? a + b : a - b);
        }
    }
    rx_val room;
    const rx_val *a = rx->sp, *b = value_at(rx, y, &room);
    return how == OP_ORDER1 ? truth(rx, pc, rx_compare(rx, op, a, b))
                                 : any(rx, pc, op, a, b);
}

/* Shows an operand as TRACE I does, and pushes it. */
static void push_traced(struct rx *rx, struct rx_ref *ref)
{
    if (ref->kind == S_COMPOUND && rx->intermediates && rx_traces(rx))
        rx_trace_value(rx, ">C>", rx_compound_name(rx, (struct rx_sym *)(void *)ref));
    rx_push(rx, rx_value(rx, ref));
    intermediate(rx, ref->kind == S_CONST ? ">L>" : ">V>");
}

/* As one and two, step by step. */
static const uint32_t *traced_operator(struct rx *rx, uint32_t w, const uint32_t *pc)
{
    push_traced(rx, operand(rx, w));
    if (op_of(w) >= OP_ADD2)
        push_traced(rx, operand(rx, *pc));
    rx_val b = rx_pop(rx), a = rx_pop(rx);
    rx_push(rx, rx_operate(rx, op_of(*pc), &a, &b));
    intermediate(rx, ">O>");
    return pc + 1;
}

/* END of a loop that counts upwards in whole numbers; NULL when there is more to it. */
ALWAYS const uint32_t *count_up(struct rx *rx, const struct rx_loop *loop)
{
    const struct rx_frame *f = rx->frame;
    if (!f || f->kind != F_LOOP || f->loop != loop || !f->upwards)
        return NULL;
    const struct rx_ref *var = &loop->var->ref;
    if (!is_whole(rx, var))
        return NULL;
    if (!rx_small(var->at->i, f->by.i, rx->small_order) || var->at->i + f->by.i > f->last)
        return NULL;
    var->at->i += f->by.i;
    return f->top;
}

ALWAYS void assign(struct rx *rx, struct rx_sym *sym, rx_val v)
{
    rx_val *to = sym->ref.at;
    if (v.kind == V_INT && rx_found(rx, &sym->ref) && to->kind != V_STR)
        *to = v;
    else
        rx_set(rx, sym, v);
}

/* A function, if it is built in and no label has its name. */
ALWAYS bool built_in(struct rx *rx, uint32_t how, const uint32_t *pc)
{
    const struct rx_sym *sym = rx_at(rx, *pc);
    if (!sym->ref.builtin || (sym->label && !(how & CALL_QUOTED)))
        return false;
    uint32_t n = how & (CALL_FUNCTION - 1);
    rx_val *args = rx->sp - n;
    rx_val v = how & CALL_FITS ? rx_builtin_run(rx, sym->ref.builtin, args, n)
                               : rx_builtin_call(rx, sym->ref.builtin, args, n);
    rx->sp = args;
    rx_push(rx, v);
    return true;
}

/* ADDRESS name command. */
static const uint32_t *address_command(struct rx *rx, const uint32_t *pc)
{
    char name[9];
    rx_val b = rx_pop(rx), a = rx_as_text(rx, rx_pop(rx));
    if (a.len > 8)
        rx_raise(rx, 29);
    fmt(name, sizeof name, "%.*s", (int)a.len, a.s);
    return rx_command(rx, name, b, pc);
}

static void swap_address(struct rx *rx)
{
    char was[sizeof rx->lv.address];
    memcpy(was, rx->lv.address, sizeof was);
    memcpy(rx->lv.address, rx->lv.other_address, sizeof was);
    memcpy(rx->lv.other_address, was, sizeof was);
}

static const uint32_t *give_back(struct rx *rx, uint32_t w)
{
    bool function = rx->lv.function;
    const uint32_t *pc = rx_give_back(rx, w >> 8, op_of(w) == OP_EXIT);
    rx->intermediates = pc && rx->lv.trace == 'I';
    if (pc && function)
        intermediate(rx, ">F>");
    return pc;
}

/* What is rare: the instructions that take hundreds of the machine's anyway. */
static const uint32_t *rare(struct rx *rx, uint32_t w, const uint32_t *pc)
{
    rx_val a;
    switch (op_of(w)) {
    case OP_NEG: case OP_PLUS:
        rx_push(rx, rx_negate(rx, op_of(w), rx_pop(rx)));
        intermediate(rx, ">P>");
        break;
    case OP_NOT:
        rx_push(rx, rx_int(!rx_logical(rx, rx_pop(rx))));
        intermediate(rx, ">P>");
        break;
    case OP_SAY:
        rx_say(rx, rx_pop(rx));
        break;
    case OP_CMD:
        return rx_command(rx, rx->lv.address, rx_pop(rx), pc);
    case OP_PUSH: case OP_QUEUE:
        rx_stack(rx, op_of(w) == OP_PUSH, rx_pop(rx));
        break;
    case OP_RETURN: case OP_EXIT:
        return give_back(rx, w);
    case OP_LEAVE: case OP_ITERATE:
        return rx_leave(rx, operand(rx, w), op_of(w) == OP_ITERATE);
    case OP_PROC:
        rx_procedure(rx, operand(rx, w));
        break;
    case OP_DROP:
        rx_each_name(rx, operand(rx, w), false, NULL, rx_drop_action);
        break;
    case OP_UPPER:
        rx_each_name(rx, operand(rx, w), true, NULL, rx_upper_action);
        break;
    case OP_SIGNAL:
        return rx_signal(rx, operand(rx, w));
    case OP_SIGNALV:
        a = rx_as_text(rx, rx_pop(rx));
        return rx_signal(rx, rx_intern(rx, a.s, a.len, false));
    case OP_TRAP:
        rx_set_trap(rx, w >> 8, rx_at(rx, *pc));
        return pc + 1;
    case OP_ADDRV:
        rx_set_address(rx, rx_pop(rx));
        break;
    case OP_ADDRSWAP:
        swap_address(rx);
        break;
    case OP_ADDRCMD:
        return address_command(rx, pc);
    case OP_NUMERIC:
        a = rx_pop(rx);
        rx_numeric(rx, (int)(w >> 8), a.kind == V_OMIT ? NULL : &a);
        break;
    case OP_TRACE:
        rx_trace_setting(rx, rx_pop(rx));
        break;
    case OP_OPTIONS:
        rx_pop(rx);
        break;
    case OP_INTERPRET:
        a = rx_pop(rx);
        rx_trace_result(rx, a);
        return rx_interpret(rx, a, pc);
    case OP_ERROR:
        rx_raise(rx, (int)(w >> 8));
    case OP_END:
        return w >> 8 ? rx_interpret_end(rx) : rx_finish(rx, NULL);
    default:
        rx_raise(rx, 49);
    }
    return pc;
}

/*
 * Runs from rx->pc until the program ends (rx->finished), or tracing begins or ends. There are two
 * of this function, so that an untraced program is not asked at each step whether it is traced.
 */
ALWAYS void run(struct rx *rx, const bool traced)
{
    const uint32_t *pc = rx->pc;
    while (pc) {
        uint32_t w = *pc++, op = w & 0xff;
        rx_val a;
        asm("" : "+r"(op)); /* else gcc puts a byte into storage to compare it */
        switch (op) {
        case OP_CLAUSE:
            rx->clause = pc - 1;
            pc++;
            if (--rx->countdown > 0 && !traced) {
                rx->top = rx->lv.temps;
                continue;
            }
            rx->intermediates = rx->lv.trace == 'I';
            const uint32_t *to = rx_clause_start(rx, pc - 2);
            pc = rx->finished ? NULL : to ? to : pc;
            break;
        case OP_LABEL:
            pc++;
            if (traced && strchr("ARIL", rx->lv.trace))
                rx_trace_step(rx, pc - 2);
            continue;
        case OP_LEAF:
            if (traced && op_of(*pc) != OP_TRACE) /* TRACE O: a word, no literal */
                push_traced(rx, operand(rx, w));
            else
                rx_push(rx, rx_value(rx, operand(rx, w)));
            continue;
        case OP_SET: case OP_SETS:
            a = rx_pop(rx);
            if (traced) /* it may lie in a variable that goes */
                a = rx_keep(rx, a);
            if (op_of(w) == OP_SET)
                assign(rx, operand(rx, w), a);
            else
                rx_set(rx, operand(rx, w), a);
            if (traced)
                rx_trace_result(rx, a);
            continue;
        case OP_ADD2:
            pc = traced ? traced_operator(rx, w, pc) : two(rx, w, pc, OP_ADD2);
            continue;
        case OP_SUB2:
            pc = traced ? traced_operator(rx, w, pc) : two(rx, w, pc, OP_SUB2);
            continue;
        case OP_ORDER2:
            pc = traced ? traced_operator(rx, w, pc) : two(rx, w, pc, OP_ORDER2);
            continue;
        case OP_ANY2:
            pc = traced ? traced_operator(rx, w, pc) : two(rx, w, pc, OP_ANY2);
            continue;
        case OP_ADD1:
            pc = traced ? traced_operator(rx, w, pc) : one(rx, w, pc, OP_ADD1);
            continue;
        case OP_SUB1:
            pc = traced ? traced_operator(rx, w, pc) : one(rx, w, pc, OP_SUB1);
            continue;
        case OP_ORDER1:
            pc = traced ? traced_operator(rx, w, pc) : one(rx, w, pc, OP_ORDER1);
            continue;
        case OP_ANY1:
            pc = traced ? traced_operator(rx, w, pc) : one(rx, w, pc, OP_ANY1);
            continue;
        case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_IDIV: case OP_REM: case OP_POW:
        case OP_CAT: case OP_BCAT:
        case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
        case OP_SEQ: case OP_SNE: case OP_SLT: case OP_SLE: case OP_SGT: case OP_SGE:
            rx->sp -= 2;
            if (traced) {
                rx_push(rx, rx_operate(rx, op_of(w), rx->sp, rx->sp + 1));
                intermediate(rx, ">O>");
            } else {
                pc = any(rx, pc, op_of(w), rx->sp, rx->sp + 1);
            }
            continue;
        case OP_AND: case OP_OR: case OP_XOR: {
            rx->sp -= 2;
            bool both = rx_logic(rx, op_of(w), rx->sp, rx->sp + 1);
            if (traced) {
                rx_push(rx, rx_int(both));
                intermediate(rx, ">O>");
            } else {
                pc = truth(rx, pc, both);
            }
            continue;
        }
        case OP_OMIT:
            rx_push(rx, (rx_val){.kind = V_OMIT});
            continue;
        case OP_JMP:
            pc += (int32_t)w >> 8;
            continue;
        case OP_JF:
            a = rx_pop(rx);
            if (traced)
                rx_trace_result(rx, a);
            if (!rx_logical(rx, a))
                pc += (int32_t)w >> 8;
            continue;
        case OP_CALL: {
            uint32_t depth = rx->depth;
            if (!traced && w >> 8 & CALL_FUNCTION && built_in(rx, w >> 8, pc)) {
                pc++;
                break;
            }
            pc = rx_call(rx, w >> 8, pc);
            if (traced && w >> 8 & CALL_FUNCTION && depth == rx->depth) /* no label was entered */
                intermediate(rx, ">F>");
            break;
        }
        case OP_DO:
            pc = rx_do(rx, operand(rx, w));
            continue;
        case OP_NEXT: {
            const struct rx_loop *loop = operand(rx, w);
            const uint32_t *top = traced ? NULL : count_up(rx, loop);
            pc = top ? top : rx_step(rx, loop);
            continue;
        }
        case OP_WHILE: case OP_UNTIL:
            a = rx_pop(rx);
            if (traced)
                rx_trace_result(rx, a);
            if (rx_logical(rx, a) == (op_of(w) == OP_UNTIL))
                pc = rx_leave(rx, operand(rx, w), false);
            continue;
        case OP_PARSE:
            rx_parse(rx, operand(rx, w));
            continue;
        case OP_AGAIN: /* what goes wrong in a condition goes wrong in DO's clause */
            rx->clause = rx->lv.code->code + ((struct rx_loop *)operand(rx, w))->clause;
            continue;
        default:
            pc = rare(rx, w, pc);
        }
        if (traced == untraced(rx)) {
            rx->pc = pc;
            return;
        }
    }
}

/* Runs from rx->pc until the program ends or something is raised. */
void rx_loop_run(struct rx *rx)
{
    rx->intermediates = rx->lv.trace == 'I';
    while (!rx->finished) {
        if (untraced(rx))
            run(rx, false);
        else
            run(rx, true);
    }
}
