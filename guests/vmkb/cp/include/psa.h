/* SPDX-License-Identifier: MIT */
/* Low core of the one real CPU: z/Architecture's assigned locations (Principles of Operation,
 * "Assigned Storage Locations") and CP's few words beside them. boot/entry.S uses the PSA_ numbers,
 * C uses struct psa; the assertions below keep the two the same. */
#ifndef VMKB_PSA_H
#define VMKB_PSA_H

#define PSA_EXT_CODE   0x086
#define PSA_PGM_ILC    0x08c
#define PSA_PGM_CODE   0x08e
#define PSA_TRANS_ADDR 0x0a8
#define PSA_IO_SCHID   0x0b8
#define PSA_EXT_OLD    0x130
#define PSA_SVC_OLD    0x140
#define PSA_PGM_OLD    0x150
#define PSA_MCK_OLD    0x160
#define PSA_IO_OLD     0x170
#define PSA_RESTART_NEW 0x1a0
#define PSA_EXT_NEW    0x1b0
#define PSA_SVC_NEW    0x1c0
#define PSA_PGM_NEW    0x1d0
#define PSA_MCK_NEW    0x1e0
#define PSA_IO_NEW     0x1f0
#define PSA_KERNEL_SP  0x300
#define PSA_CONTEXT    0x308
#define PSA_SCRATCH    0x310
#define PSA_RUN_PSW    0x320
#define PSA_KERNEL_PGM 0x330
#define PSA_ABEND_REGS 0x340
#define PSA_OUT        0x3c0 /* struct reading */
#define PSA_IN         0x3d8
#define READING_TIMER  16

/* where run() says it was left */
#define RUN_EXT 1
#define RUN_SVC 2
#define RUN_PGM 3
#define RUN_MCK 4
#define RUN_IO  5

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>
#include "usage.h"

struct psw {
    uint64_t mask;
    uint64_t addr;
};

struct psa {
    uint8_t ipl[0x80];
    uint32_t ext_parm;           /* 080 */
    uint16_t ext_cpu;            /* 084 */
    uint16_t ext_code;           /* 086 */
    uint32_t svc_ilc_code;       /* 088 */
    union {
        uint32_t pgm_ilc_code;   /* 08C */
        struct {
            uint16_t pgm_ilc;    /* 08C */
            uint16_t pgm_code;   /* 08E */
        };
    };
    uint8_t r90[0x98 - 0x90];
    uint64_t per_address;        /* 098: of the instruction that caused the event */
    uint8_t ra0[0xa8 - 0xa0];
    uint64_t trans_addr;         /* 0A8 */
    uint8_t rb0[8];
    uint16_t io_ssid;            /* 0B8: always 0001 */
    uint16_t io_schid;           /* 0BA */
    uint32_t io_parm;            /* 0BC */
    uint8_t rc0[0x120 - 0xc0];
    struct psw restart_old;      /* 120 */
    struct psw ext_old, svc_old, pgm_old, mck_old, io_old;
    uint8_t r180[0x1a0 - 0x180];
    struct psw restart_new;      /* 1A0 */
    struct psw ext_new, svc_new, pgm_new, mck_new, io_new;
    uint8_t r200[0x300 - 0x200];
    uint64_t kernel_sp;          /* 300: CP's stack while something else runs */
    uint64_t context;            /* 308: struct context that run() loaded */
    uint64_t scratch[2];         /* 310 */
    struct psw run_psw;          /* 320 */
    uint64_t kernel_pgm;         /* 330: not 0 while CP itself runs */
    uint64_t pad338;
    uint64_t abend_regs[16];     /* 340: registers when CP itself failed */
    struct reading out, in;      /* 3C0, 3D8: where run() left CP and came back */
};

_Static_assert(offsetof(struct psa, ext_code) == PSA_EXT_CODE, "psa");
_Static_assert(offsetof(struct psa, pgm_ilc) == PSA_PGM_ILC, "psa");
_Static_assert(offsetof(struct psa, pgm_code) == PSA_PGM_CODE, "psa");
_Static_assert(offsetof(struct psa, trans_addr) == PSA_TRANS_ADDR, "psa");
_Static_assert(offsetof(struct psa, io_ssid) == PSA_IO_SCHID, "psa");
_Static_assert(offsetof(struct psa, ext_old) == PSA_EXT_OLD, "psa");
_Static_assert(offsetof(struct psa, io_old) == PSA_IO_OLD, "psa");
_Static_assert(offsetof(struct psa, restart_new) == PSA_RESTART_NEW, "psa");
_Static_assert(offsetof(struct psa, io_new) == PSA_IO_NEW, "psa");
_Static_assert(offsetof(struct psa, kernel_sp) == PSA_KERNEL_SP, "psa");
_Static_assert(offsetof(struct psa, context) == PSA_CONTEXT, "psa");
_Static_assert(offsetof(struct psa, run_psw) == PSA_RUN_PSW, "psa");
_Static_assert(offsetof(struct psa, kernel_pgm) == PSA_KERNEL_PGM, "psa");
_Static_assert(offsetof(struct psa, out) == PSA_OUT, "psa");
_Static_assert(offsetof(struct psa, in) == PSA_IN, "psa");
_Static_assert(offsetof(struct reading, timer) == READING_TIMER, "psa");
_Static_assert(offsetof(struct psa, abend_regs) == PSA_ABEND_REGS, "psa");

/* Real address 0 is a real place here; the asm keeps the compiler from calling it a null
 * pointer. */
static inline struct psa *psa(void)
{
    struct psa *p;
    __asm__("lghi %0,0" : "=d"(p));
    return p;
}
#endif
#endif
