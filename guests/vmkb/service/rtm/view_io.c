/* SPDX-License-Identifier: MIT */
/* DISPLAY IO: what each device that was ever started did. */
#include "rtm.h"

void rtm_view_io(struct rtm_text *t, const struct rtm_interval *i)
{
    const struct rtm_system *s = &i->system;

    t->head = 1;
    rtm_add(t, "DEV  VOLUME   STARTS/S    READS/S   WRITES/S  QUEUE     STARTS SINCE IPL  BUSY");
    for (unsigned n = 0; n < i->device_count; n++) {
        const struct rtm_device *d = &i->device[n];
        bool volume = d->now->volser[0] != ' ';
        rtm_add(t, "%04X %.6s   %s %10s %10s %6s %20lu  %s", d->now->devno, d->now->volser,
                rtm_num(d->rate, 9, 2), volume ? rtm_num(d->reads, 10, 2) : "-",
                volume ? rtm_num(d->writes, 10, 2) : "-",
                volume ? rtm_num((uint64_t)d->now->queue * 100, 6, 0) : "-",
                (unsigned long)d->now->starts, d->now->busy ? "YES" : "NO");
    }
    rtm_add(t, " ");
    rtm_add(t, "MINIDISK CACHE: %s BLOCKS OF 4K READ A SECOND, HIT RATIO %s %%",
            rtm_num(s->mdc_reads, 8, 2), s->mdc_hit == RTM_NONE ? "-" : rtm_num(s->mdc_hit, 6, 2));
}
