/* SPDX-License-Identifier: MIT */
/* Commands of VM that machines here have no use for: who types one is told why. */
#include "commands.h"
#include "lib.h"

static const struct {
    const char *name, *why;
} reasons[] = {
    {"DIAL", "LOGON, OR TELNET TO TCPIP"},
    {"DUMP", "DISPLAY SHOWS STORAGE; SPOOL CONSOLE START KEEPS IT"},
    {"ECHO", "THERE IS NO ECHO TEST OF THE TERMINAL"},
    {"EXTERNAL", "PROGRAMS TAKE NO EXTERNAL INTERRUPTIONS"},
    {"LOADVFCB", "THE PRINTER HAS NO FORMS CONTROL"},
    {"NOTREADY", "DEVICES ARE ALWAYS READY"},
    {"READY", "DEVICES ARE ALWAYS READY"},
    {"RESET", "SYSTEM RESET RESETS ALL"},
    {"REWIND", "THERE ARE NO TAPES"},
    {"VMDUMP", "DISPLAY SHOWS STORAGE; SPOOL CONSOLE START KEEPS IT"},
};

int cmd_absent(struct cmd *c)
{
    unsigned i = 0;

    while (i + 1 < sizeof(reasons) / sizeof(*reasons)
           && strcmp(reasons[i].name, c->table->name) != 0)
        i++;
    return cmd_error(c, 7, "DMKCFC007E %s IS NOT IN VM/KB: %s", reasons[i].name, reasons[i].why);
}
