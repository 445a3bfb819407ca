/* SPDX-License-Identifier: MIT */
/* CALIBRATE: how far the count of instructions is from the truth on the dispatch path. */
#include "calibrate.h"
#include "commands.h"
#include "lib.h"

#define STRAIGHT  100000
#define PER_LINE  8

/* hundredths with a sign: +1.25 */
static const char *signed_2(int64_t h, char text[16])
{
    uint64_t a = (uint64_t)(h < 0 ? -h : h);

    fmt(text, 16, "%s%lu.%02lu", h < 0 ? "-" : "+", a / 100, a % 100);
    return text;
}

static void say(struct cmd *c, const char *how, const struct calibration *r)
{
    char least[16], most[16], mean[16], line[LINE_MAX];

    cmd_say(c, "%s ROUND TRIP, %u TO %u INSTRUCTIONS, %u TIMES EACH", how, r->shortest,
            r->shortest + CALIBRATE_LENGTHS - 1, CALIBRATE_TRIPS);
    for (int i = 0; i < CALIBRATE_LENGTHS; i += PER_LINE) {
        int n = fmt(line, sizeof(line), " ");
        for (int k = i; k < i + PER_LINE; k++)
            n += fmt(line + n, sizeof(line) - (size_t)n, " %7s", signed_2(r->bias[k], mean));
        cmd_say(c, "%s", line);
    }
    cmd_say(c, "  BIAS PER TRIP: MEAN %s LEAST %s MOST %s, %u READINGS REPEATED", signed_2(r->mean, mean),
            signed_2(r->least, least), signed_2(r->most, most), r->repeats);
}

int cmd_calibrate(struct cmd *c)
{
    uint64_t truth, counted;

    if (cmd_end(c, "CAL") != 0)
        return 3;
    cmd_say(c, "INSTRUCTIONS COUNTED LESS TRUE, BY LENGTH OF THE TRIP");
    counted = calibrate_straight(STRAIGHT, &truth);
    cmd_say(c, "STRAIGHT LOOP: TRUE %lu COUNTED %lu", truth, counted);
    struct calibration r = calibrate(0);
    say(c, "SVC", &r);
    r = calibrate(1);
    say(c, "EXCEPTION", &r);
    return 0;
}
