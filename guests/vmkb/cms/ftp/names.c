/* SPDX-License-Identifier: MIT */
#include "names.h"
#include "ctype.h"

bool words_cut(struct words *w, const char *line)
{
    static char none[1];
    char *to = w->text;
    bool options = false;

    *w = (struct words){.n = 0};
    while (*line == ' ')
        line++;
    w->rest = line;
    while (*w->rest && *w->rest != ' ')
        w->rest++;
    while (*w->rest == ' ')
        w->rest++;
    while (*line) {
        if (*line == ' ') {
            line++;
            continue;
        }
        if (*line == '(' && w->n) {
            options = true;
            line++;
            continue;
        }
        if (*line == ')' && options)
            break;
        char *word = to;
        while (*line && *line != ' ' && !(options && *line == ')'))
            *to++ = *line++;
        *to++ = 0;
        if (!options) {
            if (w->n == WORDS)
                return false;
            w->w[w->n++] = word;
            continue;
        }
        words_upper(word);
        if (strncmp("REPLACE", word, strlen(word)) == 0 && strlen(word) >= 3)
            w->replace = true;
        else
            w->bad_option = word;
    }
    for (int i = w->n; i <= WORDS; i++)
        w->w[i] = none;
    return true;
}

void words_upper(char *word)
{
    for (; *word; word++)
        *word = (char)to_upper(*word);
}

/* One of fn and ft: up to the end or the next period. Returns why not, or 0 and *next behind it. */
static const char *part(const char *p, bool pattern, char to[9], const char **next)
{
    unsigned n = 0;

    for (; *p && *p != '.'; p++) {
        if (n == 8)
            return "a filename or filetype has 8 characters at most";
        if (!is_alnum(*p) && !strchr("$#@+-:_", *p) && !(pattern && (*p == '*' || *p == '%')))
            return "a filename or filetype has letters, digits and $ # @ + - : _ only";
        to[n++] = (char)to_upper(*p);
    }
    to[n] = 0;
    *next = p;
    return n ? 0 : "a filename and a filetype are needed";
}

static bool mode(const char *p, char fm[3])
{
    char c = (char)to_upper(p[0]);

    if (!is_alpha(c) || (p[1] && (p[1] < '0' || p[1] > '6' || p[2])))
        return false;
    fm[0] = c;
    fm[1] = p[1];
    fm[2] = 0;
    return true;
}

const char *name_local(const struct words *w, int first, bool pattern, struct local_name *name,
                       int *used)
{
    const char *p = w->w[first], *ft, *why;

    name->fm[0] = 0;
    *used = 1;
    why = part(p, pattern, name->fn, &p);
    if (why)
        return why;
    if (*p == '.') {
        why = part(p + 1, pattern, name->ft, &p);
        if (!why && *p == '.' && !mode(p + 1, name->fm))
            why = "the filemode is a letter and perhaps a digit 0 to 6";
        return why;
    }
    ft = w->w[first + 1];    /* fn ft [fm] */
    if (first + 1 >= w->n)
        return "a filetype is needed: fn.ft";
    *used = 2;
    why = part(ft, pattern, name->ft, &p);
    if (!why && *p)
        why = "fn.ft.fm or fn ft fm is expected";
    if (!why && first + 2 < w->n && mode(w->w[first + 2], name->fm))
        *used = 3;
    return why;
}

const char *name_from_foreign(const char *foreign, struct local_name *name)
{
    const char *p = foreign, *why;

    for (const char *q = foreign; *q; q++)
        if (*q == '/' || *q == '\\' || *q == ']')
            p = q + 1;
    name->fm[0] = 0;
    why = part(p, false, name->fn, &p);
    if (why)
        return why;
    if (!*p)
        return "it has no filetype (fn.ft)";
    why = part(p + 1, false, name->ft, &p);
    if (why)
        return why;
    return *p ? "it has more than fn.ft" : 0;
}

bool name_is_pattern(const char *name)
{
    return strchr(name, '*') || strchr(name, '?');
}

/* On a mismatch the last * takes one character more. */
bool name_matches(const char *name, const char *pattern)
{
    const char *star = 0, *from = 0;

    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

void transfer_message(char *text, size_t size, uint64_t bytes, uint64_t us)
{
    uint64_t hundredths = (us + 5000) / 10000;

    if (us == 0)
        us = 1;
    fmt(text, size, "%lu bytes transferred in %lu.%02lu seconds. Transfer rate %lu Kbytes/sec.",
        (unsigned long)bytes, (unsigned long)(hundredths / 100), (unsigned long)(hundredths % 100),
        (unsigned long)(bytes * 1000000 / us / 1024));
}
