/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: the guest's clock follows from what it executes. This is what Hercules and its
 * devices see of it; virtual_parts.h has the rest. */
#ifndef VMKB_VIRTUAL_H
#define VMKB_VIRTUAL_H

extern int virtual_on;                 /* this emulator runs on virtual time */

extern int virtual_alone;              /* the CPU thread is the only one at work: no locks */

/* Looked at before each instruction: what is due comes at the first that begins at its time or
 * later. Bytes take time, too, so that of those beyond virtual_bytes brings it nearer. */
extern U64 virtual_bytes;
#define VIRTUAL_IS_DUE(_regs) \
 ((_regs)->exactcount >= (_regs)->duecount || exact_moved + exact_summed != virtual_bytes)

void virtual_begin(void);              /* from main(), before anybody asks for the time */
U64 virtual_clock(void);               /* the TOD clock in 1/16 us, without an epoch */
U64 virtual_clock_low(void);           /* its next eight bits */
int virtual_usage(int who, struct rusage *usage); /* getrusage of the modelled CPU */
void virtual_rebase(REGS *regs);       /* the instruction count is about to be set to zero */
void virtual_due(REGS *regs);          /* VIRTUAL_IS_DUE */
void virtual_soon(void);               /* something may be due earlier than was thought */
void virtual_wait(REGS *regs);         /* enabled wait: returns with an interruption pending */
void virtual_stopped(REGS *regs);      /* the CPU has stopped */
void virtual_start(DEVBLK *dev);       /* START SUBCHANNEL was accepted */
void virtual_wake(DEVBLK *dev);        /* CLEAR or HALT for a channel program under way */
void virtual_reset(DEVBLK *dev);       /* device reset: nothing is under way any more */

/* For device handlers. A handler that parks its channel program returns at once; the same command
 * is given again after virtual_resume. */
int virtual_parked(DEVBLK *dev);       /* has the handler just parked it? (asked once) */
void virtual_park(DEVBLK *dev);
void virtual_resume(DEVBLK *dev);      /* it goes on at once */
void virtual_write(DEVBLK *dev, const BYTE *data, U32 length); /* a block for the LAN */
void virtual_taken(DEVBLK *dev, U32 frames, U32 bytes);        /* frames that the guest has read */
void virtual_typed(const char *text, U32 length);    /* what the operator's console printed */
void virtual_log(const char *text);    /* the emulator's log, written at once */
void virtual_sent(int socket, U32 length);           /* bytes for a 3270 terminal */
void virtual_accepted(int socket);     /* a connection's count of bytes begins */
void virtual_received(int socket, int length);       /* bytes from a terminal; or nothing */
void virtual_console_turn(int seen, U16 devnum);     /* the console thread's rendezvous */

/* What console.c has registered: its thread is to begin once more, with the socket that it has. */
extern void (*virtual_console_again)(void);

/* What the device for the LAN has registered (lanctc.c). */
extern void (*virtual_arrive)(DEVBLK *dev, const BYTE *frame, U32 length);
extern void (*virtual_written)(DEVBLK *dev);

#endif
