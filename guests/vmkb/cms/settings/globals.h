/* SPDX-License-Identifier: MIT */
/* GLOBALV's variables: a value of up to 255 characters for each group and name. They stay until the
 * next IPL of CMS; what SESSION and LASTING GLOBALV have is read at their first use. */
#ifndef VMKB_CMS_GLOBALS_H
#define VMKB_CMS_GLOBALS_H
#include "nucleus.h"

enum { GLOBALS_NAME = 250, GLOBALS_VALUE = 255 };
enum { FOR_NOW, FOR_SESSION, FOR_EVER };

struct global {
    struct global *next;
    char group[9];           /* "": it is free */
    uint8_t name_len;
    uint16_t len, room;      /* of the value; of name and value */
    char text[];             /* the name, then the value */
};

void globals_start(void);    /* at each use: reads the files at the first */
struct global *globals_find(const char *group, const char *name, unsigned n);
struct global *globals_next(struct global *after); /* all; first with 0 */
void globals_drop(const char *group);              /* 0: all groups */
/* Also in the file that keeps it so long. 0, or a code after a message. */
int globals_set(const char *group, const char *name, unsigned n, const char *value, unsigned len,
                int how_long);
#endif
