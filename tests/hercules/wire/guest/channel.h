/* SPDX-License-Identifier: MIT */
/* The channel subsystem as the CTC driver needs it: one inline function per instruction
   (Principles of Operation, chapter 14) and the blocks they read and write. */
#ifndef CHANNEL_H
#define CHANNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define CCW_CC   0x40                /* chain command */
#define CCW_SLI  0x20                /* suppress incorrect length */

struct ccw1 {                        /* format-1 CCW; Hercules checks the alignment */
    u8 command;
    u8 flags;
    u16 count;
    u32 address;
} __attribute__((aligned(8)));

struct orb {
    u32 parameter;
    u32 flags;                       /* 0x0080ff00: format-1 CCWs, any path */
    u32 program;
};

struct schib {
    u32 words[13];                   /* PMCW (7), SCSW (3), model dependent (3) */
};

struct irb {
    u32 control;                     /* SCSW word 0: function, activity and status control */
    u32 ccw;                         /* address of the last CCW used, plus 8 */
    u8 device_status;
    u8 channel_status;
    u16 residual;
    u32 rest[21];
};

#define SCSW_PRIMARY    0x04u
#define SCSW_SECONDARY  0x02u

#define DEV_ATTENTION   0x80
#define DEV_BUSY        0x10
#define DEV_CHANNEL_END 0x08
#define DEV_DEVICE_END  0x04
#define DEV_UNIT_CHECK  0x02

static inline int ssch(u32 subchannel, const struct orb *orb)
{
    register u32 r1 asm("1") = subchannel;
    int cc;
    asm volatile("ssch %1\n ipm %0\n srl %0,28" : "=d"(cc) : "Q"(*orb), "d"(r1) : "cc", "memory");
    return cc;
}

static inline int tsch(u32 subchannel, struct irb *irb)
{
    register u32 r1 asm("1") = subchannel;
    int cc;
    asm volatile("tsch %1\n ipm %0\n srl %0,28" : "=d"(cc), "=Q"(*irb) : "d"(r1) : "cc", "memory");
    return cc;
}

static inline int stsch(u32 subchannel, struct schib *schib)
{
    register u32 r1 asm("1") = subchannel;
    int cc;
    asm volatile("stsch %1\n ipm %0\n srl %0,28"
                 : "=d"(cc), "=Q"(*schib) : "d"(r1) : "cc", "memory");
    return cc;
}

static inline int msch(u32 subchannel, const struct schib *schib)
{
    register u32 r1 asm("1") = subchannel;
    int cc;
    asm volatile("msch %1\n ipm %0\n srl %0,28"
                 : "=d"(cc) : "Q"(*schib), "d"(r1) : "cc", "memory");
    return cc;
}

/* The subchannel whose interruption is pending (and is taken by this), or 0. */
static inline u32 tpi(void)
{
    struct { u32 subchannel, parameter, zone; } code;
    int cc;
    asm volatile("tpi %1\n ipm %0\n srl %0,28" : "=d"(cc), "=Q"(code) : : "cc", "memory");
    return cc == 1 ? code.subchannel : 0;
}

static inline u64 tod(void)
{
    u64 clock;
    asm volatile("stck %0" : "=Q"(clock) : : "cc");
    return clock;                    /* 4096 units are a microsecond */
}

#endif
