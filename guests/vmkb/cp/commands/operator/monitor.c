/* SPDX-License-Identifier: MIT */
/* MONITOR DISPLAY | ENABLE class ... | DISABLE class ... | INTERVAL nn [SEC|MIN]: VM/370's classes
 * and limits (System Programmer's Guide, MONITOR). The counters themselves are read at any time by
 * a class E program with DIAGNOSE X'124'; there is no tape or spool file to collect on, so START is
 * refused. */
#include "commands.h"
#include "lib.h"

#define INTERVAL_MIN 30      /* seconds */
#define INTERVAL_MAX (9 * 3600)

static const struct class {
    uint8_t number;
    const char *keyword;
} classes[] = {{0, "PERFORM"}, {1, "RESPONSE"}, {2, "SCHEDULE"}, {4, "USER"},
               {5, "INSTSIM"}, {6, "DASTAP"},   {7, "SEEKS"},    {8, "SYSPROF"}};
#define CLASSES (sizeof(classes) / sizeof(*classes))

static uint16_t enabled = 1u << 0 | 1u << 4 | 1u << 6;
static uint32_t interval = 60;

static int complete(struct cmd *c)
{
    cmd_say(c, "COMMAND COMPLETE");
    return 0;
}

static int missing(struct cmd *c)
{
    return cmd_error(c, 26, "DMKMCC026E OPERAND MISSING OR INVALID");
}

static int display(struct cmd *c)
{
    if (cmd_end(c, "MCC") != 0)
        return 3;
    cmd_say(c, "CLS KEYWORD");
    for (size_t i = 0; i < CLASSES; i++)
        cmd_say(c, "%2u  %-8s %s", classes[i].number, classes[i].keyword,
                enabled >> classes[i].number & 1 ? "ENABLED" : "DISABLED");
    cmd_say(c, "INTERVAL %u SEC", interval);
    return 0;
}

/* The classes named; ENABLE replaces the whole mask. */
static int choose(struct cmd *c, bool enable)
{
    char word[12];
    uint16_t mask = 0;

    while (cmd_word(c, word, sizeof(word))) {
        size_t i = 0;
        while (i < CLASSES && !cmd_is(word, classes[i].keyword, 4))
            i++;
        if (i == CLASSES)
            return cmd_error(c, 2, "DMKMCC002E INVALID OPERAND - %s", word);
        mask |= (uint16_t)(1u << classes[i].number);
    }
    if (!mask)
        return missing(c);
    enabled = enable ? mask : enabled & (uint16_t)~mask;
    return complete(c);
}

static int set_interval(struct cmd *c)
{
    char word[8], unit[8];
    uint32_t n;

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    cmd_word(c, unit, sizeof(unit));
    if (!cmd_number(word, &n) || n > INTERVAL_MAX)
        return cmd_error(c, 2, "DMKMCC002E INVALID OPERAND - %s", word);
    if (cmd_is(unit, "MIN", 3))
        n *= 60;
    else if (*unit && !cmd_is(unit, "SEC", 3))
        return cmd_error(c, 2, "DMKMCC002E INVALID OPERAND - %s", unit);
    if (n < INTERVAL_MIN || n > INTERVAL_MAX)
        return cmd_error(c, 2, "DMKMCC002E INVALID OPERAND - %s", word);
    interval = n;
    return complete(c);
}

int cmd_monitor(struct cmd *c)
{
    char word[12];

    if (!cmd_word(c, word, sizeof(word)))
        return missing(c);
    if (cmd_is(word, "DISPLAY", 1))
        return display(c);
    if (cmd_is(word, "ENABLE", 2) || cmd_is(word, "DISABLE", 3))
        return choose(c, word[0] == 'E');
    if (cmd_is(word, "INTERVAL", 3))
        return set_interval(c);
    if (cmd_is(word, "START", 3) || cmd_is(word, "STOP", 3))
        return cmd_error(
            c, 3, "DMKMCC003E INVALID OPTION - %s; RECORDS ARE READ WITH DIAGNOSE X'124'", word);
    return cmd_error(c, 2, "DMKMCC002E INVALID OPERAND - %s", word);
}
