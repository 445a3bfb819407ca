/* SPDX-License-Identifier: MIT */
/* Lines of files, and of the terminal where no file is named: LINEIN, LINEOUT, LINES, STREAM. What
 * a stream's name means is the host's matter; on CMS it is a fileid. */
#include "bif.h"

static bool named(struct rx *rx, const struct rx_args *a, struct rexx_str *name)
{
    rx_val v = rx_arg_text(rx, a, 0);

    *name = (struct rexx_str){v.s, v.len};
    return v.len != 0;
}

static bool closes(struct rx *rx, const struct rexx_str *name)
{
    return !rx->env->lines_close || rx->env->lines_close(rx->env, name) == 0;
}

/* LINEIN([name] [, [line] [, count]]): the next line, or that one. With count 0 nothing but the
 * place, before line, and an empty text, as at the end. */
rx_val bif_linein(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name;
    const char *text;
    int64_t line = rx_arg_int(rx, a, 1, 1, 0), count = rx_arg_int(rx, a, 2, 0, 1);

    if (count > 1)
        rx_raise(rx, 40);
    if (!named(rx, a, &name))
        return count ? rx_pull(rx, true) : rx_text("", 0);
    if (!count && line == 1)
        closes(rx, &name);   /* it is opened again at its first line */
    if (!rx->env->lines_read || (!count && line < 2))
        return rx_text("", 0);
    int n = rx->env->lines_read(rx->env, &name, (uint32_t)(count ? line : line - 1), &text);
    return n < 0 || !count ? rx_text("", 0) : rx_keep(rx, rx_text(text, (size_t)n));
}

/* LINEOUT([name] [, string]): the line goes behind the last one; without string the stream is
 * closed. 1: it could not be written. */
rx_val bif_lineout(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name;
    bool file = named(rx, a, &name);
    rx_val v = rx_arg_text(rx, a, 1);

    if (!rx_arg_given(a, 1))
        return rx_int(file ? !closes(rx, &name) : 0);
    if (!file) {
        if (rx->env->say)
            rx->env->say(rx->env, v.s, v.len);
        return rx_int(0);
    }
    struct rexx_str text = {v.s, v.len};
    return rx_int(!rx->env->lines_write || rx->env->lines_write(rx->env, &name, &text) != 0);
}

/* LINES([name]): lines not yet read; of the terminal, those typed ahead. */
rx_val bif_lines(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name;

    if (!named(rx, a, &name))
        return rx_int(rx->env->terminal_lines ? rx->env->terminal_lines(rx->env) : 0);
    return rx_int(rx->env->lines_left ? rx->env->lines_left(rx->env, &name) : 0);
}

/* STREAM(name, 'C', 'CLOSE'): READY, or ERROR if what was written could not be kept. */
rx_val bif_stream(struct rx *rx, const struct rx_args *a)
{
    static const char close[] = "CLOSE";
    struct rexx_str name;
    rx_val v = rx_arg_text(rx, a, 2);
    bool same = v.len == sizeof close - 1;

    for (uint32_t i = 0; same && i < v.len; i++)
        same = to_upper(v.s[i]) == close[i];
    if (!named(rx, a, &name) || rx_arg_option(rx, a, 1, 'S') != 'C' || !same)
        rx_raise(rx, 40);
    return rx_z(closes(rx, &name) ? "READY" : "ERROR");
}
