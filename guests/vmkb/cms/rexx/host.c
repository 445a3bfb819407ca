/* SPDX-License-Identifier: MIT */
/* What the program asks of its host, and the settings that go with it. */
#include "rx.h"

enum { PLENTY = 65536 }; /* bytes to lend without tidying up first */

/* The middle of the arena, as it is now, is for an EXEC called from this one. */
void rx_lend_room(struct rx *rx)
{
    char *from = (char *)(((uintptr_t)rx->lo + 7) & ~(uintptr_t)7);

    rx->env->arena = from;
    rx->env->arena_size = rx->top > from ? (size_t)(rx->top - from) & ~(size_t)7 : 0;
}

static void rx_lend(struct rx *rx)
{
    rx_prompt(rx);
    if (rx_space(rx) < PLENTY)
        rx_compact(rx);
    rx_lend_room(rx);
    rx->asker = rx->env->asks;
    rx->env->asks = rx;
}

static void rx_reclaim(struct rx *rx)
{
    rx->env->asks = rx->asker;
    rx->env->arena = (char *)rx;
    rx->env->arena_size = (size_t)(rx->end - (char *)rx);
}

/* Runs a command in an environment; returns its RC, -3 when there is no host to ask. */
int rx_host_command(struct rx *rx, const char *address, rx_val text)
{
    if (!rx->env->command)
        return -3;
    rx_lend(rx);
    int rc = rx->env->command(rx->env, address, text.s, text.len);
    rx_reclaim(rx);
    return rc;
}

/* Calls an external routine; false when it returned nothing. Raises 43 when there is none. */
bool rx_external(struct rx *rx, struct rx_sym *sym, const rx_val *args, uint32_t nargs,
                 rx_val *out)
{
    struct rexx_str list[RX_ARGS], result = {NULL, 0};
    char name[REXX_NAME + 1];
    if (!rx->env->external)
        rx_raise(rx, 43);
    for (uint32_t k = 0; k < nargs; k++) {
        list[k] = (struct rexx_str){NULL, 0};
        if (args[k].kind != V_OMIT) {
            rx_val v = rx_as_text(rx, args[k]);
            list[k] = (struct rexx_str){v.len ? v.s : "", v.len};
        }
    }
    memcpy(name, sym->name, sym->len);
    name[sym->len] = 0;
    rx_lend(rx);
    int error = rx->env->external(rx->env, name, list, (int)nargs, &result);
    rx_reclaim(rx);
    if (error == REXX_KILLED) {
        rx->killed = true;
        rx_raise(rx, 4);
    }
    if (error)
        rx_raise(rx, error < 0 ? 43 : 40);
    if (!result.p)
        return false;
    if (result.n + 64 > rx_space(rx))
        rx_raise(rx, 5);
    memmove(rx->top - result.n, result.p, result.n); /* the result may lie just there */
    rx->top -= result.n;
    *out = rx_text(rx->top, result.n);
    return true;
}

/* Asks the host whether to go on; raises 4 (HI), or ends the program (HX). */
void rx_poll(struct rx *rx)
{
    rx->countdown = REXX_POLL_CLAUSES;
    unsigned what = rx->env->poll ? rx->env->poll(rx->env) : 0;
    if (what & REXX_TRACE_START)
        rx->lv.trace = 'R';
    if (what & REXX_TRACE_END)
        rx->lv.trace = 'N';
    if (what & REXX_KILL) {
        rx->killed = true;
        rx_raise(rx, 4);
    }
    if (what & REXX_HALT)
        rx->halted = true;
}

/* A line of the program stack, or when that is empty (or terminal is set) of the terminal. */
rx_val rx_pull(struct rx *rx, bool terminal)
{
    static const struct rexx_str typed = {"", 0};
    rx_val v;
    if (!terminal && rx->env->stack_get) {
        char *p = rx_temp(rx, RX_LINE);
        int n = rx->env->stack_get(rx->env, p, RX_LINE);
        if (n >= 0)
            return rx_text(p, n > RX_LINE ? RX_LINE : (size_t)n);
    }
    rx_line_in(rx, &typed, 0, &v);
    return v;
}

/*
 * PARSE SOURCE: CMS, how called, file name, type and mode, name it was called by, environment.
 * A routine of another EXEC always reads FUNCTION; REXX/VM would say SUBROUTINE after CALL.
 */
rx_val rx_source_string(struct rx *rx)
{
    const char *how = rx->call_kind == 'C' ? "COMMAND" : "FUNCTION";
    size_t first = 0, all = strlen(rx->name);
    while (first < all && rx->name[first] != ' ')
        first++;
    size_t room = all + first + 48;
    char *p = rx_temp(rx, room);
    int n = fmt(p, room, "CMS %s %s %.*s %s", how, rx->name, (int)first, rx->name,
                rx->lv.address);
    return rx_text(p, (size_t)n);
}

/* ADDRESS name: the environment for commands from now on; Error 29 beyond 8 characters. */
void rx_set_address(struct rx *rx, rx_val v)
{
    v = rx_as_text(rx, v);
    if (v.len > 8)
        rx_raise(rx, 29);
    memcpy(rx->lv.other_address, rx->lv.address, sizeof rx->lv.address);
    fmt(rx->lv.address, sizeof rx->lv.address, "%.*s", (int)v.len, v.len ? v.s : "");
}

/* Sets NUMERIC DIGITS and FUZZ, and the limits that follow from them. */
void rx_set_digits(struct rx *rx, int digits, int fuzz)
{
    rx->lv.digits = digits;
    rx->lv.fuzz = fuzz;
    rx->limit = 1;
    for (int k = 0; k < digits && k < 18; k++)
        rx->limit *= 10;
    rx->small = 1;
    while (rx->small * 4 <= rx->limit)
        rx->small *= 2;
    rx->small_order = fuzz ? 0 : rx->small;
}

/* NUMERIC DIGITS, FUZZ and FORM; v NULL means the default. */
void rx_numeric(struct rx *rx, int what, const rx_val *v)
{
    int64_t i;
    switch (what) {
    case NUM_DIGITS:
        i = 9;
        if (v && (!rx_whole(rx, *v, &i) || i < 0 || i > RX_DIGITS_MAX))
            rx_raise(rx, 26);
        if (i <= rx->lv.fuzz)
            rx_raise(rx, 33);
        rx_set_digits(rx, (int)i, rx->lv.fuzz);
        break;
    case NUM_FUZZ:
        i = 0;
        if (v && (!rx_whole(rx, *v, &i) || i < 0))
            rx_raise(rx, 26);
        if (i >= rx->lv.digits)
            rx_raise(rx, 33);
        rx_set_digits(rx, rx->lv.digits, (int)i);
        break;
    case NUM_FORM_SCI:
        rx->lv.engineering = false;
        break;
    case NUM_FORM_ENG:
        rx->lv.engineering = true;
        break;
    default: {
        rx_val t = rx_strip(rx_as_text(rx, *v));
        char c = t.len ? (char)to_upper(t.s[0]) : ' ';
        if (c != 'S' && c != 'E')
            rx_raise(rx, 25);
        rx->lv.engineering = c == 'E';
    }
    }
}
