/* SPDX-License-Identifier: MIT */
/* Subcommands that put text into the file: INPUT, ADD, REPLACE, SPLIT, JOIN, GET, PUT. */
#include "subcommands.h"

static const char *typed_text(const char *text, uint32_t *len)
{
    *len = (uint32_t)strlen(text);
    memcpy(x->work, text, *len);
    if (x->file->upper && !x->depth)
        upper_text(x->work, *len);
    if (x->file->image && memchr(x->work, '\t', *len)) {
        char line[X_COMMAND + 1];
        memcpy(line, x->work, *len);
        *len = expand_tabs(x->work, X_WORK, line, *len);
    }
    return x->work;
}

static uint32_t last_or(uint32_t k)
{
    return k < end_of() ? k : end_of() - 1;
}

int x_input(const char *operands)
{
    struct xfile *f = x->file;
    uint32_t len;

    if (!*operands) {
        if (!x->screen)
            return say_x(4, "DMSXIN529E Subcommand is only valid in display mode");
        f->line = last_or(f->line);
        x->inputting = true;
        return say_x(0, "DMSXMD573I Input mode:");
    }
    const char *text = typed_text(text_operand(operands), &len);
    int rc = line_insert(last_or(f->line), text, len);
    if (rc != 0)
        return rc;
    f->line = last_or(f->line) + 1;
    return blank_trim(text, len) > f->trunc ? 3 : 0; /* as line_insert has said */
}

int x_add(const char *operands)
{
    uint32_t n = 1;
    char word[12];
    int rc = 0;

    next_word(&operands, word, sizeof(word));
    if (*word && !cms_number(word, &n))
        return bad_operand(word);
    uint32_t after = last_or(x->file->line);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = line_insert(after, "", 0);
    if (n)
        cursor_to_file(after + 1, x->file->zone1);
    return rc;
}

static int no_line(void)
{
    return !is_line(x->file->line);
}

int x_replace(const char *operands)
{
    uint32_t len;

    if (no_line())
        return 1;
    if (!*operands) {
        line_delete(x->file->line, true);
        x->file->line--;
        return x_input("");
    }
    const char *text = typed_text(text_operand(operands), &len);
    int cut = len > x->file->trunc ? say_x(3, "DMSXRP503E Truncated") : 0;
    int rc = line_replace(x->file->line, text, cut ? x->file->trunc : len);
    return rc ? rc : cut;
}

/* OVERLAY's blanks leave the line's characters as they are, COVERLAY's begin at the column. */
static int overlay(const char *operands, uint32_t from)
{
    char text[X_COMMAND + 1];
    uint32_t len;

    if (no_line())
        return 1;
    const char *typed = typed_text(text_operand(operands), &len);
    memcpy(text, typed, len);
    const struct xline *l = line_at(x->file->line);
    uint32_t n = from + len > l->len ? from + len : l->len;
    memset(x->work, ' ', n);
    memcpy(x->work, l->text, l->len);
    for (uint32_t i = 0; i < len; i++)
        if (text[i] != ' ')
            x->work[from + i] = text[i] == '_' ? ' ' : text[i];
    return line_replace(x->file->line, x->work, n < x->file->trunc ? n : x->file->trunc);
}

int x_overlay(const char *operands)
{
    return overlay(operands, x->file->zone1 - 1);
}

int x_coverlay(const char *operands)
{
    return overlay(operands, x->file->column - 1);
}

/* CINSERT, CREPLACE and CDELETE work at the column pointer of the current line. */
static int column_edit(uint32_t remove, const char *text, uint32_t len)
{
    const struct xfile *f = x->file;
    char copy[X_COMMAND + 1];
    uint32_t at = f->column - 1;

    if (no_line())
        return 1;
    memcpy(copy, text, len);
    const struct xline *l = line_at(f->line);
    memset(x->work, ' ', (at > l->len ? at : l->len) + len);
    memcpy(x->work, l->text, l->len < at ? l->len : at);
    memcpy(x->work + at, copy, len);
    uint32_t rest = l->len > at + remove ? l->len - at - remove : 0, n = at + len + rest;
    memcpy(x->work + at + len, l->text + at + remove, rest);
    return line_replace(f->line, x->work, n < f->trunc ? n : f->trunc);
}

int x_cinsert(const char *operands)
{
    uint32_t len;
    const char *text = typed_text(text_operand(operands), &len);

    return column_edit(0, text, len);
}

int x_creplace(const char *operands)
{
    uint32_t len;
    const char *text = typed_text(text_operand(operands), &len);

    return column_edit(len, text, len);
}

int x_cdelete(const char *operands)
{
    uint32_t n = 1;
    char word[12];

    next_word(&operands, word, sizeof(word));
    if (strcmp(word, "*") == 0)
        n = X_WORK;
    else if (*word && !cms_number(word, &n))
        return bad_operand(word);
    return column_edit(n, "", 0);
}

int x_cappend(const char *operands)
{
    if (no_line())
        return 1;
    x->file->column = line_at(x->file->line)->len + 1u;
    return x_cinsert(operands);
}

/* The text from the column on becomes a line of its own; aligned: under the first one's first
 * character. */
static void split_at(uint32_t line, uint32_t column, bool aligned)
{
    const struct xline *l = line_at(line);
    uint32_t at = column - 1 < l->len ? column - 1 : l->len, indent = 0;

    while (aligned && indent < l->len && l->text[indent] == ' ')
        indent++;
    if (indent >= l->len)
        indent = 0;
    memset(x->work, ' ', indent);
    memcpy(x->work + indent, l->text + at, l->len - at);
    if (line_insert(line, x->work, indent + l->len - at) != 0)
        return;
    l = line_at(line);
    memcpy(x->work, l->text, at);
    line_replace(line, x->work, at);
}

/* The next line is put at the column of this one. */
static int join_at(uint32_t line, uint32_t column, bool aligned)
{
    if (line + 1 >= end_of())
        return 1;
    if (column > x->file->trunc)
        return say_x(5, "DMSXJN575E Invalid JOIN column: %u", column);
    const struct xline *l = line_at(line);
    uint32_t n = column - 1 > l->len ? column - 1 : l->len, skip = 0;
    memset(x->work, ' ', n);
    memcpy(x->work, l->text, l->len);
    const struct xline *next = line_at(line + 1);
    while (aligned && skip < next->len && next->text[skip] == ' ')
        skip++;
    if (n + next->len - skip > x->file->trunc)
        return say_x(5, "DMSXJN503E Truncated: the line would have %u characters",
                     n + next->len - skip);
    memcpy(x->work + n, next->text + skip, next->len - skip);
    n += next->len - skip;
    int rc = line_replace(line, x->work, n);
    if (rc == 0)
        line_delete(line + 1, true);
    return rc;
}

static int operands_at(const char *operands, bool *aligned, uint32_t *line, uint32_t *column)
{
    char word[12];

    *aligned = false;
    *line = x->file->line;
    *column = 0;
    while (*skip_blanks(operands)) {
        next_word(&operands, word, sizeof(word));
        if (cms_is(word, "ALIGNED", 1))
            *aligned = true;
        else if (cms_is(word, "CURSOR", 1))
            cursor_in_file(line, column);
        else if (cms_is(word, "COLUMN", 1) || strcmp(word, "CP") == 0)
            *column = x->file->column;
        else if (*word == ':' ? !cms_number(word + 1, column) : !cms_number(word, column))
            return bad_operand(word);
    }
    return is_line(*line) ? 0 : 1;
}

int x_split(const char *operands)
{
    bool aligned;
    uint32_t line, column;
    int rc = operands_at(operands, &aligned, &line, &column);

    if (rc == 0)
        split_at(line, column ? column : x->file->column, aligned);
    return rc;
}

int x_join(const char *operands)
{
    bool aligned;
    uint32_t line, column;
    int rc = operands_at(operands, &aligned, &line, &column);

    return rc ? rc : join_at(line, column ? column : 1, aligned);
}

/* At the cursor: behind the line's last character it joins, else it splits. */
int x_spltjoin(const char *operands)
{
    uint32_t line, column;

    (void)operands;
    if (!cursor_in_file(&line, &column) || !is_line(line))
        return say_x(1, "DMSXSJ561E Cursor is not on a valid data field");
    int rc = 0;
    if (column > line_at(line)->len)
        rc = join_at(line, column, true);
    else
        split_at(line, column, true);
    cursor_to_file(line, column);
    return rc;
}

static int fileid(const char **p, struct cms_fileid *id, bool *given)
{
    char fn[9], ft[9], fm[4];

    *given = *skip_blanks(*p) != 0;
    if (!*given) {
        cms_fileid(id, "XEDTEMP", "CMSUT1", "A1", 'A');
        return 0;
    }
    next_word(p, fn, sizeof(fn));
    next_word(p, ft, sizeof(ft));
    if (strcmp(fn, "=") == 0)
        memcpy(fn, x->file->id.fn, sizeof(fn));
    if (!*ft || strcmp(ft, "=") == 0)
        memcpy(ft, x->file->id.ft, sizeof(ft));
    bool mode = **p && (is_alpha(**p) || **p == '*' || **p == '=');
    *fm = 0;
    if (mode)
        next_word(p, fm, sizeof(fm));
    if (*fm == '=')
        fmt(fm, sizeof(fm), "%c", x->file->id.letter);
    int rc = cms_fileid(id, fn, ft, fm, '*');
    return rc ? say_x(20, "DMSXSU062E Invalid character in fileid %s %s", fn, ft) : 0;
}

/* GET fn ft fm [first [count]]; without a name what PUT has put last. */
int x_get(const char *operands)
{
    struct cms_fileid id;
    uint32_t n[2] = {1, ~0u};
    bool given;
    char word[12];
    int rc = fileid(&operands, &id, &given);

    for (int i = 0; i < 2 && rc == 0 && *skip_blanks(operands); i++) {
        next_word(&operands, word, sizeof(word));
        if (strcmp(word, "*") != 0 && (!cms_number(word, &n[i]) || !n[i]))
            return bad_operand(word);
    }
    if (rc != 0)
        return rc;
    rc = file_insert(x->file, &id, n[0], n[1]);
    if (rc == 1)
        say_x(0, "DMSXGT564W EOF reached");
    return rc > 1 ? rc : rc == 1;
}

/* PUT target fn ft fm adds the lines to that file, or makes it anew if nothing is named. */
static int put(const char *operands, bool erase)
{
    struct cms_fileid id;
    uint32_t first, last;
    bool given;
    int rc = target_range(&operands, &first, &last);

    if (rc == 0)
        rc = fileid(&operands, &id, &given);
    if (rc != 0)
        return rc;
    if (id.letter == '*')
        id.letter = 'A';
    rc = file_write(x->file, &id, first, last, given);
    for (uint32_t k = first ? first : 1, n = k; erase && rc == 0 && n <= last; n++)
        line_delete(k, true);
    if (rc == 0 && !x->file->stay)
        x->file->line = erase ? first : last;
    return rc;
}

int x_put(const char *operands)
{
    return put(operands, false);
}

int x_putd(const char *operands)
{
    return put(operands, true);
}
