// SPDX-License-Identifier: MIT
// What the fs_*.c files share with each other and with nobody else.
#ifndef VMKB_FS_INTERNAL_H
#define VMKB_FS_INTERNAL_H

#include "fs.h"
#include "lib.h"

// Disk order is big-endian; on the guest these are nothing.
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define fs_be16(x) (x)
#define fs_be32(x) (x)
#define fs_be64(x) (x)
#else
#define fs_be16(x) __builtin_bswap16(x)
#define fs_be32(x) __builtin_bswap32(x)
#define fs_be64(x) __builtin_bswap64(x)
#endif

enum { FS_EBCDIC_BLANK = 0x40, FS_EBCDIC_STAR = 0x5C, FS_EBCDIC_PERCENT = 0x6C };

static inline uint32_t fs_blocks_for(uint32_t bytes)
{
    return bytes / FS_BLOCK_SIZE + (bytes % FS_BLOCK_SIZE != 0);
}

// ---- fs_bytes.c: checksum and byte order
uint32_t fs_checksum(const void *p, uint32_t size);
// The same of a directory block, of which the entries before `entry` are as they were the last time
// (0: there was none).
uint32_t fs_dir_checksum(struct fs *fs, uint32_t block, uint32_t entry);
void fs_super_swap(struct fs_super *s);
void fs_entry_swap(struct fs_entry *e);
void fs_overflow_swap(struct fs_overflow *o);
void fs_get_entry(const struct fs *fs, uint32_t slot, struct fs_entry *out); // host order

// ---- fs_io.c: transfers, split at the device's largest
int fs_io_read(struct fs *fs, uint32_t fba, uint32_t count, void *buf);
int fs_io_write(struct fs *fs, uint32_t fba, uint32_t count, const void *buf);
int fs_super_write(struct fs *fs, const struct fs_super *super);
// The valid superblock with the higher generation, or an error; uses fs->scratch.
int fs_super_read(struct fs *fs, struct fs_super *out);
// An overflow block in host order, checked: FS_E_DAMAGED if it is not one.
int fs_overflow_read(struct fs *fs, uint32_t block, struct fs_overflow *out);

// ---- fs_map.c: free blocks, in memory only
void fs_map_clear(struct fs *fs, uint32_t blocks);
// Marks a range as in use; FS_E_DAMAGED if it is outside the disk or partly in use already.
int fs_map_claim(struct fs *fs, uint32_t start, uint32_t count);
// Takes up to `want` blocks in one run, at `prefer` if that is free (0: anywhere), leaving `keep`
// free. Returns how many, 0 if none.
uint32_t fs_map_take(struct fs *fs, uint32_t want, uint32_t prefer, uint32_t keep,
                     uint32_t *start);
void fs_map_free(struct fs *fs, uint32_t start, uint32_t count);  // never committed: free at once
void fs_map_hold(struct fs *fs, uint32_t start, uint32_t count);  // free after the next commit
void fs_map_release(struct fs *fs);                               // what was held is free

// ---- fs_index.c: which slot has this name
void fs_index_clear(struct fs *fs);
int fs_index_find(const struct fs *fs, const struct fs_name *name);  // slot or FS_E_NOTFOUND
void fs_index_add(struct fs *fs, uint32_t slot);
void fs_index_remove(struct fs *fs, uint32_t slot);

// ---- fs_change.c: one step from one whole state to the next
// Allocates with fs_map_take, writing a superblock alone first when only held blocks are left.
int fs_take(struct fs *fs, uint32_t want, uint32_t prefer, uint32_t keep, uint32_t *start,
            uint32_t *count);
// Puts `entry` (host order, 0: free) into the slot and commits; gained - lost is the change of
// blocks in use. On an error nothing has changed.
int fs_change(struct fs *fs, uint32_t slot, const struct fs_entry *entry, uint32_t gained,
              uint32_t lost);
// Blocks of an entry that is no longer in the directory: held, or left to its open readers.
void fs_drop(struct fs *fs, const struct fs_entry *e);
uint32_t fs_entry_blocks(const struct fs_entry *e);

// ---- fs_name.c
int fs_name_ok(const uint8_t field[8]);
int fs_writable(const struct fs *fs);  // FS_OK, FS_E_READONLY or FS_E_IO
// ---- fs_dir.c
void fs_entry_stat(const struct fs_entry *e, struct fs_stat *out);
// ---- fs_read.c
void fs_unlink_file(struct fs_file *file);
int fs_buffer_ok(const void *buffer, uint32_t size);

#endif
