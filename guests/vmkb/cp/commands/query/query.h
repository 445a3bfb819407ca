/* SPDX-License-Identifier: MIT */
/* The operands of QUERY; the table is query_table.c's. */
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
enum { QUERY_PER_LINE = 4 };
struct query_row { /* items of an answer, four to a line */
    struct cmd *c;
    char line[LINE_MAX];
    unsigned n;
};
void query_item(struct query_row *row, const char *item); /* 0: the end */
int query_acnt(struct cmd *c);
int query_console(struct cmd *c);
int query_cplevel(struct cmd *c);
int query_cpuid(struct cmd *c);
int query_decnet(struct cmd *c);
int query_device(struct cmd *c, const char *word); /* QUERY vaddr */
int query_dasd_real(struct cmd *c);
int query_dasd_virtual(struct cmd *c);
int query_files(struct cmd *c);
int query_maxspool(struct cmd *c);
int query_gms(struct cmd *c);
int query_iucv(struct cmd *c);
int query_lan(struct cmd *c);
int query_lat(struct cmd *c);
int query_logmsg(struct cmd *c);
int query_mdc(struct cmd *c);
int query_model(struct cmd *c);
int query_names(struct cmd *c);
int query_nss(struct cmd *c);
int query_pf(struct cmd *c);
int query_priority(struct cmd *c);
int query_printer(struct cmd *c);
int query_punch(struct cmd *c);
int query_reader(struct cmd *c);
int query_set(struct cmd *c);
int query_storage_real(struct cmd *c);
int query_storage_virtual(struct cmd *c);
int query_terminal(struct cmd *c);
int query_time(struct cmd *c);
int query_users(struct cmd *c);
int query_own_userid(struct cmd *c);
int query_links(struct cmd *c);
int query_trace(struct cmd *c);
int query_privclass(struct cmd *c);
int query_secuser(struct cmd *c);
int query_virtual(struct cmd *c);
#endif
