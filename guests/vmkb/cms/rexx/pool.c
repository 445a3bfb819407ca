/* SPDX-License-Identifier: MIT */
/* Variables of a program, for the commands that it gives: EXECIO, GLOBALV. */
#include "rx.h"

/* A variable that is asked for: by its name, or by its stem's and a number behind that. */
struct asked {
    const struct rexx_str *name;
    int64_t number; /* -1: the name is all */
};

/* What it was found to be: a symbol, or a tail of that stem. */
struct found {
    struct rx_sym *sym;
    struct rx_key tail;
    bool is_tail;
};

static bool find_named(struct rx *rx, const char *s, uint32_t n, struct found *f)
{
    char name[REXX_NAME]; /* in capitals up to the first dot and behind it */
    uint32_t stem = 0;

    if (!n || n > REXX_NAME || is_digit(s[0]) || s[0] == '.')
        return false;
    for (uint32_t k = 0; k < n; k++) {
        name[k] = (char)to_upper(s[k]);
        if (name[k] == '.' && !stem)
            stem = k + 1;
        if (!stem && !rx_symbol_char(name[k]))
            return false;
    }
    f->is_tail = stem && stem < n;
    f->sym = rx_intern(rx, name, stem ? stem : n, false);
    if (f->is_tail)
        rx_key_set(&f->tail, name + stem, n - stem);
    return true;
}

/* Who asks for a stem's variables one by one asks for the same stem: it is remembered. */
static bool find_numbered(struct rx *rx, const struct asked *a, struct found *f)
{
    char name[REXX_NAME + 1];
    const struct rexx_str *stem = a->name;

    if (rx->asked && rx->asked->len == stem->n && a->number < RX_NUMBERED &&
        memcmp(rx->asked->name, stem->p, stem->n) == 0) {
        f->sym = rx->asked;
        f->is_tail = true;
        f->tail.number = a->number;
        return true;
    }
    if (stem->n > REXX_NAME)
        return false;
    int n = fmt(name, sizeof name, "%.*s%u", (int)stem->n, stem->p, (unsigned)a->number);
    if (!find_named(rx, name, (uint32_t)n, f))
        return false;
    if (f->is_tail && f->sym->len == stem->n)
        rx->asked = f->sym;
    return true;
}

static bool find(struct rx *rx, const struct asked *a, struct found *f)
{
    return a->number < 0 ? find_named(rx, a->name->p, a->name->n, f) : find_numbered(rx, a, f);
}

static void set(struct rx *rx, struct found *f, const struct rexx_str *value)
{
    rx_val v = rx_text(value->p, value->n);

    if (f->is_tail)
        rx_set_tail(rx, f->sym, &f->tail, v);
    else
        rx_set(rx, f->sym, v);
}

static bool get(struct rx *rx, struct found *f, struct rexx_str *value)
{
    static char digits[24];
    rx_val v;

    bool there = f->is_tail ? rx_get_tail(rx, f->sym, &f->tail, &v) : rx_get_if(rx, f->sym, &v);
    if (there && v.kind == V_INT)
        v = rx_text(digits, (size_t)rx_int_text(v.i, digits));
    if (there)
        *value = (struct rexx_str){v.s, v.len};
    return there;
}

/* What is raised here ends here: the program goes on with the command's return code. */
static int guarded(struct rx *rx, const struct asked *a, const struct rexx_str *to,
                   struct rexx_str *from)
{
    rx_jmp here, *kept = rx->catcher;
    char *top = rx->top;
    struct found f;
    int result;

    rx->catcher = &here;
    if (__builtin_setjmp(here)) {
        result = 2;
    } else if (!find(rx, a, &f)) {
        result = 1;
    } else if (to) {
        set(rx, &f, to);
        result = 0;
    } else {
        result = get(rx, &f, from) ? 0 : 1;
    }
    rx->catcher = kept;
    rx->top = top;
    rx_lend_room(rx);        /* the value has its place there */
    return result;
}

int rexx_set(struct rexx_env *env, const struct rexx_str *name, const struct rexx_str *value)
{
    return env->asks ? guarded(env->asks, &(struct asked){name, -1}, value, NULL) : 1;
}

bool rexx_get(struct rexx_env *env, const struct rexx_str *name, struct rexx_str *value)
{
    return env->asks && guarded(env->asks, &(struct asked){name, -1}, NULL, value) == 0;
}

int rexx_set_nth(struct rexx_env *env, const struct rexx_str *stem, uint32_t n,
                 const struct rexx_str *value)
{
    return env->asks ? guarded(env->asks, &(struct asked){stem, n}, value, NULL) : 1;
}

bool rexx_get_nth(struct rexx_env *env, const struct rexx_str *stem, uint32_t n,
                  struct rexx_str *value)
{
    return env->asks && guarded(env->asks, &(struct asked){stem, n}, NULL, value) == 0;
}
