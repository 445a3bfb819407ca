/* SPDX-License-Identifier: MIT */
/* Files out of the virtual reader. */
#ifndef VMKB_CMS_DECK_H
#define VMKB_CMS_DECK_H
#include "cards.h"

struct deck {
    const char *module;
    struct cards_in *in;
    struct diag_spool about;
    struct cms_fileid id;    /* what the file is to be called */
    struct cms_fileid asked; /* a name or type that was given, if not both were; "": as it comes */
    bool named;              /* id was given: a header card or NETDATA does not change it */
    bool replace;
    bool append;             /* to the file that is there, as notes go into a notebook */
    bool peek;               /* to the program stack: count records from number `from` on */
    uint32_t from, count, records, stacked;
    struct cms_file *out;
    /* the record that was read ahead */
    uint8_t op;
    const uint8_t *text;
    unsigned len;
};

/* The reader's first file and its first record: 0, or a code after a message. */
int deck_open(struct deck *d);
/* Cards or lines to a file: up to the next :READ card, or the end (d->len 0, d->text 0). */
int deck_copy(struct deck *d);
bool deck_header(struct deck *d); /* a :READ card: its names are taken unless d->named */
/* The file that is made of the deck. deck_begin: 0, or a code after a message: it exists, the disk
 * is read only... Of the others an FS_ code; FS_EOF: no more is wanted. */
int deck_begin(struct deck *d, uint8_t recfm, uint32_t lrecl);
int deck_put(struct deck *d, const void *record, uint32_t len);
int deck_end(struct deck *d);
/* NETDATA: the first card begins it; the file that it has. */
bool netdata_is(const struct deck *d);
int netdata_read(struct deck *d, char was[24]);
/* DISK DUMP's cards, the same. */
bool dumped_is(const struct deck *d);
int dumped_read(struct deck *d, char was[24]);
/* A file as NETDATA to the punch; to whom it says that it goes. */
struct fs_stat;
int netdata_write(struct cards_out *o, struct cms_file *f, const struct fs_stat *st,
                  const char *to);
#endif
