/* SPDX-License-Identifier: MIT */
/* The functions of the command table. */
#ifndef VMKB_COMMANDS_H
#define VMKB_COMMANDS_H
#include "command.h"

int cmd_begin(struct cmd *c);
int cmd_ipl(struct cmd *c);
int cmd_logoff(struct cmd *c);
int cmd_query(struct cmd *c);
#endif
