/* SPDX-License-Identifier: MIT */
/* The real punch: 80-byte cards, one channel program each; what waits is kept in a ring. */
#include "channel.h"
#include "defs.h"
#include "lib.h"

#define CMD_PUNCH 0x01
#define CARD_US   1000000    /* the slowest 3525 punches 100 cards a minute */

static uint8_t cards[SPOOL_CARDS][80] __attribute__((aligned(8)));
static unsigned head, count, lost;
static struct ccw chain;
static struct device *dev;

static void start(void)
{
    if (!dev || dev->busy || !count)
        return;
    chain = (struct ccw){CMD_PUNCH, CCW_SLI, 80, (uint32_t)(uintptr_t)cards[head]};
    device_start(dev, &chain);
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    (void)d;
    if (!ended)
        return;
    if (irb->dstat & DSTAT_UNIT_CHECK)
        operator_say("DMKIOS501A PUNCH %04X INTERVENTION REQUIRED; CARD LOST", dev->devno);
    head = (head + 1) % SPOOL_CARDS;
    count--;
    start();
}

/* card: 80 bytes of EBCDIC and binary fields. With no room the card is lost and the operator told
 * how many were. */
void punch_card(const uint8_t card[80])
{
    if (!dev || count == SPOOL_CARDS) {
        if (lost++ % 100 == 0)
            operator_say("DMKACO425E ACCOUNTING CARDS LOST: %u", lost);
        return;
    }
    memcpy(cards[(head + count++) % SPOOL_CARDS], card, 80);
    start();
}

bool punch_room(void)
{
    return dev && count < SPOOL_CARDS / 2;
}

void punch_flush(void)
{
    for (uint64_t until = us_now() + CARD_US * count; count && us_now() < until;)
        wait_for_io(until);
}

void punch_init(void)
{
    dev = device_find(0x000d);
    if (dev)
        dev->interrupt = interrupt;
}
