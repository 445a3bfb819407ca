/* SPDX-License-Identifier: MIT */
/* Stages that bring records into the pipeline or take them out: LITERAL, files, CONSOLE, CMS, CP,
 * STEM and VAR, STACK. Behind the first place they also pass on what they take. */
#include "commands.h"
#include "nucleus.h"
#include "pipe.h"

enum { TYPED = 256, VARIABLE = 250 };

/* ---- LITERAL */
static bool literal(struct pipe_stage *s)
{
    if (!s->data)
        return true;
    s->data = 0;
    return pipe_give(s, s->at, (uint32_t)(s->end - s->at));
}

static int parse_literal(struct pipe_stage *s)
{
    if (s->at < s->end)
        s->at++;
    s->data = s;             /* not yet given */
    return 0;
}

/* Its record comes before all others. */
static bool put_literal(struct pipe_stage *s, const char *text, uint32_t len)
{
    return literal(s) && pipe_give(s, text, len);
}

static void end_literal(struct pipe_stage *s)
{
    literal(s);
}

/* ---- STRLITERAL [APPEND] /text/: before all others, or behind them */
struct strliteral {
    struct pipe_string what;
    bool append, given;
};

static int parse_strliteral(struct pipe_stage *s)
{
    struct strliteral *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    d->given = false;
    d->append = pipe_is(s, "APPEND", 6);
    int rc = pipe_string(s, &d->what);
    return rc ? rc : pipe_nothing(s);
}

static bool strliteral(struct pipe_stage *s)
{
    struct strliteral *d = s->data;

    if (d->given)
        return true;
    d->given = true;
    return pipe_give(s, d->what.text, d->what.len);
}

static bool put_strliteral(struct pipe_stage *s, const char *text, uint32_t len)
{
    const struct strliteral *d = s->data;

    return (d->append || strliteral(s)) && pipe_give(s, text, len);
}

static void end_strliteral(struct pipe_stage *s)
{
    strliteral(s);
}

/* ---- < fn ft [fm], > and >> */
struct disk {
    struct cms_fileid id;
    uint8_t recfm;           /* FS_FIXED, FS_VARIABLE */
    int32_t lrecl;
    struct cms_file *f;
};

static int file_failed(struct pipe_stage *s, int code, const struct disk *d)
{
    if (code == FS_E_NOTFOUND)
        return pipe_error(s, 146, "FPLDFR146E File %s %s %c does not exist", d->id.fn, d->id.ft,
                          d->id.letter);
    int rc = cms_file_error("PIP", code, &d->id);
    s->pipe->stop = true;
    pipe_code(s->pipe, rc);
    return rc;
}

static int parse_file(struct pipe_stage *s)
{
    struct disk *d = s->data = pipe_alloc(s->pipe, sizeof(*d));
    char fn[12], ft[12], fm[12] = "";
    bool reads = s->kind->name[0] == '<';

    if (!d)
        return s->pipe->rc;
    *d = (struct disk){.recfm = FS_VARIABLE};
    if (!pipe_word(s, fn, sizeof(fn)) || !pipe_word(s, ft, sizeof(ft)))
        return pipe_error(s, 113, "FPLSCA113E Required operand missing: fn ft");
    const char *was = s->at;
    if (pipe_word(s, fm, sizeof(fm)) && strlen(fm) > 2 && strcmp(fm, "*") != 0) {
        s->at = was;
        fm[0] = 0;
    }
    if (cms_fileid(&d->id, fn, ft, fm, reads ? '*' : 'A') != 0)
        return pipe_error(s, 111, "FPLSCA111E Operand %s %s %s is not valid", fn, ft, fm);
    if (!reads && pipe_is(s, "FIXED", 1)) {
        d->recfm = FS_FIXED;
        pipe_number(s, &d->lrecl);
    } else if (!reads) {
        pipe_is(s, "VARIABLE", 1);
    }
    return pipe_nothing(s);
}

/* What EXECIO has written and not yet closed becomes the file. */
static int settle(const struct cms_fileid *id)
{
    struct cms_file *f = file_kept(id, true);

    return f ? cms_commit(f) : FS_OK;
}

static void end_read(struct pipe_stage *s)
{
    struct disk *d = s->data;
    const uint8_t *record;
    uint32_t len;
    int code = settle(&d->id);
    struct cms_file *f = code == FS_OK ? cms_open(&d->id, &code) : 0;

    if (!f) {
        file_failed(s, code, d);
        return;
    }
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK)
        if (!pipe_give(s, (const char *)record, len))
            break;
    cms_close(f);
    if (code != FS_OK && code != FS_EOF)
        file_failed(s, code, d);
}

static bool open_write(struct pipe_stage *s, uint32_t len)
{
    struct disk *d = s->data;
    int code;

    if (d->f)
        return true;
    if (!d->lrecl)
        d->lrecl = (int32_t)(len ? len : 1);
    if ((code = settle(&d->id)) == FS_OK && s->kind->name[1] == '>')
        d->f = lines_writer(&d->id, d->recfm, (uint32_t)d->lrecl, &code);
    else if (code == FS_OK)
        d->f = cms_create(&d->id, d->recfm, d->recfm == FS_FIXED ? (uint32_t)d->lrecl : 0, &code);
    if (!d->f)
        file_failed(s, code, d);
    else
        d->f->kept = false;  /* dropped when PIPE ends, unless it is committed */
    return d->f != 0;
}

static bool put_file(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct disk *d = s->data;
    const char *record = text;
    uint32_t n = len;

    if (!open_write(s, len))
        return false;
    if (d->f->fs.entry.recfm == FS_FIXED && len != d->f->fs.entry.lrecl) {
        n = d->f->fs.entry.lrecl;
        if (len > n) {
            pipe_error(s, 32, "FPLDFW1183E Record of %u bytes in a file of records of %u", len, n);
            return false;
        }
        if (!pipe_line(s, n))
            return false;
        memset(s->line, ' ', n);
        memcpy(s->line, text, len);
        record = s->line;
    }
    int code = fs_write_record(&d->f->fs, record, n);
    if (code != FS_OK) {
        file_failed(s, code, d);
        return false;
    }
    return pipe_give(s, text, len) || !s->pipe->stop;
}

/* What was written becomes the file, unless the pipeline has failed. */
static void end_file(struct pipe_stage *s)
{
    struct disk *d = s->data;
    int code;

    if (!open_write(s, 0))
        return;
    code = s->pipe->stop ? cms_close(d->f) : cms_commit(d->f);
    d->f = 0;
    if (code != FS_OK)
        file_failed(s, code, d);
}

/* ---- CONSOLE */
static bool put_console(struct pipe_stage *s, const char *text, uint32_t len)
{
    cms_say_text(text, len);
    return pipe_give(s, text, len) || !s->pipe->stop;
}

static void end_console(struct pipe_stage *s)
{
    char line[TYPED];

    while (s->first) {
        int n = cms_readline(line, sizeof(line));
        if (n == 0 || !pipe_give(s, line, (uint32_t)n))
            break;
    }
}

/* ---- CMS, COMMAND, CP */
struct lines {
    struct lines *next;
    uint32_t len;
    char text[];
};

static struct taking {
    struct pipe_stage *stage;
    struct lines *first, **last;
} *taking;

static void take_line(const char *text, unsigned len)
{
    len = (unsigned)blank_trim(text, len);
    struct lines *l = pipe_alloc(taking->stage->pipe, sizeof(*l) + len);

    if (!l)
        return;
    l->next = 0;
    l->len = len;
    memcpy(l->text, text, len);
    *taking->last = l;
    taking->last = &l->next;
}

static bool run_cms(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct taking own = {.stage = s}, *outer = taking;
    bool more = true;

    own.last = &own.first;
    taking = &own;
    void (*before)(const char *, unsigned) = cms_state.capture;
    cms_state.capture = take_line;
    int rc = cms_command(text, len,
                         s->kind->name[1] == 'O' ? CMS_ADDRESS_COMMAND : CMS_ADDRESS_CMS);
    cms_state.capture = before;
    taking = outer;
    pipe_code(s->pipe, rc);
    for (struct lines *l = own.first; more && l; l = l->next)
        more = pipe_give(s, l->text, l->len);
    return more && !s->pipe->stop;
}

static bool run_cp(struct pipe_stage *s, const char *text, uint32_t len)
{
    unsigned got = 0, at = 0;
    bool more = true;

    /* half of the pipeline's storage, of which the answer keeps what it takes */
    unsigned room = (unsigned)(s->pipe->high - s->pipe->low) / 2;
    char *reply = s->pipe->low;
    int rc = cms_cp(text, len, reply, room, &got);
    pipe_code(s->pipe, rc);
    pipe_alloc(s->pipe, got);
    while (at < got && more) {
        unsigned n = 0;
        while (at + n < got && reply[at + n] != '\x15')
            n++;
        more = pipe_give(s, reply + at, n);
        at += n + 1;
    }
    return more;
}

static bool put_command(struct pipe_stage *s, const char *text, uint32_t len)
{
    if (!blank_trim(text, len))
        return true;
    return s->kind->name[1] == 'P' ? run_cp(s, text, len) : run_cms(s, text, len);
}

/* The operand is the first command; records are the next ones. */
static bool own_command(struct pipe_stage *s)
{
    const char *text = s->at;

    s->at = s->end;
    while (text < s->end && *text == ' ')
        text++;
    return put_command(s, text, (uint32_t)(s->end - text));
}

static int parse_command(struct pipe_stage *s)
{
    return s->first && !pipe_more(s)
               ? pipe_error(s, 113, "FPLSCA113E Required operand missing: a command")
               : 0;
}

static bool put_next_command(struct pipe_stage *s, const char *text, uint32_t len)
{
    return own_command(s) && put_command(s, text, len);
}

static void end_command(struct pipe_stage *s)
{
    own_command(s);
}

/* ---- STEM, VAR */
struct variable {
    char name[VARIABLE + 1];
    bool append;
    int32_t n;               /* set so far */
};

static int parse_variable(struct pipe_stage *s)
{
    struct variable *d = s->data = pipe_alloc(s->pipe, sizeof(*d));

    if (!d)
        return s->pipe->rc;
    *d = (struct variable){.n = 0};
    if (!pipe_word(s, d->name, sizeof(d->name)))
        return pipe_error(s, 113, "FPLSCA113E Required operand missing: a variable");
    if (s->kind->name[0] == 'S') {
        d->append = pipe_is(s, "APPEND", 6);
        if (pipe_is(s, "FROM", 4)) {
            if (!pipe_number(s, &d->n) || d->n < 1)
                return pipe_error(s, 58, "FPLSCA058E Number expected");
            d->n--;
        }
    }
    return pipe_nothing(s);
}

static unsigned element(const struct variable *d, int32_t n, char name[VARIABLE + 12])
{
    return (unsigned)fmt(name, VARIABLE + 12, "%s%d", d->name, n);
}

/* STEM.0, or -1. */
static int32_t stem_count(const struct variable *d)
{
    char name[VARIABLE + 12], word[12];
    const char *text;
    uint32_t count;

    int n = exec_get(name, element(d, 0, name), &text);
    if (n < 1 || n > 9)
        return -1;
    fmt(word, sizeof(word), "%.*s", n, text);
    return cms_number(word, &count) ? (int32_t)count : -1;
}

static bool set(struct pipe_stage *s, const char *name, unsigned n, const char *text, uint32_t len)
{
    int code = exec_set(name, n, text, len);

    if (code == 2)
        pipe_error(s, 122, "FPLVAR122E Insufficient free storage");
    else if (code)
        pipe_error(s, 2703, "FPLVAR2703E Variable %.*s can be set from an EXEC only", (int)n,
                   name);
    return code == 0;
}

static bool put_stem(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct variable *d = s->data;
    char name[VARIABLE + 12];

    if (d->append) {
        d->append = false;
        d->n = stem_count(d) < 0 ? 0 : stem_count(d);
    }
    return set(s, name, element(d, ++d->n, name), text, len)
           && (pipe_give(s, text, len) || !s->pipe->stop);
}

static void end_stem(struct pipe_stage *s)
{
    struct variable *d = s->data;
    char name[VARIABLE + 12], count[12];
    const char *text;

    if (!s->first) {
        if (!d->append)
            set(s, name, element(d, 0, name), count,
                (unsigned)fmt(count, sizeof(count), "%d", d->n));
        return;
    }
    int32_t last = stem_count(d);
    if (last < 0) {
        pipe_error(s, 2704, "FPLVAR2704E Variable %s0 is no number of records", d->name);
        return;
    }
    for (int32_t i = d->n + 1; i <= last; i++) {
        unsigned k = element(d, i, name);
        int n = exec_get(name, k, &text);
        if (n < 0) {
            text = name;
            n = (int)k;
        }
        if (!pipe_give(s, text, (uint32_t)n))
            return;
    }
}

static bool put_var(struct pipe_stage *s, const char *text, uint32_t len)
{
    struct variable *d = s->data;

    if (d->n++ == 0 && !set(s, d->name, (unsigned)strlen(d->name), text, len))
        return false;
    return pipe_give(s, text, len) || !s->pipe->stop;
}

static void end_var(struct pipe_stage *s)
{
    struct variable *d = s->data;
    const char *text;

    if (!s->first)
        return;
    int n = exec_get(d->name, (unsigned)strlen(d->name), &text);
    pipe_give(s, n < 0 ? d->name : text, n < 0 ? (uint32_t)strlen(d->name) : (uint32_t)n);
}

/* ---- STACK [LIFO|FIFO] */
static int parse_stack(struct pipe_stage *s)
{
    s->data = pipe_is(s, "LIFO", 4) ? s : 0;
    if (!s->data)
        pipe_is(s, "FIFO", 4);
    return pipe_nothing(s);
}

static bool put_stack(struct pipe_stage *s, const char *text, uint32_t len)
{
    if (cms_stack_put(s->data != 0, text, len) != 0) {
        pipe_error(s, 122, "FPLSTK122E The program stack is full");
        return false;
    }
    return pipe_give(s, text, len) || !s->pipe->stop;
}

static void end_stack(struct pipe_stage *s)
{
    if (!s->first || !pipe_line(s, PIPE_WIDEST))
        return;
    for (unsigned left = cms_stack_count(); left && pipe_wanted(s); left--) {
        int n = cms_stack_get(s->line, PIPE_WIDEST);
        if (n < 0 || !pipe_give(s, s->line, (uint32_t)n))
            return;
    }
}

CMS_COMMAND("PIPE", 4, cmd_pipe);
int cmd_pipe(struct cms_arg *arg)
{
    size_t room = cms_storage_left() / 2 & ~(size_t)4095;
    struct pipe *p = cms_alloc(sizeof(*p));
    char *storage = p ? cms_alloc(room) : 0;

    if (!storage)
        return cms_error(104, "DMSPIP109S Virtual storage capacity exceeded");
    p->low = storage;
    p->high = storage + room;
    return pipe_run(p, arg->rest, (unsigned)strlen(arg->rest));
}

const struct pipe_kind pipe_devices[] = {
    {"LITERAL", 7, PIPE_ANY, parse_literal, put_literal, end_literal},
    {"STRLITERAL", 6, PIPE_ANY, parse_strliteral, put_strliteral, end_strliteral},
    {"CONSOLE", 4, PIPE_ANY, 0, put_console, end_console},
    {"TERMINAL", 4, PIPE_ANY, 0, put_console, end_console},
    {"<", 1, PIPE_FIRST, parse_file, 0, end_read},
    {">", 1, PIPE_LATER, parse_file, put_file, end_file},
    {">>", 2, PIPE_LATER, parse_file, put_file, end_file},
    {"CMS", 3, PIPE_ANY, parse_command, put_next_command, end_command},
    {"COMMAND", 7, PIPE_ANY, parse_command, put_next_command, end_command},
    {"CP", 2, PIPE_ANY, parse_command, put_next_command, end_command},
    {"STEM", 4, PIPE_ANY, parse_variable, put_stem, end_stem},
    {"VAR", 3, PIPE_ANY, parse_variable, put_var, end_var},
    {"STACK", 5, PIPE_ANY, parse_stack, put_stack, end_stack},
    {0, 0, 0, 0, 0, 0},
};
