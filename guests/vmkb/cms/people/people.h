/* SPDX-License-Identifier: MIT */
/* The file userid NAMES: entries of tags, :nick.FRED :userid.VMUSER2 :name.Fred Smith; a :list. is
 * of nicknames and userids. */
#ifndef VMKB_CMS_NAMES_H
#define VMKB_CMS_NAMES_H
#include "cms.h"

enum { NAMES_USERS = 64, NAMES_VALUE = 256 };

struct names {
    char *text;              /* the whole file, lines set apart by blanks; 0: there is none */
    unsigned len;
};

struct names_users {
    char user[NAMES_USERS][9];
    int n;
};

/* Reads it; a file that is not there has no entries. 0, or a code after a message. */
int names_read(struct names *names, const char *module, const char *fn);
/* The entry that comes next behind *at, which begins with 0: its text; false: no more. */
bool names_next(const struct names *names, unsigned *at, const char **entry, unsigned *len);
/* A tag's value in an entry, without the blanks around it: false if it has no such tag. */
bool names_tag(const char *entry, unsigned len, const char *tag, char value[NAMES_VALUE]);
/* Is the node this one? 0, or a code after a message: files and messages go no further. */
int names_node(const char *module, const char *node);
/* The userids that a name means, a nickname's or its own. 0, or a code after a message. */
int names_users(const struct names *names, const char *module, const char *name,
                struct names_users *users);
#endif
