/* SPDX-License-Identifier: MIT */
/* What COPYFILE asks for: columns that SPECS puts elsewhere, characters that TRANS changes. */
#ifndef VMKB_COPYSPEC_H
#define VMKB_COPYSPEC_H
#include "cms.h"

enum { COPY_SPECS = 20, COPY_STRING = 80 };

struct copy_specs {
    int n;
    struct copy_spec {
        uint32_t from, to;         /* columns of the record copied, from 1; from 0: the string */
        uint32_t target;           /* the first column of the new record that it gets */
        uint32_t len;
        char text[COPY_STRING];
    } spec[COPY_SPECS];
};

/* Ask for them, if PROMPT with a message. Both return 0, or CMS's code after a message. */
int copy_specs_ask(struct copy_specs *specs, bool prompt);
int copy_trans_ask(uint8_t trans[256], bool prompt);
/* A character as it is or by two hexadecimal digits. */
bool copy_character(const char *word, size_t len, uint8_t *c);
/* The record's parts at their columns of TO, which has LEN bytes and room for ROOM; what is between
 * them is FILL. Returns how many bytes it has then. */
uint32_t copy_specs_apply(const struct copy_specs *specs, const uint8_t *record,
                          uint32_t record_len, uint8_t *to, uint32_t len, uint32_t room,
                          uint8_t fill);
#endif
