/* SPDX-License-Identifier: MIT */
/* The built-in functions; each takes checked numbers of arguments and returns a value. */
#ifndef VMKB_RX_BIF_H
#define VMKB_RX_BIF_H

#include "rx.h"

static inline bool rx_arg_given(const struct rx_args *a, int i)
{
    return i < a->n && a->at[i].kind != V_OMIT;
}

/* Argument i as text; empty when it was not given. */
static inline rx_val rx_arg_text(struct rx *rx, const struct rx_args *a, int i)
{
    return i < a->n ? rx_as_text(rx, a->at[i]) : rx_text("", 0);
}

/* Argument i as a whole number not below least (Error 40); other when it was not given. */
static inline int64_t rx_arg_int(struct rx *rx, const struct rx_args *a, int i, int64_t least,
                                 int64_t other)
{
    if (!rx_arg_given(a, i))
        return other;
    const rx_val *v = &a->at[i];
    bool plain = v->kind == V_INT && v->i >= least && v->i <= RX_EXPONENT;
    return plain ? v->i : rx_int_of(rx, *v, least);
}

/* Argument i as one character, a pad; other when it was not given. */
static inline char rx_arg_char(struct rx *rx, const struct rx_args *a, int i, char other)
{
    return rx_arg_given(a, i) ? rx_char_of(rx, a->at[i]) : other;
}

#define RX_BIF(name) rx_val name(struct rx *rx, const struct rx_args *a)

RX_BIF(bif_abbrev);
RX_BIF(bif_abs);
RX_BIF(bif_address);
RX_BIF(bif_arg);
RX_BIF(bif_b2x);
RX_BIF(bif_bitand);
RX_BIF(bif_bitor);
RX_BIF(bif_bitxor);
RX_BIF(bif_c2d);
RX_BIF(bif_c2x);
RX_BIF(bif_center);
RX_BIF(bif_charin);
RX_BIF(bif_charout);
RX_BIF(bif_chars);
RX_BIF(bif_compare);
RX_BIF(bif_condition);
RX_BIF(bif_copies);
RX_BIF(bif_d2c);
RX_BIF(bif_d2x);
RX_BIF(bif_datatype);
RX_BIF(bif_date);
RX_BIF(bif_delstr);
RX_BIF(bif_delword);
RX_BIF(bif_diag);
RX_BIF(bif_diagrc);
RX_BIF(bif_digits);
RX_BIF(bif_errortext);
RX_BIF(bif_externals);
RX_BIF(bif_find);
RX_BIF(bif_form);
RX_BIF(bif_format);
RX_BIF(bif_fuzz);
RX_BIF(bif_index);
RX_BIF(bif_insert);
RX_BIF(bif_justify);
RX_BIF(bif_lastpos);
RX_BIF(bif_left);
RX_BIF(bif_length);
RX_BIF(bif_linein);
RX_BIF(bif_lineout);
RX_BIF(bif_lines);
RX_BIF(bif_linesize);
RX_BIF(bif_max);
RX_BIF(bif_min);
RX_BIF(bif_overlay);
RX_BIF(bif_pos);
RX_BIF(bif_queued);
RX_BIF(bif_random);
RX_BIF(bif_reverse);
RX_BIF(bif_right);
RX_BIF(bif_sign);
RX_BIF(bif_sourceline);
RX_BIF(bif_space);
RX_BIF(bif_stream);
RX_BIF(bif_strip);
RX_BIF(bif_substr);
RX_BIF(bif_subword);
RX_BIF(bif_symbol);
RX_BIF(bif_time);
RX_BIF(bif_trace);
RX_BIF(bif_translate);
RX_BIF(bif_trunc);
RX_BIF(bif_userid);
RX_BIF(bif_value);
RX_BIF(bif_verify);
RX_BIF(bif_word);
RX_BIF(bif_wordindex);
RX_BIF(bif_wordlength);
RX_BIF(bif_wordpos);
RX_BIF(bif_words);
RX_BIF(bif_x2b);
RX_BIF(bif_x2c);
RX_BIF(bif_x2d);
RX_BIF(bif_xrange);

#endif
