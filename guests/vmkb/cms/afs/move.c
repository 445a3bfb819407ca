/* SPDX-License-Identifier: MIT */
/* AFS GET and PUT. */
#include "afs_client.h"
#include "text.h"
#include "translate.h"

#define RECORD 65536u            /* longest record, and its line end */
#define LF     0x0a              /* of ISO 8859-1 */

static int add(void *to, uint8_t *bytes, uint32_t len)
{
    return text_in(to, bytes, len);
}

int afs_get(struct afs_client *c, const char *path, struct afs_job *job)
{
    uint8_t request[64];
    struct xdr_out x = {request, sizeof(request), false};
    uint8_t *record = cms_alloc(RECORD);
    struct cms_fileid there = job->id;
    struct text_in in;
    struct afs_fid fid;
    struct afs_stat st;
    int code;

    if (!record)
        return cms_error(104, "DMSAFS109S Virtual storage capacity exceeded");
    if (!job->replace && cms_find(&there, 0, 0) == FS_OK)
        return cms_file_error("AFS", FS_E_EXISTS, &there);
    int rc = afs_find(c, path, &fid, &st, 0, 0);
    if (rc == 0 && st.type != AFS_FILE)
        return cms_error(28, "DMSAFS024E %s is no file", path);
    if (rc)
        return rc == 1 ? afs_said(c, path) : rc;
    uint8_t recfm = job->text ? FS_VARIABLE : FS_FIXED;
    uint32_t lrecl = job->text ? 0 : 80;
    struct cms_file *file = cms_create(&job->id, recfm, lrecl, &code);
    if (!file)
        return cms_file_error("AFS", code, &job->id);
    text_in_start(&in, &file->fs, job->text, recfm, lrecl ? lrecl : RECORD - 1, record, RECORD - 1);
    xdr_put(&x, AFS_FETCH_DATA);
    afs_put_fid(&x, &fid);
    xdr_put(&x, 0);
    xdr_put(&x, 0x7fffffff);
    c->fetching = true;
    c->take = add;
    c->to = &in;
    rc = afs_call(c, c->files, &x, request);
    c->fetching = false;
    if (rc) {
        cms_close(file);
        if (rc == 1)
            return c->taken ? cms_file_error("AFS", c->taken, &job->id) : afs_said(c, path);
        return rc;
    }
    uint32_t bytes = rx_get32(c->reply);
    code = text_in_end(&in);
    if (code != FS_OK) {
        cms_close(file);
        return cms_file_error("AFS", code, &job->id);
    }
    code = cms_commit(file);
    if (code != FS_OK)
        return cms_file_error("AFS", code, &job->id);
    cms_say("AFS: %u bytes of %s are in %s %s %c", bytes, path, job->id.fn, job->id.ft,
            job->id.letter);
    return 0;
}

/* The bytes of all records, each with a line end if it is text. */
static uint32_t size_of(const struct fs_stat *st, bool text)
{
    uint32_t n = st->recfm == FS_VARIABLE ? st->size - 2 * st->records : st->size;

    return text ? n + st->records : n;
}

static int create(struct afs_client *c, const struct afs_fid *parent, const char *name,
                  struct afs_fid *fid)
{
    uint8_t request[512];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, AFS_CREATE_FILE);
    afs_put_fid(&x, parent);
    afs_put_name(&x, name, (unsigned)strlen(name));
    for (unsigned i = 0; i < 6; i++)
        xdr_put(&x, i == 0 ? AFS_SET_MODE : i == 4 ? 0644 : 0);
    int rc = afs_call(c, c->files, &x, request);
    struct xdr_in in = {c->reply, c->reply_len, false};
    *fid = (struct afs_fid){xdr_get(&in), 0, 0};
    fid->vnode = xdr_get(&in);
    fid->unique = xdr_get(&in);
    return rc;
}

/* The records, one after the other. *code: what the file system said. */
static int put_records(struct afs_client *c, struct cms_file *file, uint8_t *room, bool text,
                       int *code)
{
    const uint8_t *record;
    uint32_t len;
    int rc = 0;

    while (rc == 0 && (*code = fs_next(&file->fs, &record, &len)) == FS_OK) {
        memcpy(room, record, len);
        if (text) {
            translate(room, len, latin1_of_ebcdic);
            room[len++] = LF;
        }
        rc = afs_put(c, room, len);
    }
    return rc;
}

static int store(struct afs_client *c, const struct afs_fid *fid, struct cms_file *file,
                 uint32_t size, uint8_t *room, bool text, int *code)
{
    uint8_t request[128];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, AFS_STORE_DATA);
    afs_put_fid(&x, fid);
    for (unsigned i = 0; i < 6; i++)
        xdr_put(&x, 0);
    xdr_put(&x, 0);
    xdr_put(&x, size);
    xdr_put(&x, size);
    int rc = afs_begin(c, c->files, request, (uint32_t)(x.at - request));
    if (rc == 0)
        rc = put_records(c, file, room, text, code);
    if (rc == 0 && *code != FS_EOF) {
        rx_abort(&c->port.rx, c->call, RX_EUSER); /* the server keeps nothing */
        c->call = 0;
        return 0;
    }
    return rc ? rc : afs_end(c);
}

int afs_store(struct afs_client *c, const char *path, struct afs_job *job)
{
    uint8_t *room = cms_alloc(RECORD + 1);
    struct afs_fid fid, parent;
    struct afs_stat st;
    struct fs_stat here;
    const char *name;
    int code = FS_EOF;

    if (!room)
        return cms_error(104, "DMSAFS109S Virtual storage capacity exceeded");
    struct cms_file *file = cms_open(&job->id, &code);
    if (!file)
        return cms_file_error("AFS", code, &job->id);
    fs_file_stat(&file->fs, &here);
    int rc = afs_find(c, path, &fid, &st, &parent, &name);
    if (rc == 1 && c->error == AFS_ENOENT && *name)
        rc = create(c, &parent, name, &fid);
    else if (rc == 0 && st.type != AFS_FILE)
        return cms_error(28, "DMSAFS024E %s is no file", path);
    else if (rc == 0 && !job->replace)
        return cms_error(28, "DMSAFS024E %s is there already; REPLACE replaces it", path);
    uint32_t size = size_of(&here, job->text);
    if (rc == 0)
        rc = store(c, &fid, file, size, room, job->text, &code);
    if (rc)
        return rc == 1 ? afs_said(c, path) : rc;
    if (code != FS_EOF)
        return cms_file_error("AFS", code, &job->id);
    cms_say("AFS: %u bytes of %s %s %c are in %s", size, job->id.fn, job->id.ft, job->id.letter,
            path);
    return 0;
}
