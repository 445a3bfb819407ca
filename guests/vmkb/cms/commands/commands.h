/* SPDX-License-Identifier: MIT */
/* Every CMS command by its file. */
#ifndef VMKB_CMS_COMMANDS_H
#define VMKB_CMS_COMMANDS_H
#include "cms.h"

int cmd_access(struct cms_arg *arg);      /* access.c */
int cmd_copyfile(struct cms_arg *arg);    /* copyfile.c */
int cmd_cp(struct cms_arg *arg);          /* cp.c */
int cmd_desbuf(struct cms_arg *arg);      /* stack.c */
int cmd_dropbuf(struct cms_arg *arg);     /* stack.c */
int cmd_erase(struct cms_arg *arg);       /* erase.c */
int cmd_exec(struct cms_arg *arg);        /* exec.c */
int cmd_execio(struct cms_arg *arg);      /* execio.c */
int cmd_finis(struct cms_arg *arg);       /* execio.c */
int cmd_format(struct cms_arg *arg);      /* format.c */
int cmd_ftp(struct cms_arg *arg);         /* ftp.c */
int cmd_help(struct cms_arg *arg);        /* help.c */
int cmd_identify(struct cms_arg *arg);    /* identify.c */
int cmd_listfile(struct cms_arg *arg);    /* listfile.c */
int cmd_makebuf(struct cms_arg *arg);     /* stack.c */
int cmd_netstat(struct cms_arg *arg);     /* netstat.c */
int cmd_ping(struct cms_arg *arg);        /* ping.c */
int cmd_query(struct cms_arg *arg);       /* query.c */
int cmd_release(struct cms_arg *arg);     /* access.c */
int cmd_rename(struct cms_arg *arg);      /* rename.c */
int cmd_rxperf(struct cms_arg *arg);      /* rxperf.c */
int cmd_sentries(struct cms_arg *arg);    /* stack.c */
int cmd_set(struct cms_arg *arg);         /* set.c */
int cmd_state(struct cms_arg *arg);       /* state.c */
int cmd_statew(struct cms_arg *arg);      /* state.c */
int cmd_telnet(struct cms_arg *arg);      /* telnet.c */
int cmd_type(struct cms_arg *arg);        /* type.c */
#endif
