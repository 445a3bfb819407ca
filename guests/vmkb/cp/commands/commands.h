/* SPDX-License-Identifier: MIT */
/* The functions of the command table. */
#ifndef VMKB_COMMANDS_H
#define VMKB_COMMANDS_H
#include "command.h"

int cmd_absent(struct cmd *c);
int cmd_adstop(struct cmd *c);
int cmd_acnt(struct cmd *c);
int cmd_attn(struct cmd *c);
int cmd_autolog(struct cmd *c);
int cmd_begin(struct cmd *c);
int cmd_calibrate(struct cmd *c);
int cmd_couple(struct cmd *c);
int cmd_cp(struct cmd *c);
int cmd_define(struct cmd *c);
int cmd_detach(struct cmd *c);
int cmd_disconnect(struct cmd *c);
int cmd_display(struct cmd *c);
int cmd_force(struct cmd *c);
int cmd_indicate(struct cmd *c);
int indicate_sie(struct cmd *c);
int cmd_ipl(struct cmd *c);
int cmd_link(struct cmd *c);
int cmd_logoff(struct cmd *c);
int cmd_message(struct cmd *c);
int cmd_monitor(struct cmd *c);
int cmd_msgnoh(struct cmd *c);
int cmd_query(struct cmd *c);
int cmd_redefine(struct cmd *c);
int cmd_set(struct cmd *c);
int cmd_shutdown(struct cmd *c);
int cmd_send(struct cmd *c);
int cmd_sleep(struct cmd *c);
int cmd_smsg(struct cmd *c);
int cmd_store(struct cmd *c);
int cmd_system(struct cmd *c);
int cmd_terminal(struct cmd *c);
int cmd_uncouple(struct cmd *c);
int cmd_trace(struct cmd *c);
int cmd_warning(struct cmd *c);
int cmd_xautolog(struct cmd *c);

#endif
