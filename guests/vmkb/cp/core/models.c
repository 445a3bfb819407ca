/* SPDX-License-Identifier: MIT */
/* The CPU model in force: chosen by MODEL=name in the IPL parameter, the CPU timer if none. */
#include "models.h"
#include "defs.h"
#include "lib.h"

static const struct model *in_force;

void model_init(void)
{
    char name[9];

    in_force = &models[0];
    if (!ipl_parm_value("MODEL", name, sizeof(name)))
        return;
    if (!model_choose(name))
        model_refused = true;
}

bool model_refused;

bool model_choose(const char *name)
{
    for (int i = 0; i < model_count; i++)
        if (strcmp(models[i].name, name) == 0) {
            in_force = &models[i];
            return true;
        }
    return false;
}

const char *model_name(void)
{
    return in_force->name;
}

uint64_t model_us(const struct usage *u)
{
    if (in_force->kmips == 0)
        return u->time >> 12;
    /* nanoseconds first, so that what is cut off is less than a table shows */
    return (u->instr * 1000000 / in_force->kmips + u->moved * 1000000 / in_force->move_rate
            + u->summed * 1000000 / in_force->sum_rate)
           / 1000;
}
