/* SPDX-License-Identifier: MIT */
/* The CP services a virtual machine can call: DIAGNOSE with the code in the displacement, arguments
 * in GR2-GR6, result in GR2. Codes that VM documents keep their number (0, 8, C, 4C, 58, A8); the
 * others are in X'100'-X'1FC', which VM leaves to installations. Addresses are the caller's own; a
 * range that is not all in its private storage (program text is allowed as a source) is answered
 * DIAG_EADDR. The inlines at the end are what programs in a machine call. */
#ifndef VMKB_DIAG_H
#define VMKB_DIAG_H
#include <stdint.h>

#define LINE_MAX     160        /* bytes of one console line */
#define CMD_MAX      240        /* bytes of one CP command */

#define DIAG_ID        0x000 /* (struct diag_id *) */
/* (cmd, len, reply, replymax) -> rc; GR3 = bytes of reply (see diag_cp) */
#define DIAG_CPCMD     0x008
#define DIAG_TIME      0x00c /* (struct diag_time *) */
#define DIAG_ACCOUNT   0x04c /* (text, len <= 70) -> 0: a C0 accounting card */
#define DIAG_FULL      0x058 /* (op, buffer, len) full-screen 3270: FULL_ ops */
/* (op, id, buffer, len): logical terminals, LT_ operations; directory OPTION COMSRV */
#define DIAG_LTERM     0x07c
/* (vaddr, op, block, count, buffer) 512-byte minidisk blocks -> 0 or error */
#define DIAG_BLOCK     0x0a8
#define DIAG_WRITE     0x100 /* (text, len, flags) a line to the console */
#define DIAG_READ      0x104 /* (buffer, max, flags) a line from the console -> length; waits */
#define DIAG_WAIT      0x108 /* (mask, struct event *, microseconds or 0) -> EV_ bit; waits */
#define DIAG_SPACE     0x10c /* (struct diag_space *): the machine's storage */
/* (function, struct iucv_parm *, 0) -> iucv return code; or (function, parm, struct event *, mask,
 * microseconds) -> as DIAG_WAIT for EV_IUCV and mask once the function went well, else -1000 -
 * return code */
#define DIAG_IUCV      0x110
#define DIAG_CTC       0x114 /* (op, buffer, len): CTC_ ops of the CTC device it owns */
#define DIAG_DISKINFO  0x118 /* (vaddr, struct diag_disk *) -> 0 or DIAG_ENODEV */
/* () -> attention typed since last asked: 0 or ATTN_HX, ATTN_HT, ATTN_RT, ATTN_HI */
#define DIAG_ATTN      0x120
#define DIAG_MONITOR   0x124 /* (index, struct monitor *) class of privilege E; see monitor.h */
#define DIAG_STACKED   0x128 /* () -> number of console lines typed ahead */
#define DIAG_NULL      0x12c /* () nothing: what a round trip costs */
/* (userid[8], password[8]) -> 0 right, 1 wrong; class A..E servers only */
#define DIAG_AUTHENT   0x130
/* (userid[8], owner[8], vaddr) -> 0 none, 1 read, 2 write: what the directory gives that user of
 * that minidisk without a password; servers as DIAG_AUTHENT */
#define DIAG_RIGHTS    0x134
/* (op, vaddr, buffer, len): SPOOL_ operations of a virtual reader, punch or printer */
#define DIAG_SPOOL     0x138
/* (op, vaddr, buffer, len): VCTC_ operations of an end of a virtual channel-to-channel adapter */
#define DIAG_VCTC      0x13c
/* (code) the program ends: machine stops in CP READ, disabled wait code */
#define DIAG_GMS       0x180 /* (op, ...): calls to other systems' CPs, see gms_diag.h */
#define DIAG_END       0x1fc

#define DIAG_EADDR     (-1)  /* address not the caller's */
#define DIAG_ENODEV    (-2)  /* no such device */
#define DIAG_ERANGE    (-3)  /* outside the minidisk, or a length that is no good */
#define DIAG_EREADONLY (-4)
#define DIAG_EIO       (-5)  /* the device said unit check or the like */
#define DIAG_ELIMIT    (-6)  /* a limit of param.h is reached */
#define DIAG_EPRIV     (-7)  /* privilege class does not allow it */
#define DIAG_EBUSY     (-8)
#define DIAG_EUNKNOWN  (-9)  /* no such code, operation or name */

#define BLOCK_READ  1
#define BLOCK_WRITE 2
#define BLOCK_COUNT_MAX 2048 /* blocks of one call: 1 MB */

#define LINE_HIGH   0x01     /* high intensity (echo, errors) */
#define LINE_ALARM  0x02
#define READ_HIDDEN 0x01     /* a password: not shown */
/* only a line typed ahead; else DIAG_EBUSY, and with READ_HIDDEN the next line typed is not
 * shown */
#define READ_NOWAIT 0x02

/* DIAG_FULL operations */
#define FULL_WRITE  1        /* data: WCC and orders; erase/write when flag is set in GR5 */
#define FULL_END    3        /* back to the line-mode console */
/* last attention's AID, cursor, fields -> length; DIAG_EBUSY: none; see EV_SCREEN */
#define FULL_POLL   4
/* -> rows << 16 | columns of the terminal's largest screen, + FULL_EXTENDED */
#define FULL_SIZE   5
#define FULL_LOST   (-20)    /* the screen was used by CP: write it anew */
#define FULL_ERASE     1     /* GR5 of FULL_WRITE: erase/write, 24 rows of 80 */
#define FULL_ALTERNATE 2     /* erase/write alternate: FULL_SIZE's screen */
#define FULL_EXTENDED  0x8000 /* it has SFE: colours and highlighting */

/* DIAG_LTERM operations: a terminal that the program carries for somebody at the end of a
 * connection */
/* len: LT_LINE or LT_3270, | LT_ECHO, LT_RECORDS, LT_ASKS -> id; DIAG_ELIMIT */
#define LT_OPEN    1
#define LT_INPUT   2 /* characters typed (ISO 8859-1), or one 3270 input stream -> bytes taken */
/* -> bytes to show, 0 none; 3270: command (F1 write, F5 erase/write, 7E erase/write
 * alternate, F3 structured fields) and data */
#define LT_OUTPUT  3
#define LT_CLOSE   4         /* the connection is gone: its user is disconnected */
#define LT_ATTN    5         /* BREAK, IP: attention to CP */
/* len: LT_ECHO, LT_RECORDS or 0, of a line-mode terminal -> LT_HIDDEN if a password is typed now */
#define LT_FLAGS   6
#define LT_STATE   7         /* -> LT_HAS_OUTPUT | LT_ENDED | LT_HIDDEN */
#define LT_LINE    0
#define LT_3270    1
#define LT_ECHO    0x10
#define LT_RECORDS 0x20      /* LT_OUTPUT gives one line, and there is news for each */
#define LT_ASKS    0x40      /* an LT_3270 that tells its size when CP asks (Read Partition) */
#define LT_HAS_OUTPUT 1
#define LT_ENDED   2         /* its user logged off: take the output, then LT_CLOSE */
#define LT_HIDDEN  4

/* events */
#define EV_CONSOLE  0x01     /* a console line is typed ahead */
/* event.iucv is filled in: one IUCV interruption. A message's data, if it fits, is in event.text as
 * well: it is what a RECEIVE would bring. text_len 0: it is not */
#define EV_IUCV     0x02
#define EV_TIMER    0x04     /* the time given has passed */
#define EV_CTC      0x08     /* a CTC block is there: CTC_READ; or with EV_CTC_BLOCK, it was read */
#define EV_SMSG     0x10     /* a special message: event.from, event.text */
#define EV_ATTN     0x20     /* HX or the like: ask DIAG_ATTN */
#define EV_SCREEN   0x40     /* a full-screen attention is there: FULL_POLL */
#define EV_CTC_OUT  0x80     /* there is room for a CTC block */

#define EV_LTERM    0x100    /* a logical terminal has output or has ended: event.lterm is its id */
/* asked for beside EV_CTC: the block is read to event.block as CTC_READ would, event.block_len is
 * what that returns */
#define EV_CTC_BLOCK 0x200
/* asked for beside others: event.answer is the address of an IUCV_REPLY's parameter list, given
 * before the wait. Whether the sender had taken its message back is not told */
#define EV_ANSWER   0x800
/* asked for with CTC_WRITE_THEN_WAIT: an IUCV interruption that is there already, and nothing else,
 * comes before the block: that is not taken (CTC_KEPT), and what the interruption brings may go
 * with it */
#define EV_BEFORE   0x1000
/* asked for with EV_BEFORE: the machine that can run next has a turn before the block goes, as the
 * one that the answer woke: what it calls for comes before it */
#define EV_TURN     0x4000
/* a program waits at the other end of a virtual CTC: it writes, or it reads and DIAG_VCTC was
 * refused */
#define EV_VCTC     0x2000

#define ATTN_HX 1
#define ATTN_HT 2
#define ATTN_RT 3
#define ATTN_HI 4

struct iucv_interrupt {      /* 40 bytes, as VM's external interruption buffer holds them */
    uint16_t path;
    uint8_t flags;           /* IUCV_ flags of the sender */
    uint8_t type;            /* IUCV_PENDING_CONNECTION ... */
    uint32_t msgid;
    uint32_t class;          /* trgcls */
    uint32_t source_class;
    uint32_t len;            /* of the message; bytes of reply for a completion */
    uint32_t reply_len;      /* room the sender has for a reply */
    uint8_t user[16]; /* data of CONNECT, ACCEPT, SEVER; parameter-list data; userid at a connect */
    uint8_t audit[4];
    char userid[8];          /* of the connecting machine */
    uint32_t tag;            /* sender's own, given back at completion */
};

struct event {
    uint32_t type;
    uint32_t lterm;
    struct iucv_interrupt iucv;
    char from[8];
    uint16_t text_len;
    char text[160];
    uint64_t block, block_room; /* the program's: where a CTC block goes */
    int64_t block_len;
    uint64_t answer;             /* see EV_ANSWER */
};

struct diag_id {
    char userid[8], account[8], node[8], system[8];
    char ipl_name[8], ipl_parm[64];
    uint32_t classes;
    char parm[256];          /* parameter text the system was IPLed with */
};

struct diag_time {
    char date[8], time[8];   /* mm/dd/yy hh:mm:ss */
    uint64_t virt_us, total_us;          /* under the CPU model in force */
    uint64_t now_us;                     /* microseconds since 1970-01-01 00:00 */
    uint64_t virt_instr, total_instr;
};

struct diag_space {
    uint64_t low, size;      /* private storage is low..size-1 */
    uint64_t free_from;      /* first byte after the program's data */
};

struct diag_disk {
    uint32_t blocks;         /* 512-byte blocks */
    uint8_t writable;
    uint8_t cached;
    uint16_t owner_vaddr;
    char owner[8], volser[8];
};

/* DIAG_SPOOL operations. A record is its operation, its length and that many bytes. */
/* up to 4096 bytes of whole records -> 0; DIAG_ELIMIT: the spool space is full, none was taken */
#define SPOOL_WRITE     1
/* the next page of the file that is read -> bytes, 0: there are no more; a record may go on in the
 * next page. With no file open the first that can be read is; DIAG_EBUSY: there is none */
#define SPOOL_READ_PAGE 2
#define SPOOL_INFO      3    /* (struct diag_spool *) of that file */
#define SPOOL_HEAD      2    /* bytes before a record's text */
#define SPOOL_OP_TAG    0x03 /* the text of TAG, once and before all others */
#define SPOOL_OP_LINE   0x09 /* printed, then one line forward */
#define SPOOL_OP_CARD   0x41 /* punched */
#define SPOOL_OP_PAGE   0x8b /* to the next page of paper, at once */

struct diag_spool {
    char origin[8], name[24];
    uint64_t created_us;     /* since 1970 */
    uint32_t records;
    uint16_t id;
    char class;
    uint8_t copies;
    char made_by[3];         /* PRT PUN CON */
    uint8_t reserved[5];
};

/* DIAG_CTC operations. A block is what docs/reference/wire.md says; CP keeps two each way. */
/* a block out -> 0; DIAG_EBUSY: two wait already, EV_CTC_OUT when there is room */
#define CTC_WRITE 1
/* next block in -> its length, + CTC_MORE: another is there; DIAG_EBUSY: none, EV_CTC when there
 * is */
#define CTC_READ  2
#define CTC_STATUS 3         /* -> CTC_UP when the last operation reached the other side, else 0 */
/* as CTC_WRITE, and then wait as DIAG_WAIT does for the events of a mask that stands 8 bits
 * higher in the same register -> the EV_ bit, or what CTC_WRITE returns for a block not taken */
#define CTC_WRITE_THEN_WAIT 4
#define CTC_EVENTS_SHIFT    8
#define CTC_UP    1
#define CTC_MORE  0x10000
#define CTC_KEPT  0x10000    /* added to the EV_ bit: see EV_BEFORE */

/* DIAG_VCTC operations. CP keeps no block: the other end's program gets or gives it at once. */
/* -> bytes, + CTC_MORE: another program writes; DIAG_EBUSY: none writes, see EV_VCTC */
#define VCTC_READ     1
/* -> 0; DIAG_EBUSY: none reads; DIAG_ERANGE: it reads only a greeting, of VCTC_GREETING bytes */
#define VCTC_WRITE    2
#define VCTC_BLOCK    65535
#define VCTC_GREETING 2

#ifdef __s390x__
static inline long diag_call(long a, long b, long c, long d, long e, const int code)
{
    register long r2 __asm__("2") = a;
    register long r3 __asm__("3") = b;
    register long r4 __asm__("4") = c;
    register long r5 __asm__("5") = d;
    register long r6 __asm__("6") = e;
    __asm__ volatile("diag %0,%0,%5(0)"
                     : "+d"(r2), "+d"(r3) : "d"(r4), "d"(r5), "d"(r6), "i"(code) : "memory", "cc");
    return r2;
}
#define D_(x) ((long)(uintptr_t)(x))
static inline long diag_id(struct diag_id *p) { return diag_call(D_(p), 0, 0, 0, 0, DIAG_ID); }
/* Run a CP command as if typed. reply 0: its answer goes to the console. Answer lines end in X'15'.
 * Returns CP's return code; *got (may be 0) bytes of reply stored. */
static inline long diag_cp(const char *cmd, long len, char *reply, long max, long *got)
{
    register long r2 __asm__("2") = D_(cmd);
    register long r3 __asm__("3") = len;
    register long r4 __asm__("4") = D_(reply);
    register long r5 __asm__("5") = max;
    __asm__ volatile("diag %0,%0,0x008(0)"
                     : "+d"(r2), "+d"(r3) : "d"(r4), "d"(r5) : "memory", "cc");
    if (got)
        *got = r3;
    return r2;
}
static inline long diag_time(struct diag_time *p)
{
    return diag_call(D_(p), 0, 0, 0, 0, DIAG_TIME);
}
static inline long diag_account(const char *t, long n)
{ return diag_call(D_(t), n, 0, 0, 0, DIAG_ACCOUNT); }
static inline long diag_full(int op, void *buf, long len, int erase)
{ return diag_call(op, D_(buf), len, erase, 0, DIAG_FULL); }
static inline long diag_block(int vaddr, int op, long block, long count, void *buf)
{ return diag_call(vaddr, op, block, count, D_(buf), DIAG_BLOCK); }
static inline long diag_write(const char *t, long n, int flags)
{ return diag_call(D_(t), n, flags, 0, 0, DIAG_WRITE); }
static inline long diag_read(char *t, long max, int flags)
{ return diag_call(D_(t), max, flags, 0, 0, DIAG_READ); }
static inline long diag_wait(unsigned mask, struct event *e, uint64_t us)
{ return diag_call(mask, D_(e), (long)us, 0, 0, DIAG_WAIT); }
static inline long diag_space(struct diag_space *p)
{
    return diag_call(D_(p), 0, 0, 0, 0, DIAG_SPACE);
}
static inline long diag_vctc(int op, int vaddr, void *buf, long len)
{ return diag_call(op, vaddr, D_(buf), len, 0, DIAG_VCTC); }
static inline long diag_ctc(int op, void *buf, long len)
{ return diag_call(op, D_(buf), len, 0, 0, DIAG_CTC); }
static inline long diag_ctc_then_wait(const void *buf, long len, unsigned mask, struct event *e,
                                      uint64_t us)
{
    return diag_call(CTC_WRITE_THEN_WAIT | (long)mask << CTC_EVENTS_SHIFT, D_(buf), len, D_(e),
                     (long)us, DIAG_CTC);
}
static inline long diag_diskinfo(int vaddr, struct diag_disk *p)
{ return diag_call(vaddr, D_(p), 0, 0, 0, DIAG_DISKINFO); }
static inline long diag_lterm(int op, long id, void *buf, long len)
{ return diag_call(op, id, D_(buf), len, 0, DIAG_LTERM); }
static inline long diag_attn(void) { return diag_call(0, 0, 0, 0, 0, DIAG_ATTN); }
static inline long diag_stacked(void) { return diag_call(0, 0, 0, 0, 0, DIAG_STACKED); }
static inline long diag_null(void) { return diag_call(0, 0, 0, 0, 0, DIAG_NULL); }
static inline long diag_authent(const char *userid, const char *password)
{ return diag_call(D_(userid), D_(password), 0, 0, 0, DIAG_AUTHENT); }
static inline long diag_rights(const char *userid, const char *owner, int vaddr)
{ return diag_call(D_(userid), D_(owner), vaddr, 0, 0, DIAG_RIGHTS); }
static inline long diag_monitor(long index, void *p)
{ return diag_call(index, D_(p), 0, 0, 0, DIAG_MONITOR); }
static inline long diag_spool(int op, int vaddr, void *buf, long len)
{ return diag_call(op, vaddr, D_(buf), len, 0, DIAG_SPOOL); }
static inline _Noreturn void diag_end(long code)
{
    for (;;)
        diag_call(code, 0, 0, 0, 0, DIAG_END);
}
#else /* on the host a test plays CP */
long diag_write(const char *t, long n, int flags);
#endif
#endif
