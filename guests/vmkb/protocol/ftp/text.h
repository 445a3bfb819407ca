/* SPDX-License-Identifier: MIT */
/* Records and what FTP moves. ASCII: a record is a line that ends in CR LF, ISO 8859-1 on the wire,
 * EBCDIC 1047 on disk. Binary: the bytes of the records one after the other. Used by both ends;
 * pure. */
#ifndef VMKB_FTP_TEXT_H
#define VMKB_FTP_TEXT_H
#include "fs.h"
#include "lib.h"

/* Outgoing: a reader's records to bytes for the wire. */
struct text_out {
    struct fs_file *file;
    uint8_t ascii, variable, ended;
    const uint8_t *record;   /* rest of the record that did not fit */
    uint32_t left;
    uint8_t newline;         /* bytes of CR LF still to come: 2, 1, 0 */
};
void text_out_start(struct text_out *t, struct fs_file *file, bool ascii, uint8_t recfm);
/* Fills to with up to max bytes; 0 at the end, or an FS_ code. */
long text_out(struct text_out *t, uint8_t *to, uint32_t max);

/* Passes over the next n of those bytes; to is work space. FS_OK, FS_EOF: there are not so many, or
 * an FS_ code. */
int text_out_skip(struct text_out *t, uint64_t n, uint8_t *to, uint32_t max);

/* Incoming: bytes from the wire to a writer's records. */
struct text_in {
    struct fs_file *file;
    uint8_t ascii, variable, cr, any;
    uint32_t lrecl, used, limit;
    uint8_t *record;         /* limit bytes: the record being put together */
};
void text_in_start(struct text_in *t, struct fs_file *file, bool ascii, uint8_t recfm,
                   uint32_t lrecl, uint8_t *record, uint32_t limit);
#define TEXT_ALL UINT64_MAX
/* Before anything is taken: the first n bytes that would be sent of `old`, a file of the same RECFM
 * and LRECL open for reading, or all of it, are put into the new file as the records that they are
 * there. FS_OK, FS_EOF: there are not so many, or an FS_ code. */
int text_in_keep(struct text_in *t, struct fs_file *old, uint64_t n);
/* Takes n bytes (translated in place). FS_OK or an FS_ code; FS_E_RECORD: a line is over the
 * longest record. */
int text_in(struct text_in *t, uint8_t *from, uint32_t n);
/* The last line may lack its end. */
int text_in_end(struct text_in *t);
#endif
