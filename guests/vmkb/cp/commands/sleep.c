/* SPDX-License-Identifier: MIT */
/* SLEEP [nn [SEC|MIN|HRS]]: the machine does nothing until attention or the end of the interval
 * (minutes if no unit is given; console/sleep.c). */
#include "commands.h"
#include "lib.h"

static bool interval(const char *word, const char *unit, uint64_t *us)
{
    uint32_t n;
    uint64_t seconds = 60;

    if (strlen(word) > 2 || !cmd_number(word, &n))
        return false;
    if (*unit && cmd_is(unit, "SEC", 3))
        seconds = 1;
    else if (*unit && cmd_is(unit, "HRS", 2))
        seconds = 3600;
    else if (*unit && !cmd_is(unit, "MIN", 3))
        return false;
    *us = n * seconds * 1000000;
    return true;
}

int cmd_sleep(struct cmd *c)
{
    char word[8], unit[8] = "";
    uint64_t us = 0;

    if (cmd_word(c, word, sizeof(word))) {
        cmd_word(c, unit, sizeof(unit));
        if (!interval(word, unit, &us))
            return cmd_error(c, 26, "DMKCFJ026E OPERAND MISSING OR INVALID");
        if (cmd_end(c, "CFJ") != 0)
            return 3;
        if (us == 0)
            return 0;
    }
    sleep_begin(c->vm, c->term != 0, us);
    return 0;
}
