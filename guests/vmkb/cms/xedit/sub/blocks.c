/* SPDX-License-Identifier: MIT */
/* Subcommands that remove, repeat, copy and move lines. */
#include "subcommands.h"

static int end_of_file(void)
{
    return x->file->line == end_of() ? 1 : 0;
}

int x_delete(const char *operands)
{
    struct xfile *f = x->file;
    uint32_t first, last;
    bool up = *skip_blanks(operands) == '-';
    int rc = target_range(&operands, &first, &last);

    if (rc != 0)
        return rc;
    uint32_t n = lines_delete(first, last);
    f->line = scope_from(up && first > top_of() + 1 ? first - 1 : first, up ? -1 : 1);
    if (n != 1)
        say_x(0, "DMSXDL501I %u line(s) deleted", n);
    return end_of_file();
}

int x_recover(const char *operands)
{
    struct xfile *f = x->file;
    uint32_t n = 1, done = 0;
    char word[12];

    next_word(&operands, word, sizeof(word));
    if (strcmp(word, "*") == 0)
        n = X_RECOVER;
    else if (*word && !cms_number(word, &n))
        return bad_operand(word);
    for (; done < n && f->recover; done++) {
        struct xline *l = f->deleted[--f->recover];
        uint32_t after = f->line > top_of() ? f->line - 1 : top_of();
        int rc = line_insert(after, l->text, l->len);
        pool_give(l);
        if (rc != 0 && rc != 3)
            return rc;
        f->line = after + 1;
    }
    return say_x(done ? 0 : 4, "DMSXRV502I %u line(s) recovered", done);
}

/* Lines first to last once more behind `after`; they may stand behind it themselves. */
int lines_copy(uint32_t first, uint32_t last, uint32_t after)
{
    for (uint32_t k = first, n = 0; k <= last; k++) {
        uint32_t from = k > after ? k + n : k;
        if (!in_scope(from))
            continue;
        const struct xline *l = line_at(from);
        memcpy(x->work, l->text, l->len);
        int rc = line_insert(after + n, x->work, l->len);
        if (rc != 0)
            return rc;
        n++;
    }
    return 0;
}

/* Where line k is once lines first to last stand behind `after`. */
static uint32_t moved(uint32_t k, uint32_t first, uint32_t last, uint32_t after)
{
    uint32_t n = last - first + 1, to = first < after ? after - n + 1 : after + 1;

    return k >= first && k <= last  ? to + (k - first)
           : k > last && k <= after ? k - n
           : k > after && k < first ? k + n
                                    : k;
}

/* Names, pending prefix subcommands and the current lines of other views go with their lines. */
static void move_marks(uint32_t first, uint32_t last, uint32_t after)
{
    struct xfile *f = x->file;

    for (unsigned i = 0; i < f->marks; i++)
        f->mark[i].line = moved(f->mark[i].line, first, last, after);
    for (unsigned i = 0; i < x->view_count; i++) {
        uint32_t *line = view_line(i);
        if (line)
            *line = moved(*line, first, last, after);
    }
}

/* Lines first to last behind `after`, which is none of them. */
void lines_move(uint32_t first, uint32_t last, uint32_t after)
{
    struct xtext *t = &x->file->text;
    uint32_t to = after;
    bool down = first < after;

    move_marks(first, last, after);

    for (uint32_t n = last - first + 1; n; n--) {
        struct xline *l = text_remove(t, first);
        if (!text_insert(t, down ? to - 1 : to, l)) {
            pool_give(l); /* a leaf is free: one line was just taken out */
            break;
        }
        if (!down) {
            to++;
            first++;
        }
        altered();
    }
}

/* COPY and MOVE have a range and a line behind which it goes. */
static int two_targets(const char *operands, uint32_t *first, uint32_t *last, uint32_t *after)
{
    struct xtarget t;
    int rc;

    if (!*skip_blanks(operands))
        return say_x(5, "DMSXMC545E Missing operand(s)");
    rc = target_range(&operands, first, last);
    if (rc != 0)
        return rc;
    operands = skip_blanks(operands);
    if (!*operands)
        return say_x(5, "DMSXMC545E Missing operand(s)");
    rc = target_parse(&operands, &t, x->file->line);
    if (rc != 0)
        return rc == 5 ? bad_operand(operands) : rc;
    *after = t.line < end_of() ? t.line : end_of() - 1;
    if (*after >= *first && *after < *last)
        return say_x(1, "DMSXMC505E Not executed -- the target line (%u) is within the lines to "
                        "move", *after);
    return 0;
}

int x_copy(const char *operands)
{
    uint32_t first, last, after, before = size_of();
    int rc = two_targets(operands, &first, &last, &after);

    if (rc == 0)
        rc = lines_copy(first, last, after);
    if (rc != 0)
        return rc;
    x->file->line = after + size_of() - before;
    return say_x(0, "DMSXMC506I %u line(s) copied", size_of() - before);
}

int x_move(const char *operands)
{
    uint32_t first, last, after;
    int rc = two_targets(operands, &first, &last, &after);

    if (rc != 0)
        return rc;
    if (after != last && after + 1 != first)
        lines_move(first, last, after);
    x->file->line = after < first ? after + last - first + 1 : after;
    return say_x(0, "DMSXMC506I %u line(s) moved", last - first + 1);
}

int x_duplicat(const char *operands)
{
    struct xfile *f = x->file;
    uint32_t n = 1, first, last, before = size_of();
    const char *p = operands;
    char word[12];
    int rc;

    next_word(&p, word, sizeof(word));
    if (*word && !cms_number(word, &n))
        return bad_operand(word);
    rc = target_range(&p, &first, &last);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = lines_copy(first, last, last);
    if (rc == 0)
        f->line = last + size_of() - before;
    return rc;
}
