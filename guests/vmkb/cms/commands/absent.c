/* SPDX-License-Identifier: MIT */
/* Commands of CMS that are for what is not here: who types one is told why. */
#include "commands.h"

#define PROGRAMS "users' programs are EXECs; nothing is assembled or loaded"
#define EXECS "EXECs are read from disk each time"

static const struct {
    const char *name, *why;
} reasons[] = {
    {"DEFAULTS", "type options with each command"},
    {"DISK", "SENDFILE and RECEIVE keep any file as it is"},
    {"EXECDROP", EXECS},
    {"EXECLOAD", EXECS},
    {"EXECMAP", EXECS},
    {"EXECSTAT", EXECS},
    {"TAPE", "there are no tapes; SENDFILE and FTP move files"},
    {"VMFPLC", "there are no tapes; SENDFILE and FTP move files"},
    {"VMLINK", "CP LINK and ACCESS do it"},
};

CMS_COMMAND("ASSEMBLE", 1, cmd_absent);
CMS_COMMAND("DEFAULTS", 4, cmd_absent);
CMS_COMMAND("DISK", 4, cmd_absent);
CMS_COMMAND("EXECDROP", 5, cmd_absent);
CMS_COMMAND("EXECLOAD", 5, cmd_absent);
CMS_COMMAND("EXECMAP", 5, cmd_absent);
CMS_COMMAND("EXECSTAT", 5, cmd_absent);
CMS_COMMAND("GENMOD", 3, cmd_absent);
CMS_COMMAND("GLOBAL", 6, cmd_absent);
CMS_COMMAND("INCLUDE", 3, cmd_absent);
CMS_COMMAND("LOAD", 2, cmd_absent);
CMS_COMMAND("LOADMOD", 5, cmd_absent);
CMS_COMMAND("MACLIB", 3, cmd_absent);
CMS_COMMAND("MODMAP", 3, cmd_absent);
CMS_COMMAND("NUCXLOAD", 5, cmd_absent);
CMS_COMMAND("NUCXMAP", 5, cmd_absent);
CMS_COMMAND("SVCTRACE", 4, cmd_absent);
CMS_COMMAND("TAPE", 4, cmd_absent);
CMS_COMMAND("TXTLIB", 3, cmd_absent);
CMS_COMMAND("UPDATE", 1, cmd_absent);
CMS_COMMAND("VMFPLC", 6, cmd_absent);
CMS_COMMAND("VMLINK", 6, cmd_absent);
int cmd_absent(struct cms_arg *arg)
{
    const char *why = PROGRAMS;

    for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
        if (strcmp(arg->name, reasons[i].name) == 0)
            why = reasons[i].why;
    return cms_error(24, "DMSABS007E %s is not in VM/KB: %s", arg->name, why);
}

/* What needs nothing done here: all output is shown, and no OS simulation runs. */
CMS_COMMAND("CONWAIT", 7, cmd_nothing);
CMS_COMMAND("EXECOS", 6, cmd_nothing);
int cmd_nothing(struct cms_arg *arg)
{
    (void)arg;
    return 0;
}
