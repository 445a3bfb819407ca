/* SPDX-License-Identifier: MIT */
/* Operands of stages: words, numbers, delimited strings, ranges of a record. */
#include "pipe.h"

static void skip(struct pipe_stage *s)
{
    while (s->at < s->end && *s->at == ' ')
        s->at++;
}

bool pipe_more(struct pipe_stage *s)
{
    skip(s);
    return s->at < s->end;
}

bool pipe_word(struct pipe_stage *s, char *word, size_t size)
{
    size_t n = 0;

    skip(s);
    for (; s->at < s->end && *s->at != ' '; s->at++)
        if (n < size - 1)
            word[n++] = (char)to_upper(*s->at);
    word[n] = 0;
    return n != 0;
}

bool pipe_is(struct pipe_stage *s, const char *name, unsigned min)
{
    char word[16];

    skip(s);
    const char *was = s->at;
    if (pipe_word(s, word, sizeof(word)) && cms_is(word, name, min))
        return true;
    s->at = was;
    return false;
}

int pipe_nothing(struct pipe_stage *s)
{
    if (!pipe_more(s))
        return 0;
    return pipe_error(s, 112, "FPLSCA112E Excessive options \"%.*s\"",
                      (int)blank_trim(s->at, (size_t)(s->end - s->at)), s->at);
}

bool pipe_anycase(struct pipe_stage *s)
{
    bool any = false;

    while (pipe_is(s, "ANYCASE", 4) || pipe_is(s, "CASEANY", 5) || pipe_is(s, "CASEIGNORE", 5))
        any = true;
    return any;
}

static bool number(const char **p, const char *end, int32_t *n)
{
    const char *at = *p;
    bool minus = at < end && *at == '-';
    int64_t value = 0;

    at += minus;
    if (!minus && at < end && *at == '*') {
        *n = INT32_MAX;
        *p = at + 1;
        return true;
    }
    const char *from = at;
    for (; at < end && is_digit(*at) && value < INT32_MAX; at++)
        value = value * 10 + (*at - '0');
    if (at == from || value >= INT32_MAX)
        return false;
    *n = (int32_t)(minus ? -value : value);
    *p = at;
    return true;
}

bool pipe_number(struct pipe_stage *s, int32_t *n)
{
    skip(s);
    const char *at = s->at;
    if (!number(&at, s->end, n) || (at < s->end && *at != ' '))
        return false;
    s->at = at;
    return true;
}

static int hexadecimal(struct pipe_stage *s, struct pipe_string *to)
{
    const char *from = ++s->at;
    int high = 0;

    for (to->len = 0; s->at < s->end && hex_value(*s->at) >= 0; s->at++) {
        if ((s->at - from) % 2 == 0)
            high = hex_value(*s->at);
        else if (to->len < PIPE_STRING)
            to->text[to->len++] = (char)(high << 4 | hex_value(*s->at));
    }
    return s->at > from && (s->at - from) % 2 == 0
               ? 0
               : pipe_error(s, 65, "FPLSCA065E Hexadecimal data not valid");
}

int pipe_string(struct pipe_stage *s, struct pipe_string *to)
{
    skip(s);
    if (s->at == s->end)
        return pipe_error(s, 113, "FPLSCA113E Required operand missing");
    if ((*s->at == 'x' || *s->at == 'X') && s->at + 1 < s->end && hex_value(s->at[1]) >= 0)
        return hexadecimal(s, to);
    char mark = *s->at++;
    const char *from = s->at;
    while (s->at < s->end && *s->at != mark)
        s->at++;
    if (s->at == s->end || is_alnum(mark))
        return pipe_error(s, 60, "FPLSCA060E Delimiter missing after string \"%.*s\"",
                          (int)(s->at - from), from);
    to->len = (uint32_t)(s->at++ - from);
    if (to->len > PIPE_STRING)
        return pipe_error(s, 111, "FPLSCA111E Operand of more than %d characters", PIPE_STRING);
    memcpy(to->text, from, to->len);
    return 0;
}

int pipe_character(struct pipe_stage *s, char *c)
{
    char word[8];

    skip(s);
    const char *was = s->at;
    if (!pipe_word(s, word, sizeof(word)))
        return pipe_error(s, 113, "FPLSCA113E Required operand missing");
    if (!word[1])
        *c = *was;
    else if (cms_is(word, "BLANK", 3) || strcmp(word, "SPACE") == 0)
        *c = ' ';
    else if (!word[2] && hex_value(word[0]) >= 0 && hex_value(word[1]) >= 0)
        *c = (char)(hex_value(word[0]) << 4 | hex_value(word[1]));
    else
        return pipe_error(s, 50, "FPLSCA050E Not a character or hexadecimal representation: %s",
                          word);
    return 0;
}

/* n, n-m, n.count, n;m: at *p up to a blank or ). */
static bool span(const char **p, const char *end, struct pipe_range *r)
{
    const char *at = *p;
    int32_t second;

    if (!number(&at, end, &r->from))
        return false;
    if (r->from == INT32_MAX)
        r->from = 1;
    r->to = **p == '*' ? INT32_MAX : r->from;
    if (at < end && (*at == '-' || *at == '.' || *at == ';')) {
        char how = *at++;
        if (!number(&at, end, &second))
            return false;
        r->to = how == '.' && second != INT32_MAX ? r->from + second - 1 : second;
        if (how != ';' && (r->from < 1 || (second < 1 && how == '.') || r->to < r->from))
            return false;
    }
    if (r->from == 0 || r->to == 0 || (at < end && *at != ' ' && *at != ')'))
        return false;
    *p = at;
    return true;
}

int pipe_range(struct pipe_stage *s, struct pipe_range *r)
{
    const char *was;

    *r = (struct pipe_range){.unit = 'C', .separator = ' '};
    skip(s);
    was = s->at;
    for (;;) {
        if (pipe_is(s, "WORDSEPARATOR", 7) || pipe_is(s, "WS", 2)
            || pipe_is(s, "FIELDSEPARATOR", 8) || pipe_is(s, "FS", 2)) {
            if (pipe_character(s, &r->separator) != 0)
                return 50;
        } else if (pipe_is(s, "WORDS", 1)) {
            r->unit = 'W';
        } else if (pipe_is(s, "FIELDS", 1)) {
            r->unit = 'F';
            if (r->separator == ' ')
                r->separator = '\t';
        } else {
            break;
        }
    }
    skip(s);
    /* W2 and F2 stand together */
    if (r->unit == 'C' && s->at + 1 < s->end && (is_digit(s->at[1]) || s->at[1] == '-')) {
        char unit = (char)to_upper(*s->at);
        if (unit == 'W' || unit == 'F') {
            r->unit = unit;
            r->separator = unit == 'F' && r->separator == ' ' ? '\t' : r->separator;
            s->at++;
        }
    }
    if (span(&s->at, s->end, r))
        return 0;
    if (r->unit != 'C')
        return pipe_error(s, 54, "FPLSCA054E Range \"%.*s\" not valid",
                          (int)blank_trim(s->at, (size_t)(s->end - s->at)), s->at);
    s->at = was;
    return -1;
}

int pipe_ranges(struct pipe_stage *s, struct pipe_ranges *r)
{
    skip(s);
    r->n = 0;
    bool list = s->at < s->end && *s->at == '(';
    if (!list) {
        int rc = pipe_range(s, &r->range[0]);
        r->n = rc == 0;
        return rc < 0 ? 0 : rc;
    }
    s->at++;
    for (;;) {
        skip(s);
        if (s->at < s->end && *s->at == ')') {
            s->at++;
            return 0;
        }
        if (r->n == PIPE_RANGES || pipe_range(s, &r->range[r->n++]) != 0)
            return s->pipe->rc ? s->pipe->rc
                               : pipe_error(s, 54, "FPLSCA054E Range \"%.*s\" not valid",
                                            (int)(s->end - s->at), s->at);
    }
}

/* Where unit k (from 0) begins and ends; how many there are. */
static int32_t units(const struct pipe_range *r, const char *text, uint32_t len, int32_t first,
                     int32_t last, uint32_t *from, uint32_t *to)
{
    int32_t n = 0;
    uint32_t at = 0;
    bool words = r->unit == 'W';

    *from = *to = len;
    while (at <= len) {
        while (words && at < len && text[at] == r->separator)
            at++;
        if (words && at == len)
            break;
        uint32_t start = at;
        while (at < len && text[at] != r->separator)
            at++;
        if (n == first)
            *from = start;
        if (n >= first && n <= last)
            *to = at;
        n++;
        if (!words && at == len)
            break;
        at++;
    }
    return n;
}

uint32_t pipe_cut(const struct pipe_range *r, const char *text, uint32_t len, uint32_t *at)
{
    uint32_t from, to;
    int64_t count = r->unit == 'C' ? (int64_t)len : units(r, text, len, 0, 0, &from, &to);
    int64_t first = r->from < 0 ? count + r->from : r->from - 1,
            last = r->to < 0 ? count + r->to : (int64_t)r->to - 1;

    *at = 0;
    if (first < 0)
        first = 0;
    if (last >= count)
        last = count - 1;
    if (first > last)
        return 0;
    if (r->unit == 'C') {
        *at = (uint32_t)first;
        return (uint32_t)(last - first + 1);
    }
    units(r, text, len, (int32_t)first, (int32_t)last, &from, &to);
    *at = from;
    return to - from;
}

bool pipe_find(const char *text, uint32_t len, const struct pipe_string *what, bool anycase,
               uint32_t *at)
{
    for (*at = 0; *at + what->len <= len; ++*at) {
        uint32_t k = 0;
        while (k < what->len
               && (text[*at + k] == what->text[k]
                   || (anycase && to_upper(text[*at + k]) == to_upper(what->text[k]))))
            k++;
        if (k == what->len)
            return true;
    }
    return false;
}
