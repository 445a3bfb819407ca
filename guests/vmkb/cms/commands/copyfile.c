/* SPDX-License-Identifier: MIT */
/* COPYFILE fileid [fileid ...] newid [(options]: = in the new name is taken from the file copied.
 * Several files, or * without an =, become one. The new file is there whole or not at all. */
#include "commands.h"
#include "copyspec.h"

enum { CHUNK = 65536, RECORD_MAX = 65536 };
enum { AS_IS, LOWER, UPPER };

struct job {
    bool replace, append, old_date, trunc, type, overlay, prompt;
    bool changes;     /* records are not what they were: below, or their case */
    bool asks_specs, asks_trans;
    uint8_t fill;
    char from_label[9], to_label[9];
    struct copy_specs *specs;
    uint8_t *trans;
    struct cms_file *old;  /* OVLY: what the new records lie over */
    const char *missing;   /* a label that the file copied does not have */
    int casing;
    uint8_t recfm; /* 0: as the file copied */
    uint32_t lrecl, from, count;
    struct cms_file *out;
    uint32_t out_lrecl;
    uint8_t out_recfm;
    uint64_t written; /* of the file copied, for OLDDATE */
    char *record;     /* work space, if records change */
};

static int bad_value(const char *value, const char *option)
{
    return cms_error(24, "DMSCPY029E Invalid parameter %s in the option %s field", value, option);
}

/* One option, with its value if it has one. Returns words taken, or -24. */
static int option(const char *o, const char *value, struct job *job)
{
    static const struct {
        const char *name;
        unsigned min;
        size_t field;
    } flags[] = {
        {"REPLACE", 3, offsetof(struct job, replace)},  {"APPEND", 2, offsetof(struct job, append)},
        {"OLDDATE", 4, offsetof(struct job, old_date)}, {"TRUNC", 3, offsetof(struct job, trunc)},
        {"TYPE", 2, offsetof(struct job, type)},        {"OVLY", 2, offsetof(struct job, overlay)},
        {"PROMPT", 2, offsetof(struct job, prompt)},
        {"SPECS", 2, offsetof(struct job, asks_specs)},
        {"TRANS", 3, offsetof(struct job, asks_trans)},
    };
    static const char *const usual[] = {"NEWFILE", "NEWDATE", "NOTRUNC", "NOTYPE", "NOSPECS"};

    if (cms_is(o, "NOPROMPT", 4)) {
        job->prompt = false;
        return 1;
    }
    for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        if (cms_is(o, flags[i].name, flags[i].min)) {
            *(bool *)((char *)job + flags[i].field) = true;
            return 1;
        }
    for (unsigned i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        if (cms_is(o, usual[i], 4))
            return 1;
    if (cms_is(o, "LOWCASE", 3) || cms_is(o, "UPCASE", 2)) {
        job->casing = *o == 'L' ? LOWER : UPPER;
        return 1;
    }
    if (cms_is(o, "FILL", 2))
        return copy_character(value, strlen(value), &job->fill) ? 2 : -bad_value(value, o);
    if (cms_is(o, "FRLABEL", 3) || cms_is(o, "TOLABEL", 3)) {
        fmt(*o == 'F' ? job->from_label : job->to_label, sizeof(job->to_label), "%s", value);
        return *value ? 2 : -bad_value(value, o);
    }
    if (cms_is(o, "RECFM", 4)) {
        if (strcmp(value, "F") != 0 && strcmp(value, "V") != 0)
            return -bad_value(value, o);
        job->recfm = *value == 'F' ? FS_FIXED : FS_VARIABLE;
        return 2;
    }
    uint32_t *number = cms_is(o, "LRECL", 3)  ? &job->lrecl
                       : cms_is(o, "FROM", 2) ? &job->from
                       : cms_is(o, "FOR", 3)  ? &job->count
                                              : 0;
    if (!number)
        return -cms_bad_option("CPY", o);
    if (!cms_number(value, number) || *number == 0 || job->lrecl > FS_LRECL_MAX)
        return -bad_value(value, o);
    return 2;
}

static int begin_output(struct job *job, const struct cms_fileid *id, const struct fs_stat *in)
{
    struct cms_fileid old = *id;
    struct fs_stat st;
    int code;

    old.number = -1;
    bool exists = cms_find(&old, &st, 0) == FS_OK && old.letter == id->letter;
    if (exists && !job->replace && !job->append && !job->overlay)
        return cms_error(28, "DMSCPY024E File %s %s %c%d already exists -- specify REPLACE option",
                         id->fn, id->ft, id->letter, st.mode);
    bool keep = exists && (job->append || job->overlay);
    job->out_recfm = keep ? st.recfm : job->recfm ? job->recfm : in->recfm;
    job->out_lrecl = keep ? st.lrecl : job->lrecl ? job->lrecl : in->lrecl;
    if (job->out_lrecl == 0)
        job->out_lrecl = 1;
    bool longest = job->out_recfm == FS_VARIABLE && (keep || !job->lrecl);
    job->written = in->written;
    job->out = cms_create(id, job->out_recfm, longest ? 0 : job->out_lrecl, &code);
    if (!job->out)
        return cms_file_error("CPY", code, id);
    if (longest)
        job->out_lrecl = FS_LRECL_MAX;
    if (!keep)
        return 0;
    struct cms_file *f = cms_open(&old, &code);
    const uint8_t *record;
    uint32_t len;
    if (!f)
        return cms_file_error("CPY", code, &old);
    if (job->overlay) {
        job->old = f;
        return 0;
    }
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK)
        if ((code = fs_write_record(&job->out->fs, record, len)) != FS_OK)
            break;
    cms_close(f);
    return code == FS_EOF ? 0 : cms_file_error("CPY", code, id);
}

static char *space(struct job *job)
{
    if (!job->record)
        job->record = cms_alloc(2 * RECORD_MAX);
    return job->record;
}

/* The record in the work space as TRANS, the case, SPECS and OVLY make it; its length. */
static uint32_t changed(struct job *job, const uint8_t *record, uint32_t len)
{
    uint8_t *made = (uint8_t *)job->record, *given = made + RECORD_MAX;
    static const struct copy_specs whole = {1, {{.from = 1, .to = FS_LRECL_MAX, .target = 1}}};
    const uint8_t *under;
    uint32_t n = 0;

    for (uint32_t i = 0; i < len; i++) {
        int c = job->trans ? job->trans[record[i]] : record[i];
        given[i] = (uint8_t)(job->casing == UPPER   ? to_upper(c)
                             : job->casing == LOWER ? to_lower(c)
                                                    : c);
    }
    if (job->old && fs_next(&job->old->fs, &under, &n) == FS_OK)
        memcpy(made, under, n);
    return copy_specs_apply(job->specs ? job->specs : &whole, given, len, made, n, RECORD_MAX,
                            job->fill);
}

static int write_record(struct job *job, const uint8_t *record, uint32_t len)
{
    if (job->changes) {
        if (!space(job))
            return CMS_E_STORAGE;
        len = changed(job, record, len);
        record = (const uint8_t *)job->record;
    }
    if (job->trunc && job->fill != ' ')
        while (len && record[len - 1] == job->fill)
            len--;
    else if (job->trunc && job->out_recfm == FS_VARIABLE)
        len = (uint32_t)blank_trim(record, len);
    if (len > job->out_lrecl)
        len = job->out_lrecl;
    if (job->out_recfm != FS_FIXED || len == job->out_lrecl)
        return fs_write_record(&job->out->fs, record, len);
    if (!space(job))
        return CMS_E_STORAGE;
    memmove(job->record, record, len);
    memset(job->record + len, job->fill, job->out_lrecl - len);
    return fs_write_record(&job->out->fs, job->record, job->out_lrecl);
}

/* Fixed records that stay as they are: whole blocks, without a look at the records. */
static int copy_bytes(struct job *job, struct cms_file *in, void *chunk)
{
    int n;

    while ((n = fs_read(&in->fs, chunk, CHUNK)) > 0) {
        int code = fs_write(&job->out->fs, chunk, (uint32_t)n);
        if (code != FS_OK)
            return code;
    }
    return n;
}

static bool begins(const char *label, const uint8_t *record, uint32_t len)
{
    uint32_t n = (uint32_t)strlen(label);

    return n <= len && memcmp(record, label, n) == 0;
}

static int copy_records(struct job *job, struct cms_file *in)
{
    const uint8_t *record;
    uint32_t len, n = 0, from = *job->from_label ? 0 : job->from;
    int code;

    job->missing = *job->from_label ? job->from_label : 0;
    while ((code = fs_next(&in->fs, &record, &len)) == FS_OK) {
        n++;
        if (job->missing && begins(job->from_label, record, len)) {
            job->missing = 0;
            from = n;
        }
        if (job->missing || n < from)
            continue;
        if (job->count && n >= (from ? from : 1) + job->count)
            return FS_OK;
        if (*job->to_label && begins(job->to_label, record, len))
            return FS_OK;
        code = write_record(job, record, len);
        if (code != FS_OK)
            return code;
        if (n % 256 == 0 && cms_halted())
            return FS_OK;
    }
    if (code == FS_EOF && !job->missing && *job->to_label)
        job->missing = job->to_label;
    return code == FS_EOF ? FS_OK : code;
}

static int add_input(struct job *job, struct cms_fileid *id, const struct fs_stat *st)
{
    int code;
    struct cms_file *in = cms_open(id, &code);

    if (!in)
        return cms_file_error("CPY", code, id);
    bool as_is = st->recfm == FS_FIXED && job->out_recfm == FS_FIXED && st->lrecl == job->out_lrecl
                 && !job->changes && !job->from && !job->count && st->size % st->lrecl == 0
                 && !*job->from_label && !*job->to_label;
    void *chunk = as_is ? cms_alloc(CHUNK) : 0;
    code = chunk ? copy_bytes(job, in, chunk) : copy_records(job, in);
    cms_close(in);
    if (code == FS_OK && job->missing)
        return cms_error(32, "DMSCPY157E Label %s not found in file %s %s %c", job->missing, id->fn,
                         id->ft, id->letter);
    return code == FS_OK ? 0 : cms_file_error("CPY", code, &job->out->id);
}

/* OVLY: what lies behind the new records stays. */
static int keep_rest(struct job *job)
{
    const uint8_t *record;
    uint32_t len;
    int code;

    while ((code = fs_next(&job->old->fs, &record, &len)) == FS_OK
           && (code = fs_write_record(&job->out->fs, record, len)) == FS_OK)
        ;
    cms_close(job->old);
    job->old = 0;
    return code == FS_EOF ? FS_OK : code;
}

static int end_output(struct job *job)
{
    struct cms_fileid id = job->out->id;
    struct cms_file *f = job->out;
    int code = job->old && !cms_halted() ? keep_rest(job) : FS_OK;

    job->out = 0;
    if (cms_halted())
        return cms_close(f);
    if (code != FS_OK)
        return cms_file_error("CPY", code, &id);
    if (job->old_date) {
        f->disk = 0;
        code = fs_commit(&f->fs, job->written);
    } else {
        code = cms_commit(f);
    }
    return code == FS_OK ? 0 : cms_file_error("CPY", code, &id);
}

/* One operand triple of the files to copy: each file that it means, into an output opened as
 * needed. */
static int copy_group(struct job *job, const char *const *in, const char *const *out)
{
    bool each = strchr(out[0], '=') || strchr(out[1], '=');
    struct cms_fileid id, found, to;
    struct cms_match m;
    struct fs_stat st;
    unsigned copied = 0;
    int code, rc;

    rc = cms_fileid(&id, in[0], in[1], in[2], 'A');
    if (rc != 0)
        return cms_fileid_error("CPY", rc, in[0], in[1], in[2]);
    cms_match_start(&m, &id);
    while ((code = cms_match_next(&m, &found, &st)) == FS_OK) {
        rc = cms_new_fileid(&to, out[0], out[1], out[2], &found);
        if (rc != 0)
            return cms_fileid_error("CPY", rc, out[0], out[1], out[2]);
        if (!job->out && (rc = begin_output(job, &to, &st)) != 0)
            return rc;
        if (job->type)
            cms_say("DMSCPY721I Copy %s %s %c%d to %s %s %c%d", found.fn, found.ft, found.letter,
                    found.number, to.fn, to.ft, to.letter, to.number);
        rc = add_input(job, &found, &st);
        if (rc == 0 && each)
            rc = end_output(job);
        if (rc != 0 || cms_halted())
            return rc;
        copied++;
        if (!cms_is_pattern(&id))
            break; /* without a pattern the first disk that has it */
    }
    if (code == CMS_E_NOTACCESSED || !copied)
        return cms_file_error("CPY", code == FS_EOF ? FS_E_NOTFOUND : code, &id);
    return 0;
}

static int conflict(const char *a, const char *b)
{
    return cms_error(24, "DMSCPY066E %s and %s are conflicting options", a, b);
}

/* SPECS and TRANS ask for their lists. */
static int ask(struct job *job)
{
    int rc = 0;

    if (job->asks_specs && !(job->specs = cms_alloc(sizeof(*job->specs))))
        return cms_error(104, "DMSCPY109S Virtual storage capacity exceeded");
    if (job->asks_trans && !(job->trans = cms_alloc(256)))
        return cms_error(104, "DMSCPY109S Virtual storage capacity exceeded");
    if (job->specs)
        rc = copy_specs_ask(job->specs, job->prompt);
    if (job->trans && rc == 0)
        rc = copy_trans_ask(job->trans, job->prompt);
    job->changes = job->specs || job->trans || job->overlay || job->casing != AS_IS;
    return rc;
}

CMS_COMMAND("COPYFILE", 4, cmd_copyfile);
int cmd_copyfile(struct cms_arg *arg)
{
    static const char *const same[3] = {"=", "=", "="};
    struct job job = {.fill = ' ', .prompt = true};
    int rc = 0, groups = (arg->n + 2) / 3;

    if (arg->n < 3)
        return cms_error(24, "DMSCPY054E Incomplete fileid specified");
    for (int i = 0; i < arg->options;) {
        int taken = option(arg->option[i], i + 1 < CMS_WORDS ? arg->option[i + 1] : "", &job);
        if (taken < 0)
            return -taken;
        i += taken;
    }
    if (job.replace && job.append)
        return conflict("REPLACE", "APPEND");
    if (job.overlay && (job.replace || job.append || groups == 1))
        return conflict("OVLY", job.append ? "APPEND" : "REPLACE");
    if (*job.from_label && job.from)
        return conflict("FRLABEL", "FROM");
    if (*job.to_label && job.count)
        return conflict("TOLABEL", "FOR");
    if ((rc = ask(&job)) != 0)
        return rc;
    if (groups == 1) {
        job.replace = true;
        return copy_group(&job, arg->word, same);
    }
    if (arg->n % 3 == 1)
        return cms_error(24, "DMSCPY054E Incomplete fileid specified");
    for (int g = 0; g + 1 < groups && rc == 0; g++)
        rc = copy_group(&job, arg->word + 3 * g, arg->word + 3 * (groups - 1));
    if (rc == 0 && job.out)
        rc = end_output(&job);
    return rc;
}
