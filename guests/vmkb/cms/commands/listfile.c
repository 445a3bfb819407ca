/* SPDX-License-Identifier: MIT */
/* LISTFILE [fn [ft [fm]]] [(options]: the files that match. * is any run of characters, % any
 * one. */
#include "commands.h"
#include "listing.h"

enum where { TO_CONSOLE, TO_STACK_FIFO, TO_STACK_LIFO, TO_EXEC };

struct job {
    enum listing detail;
    enum where where;
    int header; /* 1 HEADER, 0 NOHEADER, -1 as is usual */
    bool append;
    struct cms_file *exec; /* CMS EXEC A1 */
    unsigned listed;
};

static int options(struct cms_arg *arg, struct job *job)
{
    static const struct {
        const char *name;
        unsigned min;
        int detail;
    } details[] = {
        {"FNAME", 2, LIST_FNAME},   {"FTYPE", 2, LIST_FTYPE}, {"FMODE", 2, LIST_FMODE},
        {"FORMAT", 3, LIST_FORMAT}, {"ALLOC", 1, LIST_ALLOC}, {"DATE", 1, LIST_DATE},
        {"LABEL", 1, LIST_LABEL},
    };

    for (int i = 0; i < arg->options; i++) {
        const char *o = arg->option[i];
        bool done = false;
        for (unsigned k = 0; k < sizeof(details) / sizeof(*details) && !done; k++)
            if (cms_is(o, details[k].name, details[k].min)) {
                if ((int)job->detail < details[k].detail || details[k].detail < LIST_FMODE)
                    job->detail = (enum listing)details[k].detail;
                done = true;
            }
        if (done)
            continue;
        if (cms_is(o, "HEADER", 1))
            job->header = 1;
        else if (cms_is(o, "NOHEADER", 3))
            job->header = 0;
        else if (cms_is(o, "EXEC", 1))
            job->where = TO_EXEC;
        else if (cms_is(o, "APPEND", 2))
            job->append = true, job->where = TO_EXEC;
        else if (cms_is(o, "STACK", 3) || cms_is(o, "FIFO", 3))
            job->where = job->where == TO_STACK_LIFO ? TO_STACK_LIFO : TO_STACK_FIFO;
        else if (cms_is(o, "LIFO", 3))
            job->where = TO_STACK_LIFO;
        else
            return cms_bad_option("LST", o);
    }
    return 0;
}

static int to_exec(struct job *job, const char *text, unsigned len)
{
    char record[80];

    memset(record, ' ', sizeof(record));
    memcpy(record, " &1 &2 ", 7);
    memcpy(record + 7, text, len < 73 ? len : 73);
    return fs_write_record(&job->exec->fs, record, sizeof(record));
}

static int put(struct job *job, const char *text, unsigned len)
{
    switch (job->where) {
    case TO_CONSOLE:
        cms_say_text(text, len);
        return 0;
    case TO_EXEC:
        return to_exec(job, text, len);
    default:
        return cms_stack_put(job->where == TO_STACK_LIFO, text, len);
    }
}

/* Opens CMS EXEC A1, which holds what it held before if APPEND asks for it. */
static int open_exec(struct job *job)
{
    struct cms_fileid id = {"CMS", "EXEC", 'A', 1}, old = {"CMS", "EXEC", 'A', -1};
    const uint8_t *record;
    uint32_t len;
    int code;

    job->exec = cms_create(&id, FS_FIXED, 80, &code);
    if (!job->exec)
        return cms_file_error("LST", code, &id);
    if (!job->append)
        return 0;
    struct cms_file *f = cms_open(&old, &code);
    if (!f)
        return 0;
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK && code == FS_OK)
        code = fs_write_record(&job->exec->fs, record, len);
    cms_close(f);
    return 0;
}

static int list_disk(struct job *job, struct cms_disk *d, const struct cms_fileid *id)
{
    char line[LISTING_LINE];
    struct fs_stat st;
    struct fs_usage u;
    uint32_t cursor = 0;

    fs_usage(&d->fs, &u);
    while (fs_list(&d->fs, id->fn, id->ft, id->number, &cursor, &st) == FS_OK) {
        if (job->listed++ == 0) {
            const char *h = listing_heading(job->detail);
            if (*h && (job->header > 0 || (job->header < 0 && job->where == TO_CONSOLE)))
                put(job, h, (unsigned)strlen(h));
        }
        unsigned n = listing_line(line, job->detail, &st, d->letter, u.label);
        int code = put(job, line, n);
        if (code == 1)
            return cms_error(104, "DMSLST109S Virtual storage capacity exceeded");
        if (code != 0) {
            struct cms_fileid to = {"CMS", "EXEC", 'A', 1};
            return cms_file_error("LST", code, &to);
        }
        if (job->listed % 64 == 0 && cms_halted())
            return 0;
    }
    return 0;
}

CMS_COMMAND("LISTFILE", 1, cmd_listfile);
int cmd_listfile(struct cms_arg *arg)
{
    struct job job = {.detail = LIST_FMODE, .header = -1};
    struct cms_fileid id;
    const char *fn = arg->n > 0 ? arg->word[0] : "*", *ft = arg->n > 1 ? arg->word[1] : "*";

    if (arg->n > 3)
        return cms_error(24, "DMSLST070E Invalid parameter %s", arg->word[3]);
    int rc = options(arg, &job);
    if (rc != 0)
        return rc;
    rc = cms_fileid_error("LST", cms_fileid(&id, fn, ft, arg->word[2], 'A'),
                          fn, ft, arg->word[2]);
    if (rc != 0)
        return rc;
    if (id.letter != '*' && !cms_disk(id.letter))
        return cms_error(36, "DMSLST069E Filemode %c not accessed", id.letter);
    if (job.where == TO_EXEC && (rc = open_exec(&job)) != 0)
        return rc;
    for (struct cms_disk *d = cms_disk_next(0); d && rc == 0; d = cms_disk_next(d))
        if (id.letter == '*' || d->letter == id.letter || d->parent == id.letter)
            rc = list_disk(&job, d, &id);
    if (rc != 0)
        return rc;
    if (job.listed == 0)
        return cms_error(28, "DMSLST002E File not found");
    if (job.exec) {
        struct cms_fileid to = job.exec->id;
        int code = cms_commit(job.exec);
        return code == FS_OK ? 0 : cms_file_error("LST", code, &to);
    }
    return 0;
}
