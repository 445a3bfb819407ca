/* SPDX-License-Identifier: MIT */
/* What a remote host shows, as lines of a typewriter, pure: ISO 8859-1 characters in, lines out.
 * Backspace and carriage return go back in the line, tabulation goes on to the next eighth column,
 * ANSI sequences go away. */
#ifndef VMKB_TELNET_LINES_H
#define VMKB_TELNET_LINES_H
#include "lib.h"

#define LINES_MAX 130        /* a longer line is shown in parts */

struct lines {
    uint8_t text[LINES_MAX]; /* ISO 8859-1 */
    uint8_t len, at, escape, overwrite;
    uint8_t broken; /* the text before was a part of a longer line, or a line that just fits */
};

/* One character. True: l->text has a line of l->len; lines_next() before the next character. */
bool lines_put(struct lines *l, uint8_t c);
/* Characters without a meaning of their own that follow each other, up to one less than would make
 * the line whole: how many of the n were taken, 0 where lines_put() has to look. */
unsigned lines_run(struct lines *l, const uint8_t *p, unsigned n);
void lines_next(struct lines *l);
/* Does the unfinished line end as prompts do: in : > $ % # ? ) or ], blanks after it not
 * counted? */
bool lines_prompt(const struct lines *l);
/* Does the line ask for what is not to be shown: a word with "pass" in it, a colon at the end? */
bool lines_ask_secret(const struct lines *l);
#endif
