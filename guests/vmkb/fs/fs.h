// SPDX-License-Identifier: MIT
// The minidisk file system: fn ft fm, RECFM F and V, whole-file atomic replacement.
//
// Names, patterns and labels are EBCDIC bytes on the guest and on the host alike; text from
// fs_strerror() is in the execution character set. Everything lives in the caller's structures:
// one struct fs per accessed disk (about 90 KB), one struct fs_file (about 5 KB) plus a buffer per
// open file. Functions return FS_OK or a negative code unless they say otherwise.
//
// Sharing. One machine may write a disk (CP's link modes see to that) while others read it. A
// reader keeps the generation that it mounted: blocks given up by the commit that made generation
// n+1 are not written again before generation n+2 is on disk, so a reader of generation n is safe
// while the disk is at n or n+1. fs_open() and fs_close() on a read-only mount look at the disk
// and return FS_E_STALE when it has gone further: what was read may be mixed, mount again (ACCESS).
// A machine's own open readers of a file that it replaces or erases keep the old content.
#ifndef VMKB_FS_H
#define VMKB_FS_H

#include <stdint.h>
#include "fs_format.h"

enum {
    FS_OK = 0,
    FS_E_IO = -1,         // the device returned an error
    FS_E_NOTFS = -2,      // no file system: neither superblock is one (never formatted, zeroed)
    FS_E_DAMAGED = -3,    // a superblock, directory or overflow block fails its checksum or sense
    FS_E_TRUNCATED = -4,  // the minidisk is shorter than its file system
    FS_E_TOOBIG = -5,     // the minidisk is larger than FS_BLOCKS_MAX
    FS_E_TOOSMALL = -6,   // the minidisk is smaller than FS_BLOCKS_MIN
    FS_E_NAME = -7,       // bad fn, ft, mode number or pattern
    FS_E_NOTFOUND = -8,
    FS_E_EXISTS = -9,     // rename to a name in use
    FS_E_FULL = -10,      // no free blocks
    FS_E_DIRFULL = -11,   // FS_FILES_MAX files, or no block for one more directory block
    FS_E_READONLY = -12,
    FS_E_RECORD = -13,    // record longer than LRECL, or a V prefix that runs past the end
    FS_E_BUFFER = -14,    // caller's buffer too small for the record, or a file buffer that is
                          // not a multiple of FS_BLOCK_SIZE or not 8-byte aligned
    FS_E_STATE = -15,     // call does not fit: file not open, open the other way, writer ended
    FS_E_STALE = -16,     // the disk changed under a read-only mount: mount it again
    FS_EOF = -17          // no more records
};

enum { FS_FIXED = 0xC6, FS_VARIABLE = 0xE5 };  // EBCDIC F and V
enum { FS_READONLY = 0, FS_READWRITE = 1 };
enum { FS_SUM_PIECE = 256 };  // bytes of a directory block that are summed as one

// A disk. read and write move `count` FBA blocks of 512 bytes, block 0 being the minidisk's first,
// and return 0 or not 0. They must be complete, in order, when they return.
struct fs_device {
    void *ctx;
    uint32_t blocks;        // FBA blocks on the minidisk
    uint32_t max_transfer;  // most FBA blocks in one call, a multiple of 8; 0: no limit
    int (*read)(void *ctx, uint32_t block, uint32_t count, void *buf);
    int (*write)(void *ctx, uint32_t block, uint32_t count, const void *buf);
};

struct fs_name {
    uint8_t fn[8];          // blank-padded
    uint8_t ft[8];
};

struct fs_stat {
    struct fs_name name;
    uint8_t mode;           // 0 to 6
    uint8_t recfm;          // FS_FIXED or FS_VARIABLE
    uint32_t lrecl;
    uint32_t records;
    uint32_t size;          // bytes stored
    uint32_t blocks;        // file system blocks, overflow blocks included
    uint64_t written;       // seconds since 1900-01-01 00:00 UTC (a TOD clock value / 4096e6)
};

struct fs_usage {
    uint32_t blocks;        // file system blocks in all
    uint32_t used;          // taken by files, directory and superblocks
    uint32_t free;          // what a new file could take
    uint32_t files;
    uint64_t generation;
    uint8_t label[8];
};

struct fs_file;

// An accessed disk. The caller provides it, zeroed or not; only fs_*.c look inside.
struct fs {
    struct fs_device dev;
    int writable;
    int settled;                               // no reader of an older generation is left safe
    int broken;                                // a superblock write failed: no more changes
    struct fs_super super;                     // the generation in force
    uint32_t free;                             // blocks not in map, plus blocks in held
    uint32_t held_count;
    uint32_t held_low, held_high;              // words of held that may be non-zero
    uint32_t next_fit;                         // where the search for free blocks goes on
    struct fs_file *open;                      // files open on this disk
    uint64_t map[FS_BLOCKS_MAX / 64];          // 1: may not be allocated
    uint64_t held[FS_BLOCKS_MAX / 64];         // given up by the last commit; set in map too
    uint16_t bucket[FS_HASH_BUCKETS];          // name index: slot + 1
    uint16_t chain[FS_FILES_MAX];
    struct fs_entry dir[FS_FILES_MAX];         // the directory as on disk
    uint64_t sums[FS_DIR_BLOCKS_MAX][FS_BLOCK_SIZE / FS_SUM_PIECE]; // before each piece of dir
    uint32_t first_free;                       // no slot of dir before it is free
    union {
        uint8_t bytes[FS_BLOCK_SIZE];
        struct fs_overflow overflow;
    } scratch __attribute__((aligned(8)));
};

// An open file. The caller provides it; only fs_*.c look inside.
struct fs_file {
    struct fs *fs;                             // 0: not open
    struct fs_file *next;
    int writing;
    int failed;                                // first error of a writer; commit returns it
    int orphan;                                // reader whose file was replaced or erased
    struct fs_entry entry;                     // in host byte order, extents as on disk
    uint32_t position;                         // bytes read or written so far
    uint32_t record;                           // records read or written so far
    uint8_t *buffer;
    uint32_t buffer_size;
    uint32_t window;                           // file offset of buffer[0], block aligned
    uint32_t window_bytes;                     // bytes in buffer, whole blocks for a reader
    uint32_t window_valid;                     // those that belong to the file (reader)
    uint32_t extent_total;                     // extents of the file
    uint32_t lrecl_limit;                      // longest record allowed (writer)
    uint32_t list_count;                       // extents in list
    uint32_t list_index;                       // extent in use
    uint32_t list_block;                       // file block where that extent begins
    uint32_t list_next;                        // next overflow block (reader)
    uint32_t list_home;                        // overflow block reserved for list (writer)
    uint32_t overflow_first, overflow_count;   // chain written so far (writer)
    uint32_t blocks;                           // data blocks allocated (writer)
    struct fs_overflow list;                   // current extents, host byte order in .extent
};

// ---- disk (fs_mount.c, fs_make.c)
// Writes an empty file system; label is 8 EBCDIC bytes. Needs no mounted fs; `fs` is work space.
int fs_format(struct fs *fs, const struct fs_device *dev, const uint8_t label[8], uint64_t now);
// Reads and validates superblocks, directory and overflow blocks. mode FS_READONLY or FS_READWRITE.
int fs_mount(struct fs *fs, const struct fs_device *dev, int mode);
// FS_OK, or FS_E_STALE when a read-only mount's generation may no longer be read.
int fs_check(struct fs *fs);
void fs_usage(const struct fs *fs, struct fs_usage *out);
const char *fs_strerror(int code);

// ---- names (fs_name.c). Strings are EBCDIC, zero-terminated, 1 to 8 of A-Z a-z 0-9 $ # @ + - : _
int fs_name_set(struct fs_name *name, const char *fn, const char *ft);
// 1 if the 8-byte field matches the pattern, where * is any run and % any one character.
int fs_match(const uint8_t field[8], const char *pattern);

// ---- directory (fs_dir.c)
int fs_stat(const struct fs *fs, const struct fs_name *name, struct fs_stat *out);
// Next file that matches, *cursor starting at 0; FS_EOF after the last. mode is -1 or 0 to 6.
// The disk may be changed between calls: a file made meanwhile may or may not be seen.
int fs_list(const struct fs *fs, const char *fn, const char *ft, int mode, uint32_t *cursor,
            struct fs_stat *out);
int fs_erase(struct fs *fs, const struct fs_name *name);
// Gives a file a new name and mode number in one step; from and to may be the same name.
int fs_rename(struct fs *fs, const struct fs_name *from, const struct fs_name *to, uint8_t mode);

// ---- reading (fs_read.c)
// buffer: 8-byte aligned, size a multiple of FS_BLOCK_SIZE; larger is fewer transfers.
int fs_open(struct fs *fs, struct fs_file *file, const struct fs_name *name, void *buffer,
            uint32_t size);
// Stored bytes from the position on (V's prefixes included): returns the number of bytes, 0 at the
// end, or a code. A block-aligned position and size go from disk to buf without a copy.
int fs_read(struct fs_file *file, void *buf, uint32_t size);
// Next record, at its place in the file's buffer, good until the next call on this file.
// FS_E_BUFFER if the file's buffer is smaller than LRECL + 2 + FS_BLOCK_SIZE. An F file's last
// record may be short.
int fs_next(struct fs_file *file, const uint8_t **record, uint32_t *length);
// Next records of a V file that are whole in its buffer, as lines: each with the two bytes of `end`
// behind it, as many as fit in size. Returns the bytes; 0: none is there or fits, or something is
// wrong, as fs_next will tell. (fs_lines.c)
uint32_t fs_next_lines(struct fs_file *file, uint8_t *to, uint32_t size, const uint8_t end[2]);
// Next record, copied: returns its length (0 is a record too), or a code.
int fs_read_record(struct fs_file *file, void *buf, uint32_t size);
// To stored byte `position`; F files only unless it is 0.
int fs_seek(struct fs_file *file, uint32_t position);
int fs_file_stat(const struct fs_file *file, struct fs_stat *out);
// Ends a reader, or aborts a writer. FS_E_STALE on a read-only mount: see above.
int fs_close(struct fs_file *file);

// ---- writing (fs_write.c): nothing is seen by anyone before fs_commit
// lrecl: record length for F; for V the longest allowed, 0 meaning FS_LRECL_MAX.
int fs_create(struct fs *fs, struct fs_file *file, const struct fs_name *name, uint8_t mode,
              uint8_t recfm, uint32_t lrecl, void *buffer, uint32_t size);
// One record. F: length must be LRECL. V: 0 to LRECL.
int fs_write_record(struct fs_file *file, const void *record, uint32_t length);
// Whole lines, each of no more than `most` bytes and the two bytes of `end`, as V records without
// those. Returns the bytes taken: up to a line that ends otherwise, is too long or does not fit the
// file's buffer any more, which fs_write_record can take. (fs_lines.c)
uint32_t fs_write_lines(struct fs_file *file, const uint8_t *from, uint32_t size, uint32_t most,
                        const uint8_t end[2]);
// Bytes of an F file, cut into records by counting: a last record may be short. Whole blocks at a
// block-aligned position go to disk without a copy.
int fs_write(struct fs_file *file, const void *data, uint32_t size);
// Makes the new content the file, replacing an old one, and ends the writer. `now` in seconds
// since 1900. On an error the old file stands and the writer is ended.
int fs_commit(struct fs_file *file, uint64_t now);
int fs_abort(struct fs_file *file);

#endif
