/* SPDX-License-Identifier: MIT */
/* Without connections lwIP's timers only age what it remembers: ARP's addresses each second, those
 * in TIME-WAIT four times a second, at a thousand instructions each time. TCPIP sleeps through them
 * and makes up for them when it wakes, before anything else happens. lwIP is unedited: a timer of
 * its own that is late runs once, however late. */
#include "lwip/etharp.h"
#include "lwip/memp.h"
#include "lwip/priv/tcp_priv.h"
#include "rest.h"
#include "tcpip.h"

#define LONGEST 10000        /* ms */
#define ASKS    6000         /* ms in which ARP may ask again for an address */
#define SECOND  1000         /* ms between two of ARP's times */

static bool resting;

/* For how long, ms, if lwIP's next timer is due in MS. */
uint32_t rest_for(uint32_t ms)
{
    static STAT_COUNTER asked;
    static uint32_t asked_at;

    resting = false;
    if (tcp_active_pcbs || ms >= LONGEST)
        return ms;
    if (lwip_stats.etharp.xmit != asked) {
        asked = lwip_stats.etharp.xmit;
        asked_at = tcpip_now();
    }
    resting = tcpip_now() - asked_at >= ASKS && !memp_pools[MEMP_REASSDATA]->stats->used;
    return resting ? LONGEST : ms;
}

/* Before lwIP's timers run: of each that is due, once, they have one run themselves. */
void rest_made_up(void)
{
    static uint32_t ran;
    uint32_t now = tcpip_now(), slept = now - ran;

    ran = now;
    if (!resting || slept < 2 * SECOND)
        return;
    for (uint32_t ms = 2 * SECOND; ms <= slept; ms += SECOND)
        etharp_tmr();
    if (tcp_tw_pcbs)
        tcp_ticks += slept / TCP_SLOW_INTERVAL - 1;
}
