/* SPDX-License-Identifier: MIT */
#ifndef VMKB_QUERY_H
#define VMKB_QUERY_H
#include "command.h"

struct query {
    const char *name;
    uint8_t min;
    uint32_t classes;
    int (*run)(struct cmd *c);
};
extern const struct query queries[];
int query_userid(struct cmd *c, const char *word); /* QUERY userid: is it logged on, and where */
int query_time(struct cmd *c);
#endif
