/* SPDX-License-Identifier: MIT */
/* SET: RDYMSG, IMPCP, IMPEX, ABBREV, CMSTYPE, what has one value; anything else is CP's. */
#include "commands.h"
#include "nucleus.h"

CMS_COMMAND("SET", 3, cmd_set);
int cmd_set(struct cms_arg *arg)
{
    static const struct {
        const char *name;
        unsigned min;
        bool *value;
        const char *on;
        const char *off;
    } table[] = {
        {"RDYMSG", 3, &cms_state.long_ready, "LMSG", "SMSG"},
        {"IMPCP", 5, &cms_state.impcp, "ON", "OFF"},
        {"IMPEX", 4, &cms_state.impex, "ON", "OFF"},
        {"ABBREV", 2, &cms_state.abbrev, "ON", "OFF"},
        {"CMSTYPE", 4, &cms_state.muted, "HT", "RT"},
    };

    if (arg->n == 0)
        return cms_error(24, "DMSSET047E No function specified");
    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (!cms_is(arg->word[0], table[i].name, table[i].min))
            continue;
        if (arg->n == 1)
            return cms_error(24, "DMSSET050E Parameter missing after %s", arg->word[0]);
        bool on = cms_is(arg->word[1], table[i].on, strlen(table[i].on) == 2 ? 2 : 1);
        if (arg->n > 2
            || (!on && !cms_is(arg->word[1], table[i].off, strlen(table[i].off) < 4 ? 2 : 1)))
            return cms_error(24, "DMSSET070E Invalid parameter %s", arg->word[arg->n > 2 ? 2 : 1]);
        *table[i].value = on;
        return 0;
    }
    int fixed = arg->n == 2 ? fixed_set(arg->word[0], arg->word[1]) : -3;
    if (fixed != -3)
        return fixed;
    if (cms_option_absent("SET", arg->word[0]))
        return cms_bad_option("SET", arg->word[0]);
    if (cms_is(arg->word[0], "INPUT", 3) || cms_is(arg->word[0], "OUTPUT", 3))
        return cms_error(24, "DMSSET014E Invalid function %s: nothing is translated", arg->word[0]);
    int rc = cms_state.impcp ? command_implied_cp(arg->line, (unsigned)strlen(arg->line)) : -3;
    return rc == -3 ? cms_error(24, "DMSSET014E Invalid function %s", arg->word[0]) : rc;
}
