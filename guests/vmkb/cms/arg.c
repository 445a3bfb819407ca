/* SPDX-License-Identifier: MIT */
/* A command line's operands and options. Pure. */
#include "cms.h"

/* Operands are set apart by blanks; '(' begins the options and needs no blanks around it, ')' ends
 * them and the rest is a comment. */
int cms_arg_parse(struct cms_arg *arg, const char *name, const char *line, unsigned len)
{
    char *to = arg->text, *end = arg->text + sizeof(arg->text);
    bool in_options = false;
    const char *p = line, *stop = line + len;

    arg->name = name;
    arg->line = line;
    while (p < stop && *p != ' ' && *p != '(')
        p++;
    arg->rest = p;
    while (arg->rest < stop && *arg->rest == ' ')
        arg->rest++;
    arg->n = arg->options = 0;
    for (;;) {
        while (p < stop && *p == ' ')
            p++;
        if (p == stop)
            break;
        if (*p == '(' && !in_options) {
            in_options = true;
            p++;
            continue;
        }
        if (*p == ')' && in_options)
            break;
        int *count = in_options ? &arg->options : &arg->n;
        const char **words = in_options ? arg->option : arg->word;
        if (*count == CMS_WORDS)
            return 24;
        words[(*count)++] = to;
        while (p < stop && *p != ' ' && *p != '(' && !(*p == ')' && in_options)) {
            if (to + 2 > end)
                return 24;
            *to++ = (char)to_upper(*p++);
        }
        if (in_options && p < stop && *p == '('
            && to < end - 1) /* a second '(' is part of the word */
            *to++ = *p++;
        *to++ = 0;
    }
    for (int i = arg->n; i < CMS_WORDS + 2; i++)
        arg->word[i] = "";
    for (int i = arg->options; i < CMS_WORDS + 2; i++)
        arg->option[i] = "";
    return 0;
}

bool cms_is(const char *word, const char *name, unsigned min)
{
    unsigned n = 0;

    while (word[n] && word[n] == name[n])
        n++;
    return !word[n] && n >= min;
}

bool cms_number(const char *word, uint32_t *value)
{
    unsigned n = 0;
    uint32_t v = 0;

    for (; word[n]; n++) {
        if (!is_digit(word[n]) || n == 9)
            return false;
        v = v * 10 + (uint32_t)(word[n] - '0');
    }
    *value = v;
    return n > 0;
}

bool cms_hex(const char *word, uint32_t *value)
{
    unsigned n = 0;
    uint32_t v = 0;

    for (; word[n]; n++) {
        int d = hex_value(word[n]);
        if (d < 0 || n == 8)
            return false;
        v = v * 16 + (uint32_t)d;
    }
    *value = v;
    return n > 0;
}
