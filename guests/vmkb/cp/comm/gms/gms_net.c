/* SPDX-License-Identifier: MIT */
/* gms_net: what comes, and what is done at fixed times (gms.h). */
#include "gms_parts.h"

#define NO_CALL (0xffff & ~(GMS_CALLS - 1)) /* no number of a call record has any of these bits */
_Static_assert((GMS_CALLS & (GMS_CALLS - 1)) == 0, "GMS_CALLS");

void gms_init(struct gms *g, const struct gms_ops *ops, const uint8_t mac[6], uint32_t epoch)
{
    memset(g, 0, sizeof(*g));
    g->ops = ops;
    memcpy(g->mac, mac, 6);
    g->epoch = epoch ? epoch : 1;
    g->keys = g->epoch;
    for (unsigned i = GMS_CALLS; i-- > 0;) {
        struct gms_frame *f = &g->call[i].request;
        memcpy(f->from, mac, 6);
        memcpy(f->home, mac, 6);
        f->type = gms16(GMS_ETHERTYPE);
        f->op = GMS_REQUEST;
        f->call = gms16(i);
        f->epoch = gms32(g->epoch);
        g->call[i].next = g->free;
        g->free = &g->call[i];
    }
}

void gms_input(struct gms *g, const struct gms_frame *f, size_t len)
{
    if (len != GMS_CONTROL || f->pages > GMS_PAGES || (f->call & gms16(NO_CALL)))
        g->counts.malformed++;
    else if (!gms_same(f->to, g->mac))
        return;              /* the switch did not know where it belongs */
    else if (f->op == GMS_REPLY)
        gms_replied(g, f);
    else if (f->op == GMS_REQUEST && !(f->home[0] & 1))
        gms_requested(g, f);
    else
        g->counts.malformed++;
}

void gms_tick(struct gms *g, unsigned ticks)
{
    gms_calls_tick(g);
    gms_stations_tick(g, ticks);
    if (g->late)
        gms_late(g);         /* the machines leave nothing over for them */
}

void gms_forget(struct gms *g, const void *owner)
{
    gms_calls_forget(g, owner);
    gms_stored_forget(g, owner);
}
