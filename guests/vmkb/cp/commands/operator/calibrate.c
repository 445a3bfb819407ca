/* SPDX-License-Identifier: MIT */
/* CALIBRATE [LAYOUT]: how far the count of instructions is from a count by hand. */
#include "calibrate.h"
#include "commands.h"
#include "lib.h"

/* hundredths with a sign: +1.25 */
static const char *signed_2(int64_t h, char text[16])
{
    uint64_t a = (uint64_t)(h < 0 ? -h : h);

    fmt(text, 16, "%s%lu.%02lu", h < 0 ? "-" : "+", a / 100, a % 100);
    return text;
}

static void say_kind(struct cmd *c, int kind)
{
    struct calibration r = calibrate(kind);
    char mean[16], least[16], most[16];

    if (!r.there) {
        cmd_say(c, "%-16s NO DEVICE", calibrate_kinds[kind]);
        return;
    }
    cmd_say(c, "%-16s %8s %8s %8s %8u", calibrate_kinds[kind], signed_2(r.mean, mean),
            signed_2(r.least, least), signed_2(r.most, most), r.repeats);
}

/* In this form for a program: docs/reference/cp-commands.md. */
static void say_layout(struct cmd *c)
{
    struct layout_error e = calibrate_layout();

    cmd_say(c, "LAYOUT ERROR %04u.%02u PERCENT WORST %04u.%02u LAYOUTS %04u COUNTER %s",
            e.p95 / 100, e.p95 % 100, e.worst / 100, e.worst % 100, CALIBRATE_LAYOUTS,
            counter_name());
}

int cmd_calibrate(struct cmd *c)
{
    char word[12];

    if (cmd_word(c, word, sizeof(word))) {
        if (!cmd_is(word, "LAYOUT", 3))
            return cmd_bad_option(c, "CAL", word);
        if (cmd_end(c, "CAL") != 0)
            return 3;
    } else {
        cmd_say(c, "COUNTED LESS TRUE    MEAN    LEAST     MOST REPEATED");
        for (int kind = 0; calibrate_kinds[kind]; kind++)
            say_kind(c, kind);
    }
    say_layout(c);
    return 0;
}
