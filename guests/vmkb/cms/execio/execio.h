/* SPDX-License-Identifier: MIT */
/* EXECIO's options, and the two ends of its lines. */
#ifndef VMKB_CMS_EXECIO_H
#define VMKB_CMS_EXECIO_H
#include "nucleus.h"

enum { EXECIO_LINE = 4096, EXECIO_EVERY = 0xffffffff, EXECIO_NAME = 250 };
enum { SEARCH_NONE, SEARCH_FIND, SEARCH_LOCATE, SEARCH_AVOID };

struct job {
    uint32_t count;            /* EXECIO_EVERY for * */
    bool finis, lifo, skip, strip;
    char casing;               /* 'U': in upper case */
    uint32_t from, to;         /* MARGINS, columns from 1; to 0: the end */
    uint32_t zone_from, zone_to;
    int search;
    const char *text;          /* what is searched for */
    unsigned text_len;
    const char *string;        /* STRING: the line; or 0 */
    char name[EXECIO_NAME + 1]; /* STEM or VAR: of the variable; "" without */
    bool stem;
    uint32_t done;             /* lines given or taken */
    uint32_t have;             /* STEM as a source: how many there are, 0: not yet known */
};

/* What stands behind the (: 0, or 24 after a message. */
int execio_options(const char *line, struct job *job);
/* A line to the stack, STEM or VAR: 0, or the command's code after a message. */
int execio_give(struct job *job, const char *text, unsigned len);
int execio_given(struct job *job); /* the last was given: STEM.0 */
/* The next line of STRING, STEM, VAR, or the stack and then the terminal; -1: no more. */
int execio_take(struct job *job, char *line, unsigned max);
bool execio_matches(const struct job *job, const char *record, unsigned len);
#endif
