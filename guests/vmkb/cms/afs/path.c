/* SPDX-License-Identifier: MIT */
/* From volume/directory/name to what it names. */
#include "afs_client.h"
#include "translate.h"

#define REQUEST 1024

void afs_put_fid(struct xdr_out *x, const struct afs_fid *fid)
{
    xdr_put(x, fid->volume);
    xdr_put(x, fid->vnode);
    xdr_put(x, fid->unique);
}

void afs_put_name(struct xdr_out *x, const char *name, unsigned len)
{
    uint8_t bytes[AFS_NAME_MAX + 1];

    if (len > AFS_NAME_MAX)
        len = AFS_NAME_MAX + 1;  /* the server says what is wrong with it */
    memcpy(bytes, name, len);
    translate(bytes, len, latin1_of_ebcdic);
    xdr_put_string(x, bytes, len);
}

void afs_get_stat(struct xdr_in *x, struct afs_stat *st)
{
    uint32_t w[21];

    for (unsigned i = 0; i < 21; i++)
        w[i] = xdr_get(x);
    *st = (struct afs_stat){.type = w[1], .length = w[3], .version = w[4], .owner = w[6],
                            .mode = w[9], .time = w[13]};
}

static int volume(struct afs_client *c, const char *name, unsigned len, uint32_t *id)
{
    uint8_t request[REQUEST];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, LOCATION_BY_NAME);
    afs_put_name(&x, name, len);
    int rc = afs_call(c, c->places, &x, request);
    struct xdr_in in = {c->reply, c->reply_len, false};
    for (unsigned i = 0; i < 65 + 2 + 3 * 8; i++)
        xdr_get(&in);            /* its name, and its servers: the one that we ask */
    *id = xdr_get(&in);
    return rc;
}

static int step(struct afs_client *c, struct afs_fid *fid, const char *name, unsigned len,
                struct afs_stat *st)
{
    uint8_t request[REQUEST];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, AFS_LOOKUP);
    afs_put_fid(&x, fid);
    afs_put_name(&x, name, len);
    int rc = afs_call(c, c->files, &x, request);
    if (rc)
        return rc;
    struct xdr_in in = {c->reply, c->reply_len, false};
    fid->volume = xdr_get(&in);
    fid->vnode = xdr_get(&in);
    fid->unique = xdr_get(&in);
    afs_get_stat(&in, st);
    return 0;
}

static int root(struct afs_client *c, const struct afs_fid *fid, struct afs_stat *st)
{
    uint8_t request[REQUEST];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, AFS_FETCH_STATUS);
    afs_put_fid(&x, fid);
    int rc = afs_call(c, c->files, &x, request);
    struct xdr_in in = {c->reply, c->reply_len, false};
    afs_get_stat(&in, st);
    return rc;
}

static unsigned part(const char *path)
{
    unsigned n = 0;

    while (path[n] && path[n] != '/')
        n++;
    return n;
}

int afs_find(struct afs_client *c, const char *path, struct afs_fid *fid, struct afs_stat *st,
             struct afs_fid *parent, const char **name)
{
    unsigned n = part(path);

    *fid = (struct afs_fid){0, 1, 1};
    if (name)
        *name = "";
    int rc = volume(c, path, n, &fid->volume);
    if (rc == 0)
        rc = root(c, fid, st);
    for (path += n; rc == 0; path += n) {
        while (*path == '/')
            path++;
        n = part(path);
        if (!n)
            break;
        if (parent)
            *parent = *fid;
        if (name)
            *name = path;
        rc = step(c, fid, path, n, st);
        if (rc && path[n] && name) /* not its last part: it has no parent */
            *name = "";
    }
    return rc;
}
