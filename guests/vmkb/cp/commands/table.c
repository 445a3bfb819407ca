/* SPDX-License-Identifier: MIT */
/* Every CP command: name, least abbreviation, privilege classes, function. Classes as VM/370's CP
 * Command Reference groups them; a command that two classes share in different forms checks inside. */
#include "commands.h"

#define A CLASS(CLASS_A)
#define B CLASS(CLASS_B)
#define C CLASS(CLASS_C)
#define D CLASS(CLASS_D)
#define E CLASS(CLASS_E)
#define F CLASS(CLASS_F)
#define G CLASS(CLASS_G)

const struct command commands[] = {
    {"BEGIN", 1, G, cmd_begin},
    {"IPL", 1, G, cmd_ipl},
    {"LOGOFF", 3, ANY, cmd_logoff},
    {"LOGON", 1, PRE_LOGON, logon_start},
    {"LOGIN", 5, PRE_LOGON, logon_start},
    {"QUERY", 1, ANY, cmd_query},
    {0, 0, 0, 0},
};
