/* SPDX-License-Identifier: MIT */
/* SET HOST node: this terminal goes to another DECnet node until its user logs off there, or
 * attention comes twice within two seconds. node: a name of DECNODES=, or area.node. The machine
 * sleeps meanwhile. */
#include "commands.h"
#include "decnet_cp.h"
#include "set.h"

int set_host(struct cmd *c)
{
    char word[12];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (cmd_end(c, "CFS") != 0)
        return 3;
    if (!decnet)
        return cmd_error(
            c, 46,
            "DMKDNT046E THIS SYSTEM IS NO DECNET NODE; IPL IT WITH DECNET=AREA.NODE AND A LAN");
    uint16_t node = decnet_address(word);
    if (!node)
        return cmd_error(c, 53, "DMKDNT053E NODE %s NOT KNOWN; QUERY DECNET LISTS THE NODES", word);
    if (node == decnet->address)
        return cmd_error(c, 54, "DMKDNT054E NODE %s IS THIS SYSTEM", word);
    if (!c->vm->term)
        return cmd_error(
            c, 6, "DMKDNT006E INVALID DEVICE TYPE - THERE IS NO TERMINAL TO GO TO NODE %s", word);
    if (sethost_begin(c->vm, node, c->term != 0) != 0)
        return cmd_error(c, 148,
                         "DMKDNT148E MAXIMUM SESSIONS EXCEEDED; %d TERMINALS ARE AT OTHER NODES",
                         DECNET_CLIENTS);
    return 0;
}
