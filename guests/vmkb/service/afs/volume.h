/* SPDX-License-Identifier: MIT */
/* A volume of AFS on a minidisk (docs/reference/afs.md). One file, VOLUME INDEX, holds what all its
 * files, directories and symbolic links are and are called; each file's bytes are in a file of
 * their own, Cnnnnnnn AFSDATA. The index is replaced as a whole, and what it does not name does not
 * exist: that is the crash safety.  Pure but for the minidisk, whose device the caller gives:
 * compiled on the host too (tests/guests/afs). Functions return 0 or a code of AFS; a change that
 * could not be written is undone. */
#ifndef VMKB_AFS_VOLUME_H
#define VMKB_AFS_VOLUME_H
#include "afs.h"
#include "fs.h"

#define VOLUME_SLOTS  2048u      /* files, directories and symbolic links of a volume */
#define VOLUME_NAMES  131072u    /* bytes of all names and what links say */
#define VOLUME_NAME   32         /* bytes of a volume's name */
#define VOLUME_SPARE  2u         /* blocks beside a second index: a full volume can be emptied */
#define VOLUME_LENGTH 0x10000000u /* a minidisk is no larger: 256 MB */

#define DIR_PAGE      2048u
#define DIR_PAGES     128u       /* of one directory */

struct vnode {
    uint32_t unique;             /* 0: free */
    uint32_t content;            /* number of the file that has its bytes; 0: it has none */
    uint32_t length, version;
    uint32_t author, owner, group, mode;
    uint32_t client_time, server_time;
    uint16_t parent;             /* slot */
    uint16_t links;
    uint8_t type;
};

struct volume {
    struct fs fs;
    uint32_t id, next_unique, next_content, created;
    uint8_t name[VOLUME_NAME];   /* ISO 8859-1 */
    uint32_t name_len;
    bool online;
    uint32_t slots;              /* used once; those behind are free */
    uint32_t names_len;
    struct vnode vnodes[VOLUME_SLOTS];
    uint8_t names[VOLUME_NAMES]; /* records: name of a directory, or what a symbolic link says */
    bool storing[VOLUME_SLOTS];  /* its bytes are being written anew */
};

/* volume_index.c: Opens the volume on the device, which must be formatted; makes an empty one where
 * there is none. 0, or FS_E_...: then it is offline. */
int volume_open(struct volume *v, const struct fs_device *dev, uint32_t id, const uint8_t *name,
                uint32_t name_len, uint32_t now);
/* Writes the index; when that fails, what it held is in force again. need: blocks that stay free.
 * */
int volume_save(struct volume *v, uint32_t need, uint32_t now);
/* what was saved last is in force; offline if it cannot be read */
void volume_revert(struct volume *v);
uint32_t volume_index_blocks(const struct volume *v);

/* volume_names.c: the names of a directory, and what links say */
struct volume_name {
    uint16_t slot;               /* what it names; VOLUME_TEXT: it is what the link `of` says */
    uint16_t of;                 /* the directory's slot */
    uint16_t len;
    const uint8_t *bytes;
};
#define VOLUME_TEXT 0xffffu
/* *at 0 at first */
bool volume_next_name(const struct volume *v, uint32_t *at, struct volume_name *n);
bool volume_find_name(const struct volume *v, uint32_t of, const uint8_t *name, uint32_t len,
                      struct volume_name *n);
bool volume_add_name(struct volume *v, uint32_t of, uint32_t slot, const uint8_t *name,
                     uint32_t len);
void volume_drop_name(struct volume *v, uint32_t of, const uint8_t *name, uint32_t len);
bool volume_text(const struct volume *v, uint32_t of, struct volume_name *n); /* what a link says */
void volume_drop_text(struct volume *v, uint32_t of);
bool volume_is_empty(const struct volume *v, uint32_t of);

/* volume_dir.c: a directory as its bytes are fetched. 0: it would have more than DIR_PAGES. */
uint32_t volume_dir_length(const struct volume *v, uint32_t slot);
void volume_dir_bytes(const struct volume *v, uint32_t slot, uint8_t *to, uint32_t length);

/* volume.c */
struct vnode *volume_vnode(struct volume *v, const struct afs_fid *fid); /* 0: there is none */
struct afs_fid volume_fid(const struct volume *v, uint32_t slot);
static inline uint32_t volume_slot(const struct volume *v, const struct vnode *n)
{
    return (uint32_t)(n - v->vnodes);
}
int volume_lookup(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                  uint32_t *slot);
int volume_make(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len, int type,
                const struct afs_store_status *s, const uint8_t *text, uint32_t text_len,
                uint32_t now, uint32_t *slot);
int volume_link(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                struct vnode *to, uint32_t now);
/* *gone: what the name named; it may be no more. */
int volume_remove(struct volume *v, struct vnode *dir, const uint8_t *name, uint32_t len,
                  bool directory, uint32_t now, struct afs_fid *gone);
/* *gone: what the new name named before, volume 0: nothing. */
int volume_rename(struct volume *v, struct vnode *from, const uint8_t *name, uint32_t len,
                  struct vnode *to, const uint8_t *new_name, uint32_t new_len, uint32_t now,
                  struct afs_fid *gone);
int volume_set(struct volume *v, struct vnode *n, const struct afs_store_status *s, uint32_t now);

/* volume_data.c: the bytes of a file. A fetch keeps what it began with, whatever is stored
 * meanwhile. */
#define VOLUME_BUFFER 32768u     /* of a fetch or store, 8-byte aligned */
struct volume_fetch {
    struct fs_file file;
    uint32_t slot;               /* of a directory */
    uint32_t unique, version;
    uint8_t type;
    uint32_t position, left;     /* of what is asked; in the buffer: */
    const uint8_t *bytes;
    uint32_t have;
};
struct volume_store {
    struct fs_file file;
    uint32_t slot, content;
    uint32_t position, left, length; /* bytes to come and where they belong; of the file then */
};
/* length bytes from position on, or as many as there are. */
int volume_fetch_begin(struct volume *v, struct vnode *n, struct volume_fetch *f, uint64_t position,
                       uint64_t length);
/* When f->have is 0 and f->left is not: gets more bytes into the buffer. */
int volume_fetch_more(struct volume *v, struct volume_fetch *f, uint8_t *buffer);
void volume_fetch_end(struct volume_fetch *f);

int volume_store_begin(struct volume *v, struct vnode *n, struct volume_store *s, uint64_t position,
                       uint64_t length, uint64_t file_length, uint8_t *buffer);
int volume_store_more(struct volume_store *s, const uint8_t *bytes, uint32_t len);
/* All bytes came: the file is what it was with them in place, and what status says is set. */
int volume_store_end(struct volume *v, struct volume_store *s,
                     const struct afs_store_status *status, uint32_t now, uint8_t *buffer);
void volume_store_abort(struct volume *v, struct volume_store *s);

int volume_error(int fs_code);   /* AFS's word for the file system's */
/* The name of the file with that number; true: there is none, it is 0. */
bool volume_content_name(struct fs_name *name, uint32_t content);
#endif
