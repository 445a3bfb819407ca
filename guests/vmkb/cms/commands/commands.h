/* SPDX-License-Identifier: MIT */
/* Every CMS command by its file. */
#ifndef VMKB_CMS_COMMANDS_H
#define VMKB_CMS_COMMANDS_H
#include "cms.h"

int cmd_access(struct cms_arg *arg);     /* access.c */
int cmd_release(struct cms_arg *arg);    /* access.c */
int cmd_query(struct cms_arg *arg);      /* query.c */
int cmd_cp(struct cms_arg *arg);         /* cp.c */
int cmd_set(struct cms_arg *arg);        /* set.c */
int cmd_listfile(struct cms_arg *arg);   /* listfile.c */
int cmd_type(struct cms_arg *arg);       /* type.c */
int cmd_exec(struct cms_arg *arg);       /* exec.c */
#endif
