/* SPDX-License-Identifier: MIT */
/* TAG DEV RDR|PRT|PUN|CONSOLE|vaddr [text], TAG QUERY DEV device: a text of up to 136 characters
 * that goes with each file that the device makes. */
#include "select.h"
#include "lib.h"

static int device(struct cmd *c, struct spool_device **d)
{
    char word[10];

    if (!cmd_word(c, word, sizeof(word)) || strcmp(word, "DEV") != 0
        || !cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCST026E OPERAND MISSING OR INVALID");
    return spool_device_word(c, "CST", word, d);
}

int cmd_tag(struct cmd *c)
{
    char *whole = c->args, word[10];
    struct spool_device *d = 0;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 26, "DMKCST026E OPERAND MISSING OR INVALID");
    bool query = cmd_is(word, "QUERY", 1);
    if (!query)
        c->args = whole;
    int rc = device(c, &d);
    if (rc != 0)
        return rc;
    if (query) {
        if (cmd_end(c, "CST") != 0)
            return 3;
        cmd_say(c, "%s", d->tag[0] ? d->tag : "TAG NOT SET");
        return 0;
    }
    if (strlen(c->args) > SPOOL_TAG)
        return cmd_error(c, 26, "DMKCST026E OPERAND MISSING OR INVALID");
    fmt(d->tag, sizeof(d->tag), "%s", c->args);
    return 0;
}
