/* SPDX-License-Identifier: MIT */
/* IPL name [PARM text]: load a named system into the machine. */
#include "commands.h"
#include "lib.h"

int cmd_ipl(struct cmd *c)
{
    char name[10], word[9];

    if (!cmd_word(c, name, sizeof(name)))
        return cmd_error(c, 26, "DMKCFG026E OPERAND MISSING OR INVALID; IPL SYSTEMNAME");
    const char *parm = "";
    if (*c->args) {
        if (!cmd_word(c, word, sizeof(word)) || !cmd_is(word, "PARM", 2))
            return cmd_bad_option(c, "CFG", word);
        parm = c->args;
    }
    if (strlen(name) > 8 || vm_ipl(c->vm, name, parm) != 0)
        return cmd_error(c, 44, "DMKCFG044E %s NOT FOUND OR CANNOT BE LOADED", name);
    cmd_reset(c);
    return 0;
}
