/* SPDX-License-Identifier: MIT */
/* What a key means: parses Read Modified data and acts on the screen's state. */
#include "display_internal.h"

enum {
    AID_NONE = 0x60, AID_GONE = 0x61, AID_ENTER = 0x7D, AID_CLEAR = 0x6D, AID_PA1 = 0x6C,
    AID_PA2 = 0x6E, AID_STRUCTURED = 0x88,
    ORDER_SBA = 0x11, DATA_GE = 0x08
};

/* PF number of an AID, 0 when it is none. */
static unsigned pf_number(uint8_t aid)
{
    if (aid >= 0xF1 && aid <= 0xF9)
        return aid - 0xF0u;
    if (aid >= 0x7A && aid <= 0x7C)
        return aid - 0x7Au + 10;
    if (aid >= 0xC1 && aid <= 0xC9)
        return aid - 0xC1u + 13;
    if (aid >= 0x4A && aid <= 0x4C)
        return aid - 0x4Au + 22;
    return 0;
}

/*
 * The console field's text out of Read Modified data (AID, cursor, then SBA address text for
 * each field). Other fields and malformed ends are passed over. Returns its length in text.
 */
static size_t field_text(const struct display *d, const uint8_t *rm, size_t len,
                         uint8_t text[DISPLAY_INPUT_MAX])
{
    size_t i = 3, n = 0, room = status_attr_cell(d) - input_cell(d);
    bool mine = false;

    while (i < len) {
        uint8_t c = rm[i];

        if (c == ORDER_SBA) {
            if (len - i < 3)
                break;
            mine = cell_address(rm + i + 1) == input_cell(d);
            i += 3;
            continue;
        }
        if (c == DATA_GE && i + 1 < len) {
            c = EBCDIC_BLANK;   /* a graphic-escape character has no EBCDIC code */
            i++;
        }
        if (mine && c != 0 && n < room)
            text[n++] = c;
        i++;
    }
    display_blank_controls(text, n);
    return n;
}

static void refuse(struct display *d, uint64_t now)
{
    d->refused = true;
    d->refused_until = now + DISPLAY_NOT_ACCEPTED_US;
    d->alarm = true;
}

static void give_line(struct display *d, const uint8_t *text, size_t len,
                      struct display_input *out)
{
    if (len > 0)
        memcpy(d->line, text, len);
    d->line_len = (uint8_t)len;
    d->line_held = true;
    d->refused = false;
    out->kind = DISPLAY_IN_LINE;
    out->text = d->line;
    out->len = len;
    out->hidden = d->hidden || d->shown_attr == ATTR_HIDDEN;
}

/* A typed line or an IMMED key's text: handed out and echoed, or NOT ACCEPTED. */
static bool take_line(struct display *d, const uint8_t *text, size_t len, uint64_t now,
                      struct display_input *out)
{
    bool hidden = d->hidden || d->shown_attr == ATTR_HIDDEN;

    if (d->line_held
        || (!hidden && !display_enqueue(d, text, len, d->hilight ? DISPLAY_HIGH : 0,
                                        DISPLAY_QUEUE))) {
        refuse(d, now);
        return false;
    }
    give_line(d, text, len, out);
    if (!hidden)
        display_recall_add(d, text, len);
    return true;
}

static void enter(struct display *d, const uint8_t *rm, size_t len, uint64_t now,
                  struct display_input *out)
{
    uint8_t text[DISPLAY_INPUT_MAX];
    size_t n = field_text(d, rm, len, text);

    if (n > 0) {
        if (take_line(d, text, n, now, out))
            d->input_clear = true;
    } else if (d->page == PAGE_MORE) {
        d->page = PAGE_HOLDING;
    } else if (d->page == PAGE_OPEN && d->mode != DISPLAY_RUNNING && !d->line_held) {
        give_line(d, text, 0, out);
    }
}

static void function_key(struct display *d, unsigned n, uint64_t now, struct display_input *out)
{
    const struct display_pf *pf = &d->pf[n - 1];

    if (d->hidden || d->shown_attr == ATTR_HIDDEN)
        return;     /* stored text must not become a password */
    if (pf->kind == DISPLAY_PF_IMMED && pf->len > 0)
        take_line(d, pf->text, pf->len, now, out);
    else if (pf->kind == DISPLAY_PF_DELAYED)
        display_fill(d, pf->text, pf->len);
    else if (pf->kind == DISPLAY_PF_RETRIEVE)
        display_recall_older(d);
}

/* CLEAR has erased the device; PA2 only asks for it. */
static void clear_key(struct display *d, bool erased)
{
    if (d->raced) {
        if (erased)     /* lines may have come after the key: format around them */
            d->mend = true;
        return;
    }
    display_page_seen(d);
    if (erased && d->screen == SCREEN_LINE) {
        d->paint = true;
        d->clear = false;
    }
}

static void line_key(struct display *d, uint8_t aid, const uint8_t *rm, size_t len, uint64_t now,
                     struct display_input *out)
{
    if (d->logoff && d->page != PAGE_OPEN && d->count == 0 && !d->raced) {
        display_page_seen(d);
        return;
    }
    if (aid == AID_CLEAR || aid == AID_PA2)
        clear_key(d, aid == AID_CLEAR);
    else if (aid == AID_PA1 && !d->logoff)
        out->kind = DISPLAY_IN_ATTENTION;
    else if (aid == AID_ENTER && !d->logoff)
        enter(d, rm, len, now, out);
    else if (pf_number(aid) && !d->logoff)
        function_key(d, pf_number(aid), now, out);
}

static void leave_logo(struct display *d, const uint8_t *rm, size_t len, uint64_t now,
                       struct display_input *out)
{
    uint8_t text[DISPLAY_INPUT_MAX];
    size_t n = rm[0] == AID_ENTER ? field_text(d, rm, len, text) : 0;

    d->screen = SCREEN_LINE;
    display_mode(d, DISPLAY_CP_READ, false);
    display_large(d);
    display_new_page(d);
    d->paint = true;
    if (d->asks)
        d->asking = ASK_NOW;
    out->kind = DISPLAY_IN_BEGIN;
    if (n > 0)
        take_line(d, text, n, now, out);
}

/*
 * What the user did, from the data of a Read Modified (rm, len as read; any bytes are safe).
 * Except for a full-screen guest's input each call has the keyboard unlocked by the next write.
 * out->kind says what is left for the caller; see enum display_input_kind.
 * On the logo a typed line is DISPLAY_IN_LINE at once: it also means DISPLAY_IN_BEGIN.
 */
void display_input(struct display *d, const uint8_t *rm, size_t len, uint64_t now,
                   struct display_input *out)
{
    *out = (struct display_input){ .kind = DISPLAY_IN_NONE };
    if (d->screen == SCREEN_OFF) {
        display_connected(d);
        return;
    }
    if (len == 0 || rm[0] == AID_NONE) {
        d->raced = false;
        d->restore |= len == 0;
        return;
    }
    if (rm[0] == AID_STRUCTURED) {
        display_told(d, rm, len);
        d->restore = true;
        return;
    }
    if (rm[0] == AID_GONE) {
        out->kind = DISPLAY_IN_GONE;
        return;
    }
    if (d->screen == SCREEN_FULL && rm[0] != AID_PA1) {
        out->kind = DISPLAY_IN_FULLSCREEN;
        out->text = rm;
        out->len = len;
        d->fs_locked = true;
        return;
    }
    d->restore = d->locked = true;
    if (d->screen == SCREEN_FULL)
        out->kind = DISPLAY_IN_ATTENTION;
    else if (d->screen == SCREEN_LOGO)
        leave_logo(d, rm, len, now, out);
    else
        line_key(d, rm[0], rm, len, now, out);
    if (d->settles && out->kind == DISPLAY_IN_LINE)
        display_settle(d, now);
    d->raced = false;
}
