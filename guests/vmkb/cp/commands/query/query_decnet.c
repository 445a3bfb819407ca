/* SPDX-License-Identifier: MIT */
/* QUERY DECNET: this node, the nodes it knows, its links with whose terminals they carry, and the
 * counts. */
#include "decnet_cp.h"
#include "lan.h"
#include "lib.h"
#include "query.h"

static void say_link(struct cmd *c, const struct dn_link *l)
{
    char node[12];
    const struct terminal *here = sethost_terminal(l), *t = here ? here : host_terminal(l);

    cmd_say(c, "LINK %04X NODE %-7s %-13s %s %-4s %-8s SENDING %u WAITING %u%s", l->local,
            decnet_name(l->node, node), dn_state_name(l->state), here ? "TO  " : "FROM",
            t ? t->name : "-", t && t->vm ? t->vm->userid : "-", l->tx_count, l->rx_count,
            l->xoff ? " STOPPED" : "");
}

int query_decnet(struct cmd *c)
{
    if (cmd_end(c, "CQP") != 0)
        return 3;
    if (!decnet) {
        cmd_say(c, "DECNET NOT AVAILABLE: NO DECNET=AREA.NODE AT IPL, OR NO LAN");
        return 0;
    }
    const struct dn_counts *n = &decnet->counts;
    cmd_say(c, "DECNET NODE %s %u.%u", lan_node(), decnet->address >> 10, decnet->address & 0x3ff);
    for (const struct decnet_node *k = decnet_nodes; k->address; k++)
        cmd_say(c, "NODE %-6s %u.%u", k->name, k->address >> 10, k->address & 0x3ff);
    for (unsigned i = 0; i < DN_LINKS; i++)
        if (decnet->link[i].state != DN_FREE)
            say_link(c, &decnet->link[i]);
    cmd_say(c, "FRAMES IN %lu OUT %lu, DATA IN %lu OUT %lu", n->frames_in, n->frames_out,
            n->bytes_in, n->bytes_out);
    cmd_say(c, "HELLOS IN %lu, ROUTING MESSAGES IN %lu, FOR OTHER NODES %lu", n->hellos_in,
            n->routing_in, n->not_ours);
    cmd_say(c, "RESENT %lu, DUPLICATES %lu, OUT OF ORDER %lu, LINKS LOST %lu", n->resent,
            n->duplicates, n->out_of_order, n->lost);
    cmd_say(c, "MALFORMED %lu, UNKNOWN %lu, REFUSED %lu, VIOLATIONS %lu",
            n->malformed + cterm_counts.malformed, n->unknown, n->refused,
            n->violations + cterm_counts.unexpected);
    return 0;
}
