/* SPDX-License-Identifier: MIT */
/* QUERY FILES, READER, PRINTER and PUNCH: there is no spooling, so what VM says of none is true. */
#include "query.h"

static int none(struct cmd *c, const char *said)
{
    if (cmd_end(c, "CQR") != 0)
        return 3;
    cmd_say(c, "%s", said);
    return 0;
}

int query_files(struct cmd *c)
{
    return none(c, "FILES:  NO RDR,  NO PRT,  NO PUN");
}

int query_reader(struct cmd *c)
{
    return none(c, "NO RDR FILES");
}

int query_printer(struct cmd *c)
{
    return none(c, "NO PRT FILES");
}

int query_punch(struct cmd *c)
{
    return none(c, "NO PUN FILES");
}
