/* SPDX-License-Identifier: MIT */
/* What a path that a client sends names: a minidisk, and a file or a pattern of files on it. Pure:
 * it is also compiled on the host, for tests. */
#ifndef VMKB_FTP_PATHS_H
#define VMKB_FTP_PATHS_H
#include <stdbool.h>
#include <stdint.h>

struct path {
    bool named; /* a minidisk is named: owner and vaddr; else the working one is meant */
    char owner[9];
    uint16_t vaddr;
    char fn[9], ft[9];       /* upper case */
};

extern const char path_no_levels[]; /* why there is no ".." */

/* A minidisk: owner.vaddr, owner (whose 191 it is), vaddr or .vaddr (of user's own), / (user's
 * 191), . (the working one). Of several, apart by /, the last counts: many clients put the old one
 * before the new one. 0, or words why not. */
const char *path_disk(const char *text, const char *user, struct path *p);
/* A file: fn.ft or fn ft, with file mode A, A0 to A6 behind it or without; before it a minidisk and
 * /, or none. Quotes around all of it are allowed. 0, or words why not. */
const char *path_file(const char *text, const char *user, struct path *p);
/* The same with patterns: * is any characters, % and ? are any one; a filetype that is not given is
 * *, and so is a file. */
const char *path_pattern(const char *text, const char *user, struct path *p);
#endif
