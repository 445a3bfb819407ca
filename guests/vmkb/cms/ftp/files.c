/* SPDX-License-Identifier: MIT */
/* One file there or back. A file that comes is not seen before all of it is there and the server
 * says so. */
#include "client.h"
#include "null_file.h"

static int to_file(void *to, uint8_t *bytes, uint32_t n)
{
    return text_in(to, bytes, n);
}

static int local_error(struct cms_fileid *id, int code)
{
    if (code == FS_E_RECORD)
        cms_say("A line is longer than the longest record, %u bytes; LOCSITE sets it", RECORD - 1);
    else
        cms_file_error("FTP", code, id);
    return FTP_FILE;
}

/* ASCII comes as V, binary as F 80, unless LOCSITE says otherwise. */
static struct cms_file *create(struct ftp *f, struct cms_fileid *id, struct text_in *in, int *code)
{
    uint8_t recfm = f->recfm ? f->recfm : f->ascii ? FS_VARIABLE : FS_FIXED;
    uint32_t lrecl = f->recfm ? f->lrecl : f->ascii ? 0 : 80;
    struct cms_file *file = cms_create(id, recfm, lrecl, code);

    if (file)
        text_in_start(in, &file->fs, f->ascii, recfm, lrecl ? lrecl : RECORD - 1, f->record,
                      RECORD - 1);
    return file;
}

static bool set_id(const struct ftp *f, const struct local_name *local, struct cms_fileid *id)
{
    int rc = cms_fileid(id, local->fn, local->ft, local->fm, f->mode);

    if (rc != 0)
        cms_say("%s %s %s: not a fileid", local->fn, local->ft, local->fm);
    return rc == 0;
}

/* What must be right before the server is asked. */
static int may_get(const struct cms_fileid *id, bool replace)
{
    struct cms_fileid there = *id;
    struct cms_disk *d = cms_disk(id->letter);

    there.number = -1;
    if (!d)
        return local_error(&there, CMS_E_NOTACCESSED);
    if (!d->writable)
        return local_error(&there, FS_E_READONLY);
    if (!replace && cms_find(&there, 0, &d) == FS_OK && there.letter == id->letter) {
        cms_say("Local file %s %s %c exists; use (REPLACE to replace it", id->fn, id->ft,
                id->letter);
        return FTP_FILE;
    }
    return 0;
}

int file_get(struct ftp *f, const char *foreign, const struct local_name *local, bool replace)
{
    struct cms_fileid id;
    struct text_in in;
    uint64_t size = 0;
    int code, taken;

    if (!set_id(f, local, &id))
        return FTP_USAGE;
    int rc = may_get(&id, replace);
    if (rc != 0)
        return rc;
    struct cms_file *file = create(f, &id, &in, &code);
    if (!file)
        return local_error(&id, code);
    rc = data_command(f, "RETR", foreign);
    bool sized = rc == 0 && !f->ascii && reply_size(f->text, &size);
    if (rc == 0)
        rc = data_receive(f, to_file, &in, &taken);
    if (rc == 0) {
        if (taken == 0)
            taken = text_in_end(&in);
        rc = data_reply(f);
        /* the server was cut off by us: what it says of that is not the reason */
        if (taken != 0 && rc >= 0)
            rc = local_error(&id, taken);
        if (rc == 0 && sized && size != f->bytes) {
            cms_say("%lu bytes came, the server announced %lu", (unsigned long)f->bytes,
                    (unsigned long)size);
            rc = FTP_NETWORK;
        }
        if (rc == 0) {
            rc = cms_commit(file);
            file = 0;
            if (rc == FS_OK)
                data_message(f);
            else
                rc = local_error(&id, rc);
        }
    }
    if (file)
        cms_close(file);
    if (rc != 0 && !f->halted)
        cms_say("%s %s %c: nothing was kept", id.fn, id.ft, id.letter);
    return rc;
}

static int to_null(void *to, uint8_t *bytes, uint32_t n)
{
    null_file_add(to, bytes, n);
    return 0;
}

int file_get_null(struct ftp *f, const char *foreign)
{
    struct null_file null = {0};
    int taken, rc = data_command(f, "RETR", foreign);

    if (rc == 0)
        rc = data_receive(f, to_null, &null, &taken);
    if (rc != 0)
        return rc;
    rc = data_reply(f);
    if (rc == 0) {
        data_message(f);
        cms_say("%lu bytes to the null file, sum %08X", (unsigned long)null.bytes, null.sum);
    }
    return rc;
}

int file_put(struct ftp *f, const struct local_name *local, const char *verb, const char *foreign)
{
    struct cms_fileid id;
    struct text_out out;
    struct fs_stat st;
    int code, read;

    if (!set_id(f, local, &id))
        return FTP_USAGE;
    struct cms_file *file = cms_open(&id, &code);
    if (!file)
        return local_error(&id, code);
    fs_file_stat(&file->fs, &st);
    text_out_start(&out, &file->fs, f->ascii, st.recfm);
    int rc = data_command(f, verb, foreign);
    if (rc == 0)
        rc = data_send(f, &out, &read);
    if (rc == 0) {
        rc = data_reply(f);
        if (read < 0 && rc >= 0)
            rc = local_error(&id, read);
    }
    if (rc == 0)
        data_message(f);
    cms_close(file);
    return rc;
}
