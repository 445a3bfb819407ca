/* SPDX-License-Identifier: MIT */
/* Words of subcommands and names of files on both sides, and the message after a transfer; pure. */
#ifndef VMKB_FTP_NAMES_H
#define VMKB_FTP_NAMES_H
#include "lib.h"

#define WORDS 8

struct words {               /* a subcommand line, cut up */
    char text[260];
    char *w[WORDS + 1];      /* as typed; "" beyond n */
    int n;
    bool replace;            /* (REPLACE behind them */
    const char *bad_option;  /* another option, or 0 */
    const char *rest;        /* all behind the first word, as typed */
};
/* False: more than WORDS words. line is up to 255 characters. */
bool words_cut(struct words *w, const char *line);
void words_upper(char *word);

struct local_name {
    char fn[9], ft[9], fm[3]; /* upper case; fm "" if not given */
};
/* From words first and on: fn.ft, fn.ft.fm, fn ft, fn ft fm. *used: how many words it took.
 * Patterns (* and %) only if they are wanted. 0, or words why not. */
const char *name_local(const struct words *w, int first, bool pattern, struct local_name *name,
                       int *used);
/* What a foreign file would be called here: its last component, if that is fn.ft. 0, or words why
 * not. */
const char *name_from_foreign(const char *foreign, struct local_name *name);
/* Whether a foreign name has * or ? in it, and whether another one fits it: * is any characters, ?
 * is any one. */
bool name_is_pattern(const char *name);
bool name_matches(const char *name, const char *pattern);

/* "2097152 bytes transferred in 1.65 seconds. Transfer rate 1241 Kbytes/sec.": K is 1024, the rate
 * is cut. */
void transfer_message(char *text, size_t size, uint64_t bytes, uint64_t us);
#endif
