/* SPDX-License-Identifier: MIT */
/* The CMS commands: name, least abbreviation (VM/370's where it has the command), function. The first entry
 * that fits wins. */
#include "commands.h"

const struct cms_command cms_commands[] = {
    {"ACCESS", 2, cmd_access},
    {"CP", 2, cmd_cp},
    {"EXEC", 2, cmd_exec},
    {"LISTFILE", 1, cmd_listfile},
    {"QUERY", 1, cmd_query},
    {"RELEASE", 3, cmd_release},
    {"SET", 3, cmd_set},
    {"TYPE", 1, cmd_type},
    {0, 0, 0},
};
