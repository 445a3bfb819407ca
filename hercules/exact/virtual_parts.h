/* SPDX-License-Identifier: QPL-1.0 */
/* What the parts of virtual time share: virtual.c (events), virtual_time.c (the clock),
 * virtual_link.c (the socket), virtual_terminals.c (3270 terminals), virtual_fork.c. */
#ifndef VMKB_VIRTUAL_PARTS_H
#define VMKB_VIRTUAL_PARTS_H

#define NEVER       (~0ULL)
#define DEVICES     32
#define MESSAGE_MAX 70000

/* The kinds of messages (channel.h). */
enum {
    TO_GRANT = 'G', TO_BLOCK = 'B', TO_DONE = 'D', TO_LOOK = 'K', TO_ACCEPT = 'N',
    TO_OPERATOR = 'O', TO_FORK = 'F', TO_LOST = 'L',
    FROM_ASK = 'A', FROM_WRITE = 'W', FROM_TAKEN = 'R', FROM_TYPED = 'C', FROM_SENT = 'T',
    FROM_SEEN = 'k', FROM_STOPPED = 'X', FROM_RESET = 'Z', FROM_FORKED = 'f'
};

struct model {
    U64 kmips, move_rate, sum_rate;    /* instructions and bytes a millisecond; rates 0: no time */
    U64 tod;                           /* the clock at the start, 1/16 us */
    U64 turnaround;                    /* ps from what it says to the first consequence */
    U32 devices;
    struct device_time {
        U32 type;
        U32 cylinder;                  /* blocks; 0: there is no arm */
        U64 start, byte, seek;         /* ps: a program, a byte, another cylinder */
    } device[DEVICES];
};

/* virtual_time.c */
extern struct model vt_model;
REGS *vt_cpu(void);                    /* NULL before there is one */
U64 vt_now(void);                      /* ps */
void vt_leap(U64 when);                /* a wait is over; not backwards */
U64 vt_next_timer(REGS *regs);         /* when a clock interrupts next, of the CPU and its guest */
void vt_rates(void);                   /* the model's are known */
U64 vt_done(void);                     /* instructions, and what bytes took as instructions */
U64 vt_done_at(U64 when);              /* what that will be then, or a little less */

/* virtual_link.c */
struct message {
    BYTE kind;
    U16 devnum;                        /* the content's first bytes, if it is about a device */
    U64 when;
    U32 length;
    BYTE content[MESSAGE_MAX + 1];
};
int vt_link(void);                     /* whether the environment names a socket */
void vt_fail(const char *why);         /* ends the emulator */
void vt_say(char kind, const void *head, U32 head_length, const void *data, U32 length);
void vt_give(void);                    /* the clock's turn, and nothing is waited for */
struct message *vt_hear(void);         /* waits for a message, good until the next; or NULL */
void vt_receive(void *data, size_t length, int *with, int count); /* and file descriptors */
void vt_share(int memory);             /* the storage that the clock has too */
void vt_join(int socket, int memory);  /* of another clock, in a forked emulator */

/* virtual_terminals.c */
DEVBLK *vt_device(U16 devnum);
int vt_terminal_free(DEVBLK *dev);     /* nothing is under way or pending there */
void vt_look(void);                    /* the console thread takes what has come */
void vt_terminals_again(void);         /* in a forked emulator, which has no console thread */

/* virtual_fork.c */
void vt_fork(void);                    /* returns twice, the second time in another emulator */

/* virtual.c */
void vt_matters(void);                 /* what was said has consequences: it asks in time */
#endif
