/* SPDX-License-Identifier: MIT */
/* Commands of CMS that are for what is not here: who types one is told why. They are looked for
 * behind all that are here. */
#include "commands.h"
#include "nucleus.h"

#define PROGRAMS "users' programs are EXECs; nothing is assembled or loaded"
#define EXECS "EXECs are read from disk each time"
#define TAPES "there are no tapes; SENDFILE and FTP move files"

static const struct {
    const char *name;
    uint8_t min;
    const char *why;
} absent[] = {
    {"ASSEMBLE", 1, PROGRAMS},
    {"DEFAULTS", 4, "type options with each command"},
    {"EXECDROP", 5, EXECS},
    {"EXECLOAD", 5, EXECS},
    {"EXECMAP", 5, EXECS},
    {"EXECSTAT", 5, EXECS},
    {"GENMOD", 3, PROGRAMS},
    {"GLOBAL", 6, PROGRAMS},
    {"INCLUDE", 3, PROGRAMS},
    {"LOAD", 2, PROGRAMS},
    {"LOADMOD", 5, PROGRAMS},
    {"MACLIB", 3, PROGRAMS},
    {"MODMAP", 3, PROGRAMS},
    {"NUCXLOAD", 5, PROGRAMS},
    {"NUCXMAP", 5, PROGRAMS},
    {"RUN", 3, PROGRAMS},
    {"SVCTRACE", 4, PROGRAMS},
    {"TAPE", 4, TAPES},
    {"TXTLIB", 3, PROGRAMS},
    {"UPDATE", 1, PROGRAMS},
    {"VMFPLC", 6, TAPES},
    {"VMLINK", 6, "CP LINK and ACCESS do it"},
};

int absent_command(const char *name)
{
    for (unsigned i = 0; i < sizeof(absent) / sizeof(*absent); i++)
        if (cms_is(name, absent[i].name, absent[i].min))
            return cms_error(24, "DMSABS007E %s is not in VM/KB: %s", absent[i].name,
                             absent[i].why);
    return -3;
}

/* What needs nothing done here: all output is shown, and no OS simulation runs. */
CMS_COMMAND("CONWAIT", 7, cmd_nothing);
CMS_COMMAND("EXECOS", 6, cmd_nothing);
int cmd_nothing(struct cms_arg *arg)
{
    (void)arg;
    return 0;
}
