/* SPDX-License-Identifier: MIT */
/* What SET sets ON or OFF and does no more about. Names and their shortest forms are IBM's. */
#include "subcommands.h"

#define FLAG(name, min, field) {name, min, offsetof(struct xfile, field)}
static const struct flag {
    const char *name;
    unsigned min;
    size_t at;
} flags[] = {
    FLAG("HEX", 3, hex), FLAG("IMAGE", 3, image), FLAG("IMPCMSCP", 3, impcmscp),
    FLAG("NULLS", 3, nulls), FLAG("NUMBER", 3, number),
    FLAG("SHADOW", 4, shadow), FLAG("STAY", 4, stay), FLAG("STREAM", 4, stream),
    FLAG("TOFEOF", 6, tofeof), FLAG("WRAP", 3, wrap),
    {0, 0, 0},
};

static bool *flag_at(size_t at)
{
    return (bool *)(void *)((char *)x->file + at);
}

bool *set_flag(const char **name)
{
    for (const struct flag *f = flags; f->name; f++)
        if (cms_is(*name, f->name, f->min)) {
            *name = f->name;
            return flag_at(f->at);
        }
    return 0;
}
