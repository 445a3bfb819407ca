/* SPDX-License-Identifier: MIT */
/* The operands of SET; its table is set.c's, operands for operators are in set_system.c. */
#ifndef VMKB_SET_H
#define VMKB_SET_H
#include "command.h"

int set_missing(struct cmd *c);
int set_invalid(struct cmd *c, const char *word);
int set_ccwtran(struct cmd *c);
int set_maxspool(struct cmd *c);
int set_favored(struct cmd *c);
int set_host(struct cmd *c);
int set_logmsg(struct cmd *c);
int set_mdc(struct cmd *c);
int set_model(struct cmd *c);
int set_priority(struct cmd *c);
#endif
