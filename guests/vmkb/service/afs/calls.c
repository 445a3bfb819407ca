/* SPDX-License-Identifier: MIT */
/* Each call: its arguments, what it does, its results. */
#include "server.h"

#define STORE_ARGS    52u        /* before a StoreData's bytes, with the operation */
#define STORE_ARGS_64 64u

static void get_fid(struct xdr_in *x, struct afs_fid *fid)
{
    fid->volume = xdr_get(x);
    fid->vnode = xdr_get(x);
    fid->unique = xdr_get(x);
}

static void get_status(struct xdr_in *x, struct afs_store_status *st)
{
    st->mask = xdr_get(x);
    st->time = xdr_get(x);
    st->owner = xdr_get(x);
    st->group = xdr_get(x);
    st->mode = xdr_get(x);
    xdr_get(x);                  /* segment size: nobody uses it */
}

struct name {
    const uint8_t *bytes;
    uint32_t len;
};

static struct name get_name(struct xdr_in *x)
{
    struct name n;

    n.bytes = xdr_get_string(x, AFS_NAME_MAX, &n.len);
    return n;
}

static int find_volume(struct afs_server *s, uint32_t id, struct volume **v)
{
    for (unsigned i = 0; i < AFS_VOLUMES && s->volumes[i]; i++)
        if (s->volumes[i]->id == id) {
            *v = s->volumes[i];
            return (*v)->online ? 0 : AFS_VOFFLINE;
        }
    return AFS_VNOVOL;
}

static int find(struct afs_server *s, const struct xdr_in *x, const struct afs_fid *fid,
                struct volume **v, struct vnode **n)
{
    int code = x->bad ? AFS_EARGS : find_volume(s, fid->volume, v);

    if (code)
        return code;
    *n = volume_vnode(*v, fid);
    return *n ? 0 : AFS_VNOVNODE;
}

/* ---- looking */

static int fetch_status(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid fid;
    struct volume *v;
    struct vnode *n;

    get_fid(x, &fid);
    int code = find(s, x, &fid, &v, &n);
    if (code)
        return code;
    afs_put_status(s, c, v, n);
    afs_put_callback(s, c, &fid);
    afs_put_sync(c, v);
    return 0;
}

static int fetch_data(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    bool wide = c->operation == AFS_FETCH_DATA_64;
    struct afs_fid fid;
    struct vnode *n;

    get_fid(x, &fid);
    uint64_t position = wide ? xdr_get64(x) : xdr_get(x), length = wide ? xdr_get64(x) : xdr_get(x);
    int code = find(s, x, &fid, &c->volume, &n);
    if (!code)
        code = volume_fetch_begin(c->volume, n, &c->fetch, position, length);
    if (code)
        return code;
    if (wide)
        xdr_put(&c->out, 0);
    xdr_put(&c->out, c->fetch.left);
    c->head_len = (uint32_t)(c->out.at - c->reply);
    afs_put_status(s, c, c->volume, n);
    afs_put_callback(s, c, &fid);
    afs_put_sync(c, c->volume);
    c->state = CALL_FETCHING;
    return 0;
}

static int bulk_status(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    bool inlined = c->operation == AFS_INLINE_BULK_STATUS;
    uint32_t count = xdr_get(x);
    struct afs_fid fids[AFS_BULK_MAX];
    struct volume *v = 0;
    struct vnode *n;

    if (count > AFS_BULK_MAX)
        return AFS_EARGS;
    xdr_put(&c->out, count);
    for (uint32_t i = 0; i < count; i++) {
        get_fid(x, &fids[i]);
        int code = find(s, x, &fids[i], &v, &n);
        if (code && (!inlined || x->bad))
            return code;
        if (!code) {
            afs_put_status(s, c, v, n);
            continue;
        }
        fids[i].volume = 0;
        xdr_put(&c->out, 1);
        for (unsigned k = 1; k < 20; k++)
            xdr_put(&c->out, 0);
        xdr_put(&c->out, (uint32_t)code);
    }
    xdr_put(&c->out, count);
    for (uint32_t i = 0; i < count; i++) {
        if (fids[i].volume) {
            afs_put_callback(s, c, &fids[i]);
            continue;
        }
        xdr_put(&c->out, 0);
        xdr_put(&c->out, 0);
        xdr_put(&c->out, AFS_CALLBACK_DROPPED);
    }
    afs_put_sync(c, v);
    return 0;
}

static int lookup(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid fid;
    struct volume *v;
    struct vnode *dir;
    uint32_t slot;

    get_fid(x, &fid);
    struct name name = get_name(x);
    int code = find(s, x, &fid, &v, &dir);
    if (!code)
        code = volume_lookup(v, dir, name.bytes, name.len, &slot);
    if (code)
        return code;
    struct afs_fid found = volume_fid(v, slot);
    afs_put_fid(&c->out, &found);
    afs_put_status(s, c, v, &v->vnodes[slot]);
    afs_put_status(s, c, v, dir);
    afs_put_callback(s, c, &found);
    afs_put_sync(c, v);
    return 0;
}

static int get_time(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    (void)x;
    xdr_put(&c->out, afs_now(s));
    xdr_put(&c->out, (uint32_t)(s->rx->now % 1000000));
    return 0;
}

static int get_volume_status(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct fs_usage usage;
    struct volume *v;
    int code = find_volume(s, xdr_get(x), &v);

    if (x->bad || code)
        return x->bad ? AFS_EARGS : code;
    fs_usage(&v->fs, &usage);
    const uint32_t kb = FS_BLOCK_SIZE / 1024, keep = volume_index_blocks(v) + VOLUME_SPARE;
    const uint32_t words[12] = {v->id,
                                v->id,
                                1,
                                1,
                                1,
                                0,
                                1 /* read-write */,
                                0,
                                0 /* no quota */,
                                usage.used * kb,
                                usage.free > keep ? (usage.free - keep) * kb : 0,
                                usage.blocks * kb};
    for (unsigned i = 0; i < 12; i++)
        xdr_put(&c->out, words[i]);
    xdr_put_string(&c->out, v->name, v->name_len);
    xdr_put_string(&c->out, v->name, 0);
    xdr_put_string(&c->out, v->name, 0);
    return 0;
}

static int get_root_volume(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    (void)x;
    if (!s->volumes[0])
        return AFS_VNOVOL;
    xdr_put_string(&c->out, s->volumes[0]->name, s->volumes[0]->name_len);
    return 0;
}

static int get_capabilities(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    (void)s;
    (void)x;
    xdr_put(&c->out, 1);     /* never none: Linux 6.1's client stops its kernel on an empty list */
    xdr_put(&c->out, AFS_CAPABILITY_64);
    return 0;
}

/* Rights are not kept: what everybody has stands for all. In ISO 8859-1. */
static int fetch_acl(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    /* 1 line of rights given, 0 of rights denied: "system:anyuser 127" */
    static const char acl[] = "\x31\x0a\x30\x0a\x73\x79\x73\x74\x65\x6d\x3a\x61\x6e\x79\x75"
                              "\x73\x65\x72\x20\x31\x32\x37\x0a";
    struct afs_fid fid;
    struct volume *v;
    struct vnode *n;

    get_fid(x, &fid);
    int code = find(s, x, &fid, &v, &n);
    if (code)
        return code;
    xdr_put_string(&c->out, acl, sizeof(acl)); /* with its zero */
    afs_put_status(s, c, v, n);
    afs_put_sync(c, v);
    return 0;
}

/* ---- changing */

/* What a call that makes something answers; callback: whether the list of results has one. */
static void put_made(struct afs_server *s, struct afs_call *c, struct volume *v, struct vnode *dir,
                     uint32_t slot, bool callback)
{
    struct afs_fid made = volume_fid(v, slot), of = volume_fid(v, volume_slot(v, dir));

    afs_changed(s, c, &of);
    afs_put_fid(&c->out, &made);
    afs_put_status(s, c, v, &v->vnodes[slot]);
    afs_put_status(s, c, v, dir);
    if (callback)
        afs_put_callback(s, c, &made);
    afs_put_sync(c, v);
}

static int make(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct name text = {x->at, 0};
    struct afs_fid fid;
    struct volume *v;
    struct vnode *dir;
    uint32_t slot;
    int type = c->operation == AFS_MAKE_DIR  ? AFS_DIRECTORY
               : c->operation == AFS_SYMLINK ? AFS_SYMBOLIC
                                             : AFS_FILE;

    get_fid(x, &fid);
    struct name name = get_name(x);
    if (type == AFS_SYMBOLIC)
        text.bytes = xdr_get_string(x, AFS_PATH_MAX, &text.len);
    get_status(x, &c->status);
    int code = find(s, x, &fid, &v, &dir);
    if (!code)
        code = volume_make(v, dir, name.bytes, name.len, type, &c->status, text.bytes, text.len,
                           afs_now(s), &slot);
    if (!code)
        put_made(s, c, v, dir, slot, type != AFS_SYMBOLIC);
    return code;
}

static int link(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid fid, to;
    struct volume *v;
    struct vnode *dir, *n;

    get_fid(x, &fid);
    struct name name = get_name(x);
    get_fid(x, &to);
    int code = find(s, x, &fid, &v, &dir);
    if (!code && to.volume != fid.volume)
        code = AFS_EXDEV;
    if (!code)
        code = find(s, x, &to, &v, &n);
    if (!code)
        code = volume_link(v, dir, name.bytes, name.len, n, afs_now(s));
    if (code)
        return code;
    afs_changed(s, c, &fid);
    afs_changed(s, c, &to);
    afs_put_status(s, c, v, n);
    afs_put_status(s, c, v, dir);
    afs_put_sync(c, v);
    return 0;
}

static int remove(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid fid, gone;
    struct volume *v;
    struct vnode *dir;

    get_fid(x, &fid);
    struct name name = get_name(x);
    int code = find(s, x, &fid, &v, &dir);
    if (!code)
        code = volume_remove(v, dir, name.bytes, name.len, c->operation == AFS_REMOVE_DIR,
                             afs_now(s), &gone);
    if (code)
        return code;
    afs_changed(s, c, &fid);
    afs_changed(s, c, &gone);
    afs_put_status(s, c, v, dir);
    afs_put_sync(c, v);
    return 0;
}

static int rename(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid from, to, gone;
    struct volume *v;
    struct vnode *old_dir, *new_dir;

    get_fid(x, &from);
    struct name old = get_name(x);
    get_fid(x, &to);
    struct name new = get_name(x);
    int code = find(s, x, &from, &v, &old_dir);
    if (!code && to.volume != from.volume)
        code = AFS_EXDEV;
    if (!code)
        code = find(s, x, &to, &v, &new_dir);
    if (!code)
        code = volume_rename(v, old_dir, old.bytes, old.len, new_dir, new.bytes, new.len,
                             afs_now(s), &gone);
    if (code)
        return code;
    afs_changed(s, c, &from);
    if (old_dir != new_dir)
        afs_changed(s, c, &to);
    if (gone.volume)
        afs_changed(s, c, &gone);
    afs_put_status(s, c, v, old_dir);
    afs_put_status(s, c, v, new_dir);
    afs_put_sync(c, v);
    return 0;
}

static int store_status(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    struct afs_fid fid;
    struct volume *v;
    struct vnode *n;

    get_fid(x, &fid);
    get_status(x, &c->status);
    int code = find(s, x, &fid, &v, &n);
    if (!code)
        code = volume_set(v, n, &c->status, afs_now(s));
    if (code)
        return code;
    afs_changed(s, c, &fid);
    afs_put_status(s, c, v, n);
    afs_put_sync(c, v);
    return 0;
}

static int store_data(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    bool wide = c->operation == AFS_STORE_DATA_64;
    struct afs_fid fid;
    struct vnode *n;

    get_fid(x, &fid);
    get_status(x, &c->status);
    uint64_t position = wide ? xdr_get64(x) : xdr_get(x), length = wide ? xdr_get64(x) : xdr_get(x);
    uint64_t file_length = wide ? xdr_get64(x) : xdr_get(x);
    int code = find(s, x, &fid, &c->volume, &n);
    if (!code)
        code =
            volume_store_begin(c->volume, n, &c->store, position, length, file_length, c->buffer);
    if (!code)
        c->state = CALL_STORING;
    return code;
}

int afs_store_done(struct afs_server *s, struct afs_call *c)
{
    struct volume *v = c->volume;
    uint32_t slot = c->store.slot;
    int code = volume_store_end(v, &c->store, &c->status, afs_now(s), c->buffer);

    if (code)
        return code;
    struct afs_fid fid = volume_fid(v, slot);
    afs_changed(s, c, &fid);
    afs_put_status(s, c, v, &v->vnodes[slot]);
    afs_put_sync(c, v);
    return 0;
}

/* ---- callbacks */

static int give_up(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    uint32_t count = xdr_get(x);
    struct afs_fid fid;

    if (x->bad || count > AFS_BULK_MAX)
        return AFS_EARGS;
    for (; count && !x->bad; count--) {
        get_fid(x, &fid);
        if (!x->bad && c->client)
            callbacks_give_up(&s->callbacks, c->client, &fid);
    }
    return x->bad ? AFS_EARGS : 0; /* what else is there is of no use to us */
}

static int give_up_all(struct afs_server *s, struct afs_call *c, struct xdr_in *x)
{
    (void)x;
    if (c->client)
        callbacks_give_up_all(&s->callbacks, c->client);
    return 0;
}

static const struct {
    uint32_t operation;
    int (*run)(struct afs_server *s, struct afs_call *c, struct xdr_in *x);
} operations[] = {
    {AFS_FETCH_DATA, fetch_data},
    {AFS_FETCH_ACL, fetch_acl},
    {AFS_FETCH_STATUS, fetch_status},
    {AFS_STORE_DATA, store_data},
    {AFS_STORE_STATUS, store_status},
    {AFS_REMOVE_FILE, remove},
    {AFS_CREATE_FILE, make},
    {AFS_RENAME, rename},
    {AFS_SYMLINK, make},
    {AFS_LINK, link},
    {AFS_MAKE_DIR, make},
    {AFS_REMOVE_DIR, remove},
    {AFS_GIVE_UP_CALLBACKS, give_up},
    {AFS_GET_VOLUME_STATUS, get_volume_status},
    {AFS_GET_ROOT_VOLUME, get_root_volume},
    {AFS_GET_TIME, get_time},
    {AFS_BULK_STATUS, bulk_status},
    {AFS_LOOKUP, lookup},
    {AFS_INLINE_BULK_STATUS, bulk_status},
    {AFS_FETCH_DATA_64, fetch_data},
    {AFS_STORE_DATA_64, store_data},
    {AFS_GIVE_UP_ALL_CALLBACKS, give_up_all},
    {AFS_GET_CAPABILITIES, get_capabilities},
};

uint32_t afs_args_needed(const struct afs_call *c)
{
    if (c->args_len < 4)
        return 0;
    uint32_t operation = rx_get32(c->args);
    return operation == AFS_STORE_DATA      ? STORE_ARGS
           : operation == AFS_STORE_DATA_64 ? STORE_ARGS_64
                                            : 0;
}

int afs_run(struct afs_server *s, struct afs_call *c)
{
    struct xdr_in x = {c->args, c->args_len, false};

    c->operation = xdr_get(&x);
    for (unsigned i = 0; !x.bad && i < sizeof(operations) / sizeof(operations[0]); i++)
        if (operations[i].operation == c->operation)
            return operations[i].run(s, c, &x);
    s->counts.unknown++;
    return x.bad ? AFS_EARGS : RX_EOPCODE;
}
