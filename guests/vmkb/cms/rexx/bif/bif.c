/* SPDX-License-Identifier: MIT */
/* The table of built-in functions, and how they take their arguments. */
#include "bif.h"

static const struct rx_builtin table[] = {
    {"", 0, 0, NULL}, /* index 0 means "not built in" */
    {"ABBREV", 2, 3, bif_abbrev},
    {"ABS", 1, 1, bif_abs},
    {"ADDRESS", 0, 0, bif_address},
    {"ARG", 0, 2, bif_arg},
    {"B2X", 1, 1, bif_b2x},
    {"BITAND", 1, 3, bif_bitand},
    {"BITOR", 1, 3, bif_bitor},
    {"BITXOR", 1, 3, bif_bitxor},
    {"C2D", 1, 2, bif_c2d},
    {"C2X", 1, 1, bif_c2x},
    {"CENTER", 2, 3, bif_center},
    {"CENTRE", 2, 3, bif_center},
    {"CHARIN", 0, 3, bif_charin},
    {"CHAROUT", 0, 2, bif_charout},
    {"CHARS", 0, 1, bif_chars},
    {"COMPARE", 2, 3, bif_compare},
    {"CONDITION", 0, 1, bif_condition},
    {"COPIES", 2, 2, bif_copies},
    {"D2C", 1, 2, bif_d2c},
    {"D2X", 1, 2, bif_d2x},
    {"DATATYPE", 1, 2, bif_datatype},
    {"DATE", 0, 3, bif_date},
    {"DELSTR", 2, 3, bif_delstr},
    {"DELWORD", 2, 3, bif_delword},
    {"DIAG", 1, 10, bif_diag},
    {"DIAGRC", 1, 10, bif_diagrc},
    {"DIGITS", 0, 0, bif_digits},
    {"ERRORTEXT", 1, 1, bif_errortext},
    {"EXTERNALS", 0, 0, bif_externals},
    {"FIND", 2, 3, bif_find},
    {"FORM", 0, 0, bif_form},
    {"FORMAT", 1, 5, bif_format},
    {"FUZZ", 0, 0, bif_fuzz},
    {"INDEX", 2, 3, bif_index},
    {"INSERT", 2, 5, bif_insert},
    {"JUSTIFY", 2, 3, bif_justify},
    {"LASTPOS", 2, 3, bif_lastpos},
    {"LEFT", 2, 3, bif_left},
    {"LENGTH", 1, 1, bif_length},
    {"LINEIN", 0, 3, bif_linein},
    {"LINEOUT", 0, 2, bif_lineout},
    {"LINES", 0, 1, bif_lines},
    {"LINESIZE", 0, 0, bif_linesize},
    {"MAX", 1, 10, bif_max},
    {"MIN", 1, 10, bif_min},
    {"OVERLAY", 2, 5, bif_overlay},
    {"POS", 2, 3, bif_pos},
    {"QUEUED", 0, 0, bif_queued},
    {"RANDOM", 0, 3, bif_random},
    {"REVERSE", 1, 1, bif_reverse},
    {"RIGHT", 2, 3, bif_right},
    {"SIGN", 1, 1, bif_sign},
    {"SOURCELINE", 0, 1, bif_sourceline},
    {"SPACE", 1, 3, bif_space},
    {"STREAM", 3, 3, bif_stream},
    {"STRIP", 1, 3, bif_strip},
    {"SUBSTR", 2, 4, bif_substr},
    {"SUBWORD", 2, 3, bif_subword},
    {"SYMBOL", 1, 1, bif_symbol},
    {"TIME", 0, 3, bif_time},
    {"TRACE", 0, 1, bif_trace},
    {"TRANSLATE", 1, 4, bif_translate},
    {"TRUNC", 1, 2, bif_trunc},
    {"USERID", 0, 0, bif_userid},
    {"VALUE", 1, 2, bif_value},
    {"VERIFY", 2, 4, bif_verify},
    {"WORD", 2, 2, bif_word},
    {"WORDINDEX", 2, 2, bif_wordindex},
    {"WORDLENGTH", 2, 2, bif_wordlength},
    {"WORDPOS", 2, 3, bif_wordpos},
    {"WORDS", 1, 1, bif_words},
    {"X2B", 1, 1, bif_x2b},
    {"X2C", 1, 1, bif_x2c},
    {"X2D", 1, 2, bif_x2d},
    {"XRANGE", 0, 2, bif_xrange},
};

/* The index of a built-in function by its name in capitals, 0 when there is none. */
uint8_t rx_builtin_find(const char *s, uint32_t n)
{
    for (size_t k = 1; k < sizeof table / sizeof table[0] && table[k].name[0] <= s[0]; k++)
        if (table[k].name[0] == s[0] && strlen(table[k].name) == n &&
            memcmp(table[k].name, s, n) == 0)
            return (uint8_t)k;
    return 0;
}

/* Whether so many arguments, of which none is left out, are right. */
bool rx_builtin_takes(uint8_t index, uint32_t nargs)
{
    return nargs >= table[index].min && nargs <= table[index].max;
}

/* Calls a built-in function with arguments that are right. */
rx_val rx_builtin_run(struct rx *rx, uint8_t index, const rx_val *args, uint32_t nargs)
{
    return table[index].fn(rx, &(struct rx_args){args, (int)nargs});
}

/* Calls a built-in function; Error 40 for a wrong number of arguments. */
rx_val rx_builtin_call(struct rx *rx, uint8_t index, const rx_val *args, uint32_t nargs)
{
    const struct rx_builtin *b = &table[index];
    if (nargs < b->min || nargs > b->max)
        rx_raise(rx, 40);
    for (uint32_t k = 0; k < b->min; k++)
        if (args[k].kind == V_OMIT)
            rx_raise(rx, 40);
    return rx_builtin_run(rx, index, args, nargs);
}

/* An argument as a whole number not below least; Error 40. */
int64_t rx_int_of(struct rx *rx, rx_val arg, int64_t least)
{
    int64_t v;
    if (!rx_whole(rx, arg, &v) || v < least || v > RX_EXPONENT)
        rx_raise(rx, 40);
    return v;
}

/* An argument that must be one character; Error 40. */
char rx_char_of(struct rx *rx, rx_val arg)
{
    rx_val v = rx_as_text(rx, arg);
    if (v.len != 1)
        rx_raise(rx, 40);
    return v.s[0];
}

/* Argument i as an option: its first letter in capitals; other when it was not given. */
char rx_arg_option(struct rx *rx, const struct rx_args *a, int i, char other)
{
    if (!rx_arg_given(a, i))
        return other;
    rx_val v = rx_as_text(rx, a->at[i]);
    if (!v.len)
        rx_raise(rx, 40);
    return (char)to_upper(v.s[0]);
}
