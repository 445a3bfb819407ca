// SPDX-License-Identifier: MIT
// What a minidisk looks like, byte by byte. All numbers are big-endian, all names EBCDIC.
// docs/reference/volume.md is about it.
#ifndef VMKB_FS_FORMAT_H
#define VMKB_FS_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include "param_fs.h"

#define FS_MAGIC 0xE5D4D2C2C6E2F0F1ull          // VMKBFS01
#define FS_OVERFLOW_MAGIC 0xE5D4D2C2D6E5C6D3ull // VMKBOVFL
#define FS_VERSION 1u
#define FS_SLOT_FBA(slot) ((slot) * 4u)   // FBA blocks 0 and 4 hold the two superblocks
#define FS_OVERFLOWED 0xFFFFu             // fs_entry.extents when the list is in overflow blocks

struct fs_extent {
    uint32_t start;                       // 0  first file system block
    uint32_t count;                       // 4  blocks
};

struct fs_dir_pointer {
    uint32_t block;                       // 0  where this directory block is
    uint32_t checksum;                    // 4  fs_checksum of its 4096 bytes
};

struct fs_super {
    uint64_t magic;                       // 0   FS_MAGIC
    uint32_t version;                     // 8   FS_VERSION
    uint32_t checksum;                    // 12  fs_checksum of the 512 bytes, this field zero
    uint64_t generation;                  // 16  one more with each commit; odd ones in slot 1
    uint64_t formatted;                   // 24  seconds since 1900-01-01 00:00 UTC
    uint32_t blocks;                      // 32  file system blocks on the minidisk
    uint32_t used;                        // 36  blocks in use, block 0 included
    uint32_t files;                       // 40  directory entries in use
    uint32_t dir_blocks;                  // 44  directory blocks in use
    uint8_t label[8];                     // 48  the disk's label
    uint8_t reserved1[8];                 // 56  zero
    struct fs_dir_pointer dir[FS_DIR_BLOCKS_MAX]; // 64
    uint8_t reserved2[320];               // 192 zero
};

struct fs_entry {
    uint8_t fn[8];                        // 0   blank-padded; a free entry is 64 zero bytes
    uint8_t ft[8];                        // 8
    uint8_t mode;                         // 16  filemode number, 0 to 6, as a number
    uint8_t recfm;                        // 17  FS_FIXED or FS_VARIABLE
    uint16_t extents;                     // 18  0 to 3, or FS_OVERFLOWED
    uint32_t lrecl;                       // 20  record length (F) or longest record (V)
    uint32_t records;                     // 24  number of records
    uint32_t size;                        // 28  bytes stored, V's length prefixes included
    uint64_t written;                     // 32  seconds since 1900-01-01 00:00 UTC
    struct fs_extent extent[FS_INLINE_EXTENTS]; // 40  when FS_OVERFLOWED: extent[0] is {first
                                          //     overflow block, number of overflow blocks},
                                          //     extent[1] is {number of extents, 0}
};

struct fs_overflow {
    uint64_t magic;                       // 0   FS_OVERFLOW_MAGIC
    uint32_t checksum;                    // 8   fs_checksum of the 4096 bytes, this field zero
    uint32_t next;                        // 12  next overflow block, 0 at the end
    uint32_t count;                       // 16  extents used in this block
    uint8_t reserved[12];                 // 20  zero
    struct fs_extent extent[FS_OVERFLOW_EXTENTS]; // 32
};

_Static_assert(sizeof(struct fs_super) == FS_FBA_SIZE, "superblock is one FBA block");
_Static_assert(offsetof(struct fs_super, checksum) == 12, "fs_super.checksum");
_Static_assert(offsetof(struct fs_super, generation) == 16, "fs_super.generation");
_Static_assert(offsetof(struct fs_super, blocks) == 32, "fs_super.blocks");
_Static_assert(offsetof(struct fs_super, label) == 48, "fs_super.label");
_Static_assert(offsetof(struct fs_super, dir) == 64, "fs_super.dir");
_Static_assert(sizeof(struct fs_entry) == 64, "directory entry");
_Static_assert(offsetof(struct fs_entry, lrecl) == 20, "fs_entry.lrecl");
_Static_assert(offsetof(struct fs_entry, written) == 32, "fs_entry.written");
_Static_assert(offsetof(struct fs_entry, extent) == 40, "fs_entry.extent");
_Static_assert(sizeof(struct fs_overflow) == FS_BLOCK_SIZE, "overflow block");
_Static_assert(offsetof(struct fs_overflow, extent) == 32, "fs_overflow.extent");

#endif
