/* SPDX-License-Identifier: MIT */
/* SPECS: records made anew of parts of the old ones. Items are what (a range, a string, RECNO),
 * perhaps a conversion, where to, and how it stands there. */
#include "pipe.h"

enum { ITEMS = 40, NUMBER = 10 };

struct item {
    char from;               /* 'R' range, 'S' string, 'N' the record's number */
    struct pipe_range range;
    struct pipe_string string;
    int32_t start, by;       /* of the number */
    bool strip;
    char pad;
    char conversion[4];      /* C2X...; "" */
    char place;              /* 'C' at a column, 'N' next, 'W' next word */
    uint32_t column, width;  /* width 0: as long as it is */
    char align;              /* 'L' 'C' 'R'; 0: as it is */
};

struct specs {
    struct item item[ITEMS];
    int n;
    int32_t records;
};

static int parse_source(struct pipe_stage *s, struct item *t)
{
    if (pipe_is(s, "RECNO", 5) || pipe_is(s, "NUMBER", 6)) {
        t->from = 'N';
        t->align = 'R';
        t->start = t->by = 1;
        if (pipe_is(s, "FROM", 4) && !pipe_number(s, &t->start))
            return pipe_error(s, 58, "FPLSCA058E Number expected");
        if (pipe_is(s, "BY", 2) && !pipe_number(s, &t->by))
            return pipe_error(s, 58, "FPLSCA058E Number expected");
        return 0;
    }
    int rc = pipe_range(s, &t->range);
    if (rc == 0)
        t->from = 'R';
    if (rc >= 0)
        return rc;
    t->from = 'S';
    return pipe_string(s, &t->string);
}

static int parse_place(struct pipe_stage *s, struct item *t)
{
    char word[24];
    struct pipe_range r;
    char *dot;
    uint32_t n;

    if (!pipe_more(s))
        return pipe_error(s, 113, "FPLSCA113E Required operand missing: where \"%.*s\" goes",
                          (int)(s->end - s->text), s->text);
    if (pipe_range(s, &r) == 0) {
        if (r.unit != 'C' || r.from < 1)
            return pipe_error(s, 54, "FPLSCA054E Range not valid");
        t->place = 'C';
        t->column = (uint32_t)r.from;
        t->width = s->at[-1] != '*' && (r.to != r.from || memchr(s->at - 2, '.', 2)
                                        || memchr(s->at - 2, '-', 2))
                       ? (uint32_t)(r.to - r.from + 1)
                       : 0;
    } else {
        pipe_word(s, word, sizeof(word));
        if ((dot = strchr(word, '.')) != 0)
            *dot++ = 0;
        if (cms_is(word, "NEXTWORD", 5) || strcmp(word, "NW") == 0)
            t->place = 'W';
        else if (cms_is(word, "NEXT", 1))
            t->place = 'N';
        else
            return pipe_error(s, 111, "FPLSCA111E Operand %s is not valid", word);
        if (dot && !cms_number(dot, &n))
            return pipe_error(s, 58, "FPLSCA058E Number expected");
        t->width = dot ? n : 0;
    }
    if (t->column > PIPE_WIDEST || t->width > PIPE_WIDEST)
        return pipe_error(s, 54, "FPLSCA054E Range not valid: columns are up to %d", PIPE_WIDEST);
    if (pipe_is(s, "LEFT", 1))
        t->align = 'L';
    else if (pipe_is(s, "RIGHT", 1))
        t->align = 'R';
    else if (pipe_is(s, "CENTER", 1) || pipe_is(s, "CENTRE", 6))
        t->align = 'C';
    if (t->from == 'N' && !t->width)
        t->width = NUMBER;
    return 0;
}

static int parse_item(struct pipe_stage *s, struct item *t)
{
    static const char *const conversions[] = {"C2X", "X2C", "C2D", "D2C", "C2B", "B2C"};
    int rc = parse_source(s, t);

    t->strip = rc == 0 && pipe_is(s, "STRIP", 5);
    for (unsigned i = 0; rc == 0 && i < sizeof(conversions) / sizeof(*conversions); i++)
        if (pipe_is(s, conversions[i], 3))
            fmt(t->conversion, sizeof(t->conversion), "%s", conversions[i]);
    if (t->conversion[0] && strcmp(t->conversion, "C2X") != 0 && strcmp(t->conversion, "X2C") != 0)
        return pipe_error(s, 2702, "FPLSCA2702E %s: only C2X and X2C are here", t->conversion);
    return rc ? rc : parse_place(s, t);
}

int specs_parse(struct pipe_stage *s)
{
    static const char *const others[] = {"READ", "READSTOP", "WRITE", "SELECT", "IF",
                                         "SET",  "PRINT",    "TODCLOCK", "EOF", "BREAK"};
    struct specs *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    char pad = ' ';
    int rc = 0;

    if (!d)
        return s->pipe->rc;
    d->n = 0;
    d->records = 0;
    while (rc == 0 && pipe_more(s)) {
        if (pipe_is(s, "PAD", 3)) {
            rc = pipe_character(s, &pad);
            continue;
        }
        for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
            if (pipe_is(s, others[i], strlen(others[i])))
                return pipe_error(s, 2702, "FPLSCA2702E %s: SPECS makes one record of one here",
                                  others[i]);
        if (d->n == ITEMS)
            return pipe_error(s, 2701, "FPLSCA2701E More than %d items", ITEMS);
        struct item *t = &d->item[d->n++];
        *t = (struct item){.pad = pad};
        rc = parse_item(s, t);
    }
    return rc || d->n ? rc : pipe_error(s, 113, "FPLSCA113E Required operand missing");
}

/* The text of an item, in *text or made in `made`. */
static bool value(struct pipe_stage *s, const struct item *t, int32_t number, const char **text,
                  uint32_t *len, char made[2 * PIPE_STRING])
{
    uint32_t at;

    if (t->from == 'R') {
        *len = pipe_cut(&t->range, *text, *len, &at);
        *text += at;
    } else if (t->from == 'S') {
        *text = t->string.text;
        *len = t->string.len;
    } else {
        *len = (uint32_t)fmt(made, PIPE_STRING, "%ld", (long)t->start + (long)t->by * number);
        *text = made;
    }
    if (t->strip) {
        while (*len && **text == ' ') {
            ++*text;
            --*len;
        }
        *len = (uint32_t)blank_trim(*text, *len);
    }
    if (!t->conversion[0])
        return true;
    uint32_t n = 0;
    char *to = made;
    if (t->conversion[0] == 'C') {
        to = pipe_alloc(s->pipe, 2 * (size_t)*len + 1);
        if (!to)
            return false;
        for (uint32_t i = 0; i < *len; i++)
            n += (uint32_t)fmt(to + n, 3, "%02X", (uint8_t)(*text)[i]);
    } else {
        for (uint32_t i = 0; i + 1 < *len && n < PIPE_STRING; i += 2)
            made[n++] = (char)(hex_value((*text)[i]) << 4 | (hex_value((*text)[i + 1]) & 15));
    }
    *text = to;
    *len = n;
    return true;
}

static bool put_item(struct pipe_stage *s, const struct item *t, const char *text, uint32_t len,
                     uint32_t *end)
{
    uint32_t at = t->place == 'C' ? t->column - 1 : *end;

    at += t->place == 'W' && *end;
    if (t->width && t->align) { /* without alignment blanks stay where they are */
        while (len && *text == ' ') {
            text++;
            len--;
        }
        len = (uint32_t)blank_trim(text, len);
    }
    uint32_t width = t->width ? t->width : len;
    uint32_t shown = len < width ? len : width;
    if (t->align == 'R' && len > width)
        text += len - width;
    uint32_t before = t->align == 'R'   ? width - shown
                      : t->align == 'C' ? (width - shown) / 2
                                        : 0;
    if (!pipe_line(s, (size_t)at + width + 1))
        return false;
    if (at > *end)
        memset(s->line + *end, t->pad, at - *end);
    memset(s->line + at, t->pad, width);
    memcpy(s->line + at + before, text, shown);
    if (at + width > *end)
        *end = at + width;
    return true;
}

bool specs_put(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct specs *d = s->data;
    char made[2 * PIPE_STRING];
    uint32_t end = 0;
    char *low = s->pipe->low;
    bool well = true;

    for (int i = 0; well && i < d->n; i++) {
        const char *part = text;
        uint32_t n = len;
        well = value(s, &d->item[i], d->records, &part, &n, made)
               && put_item(s, &d->item[i], part, n, &end);
    }
    d->records++;
    if (s->room && s->line < low)
        s->pipe->low = low;      /* what conversions took; the line was there already */
    return well && pipe_give(s, s->line, end);
}
