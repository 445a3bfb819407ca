// SPDX-License-Identifier: MIT
// Limits and fixed numbers of the minidisk file system. guests/vmkb/disk/fsformat.py holds the
// same numbers and a test compares the two.
#ifndef VMKB_PARAM_FS_H
#define VMKB_PARAM_FS_H

#define FS_FBA_SIZE 512u           // bytes in an FBA block: the unit of a transfer
#define FS_BLOCK_SIZE 4096u        // bytes in a file system block
#define FS_FBA_PER_BLOCK 8u        // FBA blocks in a file system block
#define FS_BLOCKS_MIN 8u           // smallest minidisk: 64 FBA blocks
#define FS_BLOCKS_MAX 65536u       // largest minidisk: 524288 FBA blocks, 256 MB
#define FS_DIR_BLOCKS_MAX 16u      // directory blocks of one minidisk
#define FS_ENTRIES_PER_BLOCK 64u   // directory entries in a directory block
#define FS_FILES_MAX 1024u         // files on one minidisk
#define FS_INLINE_EXTENTS 3u       // extents kept in the directory entry itself
#define FS_OVERFLOW_EXTENTS 508u   // extents in one overflow block; blocks chain without limit
#define FS_LRECL_MAX 65535u        // longest record
#define FS_RESERVE 2u              // free blocks that only a directory update may take
#define FS_HASH_BUCKETS 256u       // chains of the name index; a power of two
#define FS_PATTERN_MAX 16u         // characters in a name pattern
#define FS_BUFFER_SIZE 32768u      // a good size for a file's buffer; the least is FS_BLOCK_SIZE

#endif
