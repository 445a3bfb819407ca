/* SPDX-License-Identifier: MIT */
/* QUERY LAT: this node and its address, each circuit (a terminal server) with its sessions, and the
 * counts. */
#include "lat_cp.h"
#include "lib.h"
#include "lterm.h"
#include "query.h"
#include "translate.h"

static const char *name_of(const char *latin1, char text[LAT_NAME + 1])
{
    size_t n = strlen(latin1);

    memcpy(text, latin1, n);
    text[n] = 0;
    translate(text, n, ebcdic_of_latin1);
    return text;
}

static void say_circuit(struct cmd *c, const struct lat_circuit *k)
{
    char name[LAT_NAME + 1];
    const uint8_t *m = k->mac;

    cmd_say(c, "CIRCUIT %04X %-16s %02X-%02X-%02X-%02X-%02X-%02X SESSIONS %02u MESSAGES %lu", k->id,
            name_of(k->node, name), m[0], m[1], m[2], m[3], m[4], m[5], k->sessions, k->frames);
    for (unsigned i = 0; i < LAT_SESSIONS; i++) {
        const struct lat_session *s = &lat.session[i];
        if (s->circuit != k || !s->term)
            continue;
        const struct vm *vm = lterm_vm(s->term);
        cmd_say(c, "  %-4s %-8s CREDITS %03u GRANTED %u WAITING %04u", lterm_name(s->term),
                vm ? vm->userid : "-", s->credits, s->granted, (unsigned)lterm_waiting(s->term));
    }
}

int query_lat(struct cmd *c)
{
    const struct lat_counts *n = &lat.counts;
    const uint8_t *m = lat.mac;
    char name[LAT_NAME + 1];

    if (cmd_end(c, "CQP") != 0)
        return 3;
    if (!lat.ops) {
        cmd_say(c, "LAT NOT AVAILABLE: THERE IS NO LAN");
        return 0;
    }
    cmd_say(c, "LAT NODE %s %02X-%02X-%02X-%02X-%02X-%02X", name_of(lat.node, name), m[0], m[1],
            m[2], m[3], m[4], m[5]);
    for (unsigned i = 0; i < LAT_CIRCUITS; i++)
        if (lat.circuit[i].running)
            say_circuit(c, &lat.circuit[i]);
    cmd_say(c, "FRAMES IN %lu OUT %lu, TEXT IN %lu OUT %lu", n->frames_in, n->frames_out,
            n->bytes_in, n->bytes_out);
    cmd_say(c, "RESENT %lu, DUPLICATES %lu, OUT OF ORDER %lu, CIRCUITS LOST %lu", n->resent,
            n->duplicates, n->out_of_order, n->circuits_lost);
    cmd_say(c, "MALFORMED %lu, UNKNOWN %lu, REFUSED %lu, VIOLATIONS %lu", n->malformed, n->unknown,
            n->refused, n->violations);
    return 0;
}
