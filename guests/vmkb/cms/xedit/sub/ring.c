/* SPDX-License-Identifier: MIT */
/* The ring of files: XEDIT, SAVE, FILE, QUIT and what goes with them. */
#include "subcommands.h"

void ring_add(struct xfile *f)
{
    if (!x->file) {
        f->next = f->prev = f;
    } else {
        f->prev = x->file;
        f->next = x->file->next;
        f->next->prev = f;
        x->file->next = f;
    }
    x->file = f;
    x->files++;
}

void ring_drop(struct xfile *f)
{
    struct xfile *before = f->prev;

    f->prev->next = f->next;
    f->next->prev = f->prev;
    x->files--;
    if (x->views)
        views_leave(f);
    if (x->file == f)
        x->file = x->files ? before : 0;
    ring_free(f);
}

/* fn ft fm that a word = takes from the current file; none: that file's own. */
static int new_id(const char *operands, struct cms_fileid *id)
{
    char word[3][9] = {"", "", ""};
    int rc;

    *id = x->file->id;
    for (int i = 0; i < 3; i++)
        next_word(&operands, word[i], sizeof(word[i]));
    if (*operands)
        return bad_operand(operands);
    if (!*word[0])
        return 0;
    if (!*word[1])
        fmt(word[1], sizeof(word[1]), "=");
    rc = cms_new_fileid(id, word[0], word[1], word[2], &x->file->id);
    if (rc == 24)
        return say_x(24, "DMSXSU048E Invalid filemode %s", word[2]);
    return rc ? say_x(20, "DMSXSU062E Invalid character in fileid %s %s", word[0], word[1]) : 0;
}

static bool same_id(const struct cms_fileid *a, const struct cms_fileid *b)
{
    return strcmp(a->fn, b->fn) == 0 && strcmp(a->ft, b->ft) == 0 && a->letter == b->letter;
}

/* Writes the file under that name, which it does not take over. sure: over another that exists. */
static int save(const char *operands, bool sure)
{
    struct xfile *f = x->file;
    struct cms_fileid id, there;
    int rc = new_id(operands, &id);

    if (rc != 0)
        return rc;
    there = id;
    there.number = -1;
    if (!sure && (f->is_new || !same_id(&id, &f->id)) && cms_find(&there, 0, 0) == FS_OK
        && there.letter == id.letter)
        return say_x(3, "DMSXSV024E File %s %s %c%d already exists; use FFILE/SSAVE", id.fn, id.ft,
                     id.letter, there.number);
    rc = file_write(f, &id, 1, f->text.size, false);
    if (rc != 0)
        return rc;
    f->is_new &= !same_id(&id, &f->id);
    f->changes = f->saved_changes = 0;
    return 0;
}

int x_save(const char *operands)
{
    return save(operands, false);
}

int x_ssave(const char *operands)
{
    return save(operands, true);
}

static int file(const char *operands, bool sure)
{
    int rc = save(operands, sure);

    if (rc == 0)
        ring_drop(x->file);
    return rc;
}

int x_file(const char *operands)
{
    return file(operands, false);
}

int x_ffile(const char *operands)
{
    return file(operands, true);
}

int x_qquit(const char *operands)
{
    (void)operands;
    ring_drop(x->file);
    return 0;
}

int x_quit(const char *operands)
{
    if (x->file->saved_changes)
        return say_x(12, "DMSXQT577E File has been changed; type QQUIT to quit anyway");
    return x_qquit(operands);
}

/* Quits each file that was not changed. */
int x_cancel(const char *operands)
{
    unsigned kept = 0;

    (void)operands;
    for (uint32_t n = x->files; n && x->file; n--) {
        struct xfile *f = x->file;
        x->file = f->next;
        if (f->saved_changes) {
            kept++;
            continue;
        }
        if (x->files == 1)
            x->file = f;
        ring_drop(f);
    }
    return kept ? say_x(12, "DMSXCN577E %u file(s) changed; type QQUIT to quit anyway", kept) : 0;
}

/* The next file; or that one, which joins the ring when it is not there. */
int x_xedit(const char *operands)
{
    struct cms_fileid id;
    const char *options = strchr(operands, '(');
    char names[X_COMMAND + 1], profile[9] = "";
    int rc;

    if (!*skip_blanks(operands)) {
        x->file = x->file->next;
        return 0;
    }
    fmt(names, sizeof(names), "%.*s",
        options ? (int)(options - operands) : (int)strlen(operands), operands);
    char word[3][9] = {"", "", ""};
    const char *p = names;
    for (int i = 0; i < 3; i++)
        next_word(&p, word[i], sizeof(word[i]));
    for (int i = 0; i < 2; i++)
        if (!*word[i] || strcmp(word[i], "=") == 0)
            memcpy(word[i], i ? x->file->id.ft : x->file->id.fn, 9);
    if (*word[2] == '=')
        fmt(word[2], 9, "%c", x->file->id.letter);
    rc = cms_fileid(&id, word[0], word[1], word[2], '*');
    if (rc != 0)
        return say_x(rc, "DMSXIN062E Invalid character in fileid %s %s", word[0], word[1]);
    for (struct xfile *f = x->file->next;; f = f->next) {
        if (strcmp(f->id.fn, id.fn) == 0 && strcmp(f->id.ft, id.ft) == 0
            && (id.letter == '*' || id.letter == f->id.letter)) {
            x->file = f;
            return 0;
        }
        if (f == x->file)
            break;
    }
    struct xfile *f = file_open(&id, 0, &rc);
    if (!f)
        return rc;
    ring_add(f);
    if (f->is_new)
        say_x(0, "DMSXIN571I Creating new file:");
    bool none = false;
    for (options = options ? options + 1 : ""; *skip_blanks(options);) {
        next_word(&options, word[0], sizeof(word[0]));
        none |= cms_is(word[0], "NOPROFIL", 6);
        if (cms_is(word[0], "PROFILE", 4))
            next_word(&options, profile, sizeof(profile));
    }
    if (!none)
        macro_run(*profile ? profile : "PROFILE", names);
    return 0;
}
