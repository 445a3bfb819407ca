/* SPDX-License-Identifier: MIT */
/* EXECIO n|* DISKR fn ft [fm [line]] | DISKW fn ft fm [0 [recfm [lrecl]]] | CP [(FINIS STRING text
 * ...]: lines between the program stack and a file, or from CP. A file stays open between calls
 * until FINIS or Ready. Return codes: 1 a line was cut, 2 end of file first, 28 not found, 100 +
 * code writing, 1000 + CP's code. */
#include "commands.h"
#include "nucleus.h"

enum { CP_REPLY = 16384, LINE = 4096, EVERY = 0xffffffff };

struct job {
    uint32_t count; /* EVERY for * */
    bool finis, lifo, skip, strip, has_string;
    int casing;        /* 'U': in upper case */
    uint32_t from, to; /* MARGINS, columns from 1 */
    const char *string;
};

static int bad(const char *what)
{
    return cms_error(24, "DMSEIO070E Invalid parameter %s", what);
}

/* STRING takes the rest of the line as it was typed, so it is looked for in the line and not in the
 * words. */
static const char *string_in(const char *line)
{
    const char *p = strchr(line, '(');

    while (p && *p) {
        p++;
        while (*p == ' ')
            p++;
        const char *word = p;
        unsigned n = 0;
        while (*p && *p != ' ') {
            p++;
            n++;
        }
        char upper[7] = "";
        for (unsigned i = 0; i < n && n <= 6; i++)
            upper[i] = (char)to_upper(word[i]);
        if (n >= 3 && n <= 6 && cms_is(upper, "STRING", 3))
            return *p ? p + 1 : p;
        if (*p != ' ')
            break;
    }
    return 0;
}

static int options(struct cms_arg *arg, struct job *job)
{
    job->string = string_in(arg->rest);
    for (int i = 0; i < arg->options; i++) {
        const char *o = arg->option[i];
        if (cms_is(o, "STRING", 3)) {
            job->has_string = true;
            break;
        }
        if (cms_is(o, "FINIS", 3)) {
            job->finis = true;
        } else if (cms_is(o, "LIFO", 2)) {
            job->lifo = true;
        } else if (cms_is(o, "SKIP", 2)) {
            job->skip = true;
        } else if (cms_is(o, "STRIP", 5)) {
            job->strip = true;
        } else if (cms_is(o, "CASE", 2)) {
            job->casing = arg->option[++i][0];
        } else if (cms_is(o, "MARGINS", 1)) {
            if (!cms_number(arg->option[i + 1], &job->from) || job->from == 0
                || (!cms_number(arg->option[i + 2], &job->to)
                    && strcmp(arg->option[i + 2], "*") != 0))
                return bad(arg->option[i + 1]);
            i += 2;
        } else if (!cms_is(o, "FIFO", 2)) {
            return cms_error(24, "DMSEIO003E Invalid option: %s", o);
        }
    }
    return 0;
}

static int fileid(struct cms_arg *arg, struct cms_fileid *id, char otherwise)
{
    if (arg->n < 4)
        return cms_error(24, "DMSEIO054E Incomplete fileid specified");
    int rc = cms_fileid(id, arg->word[2], arg->word[3], arg->word[4], otherwise);

    return cms_fileid_error("EIO", rc, arg->word[2], arg->word[3], arg->word[4]) ? 24 : 0;
}

/* One line to the stack, cut to the margins. */
static int stack_line(const struct job *job, const char *text, unsigned len)
{
    char upper[LINE];

    if (job->skip)
        return 0;
    if (job->to && len > job->to)
        len = job->to;
    if (job->from > 1) {
        unsigned skip = job->from - 1 < len ? job->from - 1 : len;
        text += skip;
        len -= skip;
    }
    if (job->strip)
        len = (unsigned)blank_trim(text, len);
    if (job->casing == 'U') {
        len = len < LINE ? len : LINE;
        for (unsigned i = 0; i < len; i++)
            upper[i] = (char)to_upper(text[i]);
        text = upper;
    }
    return cms_stack_put(job->lifo, text, len);
}

static int diskr(struct cms_arg *arg, const struct job *job)
{
    struct cms_fileid id;
    const uint8_t *record;
    uint32_t line = 0, len, n = 0;
    int code, rc = fileid(arg, &id, '*');

    if (rc != 0)
        return rc;
    if (arg->n > 5 && !cms_number(arg->word[5], &line))
        return bad(arg->word[5]);
    struct cms_file *f = lines_reader(&id, line, &code);
    if (!f)
        return code == FS_E_NOTFOUND ? 28 : cms_file_error("EIO", code, &id);
    while (n < job->count && (code = fs_next(&f->fs, &record, &len)) == FS_OK) {
        n++;
        if (stack_line(job, (const char *)record, len) != 0)
            return cms_error(41, "DMSEIO109S The program stack is full");
        if (n % 256 == 0 && cms_halted())
            break;
    }
    if (code != FS_OK && code != FS_EOF)
        return cms_file_error("EIO", code, &id);
    if (job->finis)
        cms_close(f);
    return n < job->count && job->count != EVERY ? 2 : 0;
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

static int diskw(struct cms_arg *arg, const struct job *job)
{
    struct cms_fileid id;
    char line[LINE];
    uint32_t number = 0, lrecl = 0;
    int code, cut = 0, rc = fileid(arg, &id, 'A');

    if (rc != 0)
        return rc;
    if (job->count == EVERY && !job->has_string && cms_stack_count() == 0)
        return 0;
    if (arg->n > 5 && (!cms_number(arg->word[5], &number) || number != 0))
        return cms_error(24, "DMSEIO070E Invalid parameter %s: lines are added at the end",
                         arg->word[5]);
    if (arg->n > 7)
        cms_number(arg->word[7], &lrecl);
    struct cms_file *f =
        lines_writer(&id, arg->word[6][0] == 'F' ? FS_FIXED : FS_VARIABLE, lrecl, &code);
    if (!f)
        return write_failed(code, &id);
    lrecl = f->fs.entry.recfm == FS_FIXED ? f->fs.entry.lrecl : 0;
    for (uint32_t n = 0; n < job->count; n++) {
        int len;
        if (job->has_string) {
            len = (int)strlen(job->string);
            memcpy(line, job->string, (size_t)len);
        } else if (job->count == EVERY && cms_stack_count() == 0) {
            break;
        } else if ((len = cms_readline(line, sizeof(line))) == 0 && cms_stack_count() == 0) {
            break; /* a null line typed ends it */
        }
        if (lrecl && (uint32_t)len < lrecl && lrecl <= LINE) {
            memset(line + len, ' ', lrecl - (uint32_t)len);
            len = (int)lrecl;
        }
        if (lrecl && (uint32_t)len > lrecl) {
            len = (int)lrecl;
            cut = 1;
        }
        code = fs_write_record(&f->fs, line, (uint32_t)len);
        if (code != FS_OK) {
            cms_close(f);
            return write_failed(code, &id);
        }
        if (job->has_string && job->count == EVERY)
            break;
    }
    if (job->finis && (code = cms_commit(f)) != FS_OK)
        return write_failed(code, &id);
    return cut;
}

static int cp(struct job *job)
{
    char line[CMS_LINE];
    unsigned got, at = 0;
    int len;

    if (job->has_string) {
        len = (int)strlen(job->string);
        memcpy(line, job->string, (size_t)len);
    } else {
        len = cms_readline(line, sizeof(line));
    }
    char *reply = cms_alloc(CP_REPLY);
    if (!reply)
        return cms_error(41, "DMSEIO109S Virtual storage capacity exceeded");
    int rc = cms_cp(line, (unsigned)len, reply, CP_REPLY, &got);
    for (uint32_t n = 0; at < got && n < job->count; n++) {
        unsigned k = 0;
        while (at + k < got && reply[at + k] != '\x15')
            k++;
        if (stack_line(job, reply + at, k) != 0)
            return cms_error(41, "DMSEIO109S The program stack is full");
        at += k + 1;
    }
    return rc ? 1000 + rc : 0;
}

CMS_COMMAND("EXECIO", 6, cmd_execio);
int cmd_execio(struct cms_arg *arg)
{
    struct job job = {.count = EVERY};
    int rc = options(arg, &job);

    if (rc != 0)
        return rc;
    if (arg->n < 2)
        return cms_error(24, "DMSEIO054E Incomplete operands: EXECIO n|* DISKR|DISKW|CP");
    if (strcmp(arg->word[0], "*") != 0 && !cms_number(arg->word[0], &job.count))
        return bad(arg->word[0]);
    if (strcmp(arg->word[1], "DISKR") == 0)
        return diskr(arg, &job);
    if (strcmp(arg->word[1], "DISKW") == 0)
        return diskw(arg, &job);
    if (strcmp(arg->word[1], "CP") == 0)
        return cp(&job);
    return bad(arg->word[1]);
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
