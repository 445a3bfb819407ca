/* SPDX-License-Identifier: MIT */
/* The CMS commands: name, least abbreviation (VM/370's where it has the command), function. The
 * first entry that fits wins. */
#include "commands.h"

const struct cms_command cms_commands[] = {
    {"ACCESS", 2, cmd_access},
    {"COPYFILE", 4, cmd_copyfile},
    {"CP", 2, cmd_cp},
    {"DESBUF", 6, cmd_desbuf},
    {"DROPBUF", 7, cmd_dropbuf},
    {"ERASE", 5, cmd_erase},
    {"EXEC", 2, cmd_exec},
    {"EXECIO", 6, cmd_execio},
    {"FINIS", 5, cmd_finis},
    {"FORMAT", 6, cmd_format},
    {"FTP", 3, cmd_ftp},
    {"HELP", 1, cmd_help},
    {"IDENTIFY", 2, cmd_identify},
    {"LISTFILE", 1, cmd_listfile},
    {"MAKEBUF", 7, cmd_makebuf},
    {"NETSTAT", 4, cmd_netstat},
    {"PING", 4, cmd_ping},
    {"QUERY", 1, cmd_query},
    {"RELEASE", 3, cmd_release},
    {"RENAME", 1, cmd_rename},
    {"RXPERF", 6, cmd_rxperf},
    {"SENTRIES", 8, cmd_sentries},
    {"SET", 3, cmd_set},
    {"STATE", 2, cmd_state},
    {"STATEW", 6, cmd_statew},
    {"TELNET", 6, cmd_telnet},
    {"TYPE", 1, cmd_type},
    {0, 0, 0},
};
