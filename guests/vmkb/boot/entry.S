/* SPDX-License-Identifier: MIT */
/* int run(struct context *c): load c and go; come back when an interruption ends it.
 * Called only from cp/core/dispatch.c, for a machine or for the wait. CP itself runs with interruptions
 * off, so the only way here with CP's own registers is a program check of CP: that is cp_abend().
 * struct context (vm.h): psw at 0, gr[0..15] at 16. */
#include "psa.h"

    .text
    .balign 8
    .globl run, into_context
run:
into_context:                           /* for assembly: where a static function is called run, too */
    stmg %r6,%r15,48(%r15)              /* the caller's save area, as any function may */
    stg %r15,PSA_KERNEL_SP
    stg %r2,PSA_CONTEXT
    mvc PSA_RUN_PSW(16,0),0(%r2)
    mvghi PSA_KERNEL_PGM,0
    diag %r0,%r0,0xf08(0)               /* the clocks, as late as can be: acct.c charges from here; */
    stmg %r0,%r1,PSA_OUT                /* CLOCK_OUT counts what still follows here */
    stpt PSA_OUT+READING_TIMER
    lmg %r0,%r15,16(%r2)
    lpswe PSA_RUN_PSW

    /* r3 tells a profiling emulator alone: %r0 on the way to a machine, and back by an interruption, which is
     * nobody's until it is known whose; %r1 back by a call (docs/reference/profile.md). */
    .macro CLOCKS r3
    stmg %r0,%r1,PSA_SCRATCH
    diag %r0,\r3,0xf08(0)               /* and as early; CLOCK_IN: what came before, and this */
    stmg %r0,%r1,PSA_IN
    stpt PSA_IN+READING_TIMER
    .endm

    .macro BACK old, reason
    lg %r1,PSA_CONTEXT
    stmg %r0,%r15,16(%r1)
    mvc 16(16,%r1),PSA_SCRATCH(0)
    mvc 0(16,%r1),\old(0)
    mvghi PSA_KERNEL_PGM,1
    lghi %r2,\reason
    lg %r15,PSA_KERNEL_SP
    lmg %r6,%r15,48(%r15)
    br %r14
    .endm

    .macro ENTRY name, old, reason, r3
    .balign 8
    .globl \name
\name:
    CLOCKS \r3
    BACK \old, \reason
    .endm

    ENTRY ext_entry, PSA_EXT_OLD, RUN_EXT, %r0
    ENTRY svc_entry, PSA_SVC_OLD, RUN_SVC, %r1
    ENTRY mck_entry, PSA_MCK_OLD, RUN_MCK, %r0
    ENTRY io_entry,  PSA_IO_OLD,  RUN_IO, %r0

    .balign 8
    .globl pgm_entry
pgm_entry:
    CLOCKS %r1
    tm PSA_KERNEL_PGM+7,1
    jnz kernel_failed
    BACK PSA_PGM_OLD, RUN_PGM
kernel_failed:
    lmg %r0,%r1,PSA_SCRATCH
    stmg %r0,%r15,PSA_ABEND_REGS(%r0)
    lg %r15,PSA_KERNEL_SP
    aghi %r15,-160
    brasl %r14,cp_abend

    /* What run() loads of a machine under SIE (cp/sie/run.c): it is in GR14's state description. It ends in
     * SVC when CP has something to do for it; an interruption leaves the PSW on the first instruction. */
    .balign 8
    .globl sie_enter
sie_enter:
    .insn s,0xb2140000,0(%r14)
    svc 0
