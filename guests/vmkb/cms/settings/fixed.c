/* SPDX-License-Identifier: MIT */
/* What elsewhere SET changes and here has one value: QUERY says it, SET takes no other. */
#include "nucleus.h"

static const struct {
    const char *name, *value;
    uint8_t min;
} settings[] = {
    {"AUTOREAD", "OFF", 5}, {"BLIP", "OFF", 4},    {"DOS", "OFF", 3},
    {"EXECTRAC", "OFF", 5}, {"FULLSCREEN", "OFF", 4}, {"LANGUAGE", "AMENG", 4},
    {"LOADLIB", "NONE", 5}, {"MACLIB", "NONE", 4}, {"PROTECT", "ON", 4},
    {"REDTYPE", "OFF", 3},  {"RELPAGE", "ON", 3},  {"TXTLIB", "NONE", 3},
};

static int find(const char *name)
{
    for (unsigned i = 0; i < sizeof(settings) / sizeof(*settings); i++)
        if (cms_is(name, settings[i].name, settings[i].min))
            return (int)i;
    return -1;
}

const char *fixed_value(const char *name)
{
    int i = find(name);

    return i >= 0 ? settings[i].value : 0;
}

bool fixed_query(const char *name)
{
    int i = find(name);

    if (i >= 0)
        cms_say("%-7s = %s", settings[i].name, settings[i].value);
    return i >= 0;
}

int fixed_set(const char *name, const char *value)
{
    int i = find(name);

    if (i < 0)
        return -3;
    return strcmp(value, settings[i].value) == 0
               ? 0
               : cms_error(24, "DMSSET070E Invalid parameter %s; %s is always %s", value,
                           settings[i].name, settings[i].value);
}
