/* SPDX-License-Identifier: MIT */
/* QUERY LAN: the channel-to-channel pair to the wire: who has it, and what became of each block
 * that came. */
#include "lan.h"
#include "lib.h"
#include "query.h"

int query_lan(struct cmd *c)
{
    const struct lan_counts *n = &lan_counts;
    const uint8_t *m = lan_address;
    const char *owner = ctca_owner();

    if (cmd_end(c, "CQP") != 0)
        return 3;
    if (!ctca_there()) {
        cmd_say(c, "LAN NOT AVAILABLE: NO CTCA 0500 AND 0501");
        return 0;
    }
    cmd_say(c, "LAN NODE %s %02X-%02X-%02X-%02X-%02X-%02X, USED BY CP%s%s", lan_node(), m[0], m[1],
            m[2], m[3], m[4], m[5], owner ? " AND " : "", owner ? owner : "");
    cmd_say(c, "BLOCKS IN %lu, WITH FRAMES FOR A MACHINE %lu, MALFORMED %lu", n->blocks_in,
            n->blocks_given, n->bad_blocks);
    cmd_say(c, "LOST, AS NO MACHINE READ THEM: BLOCKS %lu FRAMES %lu", n->lost_blocks,
            n->lost_frames);
    cmd_say(c, "FRAMES OF CP IN %lu OUT %lu, BYTES IN %lu OUT %lu, NO ROOM %lu", n->frames_in,
            n->frames_out, n->bytes_in, n->bytes_out, n->no_room);
    return 0;
}
