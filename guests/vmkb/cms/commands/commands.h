/* SPDX-License-Identifier: MIT */
/* What the file of a CMS command says of it: CMS_COMMAND("NAME", MIN, function), MIN the characters
 * that must be typed (VM/370's where it has the command). The table of all of them is made from
 * these lines (tools/commands.py), in alphabetical order; the first entry that fits wins. */
#ifndef VMKB_CMS_COMMANDS_H
#define VMKB_CMS_COMMANDS_H
#include "cms.h"

#define CMS_COMMAND(name, min, function) int function(struct cms_arg *arg)
#endif
