/* SPDX-License-Identifier: MIT */
/* gms_net: the calls of others. What this system has it sends; of what it knows where it is, the
 * request goes on to there with its tokens, and the answer comes from there. Each request is
 * executed at most once: what was said to the last one of each call record is kept. */
#include "gms_parts.h"

static void forget_served(struct gms_served *s)
{
    if (s->of)
        counted_let(s->of);
    s->of = 0;
    s->used = 0;
}

static void station_new(struct gms_station *s, const uint8_t mac[6], uint32_t epoch)
{
    for (unsigned i = 0; i < GMS_CALLS; i++)
        forget_served(&s->served[i]);
    memcpy(s->mac, mac, 6);
    s->epoch = epoch;
    s->used = 1;
}

/* The station whose call it is; 0: there is no room for one more, or this is of an IPL of it that
 * is over. */
static struct gms_station *station(struct gms *g, const struct gms_frame *f)
{
    struct gms_station *room = 0;
    uint32_t epoch = gms32(f->epoch);

    for (struct gms_station *s = g->station; s < g->station + GMS_STATIONS; s++) {
        if (s->used && gms_same(s->mac, f->home)) {
            if (s->epoch == epoch)
                return s;
            if ((int32_t)(epoch - s->epoch) < 0)
                return 0;
            room = s;
            break;
        }
        if (!room && (!s->used || s->quiet > GMS_QUIET))
            room = s;
    }
    if (room)
        station_new(room, f->home, epoch);
    return room;
}

static unsigned hashed(uint32_t file, uint32_t page)
{
    return ((file << 7) + page) % GMS_STORED;
}

static struct gms_stored *find(struct gms *g, uint32_t file, uint32_t page)
{
    for (unsigned n = 0, i = hashed(file, page); n < GMS_STORED; n++, i = (i + 1) % GMS_STORED) {
        struct gms_stored *p = &g->stored[i];
        if (!p->of)
            return 0;
        if (p->page == page && p->file == file)
            return p;
    }
    return 0;
}

static const struct gms_place *find_place(const struct gms *g, uint32_t file)
{
    for (unsigned i = 0; i < GMS_PLACES; i++)
        if (g->place[i].file == file && g->place[i].owner)
            return &g->place[i];
    return 0;
}

static void answer(struct gms *g, struct gms_served *s)
{
    g->ops->send(&s->answer, s->of, s->at, s->answer.pages);
}

static void reply_frame(const struct gms *g, struct gms_frame *r, const struct gms_frame *f,
                        enum gms_status status)
{
    *r = *f;
    memcpy(r->to, f->home, 6);
    memcpy(r->from, g->mac, 6);
    r->op = GMS_REPLY;
    r->status = (uint8_t)status;
    r->pages = r->place = 0;
    r->epoch = gms32(g->epoch);
    r->known = 0;
    r->message.want = 0;
}

static void delegate(struct gms *g, struct gms_served *s, const struct gms_frame *f,
                     const uint8_t mac[6])
{
    s->answer = *f;
    memcpy(s->answer.to, mac, 6);
    memcpy(s->answer.from, g->mac, 6);
    s->answer.status++;
    s->answer.known = 0;
    g->counts.delegated++;
}

static void execute(struct gms *g, struct gms_served *s, const struct gms_frame *f)
{
    uint32_t file = gms32(f->message.file), want = gms32(f->message.want);
    const struct gms_stored *p = find(g, file, gms32(f->message.page));
    const struct gms_place *elsewhere = p ? 0 : find_place(g, file);

    forget_served(s);
    s->used = 1;
    if (f->pages) {          /* to be written where the page is, and nowhere else */
        bool good = p && f->pages <= p->pages && g->ops->take(p->of->at, f->place, f->pages);
        g->counts.executed++;
        reply_frame(g, &s->answer, f, good ? GMS_OK : GMS_NOPAGE);
        return;
    }
    if (elsewhere && f->status < GMS_HOPS) {
        delegate(g, s, f, elsewhere->mac);
        return;
    }
    g->counts.executed++;
    reply_frame(g, &s->answer, f, p ? GMS_OK : elsewhere ? GMS_LOOP : GMS_NOPAGE);
    if (!p || !want)
        return;
    s->answer.pages = (uint8_t)(want < p->pages ? want : p->pages);
    s->answer.message.want = gms32(s->answer.pages * GMS_PAGE);
    s->of = p->of;
    s->at = p->of->at;
    counted_hold(s->of);
}

void gms_requested(struct gms *g, const struct gms_frame *f)
{
    struct gms_station *from;
    struct gms_served *s;

    g->ops->work_for(0);
    if (f->known && gms32(f->known) != g->epoch) {
        struct gms_frame r;
        reply_frame(g, &r, f, GMS_RESTARTED);
        g->ops->send(&r, 0, 0, 0);
        return;
    }
    from = station(g, f);
    if (!from) {
        g->counts.refused++;
        return;
    }
    from->quiet = 0;
    s = gms_kept(&from->served[gms16(f->call)]);
    int32_t newer = (int32_t)(gms32(f->serial) - gms32(s->answer.serial));
    if (s->used && newer <= 0) {
        g->counts.duplicates++;
        if (newer < 0)
            return;          /* its caller has gone on */
        if (s->answer.op == GMS_REQUEST && f->status >= s->answer.status)
            reply_frame(g, &s->answer, f, GMS_LOOP); /* what was passed on has come back */
    } else {
        execute(g, s, f);
    }
    answer(g, s);
}

void gms_stations_tick(struct gms *g, unsigned ticks)
{
    for (unsigned i = 0; i < GMS_STATIONS; i++)
        g->station[i].quiet += ticks;
}

bool gms_store(struct gms *g, uint32_t file, uint32_t page, struct counted *of, unsigned pages,
               const void *owner)
{
    struct gms_stored *p = find(g, file, page);

    if (!p) {
        if (g->stored_count == GMS_STORED)
            return false;
        g->stored_count++;
        unsigned i = hashed(file, page);
        while (g->stored[i].of)
            i = (i + 1) % GMS_STORED;
        p = &g->stored[i];
    } else {
        counted_let(p->of);
    }
    *p = (struct gms_stored){file, page, of, owner, (uint8_t)pages};
    return true;
}

/* Open addressing: what stays finds its place anew. */
void gms_stored_forget(struct gms *g, const void *owner)
{
    for (unsigned i = 0; i < GMS_PLACES; i++)
        if (g->place[i].owner == owner)
            g->place[i].owner = 0;
    for (unsigned i = 0; i < GMS_STORED; i++)
        if (g->stored[i].of && g->stored[i].owner == owner) {
            counted_let(g->stored[i].of);
            g->stored[i].of = 0;
            g->stored_count--;
        }
    for (unsigned pass = 0; pass < 2; pass++) /* the second for those that wrapped around */
        for (unsigned i = 0; i < GMS_STORED; i++) {
            struct gms_stored p = g->stored[i];
            if (!p.of)
                continue;
            g->stored[i].of = 0;
            g->stored_count--;
            gms_store(g, p.file, p.page, p.of, p.pages, p.owner);
        }
}

bool gms_set_place(struct gms *g, uint32_t file, const uint8_t mac[6], const void *owner)
{
    struct gms_place *p = (struct gms_place *)find_place(g, file);

    for (unsigned i = 0; i < GMS_PLACES && !p; i++)
        if (!g->place[i].owner)
            p = &g->place[i];
    if (!p)
        return false;
    p->file = file;
    p->owner = owner;
    memcpy(p->mac, mac, 6);
    return true;
}
