/* SPDX-License-Identifier: MIT */
/* File identifiers, finding files on accessed disks, and the table of open files. */
#include "nucleus.h"
#include "s390.h"

static struct cms_file files[CMS_FILES];

static bool name_ok(char *to, const char *from)
{
    unsigned n = 0;

    for (; from[n]; n++) {
        if (n == 8)
            break; /* CMS looks at eight characters */
        if (!is_alnum(from[n]) && !strchr("$#@+-:_*%=", from[n]))
            return false;
        to[n] = from[n];
    }
    to[n] = 0;
    return n > 0;
}

int cms_fileid(struct cms_fileid *id, const char *fn, const char *ft, const char *fm,
               char otherwise)
{
    if (!name_ok(id->fn, fn) || !name_ok(id->ft, ft))
        return 20;
    id->letter = otherwise;
    id->number = -1;
    if (!fm || !*fm)
        return 0;
    if (fm[0] != '*' && !disk_letter(fm[0]))
        return 24;
    id->letter = fm[0];
    if (!fm[1])
        return 0;
    if (fm[2] || !is_digit(fm[1]) || fm[1] > '6')
        return 24;
    id->number = fm[1] - '0';
    return 0;
}

int cms_fileid_error(const char *module, int rc, const char *fn, const char *ft, const char *fm)
{
    if (rc == 20)
        return cms_error(20, "DMS%s062E Invalid character in fileid %s %s", module, fn, ft);
    return rc ? cms_error(rc, "DMS%s048E Invalid filemode %s", module, fm) : 0;
}

int cms_fileid_operands(const char *module, const struct cms_arg *arg, int least, int most,
                        char otherwise, struct cms_fileid *id)
{
    const char *const *w = arg->word;

    if (arg->n < least)
        return cms_error(24, "DMS%s054E Incomplete fileid specified", module);
    if (arg->n > most)
        return cms_error(24, "DMS%s070E Invalid parameter %s", module, w[most]);
    return cms_fileid_error(module, cms_fileid(id, w[0], w[1], w[2], otherwise), w[0], w[1], w[2]);
}

int cms_option_numbers(const char *module, const struct cms_arg *arg,
                       const struct cms_number_option *known, unsigned count)
{
    for (int i = 0; i < arg->options; i += 2) {
        const char *value = arg->option[i + 1];
        unsigned k = 0;
        while (k < count && !cms_is(arg->option[i], known[k].name, 1))
            k++;
        if (k == count)
            return cms_bad_option(module, arg->option[i]);
        const struct cms_number_option *o = &known[k];
        if (!cms_number(value, o->value) || *o->value < o->least || *o->value > o->most)
            return cms_error(24, "DMS%s029E Invalid %s %s; %u to %u", module, o->name, value,
                             o->least, o->most);
    }
    return 0;
}

int cms_option_type(const char *module, const struct cms_arg *arg, bool *type)
{
    for (int i = 0; i < arg->options; i++) {
        bool no = cms_is(arg->option[i], "NOTYPE", 3);
        if (no || cms_is(arg->option[i], "TYPE", 1))
            *type = !no;
        else
            return cms_bad_option(module, arg->option[i]);
    }
    return 0;
}

int cms_find(struct cms_fileid *id, struct fs_stat *st, struct cms_disk **disk)
{
    struct fs_name name;
    struct fs_stat found;
    struct cms_disk *d = id->letter == '*' ? cms_disk_next(0) : cms_disk(id->letter);

    if (fs_name_set(&name, id->fn, id->ft) != FS_OK)
        return FS_E_NOTFOUND;
    if (!d)
        return CMS_E_NOTACCESSED;
    for (; d; d = cms_disk_next(d)) {
        bool wanted = id->letter == '*' || d->letter == id->letter || d->parent == id->letter;
        if (!wanted || fs_stat(&d->fs, &name, &found) != FS_OK
            || (id->number >= 0 && found.mode != id->number))
            continue;
        id->letter = d->letter;
        id->number = found.mode;
        if (st)
            *st = found;
        if (disk)
            *disk = d;
        return FS_OK;
    }
    return FS_E_NOTFOUND;
}

static struct cms_file *slot(int *code)
{
    for (int i = 0; i < CMS_FILES; i++) {
        struct cms_file *f = &files[i];
        if (f->disk)
            continue;
        if (!f->buffer)
            f->buffer = heap_permanent(CMS_BUFFER);
        *code = CMS_E_STORAGE;
        return f->buffer ? f : 0;
    }
    *code = CMS_E_FILES;
    return 0;
}

static struct cms_file *opened(struct cms_file *f, const struct cms_fileid *id, struct cms_disk *d)
{
    f->id = *id;
    f->disk = d;
    f->depth = cms_state.depth;
    f->kept = false;
    return f;
}

struct cms_file *cms_open(struct cms_fileid *id, int *code)
{
    struct cms_disk *d;
    struct fs_name name;

    *code = cms_find(id, 0, &d);
    if (*code != FS_OK)
        return 0;
    struct cms_file *f = slot(code);
    if (!f)
        return 0;
    fs_name_set(&name, id->fn, id->ft);
    *code = fs_open(&d->fs, &f->fs, &name, f->buffer, CMS_BUFFER);
    if (*code == FS_E_STALE) {
        *code = disk_refresh(d); /* its owner changed it: look again, as ACCESS would */
        if (*code == FS_OK)
            *code = fs_open(&d->fs, &f->fs, &name, f->buffer, CMS_BUFFER);
    }
    return *code == FS_OK ? opened(f, id, d) : 0;
}

struct cms_file *cms_create(const struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code)
{
    struct cms_disk *d = cms_disk(id->letter);
    struct fs_name name;

    *code = CMS_E_NOTACCESSED;
    if (!d)
        return 0;
    *code = FS_E_READONLY;
    if (!d->writable)
        return 0;
    *code = fs_name_set(&name, id->fn, id->ft);
    if (*code != FS_OK)
        return 0;
    struct cms_file *f = slot(code);
    if (!f)
        return 0;
    *code = fs_create(&d->fs, &f->fs, &name, id->number < 0 ? 1 : (uint8_t)id->number, recfm, lrecl,
                      f->buffer, CMS_BUFFER);
    return *code == FS_OK ? opened(f, id, d) : 0;
}

int cms_close(struct cms_file *f)
{
    f->disk = 0;
    return fs_close(&f->fs);
}

int cms_commit(struct cms_file *f)
{
    f->disk = 0;
    return fs_commit(&f->fs, cms_now_1900());
}

/* The clock counts from 1900, in units of which 4096 are a microsecond. */
uint64_t cms_now_1900(void)
{
    return (tod() >> 12) / 1000000;
}

void file_end_command(int depth)
{
    for (int i = 0; i < CMS_FILES; i++)
        if (files[i].disk && !files[i].kept && files[i].depth >= depth)
            cms_close(&files[i]);
}

static void end(struct cms_file *f)
{
    if (f->kept && f->fs.writing && cms_commit(f) != FS_OK)
        cms_error(100, "DMSERD105S Error writing file %s %s %c from storage", f->id.fn, f->id.ft,
                  f->id.letter);
    else if (f->disk)
        cms_close(f);
}

void file_end_all(void)
{
    for (int i = 0; i < CMS_FILES; i++)
        if (files[i].disk)
            end(&files[i]);
}

void file_end_disk(const struct cms_disk *d)
{
    for (int i = 0; i < CMS_FILES; i++)
        if (files[i].disk == d)
            end(&files[i]);
}

bool file_busy(const struct cms_disk *d)
{
    for (int i = 0; i < CMS_FILES; i++)
        if (files[i].disk == d && !files[i].kept)
            return true;
    return false;
}

struct cms_file *file_kept(const struct cms_fileid *id, bool writing)
{
    for (int i = 0; i < CMS_FILES; i++) {
        struct cms_file *f = &files[i];
        if (f->disk && f->kept && (f->fs.writing != 0) == writing && strcmp(f->id.fn, id->fn) == 0
            && strcmp(f->id.ft, id->ft) == 0 && f->id.letter == id->letter)
            return f;
    }
    return 0;
}

int cms_file_error(const char *module, int code, const struct cms_fileid *id)
{
    const struct cms_disk *d = cms_disk(id->letter);
    char number[2] = "";

    if (id->number >= 0)
        number[0] = (char)('0' + id->number);
    switch (code) {
    case FS_E_NOTFOUND:
        return cms_error(28, "DMS%s002E File %s %s %c%s not found", module, id->fn, id->ft,
                         id->letter, number);
    case CMS_E_NOTACCESSED:
        return cms_error(36, "DMS%s069E Filemode %c not accessed", module, id->letter);
    case FS_E_READONLY:
        return cms_error(36, "DMS%s037E Filemode %c is accessed as read/only", module, id->letter);
    case FS_E_EXISTS:
        return cms_error(28, "DMS%s024E File %s %s %c%s already exists", module, id->fn, id->ft,
                         id->letter, number);
    case FS_E_FULL:
    case FS_E_DIRFULL:
        return cms_error(100, "DMS%s107S Disk %c(%03X) is full", module, id->letter,
                         d ? d->vaddr : 0);
    case FS_E_NAME:
        return cms_error(20, "DMS%s062E Invalid character in fileid %s %s", module, id->fn, id->ft);
    case CMS_E_STORAGE:
        return cms_error(104, "DMS%s109S Virtual storage capacity exceeded", module);
    case CMS_E_FILES:
        return cms_error(104, "DMS%s109S More than %d files open", module, CMS_FILES);
    default:
        return cms_error(100, "DMS%s104S Error %d on file %s %s %c: %s", module, -code, id->fn,
                         id->ft, id->letter, fs_strerror(code));
    }
}
