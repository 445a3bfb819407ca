/* SPDX-License-Identifier: MIT */
/* Local 3270 displays: stations whose data streams go by channel programs. */
#include "channel.h"
#include "defs.h"
#include "lib.h"
#include "station.h"

#define FIRST_DISPLAY 0x0700
#define DISPLAYS      120 /* that there may be; for so many there is always room: */
#define DISPLAYS_HERE 24

static struct local {
    struct station station;
    struct device *dev;
    struct ccw chain;
} here[DISPLAYS_HERE], *locals[DISPLAYS];

/* Displays beyond the usual ones take storage that machines would have. */
static struct local *room(int i)
{
    uint32_t pages = (sizeof(struct local) + PAGE_SIZE - 1) / PAGE_SIZE;

    return i < DISPLAYS_HERE ? &here[i] : (struct local *)pages_get(pages);
}

static int start(struct station *s)
{
    struct local *l = s->carrier;

    l->chain =
        (struct ccw){s->io.ccw, CCW_SLI, (uint16_t)s->io.len, (uint32_t)(uintptr_t)s->io.data};
    return device_start(l->dev, &l->chain);
}

static bool busy(struct station *s)
{
    return ((struct local *)s->carrier)->dev->busy;
}

static void charge(struct station *s, struct account *owner)
{
    ((struct local *)s->carrier)->dev->owner = owner;
}

/* Unit check that nobody asked for: the terminal has gone away. Hercules 3.13 tells that of one
 * whose place another has taken by then, and of no other; the device end of that one is then still
 * to come, or was dropped because this was pending. A program started before it would have it
 * dropped for certain. */
static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    struct station *s = d->arg;

    if (ended)
        station_ended(s, !(irb->dstat & DSTAT_UNIT_CHECK) && !(irb->cstat & ~0x40),
                      s->io.len - irb->residual);
    else if (irb->dstat & DSTAT_UNIT_CHECK)
        station_replaced(s);
    else if (!s->connected
             || (irb->dstat & (DSTAT_DEVICE_END | DSTAT_ATTENTION)) == DSTAT_DEVICE_END)
        station_connected(s);
    if ((irb->dstat & (DSTAT_ATTENTION | DSTAT_UNIT_CHECK)) == DSTAT_ATTENTION)
        station_attention(s);
    station_pump(s);
}

void display3270_init(void)
{
    char name[5];

    for (int i = 0; i < DISPLAYS; i++) {
        struct device *d = device_find((uint16_t)(FIRST_DISPLAY + i));
        struct local *l = d ? room(i) : 0;
        if (!l)
            continue;
        locals[i] = l;
        l->dev = d;
        l->station.start = start;
        l->station.busy = busy;
        l->station.charge = charge;
        l->station.carrier = l;
        fmt(name, sizeof(name), "%04X", d->devno);
        if (!station_init(&l->station, d->devno, name))
            return;
        display_set_lossy(&l->station.display);
        display_set_asks(&l->station.display);
        d->arg = &l->station;
        d->interrupt = interrupt;
    }
}

/* A terminal that connected before CP could see it has had its device end: show every one the logo,
 * once, at the end of IPL. Where nobody is the write fails, and that is all. */
void display3270_paint(void)
{
    for (int i = 0; i < DISPLAYS; i++) {
        struct local *l = locals[i];
        if (!l || l->station.connected)
            continue;
        station_connected(&l->station);
        station_pump(&l->station);
    }
}
