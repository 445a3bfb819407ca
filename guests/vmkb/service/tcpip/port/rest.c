/* SPDX-License-Identifier: MIT */
/* Without connections lwIP's timers only age what it remembers: ARP's addresses each second, those
 * in TIME-WAIT four times a second, at a thousand instructions each time. TCPIP sleeps through them
 * and makes up for them when it wakes, before anything else happens. lwIP is unedited: a timer of
 * its own that is late runs once, however late. */
#include "lwip/opt.h"
#if LWIP_IPV4                /* with IPv6 they are not slept through */
#include "lwip/etharp.h"
#include "lwip/memp.h"
#include "lwip/priv/tcp_priv.h"
#include "rest.h"
#include "tcpip.h"

#define LONGEST 10000        /* ms */
#define ASKS    6000         /* ms in which ARP may ask again for an address */
#define SECOND  1000         /* ms between two of ARP's times */

static bool resting;
static uint32_t due;         /* when lwIP's next timer would have run */

/* For how long, ms, if lwIP's next timer is due in MS. */
uint32_t rest_for(uint32_t ms)
{
    static STAT_COUNTER asked;
    static uint32_t asked_at;
    uint32_t now = tcpip_now();

    resting = false;
    if (tcp_active_pcbs || ms >= LONGEST)
        return ms;
    if (lwip_stats.etharp.xmit != asked) {
        asked = lwip_stats.etharp.xmit;
        asked_at = now;
    }
    resting = now - asked_at >= ASKS && !memp_pools[MEMP_REASSDATA]->stats->used;
    due = now + ms;
    return resting ? LONGEST : ms;
}

/* Before lwIP's timers run: what they have missed since the next one was due. A part of an interval
 * counts the next time. */
void rest_made_up(void)
{
    static uint32_t seconds, ticks;
    int32_t late = (int32_t)(tcpip_now() - due);

    if (!resting || late <= 0)
        return;
    resting = false;
    for (seconds += (uint32_t)late; seconds >= SECOND; seconds -= SECOND)
        etharp_tmr();
    ticks += (uint32_t)late;
    if (tcp_tw_pcbs)
        tcp_ticks += ticks / TCP_SLOW_INTERVAL;
    ticks %= TCP_SLOW_INTERVAL;
}
#endif
