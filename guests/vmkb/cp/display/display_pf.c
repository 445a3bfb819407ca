/* SPDX-License-Identifier: MIT */
/* Program function keys and the lines that RETRIEVE brings back. */
#include "display_internal.h"

/* PF12 and PF24 retrieve, the others do nothing. */
void display_default_pf(struct display *d)
{
    memset(d->pf, 0, sizeof d->pf);
    d->pf[11].kind = d->pf[23].kind = DISPLAY_PF_RETRIEVE;
}

/* SET PFn (n 1 to 24). Returns 0, DISPLAY_INVALID for n, DISPLAY_TOO_LONG for the text. */
int display_set_pf(struct display *d, unsigned n, enum display_pf_kind kind,
                   const uint8_t *text, size_t len)
{
    struct display_pf *pf;

    if (n < 1 || n > DISPLAY_PF_KEYS)
        return DISPLAY_INVALID;
    if (len > DISPLAY_PF_TEXT)
        return DISPLAY_TOO_LONG;
    pf = &d->pf[n - 1];
    pf->kind = (uint8_t)kind;
    pf->len = (uint8_t)len;
    if (len > 0)
        memcpy(pf->text, text, len);
    display_blank_controls(pf->text, len);
    return 0;
}

/* What PFn does, for QUERY PF; NULL unless n is 1 to 24. */
const struct display_pf *display_pf(const struct display *d, unsigned n)
{
    return n < 1 || n > DISPLAY_PF_KEYS ? NULL : &d->pf[n - 1];
}

/* Puts text into the input field with the next write, cursor behind it. */
void display_fill(struct display *d, const uint8_t *text, size_t len)
{
    if (len > 0)
        memcpy(d->fill, text, len);
    d->fill_len = (uint8_t)len;
    d->input_fill = true;
}

/* Remembers a line unless it repeats the newest one, and starts recalling at the newest. */
void display_recall_add(struct display *d, const uint8_t *text, size_t len)
{
    unsigned newest = (d->recall_next + DISPLAY_RECALL - 1) & (DISPLAY_RECALL - 1);

    d->recall_back = 0;
    if (d->recall_count > 0 && d->recall_len[newest] == len
        && memcmp(d->recall[newest], text, len) == 0)
        return;
    memcpy(d->recall[d->recall_next], text, len);
    d->recall_len[d->recall_next] = (uint8_t)len;
    d->recall_next = (d->recall_next + 1) & (DISPLAY_RECALL - 1);
    if (d->recall_count < DISPLAY_RECALL)
        d->recall_count++;
}

/* The next older line into the input field, from the oldest round to the newest. */
bool display_recall_older(struct display *d)
{
    unsigned slot;

    if (d->recall_count == 0)
        return false;
    d->recall_back = d->recall_back % d->recall_count + 1;
    slot = (d->recall_next + DISPLAY_RECALL - d->recall_back) & (DISPLAY_RECALL - 1);
    display_fill(d, d->recall[slot], d->recall_len[slot]);
    return true;
}
