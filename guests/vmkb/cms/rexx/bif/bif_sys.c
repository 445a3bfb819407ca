/* SPDX-License-Identifier: MIT */
/* Built-in functions about the program, its variables and its host. */
#include "bif.h"

rx_val bif_address(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_keep(rx, rx_z(rx->lv.address));
}

rx_val bif_arg(struct rx *rx, const struct rx_args *a)
{
    int64_t n = rx_arg_int(rx, a, 0, 1, 0);
    if (!n) {
        if (a->n)
            rx_raise(rx, 40);
        uint32_t count = rx->lv.nargs;
        return rx_int(count);
    }
    bool given = n <= rx->lv.nargs && rx->lv.args[n - 1].kind != V_OMIT;
    switch (rx_arg_option(rx, a, 1, 'A')) {
    case 'E': return rx_int(given);
    case 'O': return rx_int(!given);
    case 'A':
        if (!rx_arg_given(a, 1))
            return given ? rx->lv.args[n - 1] : rx_text("", 0);
    }
    rx_raise(rx, 40);
}

/* CONDITION('C' name, 'D' description, 'I' instruction, 'S' state): what was trapped last. */
rx_val bif_condition(struct rx *rx, const struct rx_args *a)
{
    static const char *const names[CONDITIONS] = {"ERROR", "FAILURE", "HALT", "NOVALUE", "SYNTAX"};
    const struct rx_condition *c = rx->lv.condition;
    char what = rx_arg_option(rx, a, 0, 'I');
    if (!strchr("CDIS", what))
        rx_raise(rx, 40);
    if (!c)
        return rx_text("", 0);
    switch (what) {
    case 'C': return rx_z(names[c->condition]);
    case 'D': return rx_keep(rx, rx_text(c->about, c->len));
    case 'I': return rx_z(c->call ? "CALL" : "SIGNAL");
    }
    if (!rx->lv.trap[c->condition])
        return rx_z("OFF");
    return rx_z(rx_traps(rx, c->condition) ? "ON" : "DELAY");
}

rx_val bif_digits(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_int(rx->lv.digits);
}

rx_val bif_fuzz(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_int(rx->lv.fuzz);
}

rx_val bif_form(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_z(rx->lv.engineering ? "ENGINEERING" : "SCIENTIFIC");
}

rx_val bif_errortext(struct rx *rx, const struct rx_args *a)
{
    int64_t n = rx_arg_int(rx, a, 0, 0, 0);
    if (n > 99)
        rx_raise(rx, 40);
    return rx_z(rexx_error_text((int)n));
}

rx_val bif_externals(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_int(rx->env->terminal_lines ? rx->env->terminal_lines(rx->env) : 0);
}

rx_val bif_queued(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_int(rx->env->stack_count ? rx->env->stack_count(rx->env) : 0);
}

rx_val bif_linesize(struct rx *rx, const struct rx_args *a)
{
    (void)rx;
    (void)a;
    return rx_int(80); /* a 3270 model 2 */
}

rx_val bif_userid(struct rx *rx, const struct rx_args *a)
{
    (void)a;
    return rx_z(rx->env->userid ? rx->env->userid : "");
}

rx_val bif_sourceline(struct rx *rx, const struct rx_args *a)
{
    int64_t n = rx_arg_int(rx, a, 0, 1, 0);
    if (!n)
        return rx_int(rx->program->nlines);
    if (n > rx->program->nlines)
        rx_raise(rx, 40);
    const struct rexx_str *line = &rx->program->lines[n - 1];
    return rx_text(line->n ? line->p : "", line->n);
}

rx_val bif_trace(struct rx *rx, const struct rx_args *a)
{
    char *p = rx_temp(rx, 2);
    int n = rx_trace_name(rx, p);
    if (rx_arg_given(a, 0))
        rx_trace_setting(rx, a->at[0]);
    return rx_text(p, (size_t)n);
}

/* The symbol that a text names, NULL when it is none. */
static struct rx_sym *named(struct rx *rx, rx_val v)
{
    if (!v.len || v.len > REXX_NAME)
        return NULL;
    for (uint32_t k = 0; k < v.len; k++)
        if (!rx_symbol_char((unsigned char)v.s[k]))
            return NULL;
    return rx_intern(rx, v.s, v.len, true);
}

rx_val bif_symbol(struct rx *rx, const struct rx_args *a)
{
    struct rx_sym *sym = named(rx, rx_arg_text(rx, a, 0));
    rx_val v;
    if (!sym)
        return rx_z("BAD");
    return rx_z(sym->ref.kind != S_CONST && rx_get_if(rx, sym, &v) ? "VAR" : "LIT");
}

rx_val bif_value(struct rx *rx, const struct rx_args *a)
{
    struct rx_sym *sym = named(rx, rx_arg_text(rx, a, 0));
    if (!sym)
        rx_raise(rx, 40);
    rx_val old;
    rx_get_if(rx, sym, &old); /* NOVALUE is for terms */
    old = rx_keep(rx, old);
    if (rx_arg_given(a, 1)) {
        if (sym->ref.kind == S_CONST)
            rx_raise(rx, 40);
        rx_steady(rx, rx->lv.args + rx->lv.nargs); /* operands still pending keep their texts */
        rx_set(rx, sym, a->at[1]);
    }
    return old;
}

static bool is_eight(struct rx *rx, const struct rx_args *a)
{
    int64_t code;
    rx_val v = rx_strip(rx_as_text(rx, a->at[0]));
    return rx_whole(rx, v, &code) && code == 8; /* DIAG codes are hexadecimal: 8 is 8 */
}

/* The response to DIAG(8, command, size): size defaults to 4096 as in REXX/VM (unverified). */
static rx_val diag8(struct rx *rx, const struct rx_args *a, int *cp_rc)
{
    if (!is_eight(rx, a) || !rx_arg_given(a, 1))
        rx_raise(rx, 40);
    rx_val text = rx_arg_text(rx, a, 1);
    uint32_t size = (uint32_t)rx_arg_int(rx, a, 2, 1, 4096);
    char *p = rx_temp(rx, size);
    *cp_rc = 1;
    if (!rx->env->diag8)
        return rx_text("", 0);
    uint32_t n = rx->env->diag8(rx->env, text.s, text.len, p, size, cp_rc);
    return rx_text(p, n > size ? size : n);
}

rx_val bif_diag(struct rx *rx, const struct rx_args *a)
{
    int cp_rc;
    return diag8(rx, a, &cp_rc);
}

/*
 * DIAGRC: 16 characters in front of the response: return code in 9, a blank, the condition code
 * (0 here: the response fitted) and blanks. The layout is REXX/VM's as remembered: unverified.
 */
rx_val bif_diagrc(struct rx *rx, const struct rx_args *a)
{
    int cp_rc;
    rx_val v = diag8(rx, a, &cp_rc);
    char head[24];
    fmt(head, sizeof head, "%9d 0     ", cp_rc);
    char *p = rx_temp(rx, 16 + (size_t)v.len);
    memcpy(p, head, 16);
    if (v.len)
        memcpy(p + 16, v.s, v.len);
    return rx_text(p, 16 + (size_t)v.len);
}
