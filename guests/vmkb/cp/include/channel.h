/* SPDX-License-Identifier: MIT */
/* Subchannels, channel programs and what their ends say (Principles of Operation, chapters
 * 13-16). */
#ifndef VMKB_CHANNEL_H
#define VMKB_CHANNEL_H
#include <stdbool.h>
#include <stdint.h>

#define CCW_CC   0x40        /* command chaining */
#define CCW_SLI  0x20        /* suppress length indication */
#define CCW_SKIP 0x10
#define CCW_IDA  0x04        /* data names a list of doublewords, one address for each page */
#define CCW_CD   0x80        /* data chaining */

struct ccw {                 /* format 1; Hercules refuses one that is not on a doubleword */
    uint8_t cmd, flags;
    uint16_t count;
    uint32_t data;           /* 31-bit real address: all storage is below 64 MB */
} __attribute__((aligned(8)));

struct irb {
    uint32_t scsw0;
    uint32_t ccw;
    uint8_t dstat, cstat;
    uint16_t residual;
    uint32_t rest[21];
};

#define SCSW_PRIMARY   0x0004
#define SCSW_SECONDARY 0x0002
#define SCSW_ALERT     0x0010
#define SCSW_PENDING   0x0001
#define SCSW_AT_WORK   0x04c0     /* start pending, subchannel active, device active */

#define DSTAT_ATTENTION  0x80
#define DSTAT_BUSY       0x10
#define DSTAT_CHANNEL_END 0x08
#define DSTAT_DEVICE_END 0x04
#define DSTAT_UNIT_CHECK 0x02
#define DSTAT_UNIT_EXCEPTION 0x01

/* The device says channel end and device end and nothing else. */
static inline bool irb_well(const struct irb *irb)
{
    return irb->dstat == (DSTAT_CHANNEL_END | DSTAT_DEVICE_END) && !irb->cstat;
}

struct device {
    uint32_t schid;
    uint16_t devno;
    uint8_t present, busy;
    struct account *owner;   /* whom its interruptions are charged to */
    /* Called for each interruption, CP disabled, accounts changed to owner. ended: the channel
     * program is over; attention and device end may come alone. */
    void (*interrupt)(struct device *d, const struct irb *irb, int ended);
    void *arg;
    uint64_t starts;         /* channel programs, for MONITOR and INDICATE I/O */
};
#endif
