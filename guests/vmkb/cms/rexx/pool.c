/* SPDX-License-Identifier: MIT */
/* Variables of a program, for the commands that it gives: EXECIO, GLOBALV. */
#include "rx.h"

struct split {
    char name[REXX_NAME];    /* in capitals */
    uint32_t stem, len;      /* with the dot; of all. stem 0: a simple variable */
};

static bool split(const struct rexx_str *name, struct split *s)
{
    s->stem = 0;
    s->len = name->n;
    if (!name->n || name->n > REXX_NAME || is_digit(name->p[0]) || name->p[0] == '.')
        return false;
    for (uint32_t k = 0; k < name->n; k++) {
        s->name[k] = (char)to_upper(name->p[k]);
        if (name->p[k] == '.' && !s->stem)
            s->stem = k + 1;
        if (!s->stem && !rx_symbol_char(name->p[k]))
            return false;
    }
    return true;
}

static void set(struct rx *rx, const struct split *s, const struct rexx_str *value)
{
    struct rx_sym *sym = rx_intern(rx, s->name, s->stem ? s->stem : s->len, false);
    rx_val v = rx_text(value->p, value->n);

    if (s->stem && s->stem < s->len)
        rx_set_tail(rx, sym, s->name + s->stem, s->len - s->stem, v);
    else
        rx_set(rx, sym, v);
}

static bool get(struct rx *rx, const struct split *s, struct rexx_str *value)
{
    static char digits[24];
    struct rx_sym *sym = rx_intern(rx, s->name, s->stem ? s->stem : s->len, false);
    rx_val v;

    bool there = s->stem && s->stem < s->len
                     ? rx_get_tail(rx, sym, s->name + s->stem, s->len - s->stem, &v)
                     : rx_get_if(rx, sym, &v);
    if (there && v.kind == V_INT)
        v = rx_text(digits, (size_t)rx_int_text(v.i, digits));
    if (there)
        *value = (struct rexx_str){v.s, v.len};
    return there;
}

/* What is raised here ends here: the program goes on with the command's return code. */
static int guarded(struct rx *rx, const struct split *s, const struct rexx_str *to,
                   struct rexx_str *from)
{
    rx_jmp here, *kept = rx->catcher;
    char *top = rx->top;
    int result;

    rx->catcher = &here;
    if (__builtin_setjmp(here)) {
        result = 2;
    } else if (to) {
        set(rx, s, to);
        result = 0;
    } else {
        result = get(rx, s, from) ? 0 : 1;
    }
    rx->catcher = kept;
    rx->top = top;
    rx_lend_room(rx);        /* the value has its place there */
    return result;
}

int rexx_set(struct rexx_env *env, const struct rexx_str *name, const struct rexx_str *value)
{
    struct split s;

    return env->asks && split(name, &s) ? guarded(env->asks, &s, value, NULL) : 1;
}

bool rexx_get(struct rexx_env *env, const struct rexx_str *name, struct rexx_str *value)
{
    struct split s;

    return env->asks && split(name, &s) && guarded(env->asks, &s, NULL, value) == 0;
}
