/* SPDX-License-Identifier: MIT */
/* gms_net in CP: frames by cp/comm/lan.c, one timer, and what the LAN has no room for yet. Work is
 * CP's for the machine whose call it is, and the system's for others' calls. */
#include "gms_cp.h"
#include "defs.h"
#include "lan.h"
#include "lib.h"

#define WAITING   64             /* frames that wait for room */
#define SLOWLY    100            /* ticks at a time when there is nothing to send again */

struct gms *gms;

static struct timer timer;
static bool ticking;             /* tick by tick */
static struct task late;
static struct {
    struct gms_frame frame;
    struct counted *of;
    const uint8_t *at;
    unsigned pages;
} waiting[WAITING];
static unsigned first_waiting, waits;

static void tick(void *arg)
{
    unsigned passed = ticking ? 1 : SLOWLY;

    (void)arg;
    acct_change(&acct_system);
    acct_by_clock();
    lan_gather();                /* what is sent again comes apart no more than it was */
    gms_tick(gms, passed);
    lan_gathered();
    ticking = gms->in_flight != 0;
    timer_set(&timer, us_now() + GMS_TICK_US * (ticking ? 1 : SLOWLY), tick, 0);
}

static bool pass(const struct gms_frame *f, struct counted *of, const uint8_t *at, unsigned pages)
{
    return lan_send_pages((const uint8_t *)f, sizeof(*f), of, at, pages);
}

/* To send may find that there is room, and come here again: what is being sent goes once. */
static void room(void)
{
    static bool passing;

    if (passing)
        return;
    passing = true;
    while (waits) {
        unsigned i = first_waiting;
        if (!pass(&waiting[i].frame, waiting[i].of, waiting[i].at, waiting[i].pages))
            break;
        if (waiting[i].pages)
            counted_let(waiting[i].of);
        first_waiting = (i + 1) % WAITING;
        waits--;
    }
    passing = false;
}

static __attribute__((noinline)) void wait_for_room(const struct gms_frame *f, struct counted *of,
                                                    const uint8_t *at, unsigned pages)
{
    unsigned i = (first_waiting + waits) % WAITING;

    if (waits == WAITING) {
        lan_counts.no_room++;    /* lost: whoever misses it asks again */
        return;
    }
    waiting[i].frame = *f;
    waiting[i].of = of;
    waiting[i].at = at;
    waiting[i].pages = pages;
    if (pages)
        counted_hold(of);
    waits++;
}

static ONE_PIECE void send(const struct gms_frame *f, struct counted *of, const uint8_t *at,
                           unsigned pages)
{
    if (waits || !pass(f, of, at, pages))
        wait_for_room(f, of, at, pages);
    if (!ticking) {
        ticking = true;
        timer_set(&timer, us_now() + GMS_TICK_US, tick, 0);
    }
}

static bool take(uint8_t *to, unsigned place, unsigned pages)
{
    const uint8_t *from = lan_payload(place, pages);

    if (!from)
        return false;
    memcpy(to, from, pages * GMS_PAGE);
    return true;
}

static void work_for(void *owner)
{
    acct_change(owner ? &((struct vm *)owner)->acct : &acct_system);
}

/* The calls that several of them start go in one block. */
static void run_late(void)
{
    const struct gms_call *c = gms->late;
    bool several = c && c->next;

    if (several)
        lan_gather();
    gms_late(gms);
    if (several)
        lan_gathered();
}

static void later(void)
{
    task_later(&late);
}

static ONE_PIECE void input(const uint8_t *frame, size_t len)
{
    if (gms)
        gms_input(gms, (const struct gms_frame *)frame, len);
}

bool gms_start(void)
{
    static const struct gms_ops ops = {send, gms_land, take, work_for, later};

    if (gms || !ctca_there())
        return gms != 0;
    gms = (struct gms *)pages_get((sizeof(*gms) + PAGE_SIZE - 1) / PAGE_SIZE);
    if (!gms)
        return false;
    late.run = run_late;
    gms_init(gms, &ops, lan_address, (uint32_t)(unix_us() / 1000000));
    lan_on_room(room);
    return true;
}

void gms_cp_init(void)
{
    if (ctca_there())
        lan_register(GMS_ETHERTYPE, input);
}
