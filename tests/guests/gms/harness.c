/* SPDX-License-Identifier: MIT */
/* Three systems' gms_net cores (CALLER, DIRECTORY, SERVER) on a LAN that loses, repeats and
 * reorders, by the numbers of a seed. Each mode prints what happened on one line; what must never
 * happen ends it.
 *   net SEED CALLS LOSS TWICE LATE CALLERS   percent of frames; calls to the server and by way of
 *                                            the directory, by so many callers
 *   dies WHO SEED                            from the tenth frame on that system takes nothing
 *   forget SEED                              the caller's machine is gone, again and again
 *   tokens                                   stale, wrong and foreign tokens
 *   frames                                   no frame is left for a payload
 *   restart                                  the server is IPLed between two tries of a call
 *   stations                                 more callers' systems than there is room for
 *   loop                                     two directories that know each other's file
 *   fuzz SEED ROUNDS                         damaged frames, and checks after each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../chance.h"
#include "gms.h"

#define NODES  3
#define LINES  4096
#define MUST(what) ((what) ? (void)0 : broken(#what, __LINE__))

enum { CALLER, DIRECTORY, SERVER };

struct net_line {
    unsigned to;
    struct gms_frame f;
    const uint8_t *at;
};

static struct gms node[NODES];
static struct net_line line[LINES];
static unsigned lines;
static unsigned loss, twice, late_percent, sending_node, dead = NODES;
static uint64_t frames_sent;
static unsigned no_frames, later_wanted[NODES];
static const struct net_line *arriving;
static struct counted storage[64];
static uint8_t pages[64][GMS_PAGE * GMS_PAGES];
static unsigned gone;

static void broken(const char *what, int at)
{
    fprintf(stderr, "line %d: not %s\n", at, what);
    abort();
}

static bool happens(unsigned percent)
{
    return percent && chance(100) < percent;
}

static void mac_of(unsigned n, uint8_t mac[6])
{
    memcpy(mac, (const uint8_t[6]){2, 1, 0, 0, 0, 1}, 6);
    mac[5] = (uint8_t)(1 + n);
}

/* --- what the core asks for, in each node's name */

static void post(const struct gms_frame *f, const uint8_t *at)
{
    unsigned to = f->to[5] - 1u;

    frames_sent++;
    if (to >= NODES || happens(loss))
        return;
    for (unsigned n = 0; n < 1u + happens(twice) && lines < LINES; n++)
        line[lines++] = (struct net_line){to, *f, at};
}

static void send_frame(const struct gms_frame *f, struct counted *of, const uint8_t *at,
                       unsigned n)
{
    MUST(f->pages == n && !n == !of);
    MUST(f->type == gms16(GMS_ETHERTYPE));
    MUST(f->from[5] == sending_node + 1);
    MUST(!of || of->holds);
    post(f, at);
}

static unsigned frames_in[GMS_TOKENS];
static const uint8_t *landed[GMS_TOKENS];

static unsigned land(struct gms_call *c, unsigned token, unsigned place, unsigned n)
{
    (void)place;
    if (no_frames)
        return GMS_NOWHERE;
    if (token == GMS_NOWHERE)
        token = GMS_CALLS + (unsigned)(c - node[CALLER].call);
    MUST(token < GMS_TOKENS && n && n <= GMS_PAGES);
    frames_in[token]++;
    landed[token] = arriving ? arriving->at : 0;
    return token;
}

static unsigned taken;

static bool take(uint8_t *to, unsigned place, unsigned n)
{
    (void)place;
    MUST(to && n && n <= GMS_PAGES);
    if (!arriving || !arriving->at)
        return false;
    memcpy(to, arriving->at, n * GMS_PAGE);
    taken++;
    return true;
}

static void work_for(void *owner)
{
    (void)owner;
}

static void later(void)
{
    later_wanted[sending_node]++;
}

static const struct gms_ops ops = {send_frame, land, take, work_for, later};

static void init(unsigned n, uint32_t epoch)
{
    uint8_t mac[6];

    mac_of(n, mac);
    gms_init(&node[n], &ops, mac, epoch);
}

static void was_let_go(struct counted *c)
{
    (void)c;
    gone++;
}

static void give(unsigned n, uint32_t file, uint32_t page, const void *owner)
{
    struct counted *c = &storage[page];

    *c = (struct counted){pages[page], 1, was_let_go, 0};
    memset(pages[page], (int)page, sizeof(pages[page]));
    MUST(gms_store(&node[n], file, page, c, GMS_PAGES, owner));
}

static void set_up(void)
{
    uint8_t mac[6];
    static const int owner;

    for (unsigned n = 0; n < NODES; n++)
        init(n, 100 + n);
    for (uint32_t page = 0; page < 8; page++)
        give(SERVER, 1, page, &owner);
    mac_of(SERVER, mac);
    MUST(gms_set_place(&node[DIRECTORY], 1, mac, &owner));
}

/* --- each request is executed at most once */

#define SERIALS 1000000
static uint8_t executed[SERIALS];

static void deliver(unsigned i)
{
    struct net_line l = line[i];

    line[i] = line[--lines];
    if (l.to == dead)
        return;
    sending_node = l.to;
    arriving = &l;
    uint64_t before = node[l.to].counts.executed;
    gms_input(&node[l.to], &l.f, sizeof(l.f));
    uint32_t serial = gms32(l.f.serial);
    if (node[l.to].counts.executed != before && serial < SERIALS)
        MUST(executed[serial]++ == 0);
    arriving = 0;
}

static void check(const struct gms *g)
{
    unsigned sent = 0, free = 0, queued = 0, deferred = 0, other = 0;

    for (unsigned i = 0; i < GMS_CALLS; i++)
        switch (g->call[i].state) {
        case CALL_FREE: free++; break;
        case CALL_SENT: sent++; break;
        case CALL_QUEUED: queued++; break;
        case CALL_DEFERRED: deferred++; break;
        default: other++;
        }
    MUST(sent == g->in_flight && sent <= GMS_WINDOW);
    MUST(!queued || sent == GMS_WINDOW);
    for (const struct gms_call *c = g->free; c; c = c->next, free--)
        MUST(c->state == CALL_FREE);
    for (const struct gms_call *c = g->queue; c; c = c->next, queued--)
        MUST(c->state == CALL_QUEUED);
    for (const struct gms_call *c = g->late; c; c = c->next, deferred--)
        MUST(c->state == CALL_DEFERRED);
    MUST(!free && !queued && !deferred);
    (void)other;
}

/* What is on the wire arrives, mostly in order. */
static void arrive(void)
{
    while (lines) {
        unsigned i = 0;
        if (happens(late_percent))
            i = chance(lines);
        deliver(i);
        for (unsigned n = 0; n < NODES; n++)
            if (later_wanted[n] && happens(50)) {
                later_wanted[n] = 0;
                sending_node = n;
                gms_late(&node[n]);
            }
    }
}

static unsigned ticks;

static void tick(void)
{
    ticks++;
    for (unsigned n = 0; n < NODES; n++) {
        sending_node = n;
        if (n != dead)
            gms_tick(&node[n], 1);
        check(&node[n]);
    }
}

/* --- callers that call again when they are answered */

struct caller {
    struct gms_call *call;
    unsigned done, failed, began;
    bool defers, solicits;
};
static struct caller callers[GMS_CALLS];
static unsigned left, under_way, longest, declined;
static int machine;

static gms_continuation replied;

static void start(struct caller *k)
{
    struct gms_call *c = k->call;
    unsigned i = (unsigned)(k - callers);

    k->began = ticks;
    left--;
    c->request.message =
        (struct gms_message){gms32(1), gms32(chance(8)), gms32(chance(3)), gms32(i)};
    if (k->solicits) {
        c->request.token = gms16(i);
        c->request.key = gms32(gms_arm(&node[CALLER], i));
    }
    gms_then(c, replied, k);
    gms_call_start(&node[CALLER], c);
}

static bool replied(struct gms_call *c, void *arg, bool late)
{
    struct caller *k = arg;

    MUST(c == k->call && c->state == CALL_DONE);
    if (k->defers && !late) {
        declined++;
        return false;
    }
    if (c->status == GMS_OK) {
        MUST(c->reply.user == gms32((uint32_t)(k - callers)));
        MUST(c->reply.page == c->request.message.page);
        if (c->request.message.want) {
            MUST(c->landed != GMS_NOWHERE);
            MUST(!k->solicits || c->landed == k - callers);
            MUST(landed[c->landed] == pages[gms32(c->reply.page)]);
        }
    } else {
        k->failed++;
    }
    if (ticks - k->began > longest)
        longest = ticks - k->began;
    k->done++;
    if (left)
        start(k);
    else
        under_way--;
    return true;
}

static unsigned most_apart;

static void callers_go(unsigned calls, unsigned n, bool by_directory)
{
    uint8_t mac[6];

    left = calls;
    under_way = n;
    ticks = longest = 0;
    memset(executed, 0, sizeof(executed));
    mac_of(by_directory ? DIRECTORY : SERVER, mac);
    sending_node = CALLER;
    for (unsigned i = 0; i < n; i++) {
        callers[i] = (struct caller){gms_call_get(&node[CALLER], &machine, mac), 0, 0, 0,
                                     i % 3 == 1, i % 2 == 0};
        MUST(callers[i].call);
    }
    for (unsigned i = 0; i < n; i++)
        start(&callers[i]);
    for (unsigned t = 0; under_way && t < calls * 50 + 100; t++) {
        arrive();
        unsigned least = ~0u, most = 0;
        for (unsigned i = 0; i < n; i++) {
            least = callers[i].done < least ? callers[i].done : least;
            most = callers[i].done > most ? callers[i].done : most;
        }
        if (left && most - least > most_apart)
            most_apart = most - least;
        tick();
    }
    MUST(!under_way);
}

static void report(unsigned n)
{
    unsigned failed = 0, done = 0;
    const struct gms_counts *c = &node[CALLER].counts;

    for (unsigned i = 0; i < n; i++) {
        failed += callers[i].failed;
        done += callers[i].done;
    }
    printf("done %u failed %u again %lu duplicates %lu stale %lu deferred %u longest %u apart %u "
           "frames %lu\n", done, failed, (unsigned long)c->again,
           (unsigned long)(node[SERVER].counts.duplicates + node[DIRECTORY].counts.duplicates),
           (unsigned long)c->stale, declined, longest, most_apart, (unsigned long)frames_sent);
}

static void net(char **arg)
{
    unsigned calls = (unsigned)atoi(arg[1]), n = (unsigned)atoi(arg[5]);

    chance_seed((uint64_t)atoi(arg[0]));
    loss = (unsigned)atoi(arg[2]);
    twice = (unsigned)atoi(arg[3]);
    late_percent = (unsigned)atoi(arg[4]);
    set_up();
    callers_go(calls / 2, n, false);
    report(n);
    callers_go(calls - calls / 2, n, true);
    report(n);
}

static void dies(char **arg)
{
    set_up();
    chance_seed((uint64_t)atoi(arg[1]));
    callers_go(64, 8, true);
    dead = arg[0][0] == 'D' ? DIRECTORY : SERVER;
    callers_go(40, 8, true);
    report(8);
    dead = NODES;
    callers_go(40, 8, true);
    report(8);
}

static void forget(char **arg)
{
    uint8_t mac[6];

    set_up();
    chance_seed((uint64_t)atoi(arg[0]));
    loss = 20;
    twice = late_percent = 10;
    mac_of(DIRECTORY, mac);
    for (unsigned round = 0; round < 2000; round++) {
        left = 1000000;
        for (unsigned i = 0; i < 1 + chance(GMS_CALLS); i++) {
            struct caller *k = &callers[i];
            sending_node = CALLER;
            *k = (struct caller){gms_call_get(&node[CALLER], &machine, mac), 0, 0, 0,
                                 chance(2) != 0, chance(2) != 0};
            MUST(k->call);
            start(k);
        }
        for (unsigned n = chance(200); n && lines; n--)
            deliver(chance(lines));
        check(&node[CALLER]);
        sending_node = CALLER;
        gms_forget(&node[CALLER], &machine);
        check(&node[CALLER]);
        MUST(!node[CALLER].in_flight && !node[CALLER].queue && !node[CALLER].late);
        for (unsigned i = 0; i < GMS_TOKENS; i++)
            MUST(!node[CALLER].token[i].armed);
    }
    printf("stale %lu\n", (unsigned long)node[CALLER].counts.stale);
}

static uint8_t last_status;
static uint16_t last_landed;

static bool noted(struct gms_call *c, void *arg, bool late)
{
    (void)arg, (void)late;
    last_status = c->status;
    last_landed = c->landed;
    return true;
}

static struct gms_call *ask(unsigned to, uint32_t file, uint32_t want)
{
    uint8_t mac[6];

    mac_of(to, mac);
    sending_node = CALLER;
    struct gms_call *c = gms_call_get(&node[CALLER], &machine, mac);
    MUST(c);
    c->request.message = (struct gms_message){gms32(file), 0, gms32(want), 0};
    gms_then(c, noted, 0);
    last_status = 255;
    return c;
}

static void tokens(void)
{
    struct gms *g = &node[CALLER];

    set_up();
    struct gms_call *c = ask(SERVER, 1, 2);
    c->request.token = gms16(3);
    c->request.key = gms32(gms_arm(g, 3));
    gms_call_start(g, c);
    gms_arm(g, 3);               /* the page was freed, and is another's now */
    arrive();
    printf("stale %u landed %d frames %u", last_status, last_landed != GMS_NOWHERE, frames_in[3]);
    c = ask(SERVER, 1, 2);
    c->request.token = gms16(GMS_TOKENS + 5);
    gms_call_start(g, c);
    arrive();
    printf(" outside %u", last_status);
    c = ask(SERVER, 1, 2);
    c->request.token = gms16(4);
    c->request.key = gms32(gms_arm(g, 4));
    gms_call_start(g, c);
    arrive();
    printf(" right %u frames %u armed %u\n", last_status, frames_in[4], g->token[4].armed);
    MUST(g->counts.wrong_token == 2);
}

/* Pages of the caller's, to a page that the server has, and to one that it has not; again when the
 * reply is lost. */
static void writes(void)
{
    static uint8_t mine[GMS_PAGES * GMS_PAGE];
    struct counted c = {mine, 1, was_let_go, 0};
    struct gms_call *k;

    set_up();
    memset(mine, 77, sizeof(mine));
    k = ask(SERVER, 1, 0);
    gms_carry(k, &c, GMS_PAGES);
    gms_call_start(&node[CALLER], k);
    deliver(0);                  /* the request comes, */
    lines = 0;                   /* and the reply does not */
    for (unsigned t = 0; t < GMS_TICKS + 1; t++)
        tick();
    arrive();
    printf("status %u taken %u there %u let go %u", last_status, taken, pages[0][8191],
           gone);
    c = (struct counted){mine, 1, was_let_go, 0};
    k = ask(SERVER, 5, 0);
    gms_carry(k, &c, 1);
    gms_call_start(&node[CALLER], k);
    arrive();
    printf(" unknown %u", last_status);
    k = ask(SERVER, 1, 0);
    gms_call_start(&node[CALLER], k);
    arrive();
    printf(" empty %u\n", last_status);
}

static void frames(void)
{
    set_up();
    no_frames = 1;
    gms_call_start(&node[CALLER], ask(SERVER, 1, 1));
    arrive();
    printf("status %u refused %lu\n", last_status, (unsigned long)node[CALLER].counts.no_frame);
}

static void restart(void)
{
    set_up();
    gms_call_start(&node[CALLER], ask(SERVER, 1, 0));
    arrive();
    printf("first %u", last_status);
    loss = 100;
    gms_call_start(&node[CALLER], ask(SERVER, 1, 0));
    loss = 0;
    init(SERVER, 200);
    for (unsigned t = 0; t < GMS_TICKS + 1; t++)
        tick();
    arrive();
    printf(" again %u executed %lu", last_status, (unsigned long)node[SERVER].counts.executed);
    gms_call_start(&node[CALLER], ask(SERVER, 1, 0));
    arrive();
    printf(" next %u\n", last_status);
}

static void stations(void)
{
    struct gms_frame f = {.type = gms16(GMS_ETHERTYPE), .op = GMS_REQUEST, .epoch = gms32(1)};

    set_up();
    sending_node = SERVER;
    mac_of(SERVER, f.to);
    for (unsigned i = 0; i < 3 * GMS_STATIONS; i++) {
        mac_of(20 + i, f.home);
        gms_input(&node[SERVER], &f, sizeof(f));
    }
    printf("executed %lu refused %lu", (unsigned long)node[SERVER].counts.executed,
           (unsigned long)node[SERVER].counts.refused);
    gms_tick(&node[SERVER], GMS_QUIET + 1);
    gms_input(&node[SERVER], &f, sizeof(f));
    printf(" later %lu\n", (unsigned long)node[SERVER].counts.executed);
}

static void loop(void)
{
    uint8_t mac[6];

    set_up();
    mac_of(SERVER, mac);
    MUST(gms_set_place(&node[DIRECTORY], 9, mac, &machine));
    mac_of(DIRECTORY, mac);
    MUST(gms_set_place(&node[SERVER], 9, mac, &machine));
    gms_call_start(&node[CALLER], ask(DIRECTORY, 9, 1));
    arrive();
    printf("status %u delegated %lu\n", last_status,
           (unsigned long)(node[DIRECTORY].counts.delegated + node[SERVER].counts.delegated));
}

/* Frames that were right but for some bytes, to any of the three, whose own calls go on. */
static void fuzz(char **arg)
{
    unsigned rounds = (unsigned)atoi(arg[1]);

    set_up();
    chance_seed((uint64_t)atoi(arg[0]));
    loss = twice = late_percent = 10;
    struct gms_frame seen[64];
    memset(seen, 0, sizeof(seen));
    left = ~0u;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned n = chance(NODES);
        if (r % 3 == 0 && node[CALLER].free) {
            struct caller *k = &callers[node[CALLER].free - node[CALLER].call];
            uint8_t mac[6];
            mac_of(1 + chance(2), mac);
            sending_node = CALLER;
            *k = (struct caller){gms_call_get(&node[CALLER], &machine, mac), 0, 0, 0, false,
                                 chance(2) != 0};
            struct gms_call *c = k->call;
            c->request.message = (struct gms_message){gms32(1), gms32(chance(9)), gms32(chance(3)),
                                                      0};
            if (k->solicits) {
                c->request.token = gms16(chance(8));
                c->request.key = gms32(gms_arm(&node[CALLER], gms16(c->request.token)));
            }
            gms_then(c, noted, 0);
            gms_call_start(&node[CALLER], c);
        }
        if (lines) {
            unsigned i = chance(lines);
            seen[chance(64)] = line[i].f;
            sending_node = line[i].to;
            arriving = 0;
            struct net_line l = line[i];
            line[i] = line[--lines];
            gms_input(&node[l.to], &l.f, sizeof(l.f));
        }
        struct gms_frame f = seen[chance(64)];
        for (unsigned k = chance(4); k; k--)
            ((uint8_t *)&f)[chance(sizeof(f))] = (uint8_t)chance(256);
        f.type = gms16(GMS_ETHERTYPE); /* the LAN has looked at it */
        if (chance(8))
            memcpy(f.to, node[n].mac, 6);
        sending_node = n;
        gms_input(&node[n], &f, chance(16) ? sizeof(f) : chance(sizeof(f) + 1));
        if (r % 64 == 0)
            tick();
        if (r % 4096 == 0) {
            sending_node = CALLER;
            gms_forget(&node[CALLER], &machine);
        }
        check(&node[n]);
    }
    printf("malformed %lu wrong tokens %lu stale %lu\n",
           (unsigned long)(node[0].counts.malformed + node[1].counts.malformed
                           + node[2].counts.malformed),
           (unsigned long)node[CALLER].counts.wrong_token,
           (unsigned long)node[CALLER].counts.stale);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    char **arg = argv + 2;

    if (!strcmp(mode, "net") && argc == 8)
        net(arg);
    else if (!strcmp(mode, "dies") && argc == 4)
        dies(arg);
    else if (!strcmp(mode, "forget") && argc == 3)
        forget(arg);
    else if (!strcmp(mode, "tokens"))
        tokens();
    else if (!strcmp(mode, "writes"))
        writes();
    else if (!strcmp(mode, "frames"))
        frames();
    else if (!strcmp(mode, "restart"))
        restart();
    else if (!strcmp(mode, "stations"))
        stations();
    else if (!strcmp(mode, "loop"))
        loop();
    else if (!strcmp(mode, "fuzz") && argc == 4)
        fuzz(arg);
    else
        return 2;
    return 0;
}
