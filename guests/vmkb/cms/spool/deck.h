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
    bool named;              /* id was given: a header card or NETDATA does not change it */
    bool replace;
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
/* A new file; 0 and *rc after a message: it exists, the disk is read only... */
struct cms_file *deck_create(struct deck *d, uint8_t recfm, uint32_t lrecl, int *rc);
/* NETDATA: the first card begins it; the file that it has. */
bool netdata_is(const struct deck *d);
int netdata_read(struct deck *d, char was[24]);
/* A file as NETDATA to the punch; to whom it says that it goes. */
struct fs_stat;
int netdata_write(struct cards_out *o, struct cms_file *f, const struct fs_stat *st,
                  const char *to);
#endif
