/* SPDX-License-Identifier: MIT */
/* What SET sets. Names and their shortest forms are IBM's. */
#include "subcommands.h"

static int on_off(const char *word, bool *to)
{
    if (cms_is(word, "ON", 2))
        *to = true;
    else if (cms_is(word, "OFF", 3))
        *to = false;
    else
        return bad_operand(word);
    return 0;
}

static int columns(const char *p, uint32_t *a, uint32_t *b, uint32_t most)
{
    uint32_t from, to = most;
    char word[12];

    next_word(&p, word, sizeof(word));
    if (!cms_number(word, &from) || from < 1 || from > most)
        return bad_operand(word);
    next_word(&p, word, sizeof(word));
    if (*word && strcmp(word, "*") != 0 && (!cms_number(word, &to) || to < from))
        return bad_operand(word);
    *a = from;
    *b = to > most ? most : to;
    return 0;
}

/* A row: n from the top, -n from the end, M, M+n or M-n from the middle. */
static int row_operand(const char *word, int *row)
{
    int32_t n = 0;

    if (*word == 'M') {
        if (word[1] && !whole_number(word + 1, &n))
            return bad_operand(word);
        *row = X_MIDDLE + n;
        return 0;
    }
    if (!whole_number(word, &n) || !n || n > X_ROWS || n < -X_ROWS)
        return bad_operand(word);
    *row = n;
    return 0;
}

static int row_setting(const char *p, bool *on, int *row)
{
    char word[12];
    bool yes = false;

    next_word(&p, word, sizeof(word));
    int rc = on_off(word, &yes);
    next_word(&p, word, sizeof(word));
    if (rc == 0 && *word)
        rc = row_operand(word, row);
    if (rc == 0)
        *on = yes;
    return rc;
}

int set_scale(const char *p)
{
    return row_setting(p, &x->file->scale, &x->file->scale_row);
}

int set_tabline(const char *p)
{
    return row_setting(p, &x->file->tabline, &x->file->tab_row);
}

int set_curline(const char *p)
{
    bool on = true;
    int rc = row_setting(p, &on, &x->file->curline);

    return rc ? rc : on ? 0 : bad_operand("OFF");
}

int set_msgline(const char *p)
{
    struct xfile *f = x->file;
    int rc = row_setting(p, &f->msgline_on, &f->msg_row);
    char word[12];
    int32_t n;

    next_word(&p, word, sizeof(word));
    next_word(&p, word, sizeof(word));
    next_word(&p, word, sizeof(word));
    if (rc == 0 && whole_number(word, &n) && n > 0)
        f->msg_rows = n;
    return rc;
}

int set_case(const char *p)
{
    char word[12];
    bool upper;

    next_word(&p, word, sizeof(word));
    if (cms_is(word, "UPPERCASE", 1))
        upper = true;
    else if (cms_is(word, "MIXED", 1))
        upper = false;
    else
        return bad_operand(word);
    next_word(&p, word, sizeof(word));
    if (*word && !cms_is(word, "RESPECT", 1) && !cms_is(word, "IGNORE", 1))
        return bad_operand(word);
    x->file->upper = upper;
    if (*word)
        x->file->ignore = *word == 'I';
    return 0;
}

int set_zone(const char *p)
{
    return columns(p, &x->file->zone1, &x->file->zone2, x->file->trunc);
}

int set_verify(const char *p)
{
    struct xfile *f = x->file;
    const char *rest = p;
    char word[12];

    next_word(&rest, word, sizeof(word));
    if (cms_is(word, "ON", 2) || cms_is(word, "OFF", 3))
        p = rest;
    if (!*skip_blanks(p))
        return 0;
    return columns(p, &f->verify1, &f->verify2, f->lrecl > 65535 ? f->lrecl : 65535);
}

static int number(const char *p, uint32_t least, uint32_t most, uint32_t *n)
{
    char word[12];
    uint32_t v;

    next_word(&p, word, sizeof(word));
    if (strcmp(word, "*") == 0)
        v = most;
    else if (!cms_number(word, &v))
        return bad_operand(word);
    if (v < least || v > most)
        return bad_operand(word);
    *n = v;
    return 0;
}

int set_trunc(const char *p)
{
    struct xfile *f = x->file;
    int rc = number(p, 1, f->lrecl, &f->trunc);

    if (f->zone2 > f->trunc)
        f->zone2 = f->trunc;
    if (f->zone1 > f->zone2)
        f->zone1 = 1;
    return rc;
}

int set_lrecl(const char *p)
{
    struct xfile *f = x->file;
    int rc = number(p, 1, FS_LRECL_MAX, &f->lrecl);

    if (rc != 0)
        return rc;
    f->trunc = f->zone2 = f->verify2 = f->lrecl;
    f->zone1 = f->verify1 = f->column = 1;
    f->shift = 0;
    altered();
    return 0;
}

int set_recfm(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    if (*word != 'F' && *word != 'V')
        return say_x(5, "DMSXSE515E RECFM must be F or V");
    x->file->recfm = *word == 'F' ? FS_FIXED : FS_VARIABLE;
    altered();
    return 0;
}

int set_autosave(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    if (cms_is(word, "OFF", 3)) {
        x->file->autosave = 0;
        return 0;
    }
    return cms_number(word, &x->file->autosave) ? 0 : bad_operand(word);
}

int set_prefix(const char *p)
{
    struct xfile *f = x->file;
    char word[12], side[12];

    next_word(&p, word, sizeof(word));
    next_word(&p, side, sizeof(side));
    if (*side && !cms_is(side, "LEFT", 1) && !cms_is(side, "RIGHT", 1))
        return bad_operand(side);
    bool nulls = cms_is(word, "NULLS", 1), on = nulls || cms_is(word, "ON", 2);
    if (!on && !cms_is(word, "OFF", 3))
        return bad_operand(word);
    f->prefix_on = on;
    f->prefix_nulls = nulls;
    if (*side)
        f->prefix_right = *side == 'R';
    return 0;
}

int set_cmdline(const char *p)
{
    static const char *const names[] = {"ON", "OFF", "TOP", "BOTTOM"};
    char word[12];

    next_word(&p, word, sizeof(word));
    for (uint8_t i = 0; i < 4; i++)
        if (cms_is(word, names[i], i == 0 ? 2 : i == 1 ? 2 : 1)) {
            x->file->cmdline = i;
            return 0;
        }
    return bad_operand(word);
}

int set_msgmode(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    return on_off(word, &x->file->msgmode);
}

int set_linend(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    int rc = on_off(word, &x->file->linend_on);
    if (rc == 0 && *p)
        x->file->linend = *p;
    return rc;
}

int set_arbchar(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    int rc = on_off(word, &x->file->arb_on);
    if (rc == 0 && *p) {
        x->file->arb1 = *p;
        p = skip_blanks(p + 1);
        x->file->arb2 = *p ? *p : x->file->arb1;
    }
    return rc;
}

int set_tabs(const char *p)
{
    struct xfile *f = x->file;
    uint32_t tabs[32], n = 0;
    char word[12];

    while (*skip_blanks(p) && n < 32) {
        next_word(&p, word, sizeof(word));
        if (!cms_number(word, &tabs[n]) || (n && tabs[n] <= tabs[n - 1]))
            return bad_operand(word);
        n++;
    }
    if (!n)
        return say_x(5, "DMSXSE545E Missing operand(s)");
    memcpy(f->tabs, tabs, n * sizeof(*tabs));
    f->tab_count = n;
    return 0;
}

int set_display(const char *p)
{
    struct xfile *f = x->file;
    uint32_t a, b;
    char word[12];

    next_word(&p, word, sizeof(word));
    if (!cms_number(word, &a))
        return bad_operand(word);
    next_word(&p, word, sizeof(word));
    b = a;
    if (*word && strcmp(word, "*") == 0)
        b = ~0u;
    else if (*word && !cms_number(word, &b))
        return bad_operand(word);
    f->display1 = a;
    f->display2 = b;
    f->selects = true;
    return 0;
}

/* RANGE target target: the file begins and ends with these lines for all but FILE and SAVE. */
int set_range(const char *p)
{
    struct xfile *f = x->file;
    uint32_t above = f->above, below = f->below, size = size_of();
    struct xtarget first, last;

    f->above = f->below = 0; /* its targets may lie outside of it */
    int rc = target_parse(&p, &first, f->line);
    if (rc == 0)
        rc = target_parse(&p, &last, f->line);
    if (rc == 5)
        rc = *skip_blanks(p) ? bad_operand(skip_blanks(p))
                             : say_x(5, "DMSXSE545E Missing operand(s)");
    if (rc == 0) {
        first.line += first.line == 0;
        last.line -= last.line > size;
        if (*skip_blanks(p) || first.line > last.line)
            rc = bad_operand("the range has no lines");
    }
    if (rc != 0) {
        f->above = above;
        f->below = below;
        return rc;
    }
    f->above = first.line - 1;
    f->below = size - last.line;
    if (f->line < top_of())
        f->line = top_of();
    if (f->line > end_of())
        f->line = end_of();
    return 0;
}

int set_scope(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    if (!cms_is(word, "ALL", 1) && !cms_is(word, "DISPLAY", 1))
        return bad_operand(word);
    x->file->scope_all = *word == 'A';
    return 0;
}

/* SELECT n target: n, +n or -n is the line's selection level. */
int set_select(const char *p)
{
    char word[12];
    int32_t n;
    uint32_t first, last;

    next_word(&p, word, sizeof(word));
    bool relative = *word == '+' || *word == '-';
    if (!whole_number(word, &n))
        return bad_operand(word);
    int rc = target_range(&p, &first, &last);
    if (rc != 0)
        return rc;
    for (uint32_t k = first; k <= last; k++) {
        struct xline *l = line_at(k);
        int32_t to = relative ? l->select + n : n;
        l->select = (uint16_t)(to < 0 ? 0 : to);
    }
    x->file->selects = true;
    return 0;
}

/* POINT .name names the current line. */
int set_point(const char *p)
{
    char word[9], off[12];

    next_word(&p, word, sizeof(word));
    next_word(&p, off, sizeof(off));
    if (*word != '.' || !word[1])
        return say_x(5, "DMSXSE541E Invalid name");
    struct xmark *m = mark_find(word);
    if (m)
        mark_drop(m);
    if (cms_is(off, "OFF", 3))
        return m ? 0 : say_x(2, "DMSXSE546E Target not found");
    return mark_add(x->file->line, word, 0) ? 0 : say_x(4, "DMSXSE557S No more storage for names");
}

int key_set(const char *name, const char *p)
{
    int k = key_index(name);
    const char *rest = p;
    char word[12];

    if (k < 0)
        return say_x(5, "DMSXSE657E Undefined PFkey/PAkey");
    pool_give(x->key[k]);
    x->key[k] = 0;
    next_word(&rest, word, sizeof(word));
    if (cms_is(word, "BEFORE", 6) || cms_is(word, "AFTER", 5) || cms_is(word, "ONLY", 4)
        || cms_is(word, "IGNORE", 6))
        p = rest;
    p = skip_blanks(p);
    size_t n = strlen(p);
    if (!n || n > X_COMMAND)
        return 0;
    x->key[k] = pool_take(n + 1);
    if (x->key[k])
        memcpy(x->key[k], p, n + 1);
    return 0;
}

/* What a word says of a reserved line; false: it belongs to the text. */
static bool look(struct xreserved *r, const char *word)
{
    static const char *const colors[] = {"BLUE", "RED", "PINK", "GREEN", "TURQUOISE", "YELLOW",
                                         "WHITE"};
    static const char *const lights[] = {"BLINK", "REVVIDEO", "", "UNDERLINE"};

    for (unsigned k = 0; k < sizeof(colors) / sizeof(*colors); k++)
        if (*word && cms_is(word, colors[k], 1)) {
            r->color = (uint8_t)(0xf1 + k);
            return true;
        }
    for (unsigned k = 0; k < sizeof(lights) / sizeof(*lights); k++)
        if (*word && cms_is(word, lights[k], 3)) {
            r->highlight = (uint8_t)(0xf1 + k);
            return true;
        }
    r->high |= cms_is(word, "HIGH", 1) && *word;
    return *word && (cms_is(word, "HIGH", 1) || cms_is(word, "NOHIGH", 3)
                     || cms_is(word, "NONE", 4));
}

/* SET RESERVED row [color] [highlight] HIGH|NOHIGH text, or OFF. */
int set_reserved(const char *p)
{
    struct xfile *f = x->file;
    char word[12];
    int row;
    unsigned i = 0;

    next_word(&p, word, sizeof(word));
    int rc = row_operand(word, &row);
    if (rc != 0)
        return rc;
    if (!f->reserve && !(f->reserve = pool_take(X_RESERVED * sizeof(*f->reserve))))
        return say_x(4, "DMSXSE557S No more storage for reserved lines");
    while (i < f->reserved && f->reserve[i].row != row)
        i++;
    const char *rest = p;
    next_word(&rest, word, sizeof(word));
    if (cms_is(word, "OFF", 3)) {
        if (i < f->reserved)
            f->reserve[i] = f->reserve[--f->reserved];
        return 0;
    }
    if (i == X_RESERVED)
        return say_x(4, "DMSXSE557S No more storage for reserved lines");
    struct xreserved *r = &f->reserve[i];
    f->reserved += i == f->reserved;
    *r = (struct xreserved){.row = row};
    while (look(r, word)) {
        bool last = *word == 'N' || cms_is(word, "HIGH", 1);
        p = skip_blanks(p);
        while (*p && *p != ' ')
            p++;
        p += *p == ' ';
        if (last)
            break;
        rest = p;
        next_word(&rest, word, sizeof(word));
    }
    fmt(r->text, sizeof(r->text), "%s", p);
    return 0;
}

int set_alt(const char *p)
{
    char word[12];

    next_word(&p, word, sizeof(word));
    if (!cms_number(word, &x->file->changes))
        return bad_operand(word);
    next_word(&p, word, sizeof(word));
    x->file->saved_changes = x->file->changes;
    return *word && !cms_number(word, &x->file->saved_changes) ? bad_operand(word) : 0;
}

static int set_name(const char *p, char *name)
{
    struct cms_fileid id;
    char word[9];

    next_word(&p, word, sizeof(word));
    if (cms_fileid(&id, word, "X", 0, 'A') != 0 || cms_is_pattern(&id))
        return say_x(20, "DMSXSE062E Invalid character in fileid %s", word);
    memcpy(name, id.fn, sizeof(id.fn));
    x->file->is_new = true; /* what has that name is not written over unasked */
    return 0;
}

int set_fname(const char *p)
{
    return set_name(p, x->file->id.fn);
}

int set_ftype(const char *p)
{
    return set_name(p, x->file->id.ft);
}

int set_fmode(const char *p)
{
    struct cms_fileid id;
    char word[9];

    next_word(&p, word, sizeof(word));
    if (cms_fileid(&id, "X", "X", word, 'A') != 0 || id.letter == '*')
        return say_x(24, "DMSXSE048E Invalid filemode %s", word);
    x->file->id.letter = id.letter;
    if (id.number >= 0)
        x->file->id.number = id.number;
    return 0;
}

static int absent(const char *what, const char *why)
{
    return say_x(5, "DMSXSE007E SET %s is not in VM/KB: %s", what, why);
}

int set_mask(const char *p)
{
    (void)p;
    return absent("MASK", "new lines are empty");
}

/* OFF is how it is. */
int set_serial(const char *p)
{
    char word[5];

    return cms_is(next_word(&p, word, sizeof(word)), "OFF", 3)
               ? 0
               : absent("SERIAL", "lines get no serial numbers");
}

/* ON and OFF are for synonyms that there are none of. */
int set_synonym(const char *p)
{
    char word[5];

    next_word(&p, word, sizeof(word));
    if (strcmp(word, "ON") == 0 || strcmp(word, "OFF") == 0)
        return 0;
    return absent("SYNONYM", "a macro of that name does it");
}

/* What this screen does not have: colours of its parts. Accepted, so that profiles run. */
int set_nothing(const char *p)
{
    (void)p;
    return 0;
}

int x_set(const char *p)
{
    char word[12];
    const char *name = word;

    p = skip_blanks(p);
    const char *rest = p;
    next_word(&rest, word, sizeof(word));
    unsigned n = 0;
    while (is_alpha(word[n]))
        n++;
    if ((strncmp(word, "PF", 2) == 0 || strncmp(word, "PA", 2) == 0) && is_digit(word[2]))
        return key_set(word, rest);
    if (strcmp(word, "ENTER") == 0)
        return key_set(word, rest);
    for (const struct xcommand *c = xsets; c->name; c++)
        if (cms_is(word, c->name, c->min))
            return c->run(rest);
    bool *flag = set_flag(&name);
    if (!flag)
        return cms_option_absent("XSE", word)
                   ? say_x(5, "DMSXSE007E SET %s is not in VM/KB", word)
                   : bad_operand(word);
    next_word(&rest, word, sizeof(word));
    return on_off(word, flag);
}
