/* SPDX-License-Identifier: MIT */
/* Lines and characters of files, and of the terminal where no file is named. What a stream's name
 * means is the host's matter; on CMS it is a fileid. */
#include "bif.h"

static struct rexx_str name_of(struct rx *rx, const struct rx_args *a)
{
    rx_val v = rx_arg_text(rx, a, 0);

    return (struct rexx_str){v.s, v.len};
}

/* LINEIN([name] [, [line] [, count]]): the next line, or that one. With count 0 nothing but the
 * place, before line, and an empty text, as at the end. */
rx_val bif_linein(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);
    uint32_t line = (uint32_t)rx_arg_int(rx, a, 1, 1, 0);
    int64_t count = rx_arg_int(rx, a, 2, 0, 1);
    rx_val v;

    if (count > 1)
        rx_raise(rx, 40);
    if (!count && (!name.n || !line))
        return rx_text("", 0);
    if (!count && line == 1)
        rx_stream_close(rx, &name);   /* it is opened again at its first line */
    if (!count && line == 1)
        return rx_text("", 0);
    bool found = rx_line_in(rx, &name, name.n ? line - !count : 0, &v);
    return found && count ? v : rx_text("", 0);
}

/* LINEOUT([name] [, string]): the line goes behind the last one; without string the stream is
 * closed. 1: it could not be written. */
rx_val bif_lineout(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);

    if (!rx_arg_given(a, 1))
        return rx_int(!rx_stream_close(rx, &name));
    return rx_int(!rx_line_out(rx, &name, rx_arg_text(rx, a, 1)));
}

/* LINES([name]): lines not yet read; of the terminal, those typed ahead. */
rx_val bif_lines(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);

    return rx_int(rx_lines_left(rx, &name));
}

/* CHARIN([name] [, [start] [, length]]): the next characters, one unless told; with start from
 * that one on. Each line ends with a line end. */
rx_val bif_charin(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);
    int64_t from = rx_arg_int(rx, a, 1, 1, 0), n = rx_arg_int(rx, a, 2, 0, 1);

    return rx_chars_in(rx, &name, (uint32_t)from, (uint32_t)n);
}

/* CHAROUT([name] [, string]): the characters go behind the last ones, a line end ends a line;
 * without string the stream is closed. How many could not be written. */
rx_val bif_charout(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);

    if (!rx_arg_given(a, 1))
        return rx_int(!rx_stream_close(rx, &name));
    return rx_int(rx_chars_out(rx, &name, rx_arg_text(rx, a, 1)));
}

/* CHARS([name]): characters not yet read; of the terminal, whether there are any. */
rx_val bif_chars(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);

    return rx_int(rx_chars_left(rx, &name));
}

/* STREAM(name, 'C', 'CLOSE'): READY, or ERROR if what was written could not be kept. */
rx_val bif_stream(struct rx *rx, const struct rx_args *a)
{
    struct rexx_str name = name_of(rx, a);

    if (!name.n || rx_arg_option(rx, a, 1, 'S') != 'C' || !rx_same(rx_arg_text(rx, a, 2), "CLOSE"))
        rx_raise(rx, 40);
    return rx_z(rx_stream_close(rx, &name) ? "READY" : "ERROR");
}
