/* SPDX-License-Identifier: MIT */
/* The bytes of a file. A store writes all of them anew into a file of its own, which takes the old
 * one's place with the index; so a crash leaves the one or the other. */
#include "volume.h"

#define PIECE (VOLUME_BUFFER / 2) /* of a store's buffer: what is copied, and the file system's */

static uint8_t directory[DIR_PAGES * DIR_PAGE];
static uint8_t unused[FS_BLOCK_SIZE] __attribute__((aligned(8)));

int volume_fetch_begin(struct volume *v, struct vnode *n, struct volume_fetch *f, uint64_t position,
                       uint64_t length)
{
    struct fs_name name;

    f->file.fs = 0;
    f->slot = volume_slot(v, n);
    f->unique = n->unique;
    f->version = n->version;
    f->type = n->type;
    f->have = 0;
    f->position = position < n->length ? (uint32_t)position : n->length;
    f->left = length < n->length - f->position ? (uint32_t)length : n->length - f->position;
    if (n->type != AFS_FILE || volume_content_name(&name, n->content))
        return 0;
    int rc = fs_open(&v->fs, &f->file, &name, unused, sizeof(unused));
    /* reads begin at blocks and are of whole ones: they go straight to the caller's buffer */
    if (rc == FS_OK)
        rc = fs_seek(&f->file, f->position / FS_BLOCK_SIZE * FS_BLOCK_SIZE);
    return volume_error(rc);
}

static int more_of_directory(struct volume *v, struct volume_fetch *f, uint8_t *buffer)
{
    const struct vnode *n = &v->vnodes[f->slot];
    struct volume_name text;

    if (n->unique != f->unique || n->version != f->version)
        return AFS_VBUSY;        /* it was changed between two pieces: the client asks again */
    f->have = f->left < VOLUME_BUFFER ? f->left : VOLUME_BUFFER;
    f->bytes = buffer;
    if (f->type == AFS_DIRECTORY) {
        volume_dir_bytes(v, f->slot, directory, n->length);
        memcpy(buffer, directory + f->position, f->have);
    } else {
        if (!volume_text(v, f->slot, &text))
            return AFS_EIO;
        memcpy(buffer, text.bytes + f->position, f->have);
    }
    return 0;
}

int volume_fetch_more(struct volume *v, struct volume_fetch *f, uint8_t *buffer)
{
    if (f->type != AFS_FILE) {
        int code = more_of_directory(v, f, buffer);
        f->position += f->have;
        f->left -= f->have;
        return code;
    }
    uint32_t into = f->position % FS_BLOCK_SIZE, want = into + f->left;
    uint32_t whole = (want + FS_BLOCK_SIZE - 1) / FS_BLOCK_SIZE * FS_BLOCK_SIZE;
    int n = fs_read(&f->file, buffer, whole < VOLUME_BUFFER ? whole : VOLUME_BUFFER);

    if (n < 0)
        return volume_error(n);
    if ((uint32_t)n <= into)
        return AFS_EIO;
    f->bytes = buffer + into;
    f->have = (uint32_t)n - into < f->left ? (uint32_t)n - into : f->left;
    f->position += f->have;
    f->left -= f->have;
    return 0;
}

void volume_fetch_end(struct volume_fetch *f)
{
    if (f->file.fs)
        (void)fs_close(&f->file);
}

/* ---- store */

/* Bytes from..to of the file as it is, zeros behind its end. */
static int copy(struct volume *v, struct volume_store *s, uint32_t from, uint32_t to,
                uint8_t *buffer)
{
    struct vnode *n = &v->vnodes[s->slot];
    struct volume_fetch f;
    uint32_t old = n->length < to ? n->length : to;
    int code = 0;

    if (from < old) {
        code = volume_fetch_begin(v, n, &f, from, old - from);
        while (!code && f.left) {
            uint32_t into = f.position % FS_BLOCK_SIZE;
            int got = fs_read(&f.file, buffer, PIECE);
            uint32_t have = got > (int)into ? (uint32_t)got - into : 0;
            if (have > f.left)
                have = f.left;
            int rc = got < 0 ? got : FS_E_IO;
            if (have)
                rc = fs_write(&s->file, buffer + into, have);
            code = volume_error(rc);
            f.position += have;
            f.left -= have;
        }
        volume_fetch_end(&f);
        from = old;
    }
    if (!code && from < to)
        memset(buffer, 0, PIECE);
    for (; !code && from < to; from += PIECE)
        code = volume_error(fs_write(&s->file, buffer, to - from < PIECE ? to - from : PIECE));
    return code;
}

int volume_store_begin(struct volume *v, struct vnode *n, struct volume_store *s, uint64_t position,
                       uint64_t length, uint64_t file_length, uint8_t *buffer)
{
    struct fs_name name;

    s->file.fs = 0;
    if (n->type != AFS_FILE)
        return n->type == AFS_DIRECTORY ? AFS_EISDIR : AFS_EINVAL;
    if (position > VOLUME_LENGTH || length > VOLUME_LENGTH || file_length > VOLUME_LENGTH)
        return AFS_EFBIG;
    s->slot = volume_slot(v, n);
    if (v->storing[s->slot])
        return AFS_VBUSY;
    s->content = v->next_content;
    s->position = (uint32_t)position;
    s->left = (uint32_t)length;
    s->length = (uint32_t)(file_length < position + length ? position + length : file_length);
    if (volume_content_name(&name, s->content) || s->content >= 1u << 28)
        return AFS_VDISKFULL;
    int rc = fs_create(&v->fs, &s->file, &name, 1, FS_FIXED, FS_BLOCK_SIZE, buffer + PIECE, PIECE);
    if (rc != FS_OK)
        return volume_error(rc);
    v->next_content++;
    v->storing[s->slot] = true;
    int code = copy(v, s, 0, s->position, buffer);
    if (code)
        volume_store_abort(v, s);
    return code;
}

int volume_store_more(struct volume_store *s, const uint8_t *bytes, uint32_t len)
{
    if (len > s->left)
        return AFS_EINVAL;
    s->position += len;
    s->left -= len;
    return volume_error(fs_write(&s->file, bytes, len));
}

int volume_store_end(struct volume *v, struct volume_store *s,
                     const struct afs_store_status *status, uint32_t now, uint8_t *buffer)
{
    struct vnode *n = &v->vnodes[s->slot];
    uint32_t old = n->content;
    struct fs_name name;
    int code = s->left ? AFS_EINVAL : !v->online ? AFS_VOFFLINE : n->unique == 0 ? AFS_VNOVNODE : 0;

    if (!code)
        code = copy(v, s, s->position, s->length, buffer);
    if (code) {
        volume_store_abort(v, s);
        return code;
    }
    v->storing[s->slot] = false;
    if (s->length) {
        int rc = fs_commit(&s->file, (uint64_t)now + 2208988800u);
        if (rc != FS_OK)
            return volume_error(rc);
    } else {
        (void)fs_abort(&s->file);
        s->content = 0;
    }
    n->content = s->content;
    n->length = s->length;
    n->version++;
    n->client_time = n->server_time = now;
    struct afs_store_status set = *status;
    if (set.mask & AFS_SET_TIME)
        n->client_time = set.time;
    set.mask &= ~(uint32_t)AFS_SET_TIME;
    code = volume_set(v, n, &set, now);
    if (!volume_content_name(&name, code ? s->content : old))
        (void)fs_erase(&v->fs, &name); /* what stays is swept when the volume is opened next */
    return code;
}

void volume_store_abort(struct volume *v, struct volume_store *s)
{
    if (!s->file.fs)
        return;
    (void)fs_abort(&s->file);
    v->storing[s->slot] = false;
}
