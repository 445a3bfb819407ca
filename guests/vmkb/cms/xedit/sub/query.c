/* SPDX-License-Identifier: MIT */
/* What QUERY and EXTRACT tell: values of an item, of which each is one variable. */
#include "subcommands.h"

static void add_text(struct xvalues *v, const char *text, uint32_t len)
{
    if (v->count == X_VALUES)
        return;
    if (len > sizeof(v->store) - v->used)
        len = (uint32_t)sizeof(v->store) - v->used;
    memcpy(v->store + v->used, text, len);
    v->value[v->count].p = v->store + v->used;
    v->value[v->count++].n = len;
    v->used += len;
}

static void add(struct xvalues *v, const char *text)
{
    add_text(v, text, (uint32_t)strlen(text));
}

static void add_number(struct xvalues *v, int64_t n)
{
    char text[24];

    add_text(v, text, (uint32_t)fmt(text, sizeof(text), "%ld", n));
}

static void add_char(struct xvalues *v, char c)
{
    add_text(v, &c, 1);
}

static void add_on(struct xvalues *v, bool on)
{
    add(v, on ? "ON" : "OFF");
}

static void add_row(struct xvalues *v, int row)
{
    char text[12];

    if (row < X_MIDDLE / 2)
        add_number(v, row);
    else if (row == X_MIDDLE)
        add(v, "M");
    else
        add_text(v, text, (uint32_t)fmt(text, sizeof(text), "M%s%d", row > X_MIDDLE ? "+" : "",
                                        row - X_MIDDLE));
}

static void lines(struct xvalues *v, uint32_t k)
{
    if (is_line(k))
        add_text(v, line_at(k)->text, line_at(k)->len);
    else
        add(v, "");
}

static void q_alt(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->changes);
    add_number(v, f->saved_changes);
}

static void q_arbchar(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->arb_on);
    add_char(v, f->arb1);
    add_char(v, f->arb2);
}

static void q_autosave(struct xvalues *v, const struct xfile *f)
{
    if (f->autosave)
        add_number(v, f->autosave);
    else
        add(v, "OFF");
}

static void q_case(struct xvalues *v, const struct xfile *f)
{
    add(v, f->upper ? "UPPER" : "MIXED");
    add(v, f->ignore ? "IGNORE" : "RESPECT");
}

static void q_cmdline(struct xvalues *v, const struct xfile *f)
{
    static const char *const names[] = {"ON", "OFF", "TOP", "BOTTOM"};

    add(v, names[f->cmdline]);
    add_number(v, x->rows - 1);
    add(v, x->command);
}

static void q_column(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->column);
}

static void q_curline(struct xvalues *v, const struct xfile *f)
{
    add_row(v, f->curline);
    add_number(v, row_number(f->curline) + 1);
    lines(v, f->line);
}

static void q_cursor(struct xvalues *v, const struct xfile *f)
{
    uint32_t line, column;
    bool in = cursor_in_file(&line, &column);

    (void)f;
    add_number(v, x->key_row + 1);
    add_number(v, x->key_col + 1);
    add_number(v, in ? (int64_t)line : -1);
    add_number(v, in ? (int64_t)column : -1);
}

static void q_display(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->display1);
    add_number(v, f->display2);
}

static void q_eof(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->line == end_of());
}

static void q_tof(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->line == top_of());
}

static void q_fname(struct xvalues *v, const struct xfile *f)
{
    add(v, f->id.fn);
}

static void q_ftype(struct xvalues *v, const struct xfile *f)
{
    add(v, f->id.ft);
}

static void q_fmode(struct xvalues *v, const struct xfile *f)
{
    char text[3] = {f->id.letter, (char)('0' + f->id.number), 0};

    add(v, text);
}

static void q_length(struct xvalues *v, const struct xfile *f)
{
    add_number(v, is_line(f->line) ? line_at(f->line)->len : 0);
}

static void q_line(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->line);
}

static void q_linend(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->linend_on);
    add_char(v, f->linend);
}

static void q_lrecl(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->lrecl);
}

static void q_lscreen(struct xvalues *v, const struct xfile *f)
{
    (void)f;
    add_number(v, x->rows);
    add_number(v, x->cols);
    add_number(v, x->base / x->cols + 1);
    add_number(v, 1);
    add_number(v, x->views ? screen_rows() : x->rows);
    add_number(v, x->cols);
}

static void q_lastmsg(struct xvalues *v, const struct xfile *f)
{
    (void)f;
    add(v, x->messages ? x->message[x->messages - 1] : "");
}

static void q_msgline(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->msgline_on);
    add_row(v, f->msg_row);
    add_number(v, f->msg_rows);
    add(v, "OVERLAY");
}

static void q_msgmode(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->msgmode);
}

static void q_nbfile(struct xvalues *v, const struct xfile *f)
{
    (void)f;
    add_number(v, x->files);
}

static void q_point(struct xvalues *v, const struct xfile *f)
{
    char text[24];

    for (unsigned i = 0; i < f->marks; i++)
        if (f->mark[i].line == f->line && f->mark[i].name[0] == '.')
            add_text(v, text, (uint32_t)fmt(text, sizeof(text), "%u %s", f->line, f->mark[i].name));
}

static void q_prefix(struct xvalues *v, const struct xfile *f)
{
    add(v, !f->prefix_on ? "OFF" : f->prefix_nulls ? "NULLS" : "ON");
    add(v, f->prefix_right ? "RIGHT" : "LEFT");
}

static void q_range(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->above + 1);
    add_number(v, size_of() - f->below);
}

static void q_recfm(struct xvalues *v, const struct xfile *f)
{
    add_char(v, (char)f->recfm);
}

static void q_reserved(struct xvalues *v, const struct xfile *f)
{
    for (unsigned i = 0; i < f->reserved; i++)
        add_row(v, f->reserve[i].row);
}

static void q_ring(struct xvalues *v, const struct xfile *f)
{
    char text[X_VALUE];

    add_number(v, x->files);
    for (unsigned i = 0; i < x->files; i++, f = f->next)
        add_text(v, text, (uint32_t)fmt(text, sizeof(text),
                 "%-8s %-8s %c%d  %c %u  Trunc=%u Size=%u Line=%u Col=%u Alt=%u", f->id.fn,
                 f->id.ft, f->id.letter, f->id.number, (char)f->recfm, f->lrecl, f->trunc,
                 f->text.size, f->line, f->column, f->changes));
}

static void q_scale(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->scale);
    add_row(v, f->scale_row);
}

static void q_scope(struct xvalues *v, const struct xfile *f)
{
    add(v, f->scope_all ? "ALL" : "DISPLAY");
}

static void q_screen(struct xvalues *v, const struct xfile *f)
{
    char text[X_VALUE];
    size_t n = (size_t)fmt(text, sizeof(text), "SIZE %u", view_rows(0));

    (void)f;
    for (unsigned i = 1; i < x->view_count; i++)
        n += (size_t)fmt(text + n, sizeof(text) - n, " %u", view_rows(i));
    add_text(v, text, (uint32_t)n);
}

static void q_select(struct xvalues *v, const struct xfile *f)
{
    uint32_t most = 0;

    for (uint32_t k = 1; f->selects && k <= size_of(); k++)
        if (line_at(k)->select > most)
            most = line_at(k)->select;
    add_number(v, is_line(f->line) ? line_at(f->line)->select : 0);
    add_number(v, most);
}

static void q_size(struct xvalues *v, const struct xfile *f)
{
    (void)f;
    add_number(v, size_of());
}

static void q_tabline(struct xvalues *v, const struct xfile *f)
{
    add_on(v, f->tabline);
    add_row(v, f->tab_row);
}

static void q_tabs(struct xvalues *v, const struct xfile *f)
{
    char text[160] = "";
    size_t n = 0;

    for (unsigned i = 0; i < f->tab_count && n < sizeof(text) - 12; i++)
        n += (size_t)fmt(text + n, sizeof(text) - n, n ? " %u" : "%u", f->tabs[i]);
    add(v, text);
}

static void q_terminal(struct xvalues *v, const struct xfile *f)
{
    (void)f;
    add(v, x->screen ? "DISPLAY" : "TYPEWRITER");
}

static void q_trunc(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->trunc);
}

static void q_verify(struct xvalues *v, const struct xfile *f)
{
    char text[24];

    add(v, "ON");
    add_text(v, text, (uint32_t)fmt(text, sizeof(text), "%u %u", f->verify1, f->verify2));
}

static void q_vershift(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->shift);
}

static void q_zone(struct xvalues *v, const struct xfile *f)
{
    add_number(v, f->zone1);
    add_number(v, f->zone2);
}

static const struct item {
    const char *name;
    unsigned min;
    void (*tell)(struct xvalues *v, const struct xfile *f);
} items[] = {
    {"ALT", 3, q_alt}, {"ARBCHAR", 3, q_arbchar}, {"AUTOSAVE", 2, q_autosave},
    {"CASE", 4, q_case}, {"CMDLINE", 3, q_cmdline}, {"COLUMN", 3, q_column},
    {"CURLINE", 4, q_curline}, {"CURSOR", 4, q_cursor}, {"DISPLAY", 4, q_display},
    {"EOF", 3, q_eof}, {"FMODE", 2, q_fmode}, {"FNAME", 2, q_fname}, {"FTYPE", 2, q_ftype},
    {"LASTMSG", 4, q_lastmsg}, {"LENGTH", 3, q_length}, {"LINE", 2, q_line},
    {"LINEND", 5, q_linend}, {"LRECL", 2, q_lrecl}, {"LSCREEN", 2, q_lscreen},
    {"MSGLINE", 4, q_msgline}, {"MSGMODE", 4, q_msgmode}, {"NBFILE", 3, q_nbfile},
    {"POINT", 1, q_point}, {"PREFIX", 3, q_prefix}, {"RANGE", 3, q_range}, {"RECFM", 4, q_recfm},
    {"RESERVED", 4, q_reserved}, {"RING", 2, q_ring}, {"SCALE", 4, q_scale},
    {"SCOPE", 5, q_scope}, {"SCREEN", 3, q_screen}, {"SELECT", 3, q_select}, {"SIZE", 2, q_size},
    {"TABLINE", 4, q_tabline}, {"TABS", 4, q_tabs}, {"TERMINAL", 4, q_terminal},
    {"TOF", 3, q_tof}, {"TRUNC", 2, q_trunc}, {"VERIFY", 1, q_verify},
    {"VERSHIFT", 4, q_vershift}, {"WIDTH", 1, q_lrecl}, {"ZONE", 1, q_zone},
};

int query_values(const char *item, const char *operand, struct xvalues *v)
{
    bool *flag = set_flag(&item);
    int key = key_index(item);

    (void)operand;
    v->count = 0;
    v->used = 0;
    fmt(v->name, sizeof(v->name), "%s", item);
    if (key >= 0) {
        add(v, x->key[key] ? x->key[key] : "");
        return v->count;
    }
    if (flag) {
        add_on(v, *flag);
        return v->count;
    }
    for (unsigned i = 0; i < sizeof(items) / sizeof(*items); i++)
        if (cms_is(item, items[i].name, items[i].min)) {
            fmt(v->name, sizeof(v->name), "%s", items[i].name);
            items[i].tell(v, x->file);
            return v->count;
        }
    return -1;
}
