/* SPDX-License-Identifier: MIT */
/* MERGE: lines are overlaid with others, which go. RENUM: line numbers of source files. */
#include "subcommands.h"

/* Line `from` over line `to`, from the column on: its blanks leave what is there, its underscores
 * are blanks. There is no line `to`: it is added. */
static int merge_line(uint32_t from, uint32_t to, uint32_t column)
{
    const struct xline *over = line_at(from), *l = to < end_of() ? line_at(to) : 0;
    uint32_t at = column - 1, room = x->file->trunc - at, was = l ? l->len : 0;
    uint32_t len = over->len < room ? over->len : room, n = at + len > was ? at + len : was;
    int cut = len < over->len ? say_x(3, "DMSXMG503E Truncated") : 0;

    memset(x->work, ' ', n);
    if (l)
        memcpy(x->work, l->text, was);
    for (uint32_t i = 0; i < len; i++)
        if (over->text[i] != ' ')
            x->work[at + i] = over->text[i] == '_' ? ' ' : over->text[i];
    int rc = l ? line_replace(to, x->work, n) : line_insert(end_of() - 1, x->work, n);
    return rc ? rc : cut;
}

/* Lines first to last over those from `to` on, and away. They are apart. */
static int merge(uint32_t first, uint32_t last, uint32_t to, uint32_t column)
{
    uint32_t merged = 0, end = to;
    int rc = 0;

    for (uint32_t k = first; k <= last; k++) {
        if (!in_scope(k))
            continue;
        to = scope_from(to, 1);
        int line = merge_line(k, to, column);
        if (line == 4)
            return line;
        rc |= line;
        end = to++;
        merged++;
    }
    uint32_t n = lines_delete(first, last);
    x->file->line = end < first ? end : end - n;
    say_x(0, "DMSXMG506I %u line(s) merged", merged);
    return rc;
}

/* MERGE target1 target2 [col] */
int x_merge(const char *operands)
{
    struct xtarget t;
    uint32_t first, last, column = 1;
    char word[12];

    if (!*skip_blanks(operands))
        return say_x(5, "DMSXMG545E Missing operand(s)");
    int rc = target_range(&operands, &first, &last);
    if (rc != 0)
        return rc;
    operands = skip_blanks(operands);
    if (!*operands)
        return say_x(5, "DMSXMG545E Missing operand(s)");
    rc = target_parse(&operands, &t, x->file->line);
    if (rc != 0)
        return rc == 5 ? bad_operand(operands) : rc;
    next_word(&operands, word, sizeof(word));
    if (*operands || (*word && !cms_number(word, &column)))
        return bad_operand(*operands ? operands : word);
    if (column < 1 || column > x->file->trunc)
        return say_x(5, "DMSXMG575E Invalid MERGE column: %s", word);
    uint32_t to = t.line > top_of() ? t.line : top_of() + 1;
    if (to >= first && to <= last)
        return say_x(1, "DMSXMG505E Not executed -- the target line (%u) is within the lines to "
                        "move", to);
    if (to < first && first - to < last - first + 1)
        return say_x(1, "DMSXMG505E Not executed -- the lines from %u on overlap the lines to "
                        "move", to);
    return merge(first, last, to, column);
}

/* Columns of the line numbers that the filetype has, from the first one on; 0: it has none. */
static uint32_t number_width(void)
{
    const char *ft = x->file->id.ft;

    return strcmp(ft, "VSBASIC") == 0 ? 5 : strcmp(ft, "FREEFORT") == 0 ? 8 : 0;
}

/* The first line whose columns for the number have something else; 0: none has. */
static uint32_t unnumbered(uint32_t width)
{
    for (uint32_t k = 1; k <= size_of(); k++) {
        const struct xline *l = line_at(k);
        for (uint32_t i = 0; i < width && i < l->len; i++)
            if (!is_digit(l->text[i]) && l->text[i] != ' ')
                return k;
    }
    return 0;
}

static int renumber(uint32_t width, uint32_t start, uint32_t step)
{
    uint32_t number = start;

    for (uint32_t k = 1; k <= size_of(); k++, number += step) {
        const struct xline *l = line_at(k);
        uint32_t len = l->len > width ? l->len : width, digits = number;
        memcpy(x->work, l->text, l->len);
        for (uint32_t i = width; i-- > 0; digits /= 10)
            x->work[i] = (char)('0' + digits % 10);
        int rc = line_replace(k, x->work, len);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* RENUM [startno [incrno]] */
int x_renum(const char *operands)
{
    uint32_t width = number_width(), start = 10, step, most = width == 5 ? 99999 : 99999999;
    char first[12], second[12];

    next_word(&operands, first, sizeof(first));
    next_word(&operands, second, sizeof(second));
    if (*operands)
        return bad_operand(operands);
    if (*first && (!cms_number(first, &start) || !start))
        return bad_operand(first);
    step = start;
    if (*second && (!cms_number(second, &step) || !step))
        return bad_operand(second);
    if (!width)
        return say_x(5, "DMSXRN520E RENUM is for files of filetype VSBASIC or FREEFORT");
    uint32_t steps = size_of() ? size_of() - 1 : 0;
    if (width > x->file->trunc || start > most || (most - start) / step < steps)
        return say_x(5, "DMSXRN520E Line numbers would not fit into columns 1 to %u", width);
    uint32_t k = unnumbered(width);
    if (k)
        return say_x(5, "DMSXRN520E Line %u has text in columns 1 to %u", k, width);
    return renumber(width, start, step);
}
