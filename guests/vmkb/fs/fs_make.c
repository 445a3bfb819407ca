// SPDX-License-Identifier: MIT
// Making an empty file system, and what the codes mean in words.
#include "fs_internal.h"

int fs_format(struct fs *fs, const struct fs_device *dev, const uint8_t label[8], uint64_t now)
{
    uint32_t blocks = dev->blocks / FS_FBA_PER_BLOCK;
    if (blocks < FS_BLOCKS_MIN)
        return FS_E_TOOSMALL;
    if (blocks > FS_BLOCKS_MAX)
        return FS_E_TOOBIG;
    fs->dev = *dev;
    struct fs_super *s = &fs->super;
    memset(s, 0, sizeof *s);
    // Slot 0 first: until slot 1 is written an old file system there is still whole.
    int rc = fs_io_write(fs, FS_SLOT_FBA(0), 1, s);
    if (rc != FS_OK)
        return rc;
    s->magic = FS_MAGIC;
    s->version = FS_VERSION;
    s->generation = 1;
    s->formatted = now;
    s->blocks = blocks;
    s->used = 1;
    memcpy(s->label, label, sizeof s->label);
    return fs_super_write(fs, s);
}

const char *fs_strerror(int code)
{
    switch (code) {
    case FS_OK: return "no error";
    case FS_E_IO: return "the disk reported an input/output error";
    case FS_E_NOTFS: return "the disk is not formatted";
    case FS_E_DAMAGED: return "the disk's directory is damaged";
    case FS_E_TRUNCATED: return "the disk is shorter than its file system: the volume is truncated";
    case FS_E_TOOBIG: return "the disk is larger than a file system can be";
    case FS_E_TOOSMALL: return "the disk is too small for a file system";
    case FS_E_NAME: return "the file identifier is not valid";
    case FS_E_NOTFOUND: return "file not found";
    case FS_E_EXISTS: return "the file already exists";
    case FS_E_FULL: return "the disk is full";
    case FS_E_DIRFULL: return "the disk has no room for another directory entry";
    case FS_E_READONLY: return "the disk is read/only";
    case FS_E_RECORD: return "the record length is not valid for the file";
    case FS_E_BUFFER: return "the buffer is too small or not aligned";
    case FS_E_STATE: return "the file is not open for this";
    case FS_E_STALE: return "the disk was changed by its writer: issue ACCESS again";
    case FS_EOF: return "end of file";
    }
    return "unknown file system code";
}
