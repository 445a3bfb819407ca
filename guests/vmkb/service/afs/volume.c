/* SPDX-License-Identifier: MIT */
/* What a volume holds: found, made, linked, renamed, removed. A change is made in storage and then
 * saved; a save that fails brings back what was saved before. */
#include "volume.h"

struct afs_fid volume_fid(const struct volume *v, uint32_t slot)
{
    const struct vnode *n = &v->vnodes[slot];

    /* directories have odd numbers, all others even ones: clients tell them by that */
    return (struct afs_fid){v->id, 2 * slot + (n->type == AFS_DIRECTORY ? 1 : 2), n->unique};
}

struct vnode *volume_vnode(struct volume *v, const struct afs_fid *fid)
{
    uint32_t slot = (fid->vnode - 1) / 2;

    if (fid->vnode == 0 || slot >= v->slots || fid->unique == 0
        || v->vnodes[slot].unique != fid->unique || volume_fid(v, slot).vnode != fid->vnode)
        return 0;
    return &v->vnodes[slot];
}

static bool good_name(const uint8_t *name, uint32_t len)
{
    if (len == 0 || len > AFS_NAME_MAX
        || (name[0] == 0x2e && (len == 1 || (len == 2 && name[1] == 0x2e))))
        return false;
    for (uint32_t i = 0; i < len; i++)
        if (name[i] == 0x2f || name[i] == 0)
            return false;
    return true;
}

int volume_lookup(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                  uint32_t *slot)
{
    struct volume_name n;

    if (dir->type != AFS_DIRECTORY)
        return AFS_ENOTDIR;
    if (len == 1 && name[0] == 0x2e)
        *slot = volume_slot(v, dir);
    else if (len == 2 && name[0] == 0x2e && name[1] == 0x2e)
        *slot = dir->parent;
    else if (volume_find_name(v, volume_slot(v, dir), name, len, &n))
        *slot = n.slot;
    else
        return AFS_ENOENT;
    return 0;
}

static void touch(struct volume *v, struct vnode *dir, uint32_t now)
{
    dir->length = volume_dir_length(v, volume_slot(v, dir));
    dir->version++;
    dir->client_time = dir->server_time = now;
}

/* A change of a directory is put on disk, or undone if the directory has become too large. need: as
 * volume_save. */
static int save_dir(struct volume *v, const struct vnode *dir, uint32_t need, uint32_t now)
{
    if (dir->length != 0)
        return volume_save(v, need, now);
    volume_revert(v);
    return AFS_EFBIG;
}

static void apply(struct vnode *n, const struct afs_store_status *s)
{
    if (s->mask & AFS_SET_TIME)
        n->client_time = s->time;
    if (s->mask & AFS_SET_OWNER)
        n->owner = s->owner;
    if (s->mask & AFS_SET_GROUP)
        n->group = s->group;
    if (s->mask & AFS_SET_MODE)
        n->mode = s->mode & 07777;
}

static int room_for(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len)
{
    struct volume_name n;

    if (dir->type != AFS_DIRECTORY)
        return AFS_ENOTDIR;
    if (!good_name(name, len))
        return AFS_EINVAL;
    return volume_find_name(v, volume_slot(v, dir), name, len, &n) ? AFS_EEXIST : 0;
}

int volume_make(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len, int type,
                const struct afs_store_status *s, const uint8_t *text, uint32_t text_len,
                uint32_t now, uint32_t *slot)
{
    int code = room_for(v, dir, name, len);
    uint32_t at = 0;

    if (code)
        return code;
    while (at < v->slots && (v->vnodes[at].unique || v->storing[at]))
        at++;
    if (at == VOLUME_SLOTS)
        return AFS_VDISKFULL;
    uint32_t slots = v->slots, names = v->names_len;
    if (!volume_add_name(v, volume_slot(v, dir), at, name, len)
        || (type == AFS_SYMBOLIC && !volume_add_name(v, at, VOLUME_TEXT, text, text_len))) {
        v->names_len = names;
        return AFS_VDISKFULL;
    }
    v->slots = at == slots ? slots + 1 : slots;
    struct vnode *n = &v->vnodes[at];
    *n = (struct vnode){.unique = v->next_unique++,
                        .version = 1,
                        .mode = type == AFS_DIRECTORY ? 0755 : 0644,
                        .client_time = now,
                        .server_time = now,
                        .parent = (uint16_t)volume_slot(v, dir),
                        .links = 1,
                        .type = (uint8_t)type};
    apply(n, s);
    n->author = n->owner;
    if (type == AFS_SYMBOLIC)
        n->length = text_len;
    if (type == AFS_DIRECTORY) {
        dir->links++;
        n->links = 2;
        n->length = volume_dir_length(v, at);
    }
    touch(v, dir, now);
    *slot = at;
    return save_dir(v, dir, VOLUME_SPARE, now);
}

int volume_link(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                struct vnode *to, uint32_t now)
{
    int code = room_for(v, dir, name, len);

    if (code)
        return code;
    if (to->type == AFS_DIRECTORY)
        return AFS_EISDIR;
    if (to->parent != volume_slot(v, dir))
        return AFS_EXDEV;
    if (to->links == 0xffff)
        return AFS_EMLINK;
    if (!volume_add_name(v, volume_slot(v, dir), volume_slot(v, to), name, len))
        return AFS_VDISKFULL;
    to->links++;
    to->server_time = now;
    touch(v, dir, now);
    return save_dir(v, dir, VOLUME_SPARE, now);
}

/* A name of the vnode is gone; with its last one it is free. Its bytes are erased when that is
 * saved. */
static void unlink(struct volume *v, struct vnode *dir, struct vnode *n, uint32_t now)
{
    if (n->type == AFS_DIRECTORY) {
        dir->links--;
        n->links = 0;
    } else {
        n->links--;
    }
    n->server_time = now;
    if (n->links)
        return;
    if (n->type == AFS_SYMBOLIC)
        volume_drop_text(v, volume_slot(v, n));
    memset(n, 0, sizeof(*n));
}

static void erase(struct volume *v, uint32_t content)
{
    struct fs_name name;

    if (!volume_content_name(&name, content))
        (void)fs_erase(&v->fs, &name); /* what stays is swept when the volume is opened next */
}

/* Whether what is at slot may go by a removal, or by a rename onto it. */
static int may_go(const struct volume *v, uint32_t slot, bool directory)
{
    if (directory && v->vnodes[slot].type != AFS_DIRECTORY)
        return AFS_ENOTDIR;
    if (!directory && v->vnodes[slot].type == AFS_DIRECTORY)
        return AFS_EISDIR;
    return directory && !volume_is_empty(v, slot) ? AFS_EEXIST : 0;
}

int volume_remove(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                  bool directory, uint32_t now, struct afs_fid *gone)
{
    uint32_t slot;
    int code = good_name(name, len) ? volume_lookup(v, dir, name, len, &slot) : AFS_EINVAL;

    if (!code)
        code = may_go(v, slot, directory);
    if (code)
        return code;
    struct vnode *n = &v->vnodes[slot];
    uint32_t content = n->links == 1 ? n->content : 0;
    *gone = volume_fid(v, slot);
    volume_drop_name(v, volume_slot(v, dir), name, len);
    unlink(v, dir, n, now);
    touch(v, dir, now);
    code = save_dir(v, dir, 0, now);
    if (!code)
        erase(v, content);
    return code;
}

/* The directory `dir` is `slot` or below it. */
static bool within(const struct volume *v, uint32_t dir, uint32_t slot)
{
    for (uint32_t steps = 0; steps < v->slots; steps++) {
        if (dir == slot)
            return true;
        if (dir == 0)
            return false;
        dir = v->vnodes[dir].parent;
    }
    return true;
}

int volume_rename(struct volume *v, struct vnode *from, const uint8_t *name, uint32_t len,
                  struct vnode *to, const uint8_t *new_name, uint32_t new_len, uint32_t now,
                  struct afs_fid *gone)
{
    uint32_t slot, old, content = 0, source = volume_slot(v, from), target = volume_slot(v, to);
    int code = good_name(name, len) && good_name(new_name, new_len)
                   ? volume_lookup(v, from, name, len, &slot)
                   : AFS_EINVAL;

    gone->volume = 0;
    if (code)
        return code;
    struct vnode *n = &v->vnodes[slot];
    if (n->type == AFS_DIRECTORY && within(v, target, slot))
        return AFS_EINVAL;
    if (n->type != AFS_DIRECTORY && n->links > 1 && from != to)
        return AFS_EXDEV;        /* all names of a file are in one directory */
    code = volume_lookup(v, to, new_name, new_len, &old);
    if (code && code != AFS_ENOENT)
        return code;
    if (!code) {
        if (old == slot)
            return 0;            /* two names of one file: both stay, as everywhere */
        code = may_go(v, old, n->type == AFS_DIRECTORY);
        if (code)
            return code;
        *gone = volume_fid(v, old);
        content = v->vnodes[old].links == 1 ? v->vnodes[old].content : 0;
        volume_drop_name(v, target, new_name, new_len);
        unlink(v, to, &v->vnodes[old], now);
    }
    volume_drop_name(v, source, name, len);
    if (!volume_add_name(v, target, slot, new_name, new_len)) {
        volume_revert(v);
        return AFS_VDISKFULL;
    }
    if (n->type == AFS_DIRECTORY && from != to) {
        from->links--;
        to->links++;
        n->version++;            /* its .. */
    }
    n->parent = (uint16_t)target;
    touch(v, from, now);
    if (from != to)
        touch(v, to, now);
    code = save_dir(v, to, new_len > len ? VOLUME_SPARE : 0, now);
    if (!code)
        erase(v, content);
    return code;
}

int volume_set(struct volume *v, struct vnode *n, const struct afs_store_status *s, uint32_t now)
{
    apply(n, s);
    n->server_time = now;
    return volume_save(v, 0, now);
}
