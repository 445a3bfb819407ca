/* SPDX-License-Identifier: MIT */
/* Records to the virtual punch and printer, and from the virtual reader (DIAGNOSE X'138'). */
#ifndef VMKB_CMS_CARDS_H
#define VMKB_CMS_CARDS_H
#include "cms.h"

enum { CARDS_RDR = 0x00c, CARDS_PUN = 0x00d, CARDS_PRT = 0x00e, CARD = 80, CARDS_PAGE = 4096,
       CARDS_RECORD = 255, CARDS_CARRY = 264 };

struct cards_out {
    int vaddr;
    unsigned n;
    long code;               /* 0, or CP's DIAG_E of the first failure */
    uint8_t page[CARDS_PAGE];
};

struct cards_in {
    unsigned at, end;        /* in data, of what was not yet taken */
    long code;               /* 0; DIAG_E of a failure */
    /* pages come behind room for the record that goes on in them */
    uint8_t data[CARDS_CARRY + CARDS_PAGE] __attribute__((aligned(8)));
};

struct cards_out *cards_open(int vaddr); /* 0: no storage */
/* len at most CARDS_RECORD. False once something failed. */
bool cards_put(struct cards_out *o, uint8_t op, const void *text, unsigned len);
void cards_put_card(struct cards_out *o, const void *text, unsigned len); /* 80 columns of it */
/* All is at CP; the file stays open unless it is to be closed. 0, or a code after a message. */
int cards_end(struct cards_out *o, const char *module, bool close);
/* All is at CP, and the file is closed; `closing` is what CLOSE vaddr has behind it. Or the file is
 * dropped after a message of that module. Returns the command's code. */
int cards_close(struct cards_out *o, const char *module, const char *closing);
/* The first file of the reader; 0: none, *code says why (DIAG_EBUSY: there is none). */
struct cards_in *cards_read(struct diag_spool *about, long *code);
/* The next record, TAG's left out; false: the end, or in->code. */
bool cards_next(struct cards_in *in, uint8_t *op, const uint8_t **text, unsigned *len);
void cards_done(bool keep);  /* the reader is closed; else the file is purged */
#endif
