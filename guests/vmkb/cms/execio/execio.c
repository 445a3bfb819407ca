/* SPDX-License-Identifier: MIT */
/* EXECIO n|* DISKR fn ft [fm [line]] | DISKW fn ft fm [line [recfm [lrecl]]] | CP | PUNCH | PRINT
 * [CC code|DATA] | EMSG [(options]: lines between the program stack or an EXEC's variables and a
 * file, CP or a device. A file stays open between calls until FINIS or Ready. Return codes: 1 a
 * line was cut, 2 end of file first, 3 nothing was found, 28 not found, 100 + code writing, 1000 +
 * CP's. */
#include "cards.h"
#include "commands.h"
#include "execio.h"

enum { PRINT_LINE = 132 };

static int bad(const char *what)
{
    return cms_error(24, "DMSEIO070E Invalid parameter %s", what);
}

static int fileid(struct cms_arg *arg, struct cms_fileid *id, char otherwise)
{
    if (arg->n < 4)
        return cms_error(24, "DMSEIO054E Incomplete fileid specified");
    int rc = cms_fileid(id, arg->word[2], arg->word[3], arg->word[4], otherwise);

    return cms_fileid_error("EIO", rc, arg->word[2], arg->word[3], arg->word[4]) ? 24 : 0;
}

/* Records up to the first that is searched for: where it is, and the record. */
static int search(struct cms_file *f, struct job *job, int *code)
{
    const uint8_t *record;
    uint32_t len;
    char where[24];

    for (uint32_t n = 1; n <= job->count; n++) {
        *code = fs_next(&f->fs, &record, &len);
        if (*code != FS_OK || (n % 256 == 0 && cms_halted()))
            return 3;
        if (!execio_matches(job, (const char *)record, len))
            continue;
        uint32_t from = job->from, to = job->to;
        job->from = job->to = 0;
        int rc = execio_give(job, where,
                             (unsigned)fmt(where, sizeof(where), "%u %u", n, f->fs.record));
        job->from = from;
        job->to = to;
        return rc ? rc : execio_give(job, (const char *)record, len);
    }
    return 3;
}

static int records(struct cms_file *f, struct job *job, int *code)
{
    const uint8_t *record;
    uint32_t len;

    while (job->done < job->count && (*code = fs_next(&f->fs, &record, &len)) == FS_OK) {
        int rc = execio_give(job, (const char *)record, len);
        if (rc != 0)
            return rc;
        if (job->done % 256 == 0 && cms_halted())
            break;
    }
    return job->done < job->count && job->count != EXECIO_EVERY ? 2 : 0;
}

static int diskr(struct cms_arg *arg, struct job *job)
{
    struct cms_fileid id;
    uint32_t line = 0;
    int code, rc = fileid(arg, &id, '*');

    if (rc != 0)
        return rc;
    if (arg->n > 5 && !cms_number(arg->word[5], &line))
        return bad(arg->word[5]);
    struct cms_file *f = lines_reader(&id, line, &code);
    if (!f)
        return code == FS_E_NOTFOUND ? 28 : cms_file_error("EIO", code, &id);
    rc = job->search ? search(f, job, &code) : records(f, job, &code);
    if (code != FS_OK && code != FS_EOF)
        return cms_file_error("EIO", code, &id);
    if (job->finis)
        cms_close(f);
    int given = rc > 3 ? 0 : execio_given(job);
    return given ? given : rc;
}

/* FSWRITE's codes: 12 read only, 13 full, 36 not accessed. */
static int write_failed(int code, const struct cms_fileid *id)
{
    cms_file_error("EIO", code, id);
    return code == FS_E_READONLY       ? 112
           : code == FS_E_FULL         ? 113
           : code == FS_E_DIRFULL      ? 113
           : code == CMS_E_NOTACCESSED ? 136
                                       : 103;
}

/* The next line as a record of the file, as long as its records are if they are FIXED. Its length,
 * -1: no more; CUT: it was longer. */
static int next_record(struct job *job, char line[EXECIO_LINE], uint32_t fixed, int *cut)
{
    int len = execio_take(job, line, EXECIO_LINE);

    if (len < 0 || !fixed)
        return len;
    if ((uint32_t)len < fixed && fixed <= EXECIO_LINE) {
        memset(line + len, ' ', fixed - (uint32_t)len);
        return (int)fixed;
    }
    *cut |= (uint32_t)len > fixed;
    return (uint32_t)len > fixed ? (int)fixed : len;
}

/* Lines in the places of those from NUMBER on, and behind the last. In a file of variable records
 * they must be as long as those. The file is as before until all is written. */
static int replace(struct cms_fileid *id, struct job *job, uint32_t number)
{
    char line[EXECIO_LINE];
    const uint8_t *record;
    struct fs_stat st;
    uint32_t old;
    int code, cut = 0;
    struct cms_file *open = file_kept(id, true), *in, *out = 0;

    if (open && (code = cms_commit(open)) != FS_OK)
        return write_failed(code, id);
    if (cms_find(id, &st, 0) != FS_OK)
        st.records = 0;
    if (number > st.records + 1)
        return cms_error(24, "DMSEIO070E Invalid parameter %u: the file has %u lines", number,
                         st.records);
    uint32_t fixed = st.recfm == FS_FIXED ? st.lrecl : 0;
    if ((in = cms_open(id, &code)) != 0)
        out = cms_create(id, st.recfm, fixed, &code);
    if (!out)
        return write_failed(code, id);
    uint32_t left = job->count;
    for (uint32_t n = 1;; n++) {
        bool there = (code = fs_next(&in->fs, &record, &old)) == FS_OK;
        int len = n < number || !left ? -1 : next_record(job, line, fixed, &cut);
        if (n >= number)
            left = len < 0 ? 0 : left - 1;
        if (len < 0 && !there)
            break;
        if (len >= 0 && there && (uint32_t)len != old)
            return cms_error(24, "DMSEIO070E Invalid parameter %u: line %u has %u characters, "
                                 "not %d", number, n, old, len);
        code = len < 0 ? fs_write_record(&out->fs, record, old)
                       : fs_write_record(&out->fs, line, (uint32_t)len);
        if (code != FS_OK)
            return write_failed(code, id);
    }
    cms_close(in);
    if (code == FS_EOF)
        code = cms_commit(out);
    return code == FS_OK ? cut : write_failed(code, id);
}

static int diskw(struct cms_arg *arg, struct job *job)
{
    struct cms_fileid id;
    char line[EXECIO_LINE];
    uint32_t number = 0, lrecl = 0;
    int code, len, cut = 0, rc = fileid(arg, &id, 'A');

    if (rc != 0)
        return rc;
    if (job->count == EXECIO_EVERY && !job->string && !job->name[0] && cms_stack_count() == 0)
        return 0;
    if (arg->n > 5 && !cms_number(arg->word[5], &number))
        return bad(arg->word[5]);
    struct fs_stat st;
    if (number > 1 || (number == 1 && (file_kept(&id, true) || cms_find(&id, &st, 0) == FS_OK)))
        return replace(&id, job, number);
    if (arg->n > 7)
        cms_number(arg->word[7], &lrecl);
    struct cms_file *f =
        lines_writer(&id, arg->word[6][0] == 'F' ? FS_FIXED : FS_VARIABLE, lrecl, &code);
    if (!f)
        return write_failed(code, &id);
    lrecl = f->fs.entry.recfm == FS_FIXED ? f->fs.entry.lrecl : 0;
    for (uint32_t n = 0; n < job->count && (len = next_record(job, line, lrecl, &cut)) >= 0; n++) {
        code = fs_write_record(&f->fs, line, (uint32_t)len);
        if (code != FS_OK) {
            cms_close(f);
            return write_failed(code, &id);
        }
    }
    if (job->finis && (code = cms_commit(f)) != FS_OK)
        return write_failed(code, &id);
    return cut;
}

/* The command comes from STRING or the stack; STEM and VAR get the answer. */
static int cp(struct job *job)
{
    char line[CMS_LINE];
    unsigned got, at = 0;
    int len, given = 0;

    if (job->string) {
        len = (int)strlen(job->string);
        memcpy(line, job->string, (size_t)len);
    } else {
        len = cms_readline(line, sizeof(line));
    }
    unsigned room = cms_reply_room();
    char *reply = cms_alloc(room);
    if (!reply)
        return cms_error(41, "DMSEIO109S Virtual storage capacity exceeded");
    int rc = cms_cp(line, (unsigned)len, reply, room, &got);
    while (at < got && job->done < job->count && !given) {
        unsigned k = 0;
        while (at + k < got && reply[at + k] != '\x15')
            k++;
        if (!job->search || execio_matches(job, reply + at, k))
            given = execio_give(job, reply + at, k);
        at += k + 1;
    }
    if (!given)
        given = execio_given(job);
    return given ? given : rc ? 1000 + rc : job->search && !job->done ? 3 : 0;
}

/* CC's characters, as in a listing. */
static void printed(struct cards_out *o, char cc, const char *line, unsigned len)
{
    uint8_t op = SPOOL_OP_LINE;

    if (cc == '1')
        cards_put(o, SPOOL_OP_PAGE, "", 0);
    else if (cc == '0' || cc == '-')
        cards_put(o, op, "", 0);
    if (cc == '-')
        cards_put(o, op, "", 0);
    if (cc == '+')
        op = 0x01;
    cards_put(o, op, line, len < PRINT_LINE ? len : PRINT_LINE);
}

/* The file stays open: CP CLOSE PUNCH or PRINTER files it, or FINIS. */
static int device(struct cms_arg *arg, struct job *job, bool punch)
{
    char line[EXECIO_LINE];
    char cc = ' ';
    int len, cut = 0;
    bool data = false;

    if (!punch && cms_is(arg->word[2], "CC", 2)) {
        data = cms_is(arg->word[3], "DATA", 4);
        cc = arg->word[3][0];
    } else if (arg->n > 2) {
        return bad(arg->word[2]);
    }
    struct cards_out *o = cards_open(punch ? CARDS_PUN : CARDS_PRT);
    if (!o)
        return cms_error(41, "DMSEIO109S Virtual storage capacity exceeded");
    unsigned most = punch ? CARD : PRINT_LINE + (data ? 1 : 0);
    for (uint32_t n = 0; n < job->count && (len = execio_take(job, line, sizeof(line))) >= 0; n++) {
        cut |= (unsigned)len > most;
        if (punch)
            cards_put_card(o, line, (unsigned)len);
        else if (data && len)
            printed(o, line[0], line + 1, (unsigned)len - 1);
        else
            printed(o, cc, line, (unsigned)len);
    }
    int rc = cards_end(o, "EIO", job->finis);
    return rc ? rc : cut;
}

static int emsg(struct job *job)
{
    char line[EXECIO_LINE];
    int len;

    for (uint32_t n = 0; n < job->count && (len = execio_take(job, line, sizeof(line))) >= 0; n++)
        cms_say_text(line, (unsigned)len);
    return 0;
}

CMS_COMMAND("EXECIO", 6, cmd_execio);
int cmd_execio(struct cms_arg *arg)
{
    struct job *job = cms_alloc(sizeof(*job));

    if (!job)
        return cms_error(41, "DMSEIO109S Virtual storage capacity exceeded");
    *job = (struct job){.count = EXECIO_EVERY};
    int rc = execio_options(arg->rest, job);
    if (rc != 0)
        return rc;
    if (arg->n < 2)
        return cms_error(24, "DMSEIO054E Incomplete operands: EXECIO n|* DISKR|DISKW|CP...");
    if (strcmp(arg->word[0], "*") != 0 && !cms_number(arg->word[0], &job->count))
        return bad(arg->word[0]);
    const char *what = arg->word[1];
    if (strcmp(what, "DISKR") == 0)
        return diskr(arg, job);
    if (strcmp(what, "DISKW") == 0)
        return diskw(arg, job);
    if (strcmp(what, "CP") == 0)
        return cp(job);
    if (strcmp(what, "PUNCH") == 0 || strcmp(what, "PRINT") == 0)
        return device(arg, job, what[1] == 'U');
    return strcmp(what, "EMSG") == 0 ? emsg(job) : bad(what);
}

/* FINIS fn ft fm: what EXECIO left open is closed; what it wrote becomes the file. A pattern means
 * all of it. */
CMS_COMMAND("FINIS", 5, cmd_finis);
int cmd_finis(struct cms_arg *arg)
{
    struct cms_fileid id, found;
    int code, rc = 6; /* CMS's answer when the file was not open */

    if (arg->n < 3 || cms_fileid(&id, arg->word[0], arg->word[1], arg->word[2], 'A') != 0)
        return cms_error(24, "DMSFNS054E Incomplete fileid specified");
    if (cms_is_pattern(&id)) {
        file_end_all(); /* FINIS * * * is the one pattern that is used */
        return 0;
    }
    found = id;
    struct cms_file *f = file_kept(&found, true);
    if (f) {
        rc = 0;
        if ((code = cms_commit(f)) != FS_OK)
            return cms_file_error("FNS", code, &id);
    }
    if (cms_find(&found, 0, 0) == FS_OK && (f = file_kept(&found, false)) != 0) {
        cms_close(f);
        rc = 0;
    }
    return rc;
}
