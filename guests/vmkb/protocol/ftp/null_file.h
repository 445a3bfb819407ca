/* SPDX-License-Identifier: MIT */
/* The null file, /dev/null as OpenExtensions has it: takes bytes and keeps their number and their
 * checksum. */
#ifndef VMKB_NULL_FILE_H
#define VMKB_NULL_FILE_H
#include "lib.h"

struct null_file {
    uint64_t bytes;
    /* one's complement sum of words of four bytes, big-endian; zeros behind the last */
    uint32_t sum;
};

bool null_file_named(const char *name);  /* in the program's own characters, in any case */
void null_file_add(struct null_file *f, const uint8_t *bytes, uint32_t len);
#endif
