/* SPDX-License-Identifier: MIT */
/* A z/Architecture machine under START INTERPRETIVE EXECUTION: its state description, its storage,
 * its subchannels, and what each cause of an interception has cost CP. It is made so because of
 * docs/decisions/010-machines-under-sie.md. */
#ifndef VMKB_SIE_H
#define VMKB_SIE_H
#include "channel.h"
#include "defs.h"

#define MB            (1UL << 20)
#define SIE_DEVICES   8      /* virtual subchannels of one machine: bits of a byte */
#define SIE_CHAIN     64     /* CCWs of one channel program of a dedicated device */
#define SIE_STEPS     256 /* commands of one that CP does itself; dasd_fba chains 193 */
#define ORB_FORMAT_1  0x00800000U
#define SIE_IDAWS     256    /* indirect addresses of one such program */

/* Hercules' sie.c is its reference here: IBM published the interface for ESA/390 alone
 * (SA22-7095). */
struct state_description {
    uint8_t v;               /* 000: intervention requests */
    uint8_t s;
    uint8_t mx;              /* 002 */
    uint8_t m;               /* 003 */
    uint32_t prefix;         /* 004 */
    uint8_t r008[0x28 - 0x08];
    int64_t cpu_timer;       /* 028 */
    uint64_t comparator;     /* 030 */
    uint64_t epoch;          /* 038 */
    uint32_t svc_control;    /* 040 */
    uint16_t lctl_control;   /* 044: control registers whose load is intercepted, CR0 first */
    uint16_t cpu_address;    /* 046 */
    uint8_t ic[4];           /* 048 */
    uint8_t ec[4];           /* 04C */
    uint8_t code;            /* 050: why it came back */
    uint8_t status;          /* 051 */
    uint16_t last_cpu;       /* 052 */
    uint8_t r054[2];
    uint16_t ipa;            /* 056: the intercepted instruction */
    uint32_t ipb;            /* 058 */
    uint32_t ipc;            /* 05C */
    uint8_t rcpo[4];         /* 060 */
    uint8_t r064[0x80 - 0x64];
    uint64_t origin, limit;  /* 080 */
    struct psw psw;          /* 090 */
    uint64_t gr14, gr15;     /* 0A0 */
    uint8_t r0b0[0xc0 - 0xb0];
    uint8_t parameters[0x100 - 0xc0]; /* 0C0: as low core has them from X'80' on */
    uint64_t cr[16];         /* 100 */
    uint8_t r180[0x200 - 0x180];
};
_Static_assert(offsetof(struct state_description, cpu_timer) == 0x28, "state description");
_Static_assert(offsetof(struct state_description, ic) == 0x48, "state description");
_Static_assert(offsetof(struct state_description, ipa) == 0x56, "state description");
_Static_assert(offsetof(struct state_description, rcpo) == 0x60, "state description");
_Static_assert(offsetof(struct state_description, psw) == 0x90, "state description");
_Static_assert(offsetof(struct state_description, cr) == 0x100, "state description");
_Static_assert(sizeof(struct state_description) == 0x200, "state description");

#define SD_IO       0x02     /* v: tell me when it is enabled for I/O interruptions, */
#define SD_EXTERNAL 0x01     /* for external ones */

#define PSW_DAT      0x0400000000000000UL
#define PSW_IO       0x0200000000000000UL
#define PSW_EXTERNAL 0x0100000000000000UL
#define PSW_WAITS    0x0002000000000000UL
#define PSW_PROBLEM  0x0001000000000000UL
#define PSW_CC_SHIFT 44

#define PGM_OPERATION     0x01
#define PGM_PRIVILEGED    0x02
#define PGM_ADDRESSING    0x05
#define PGM_SPECIFICATION 0x06
#define PGM_OPERAND       0x15

/* Why a machine came back to CP: an intercepted instruction by what it is, else what happened. */
enum sie_cause {
    SIE_SIGP, SIE_STSI, SIE_SERVC, SIE_CHSC, SIE_DIAG, SIE_SUBCHANNEL, SIE_SSCH, SIE_TSCH, SIE_TPI,
    SIE_STIDP, SIE_STAP, SIE_PREFIX, SIE_STFL, SIE_PTFF, SIE_LCTL, SIE_STORAGE, SIE_OTHER,
    SIE_PROGRAM, SIE_ENABLED, SIE_WAIT, SIE_SLICE, SIE_CAUSES
};
extern const char *const sie_cause_names[SIE_CAUSES];

struct sie_tally {
    uint64_t times, instr;   /* instr: from CP's entry to the end of what it did about it */
};

struct scsw {
    uint32_t flags;
    uint32_t ccw;
    uint8_t dstat, cstat;
    uint16_t residual;
};
#define SCSW_START_FUNCTION 0x4000U
#define SCSW_FUNCTIONS      0x7000U
#define SCSW_START_PENDING  0x0400U
#define SCSW_WORKS          0x00c0U /* subchannel and device active */
#define SCSW_STATUS         0x001fU
#define SCSW_ENDED          0x0007U /* primary, secondary, pending */
#define SCSW_ALERTED        0x0011U
#define SCSW_CLEARS         0x3000U /* clear or halt function */
#define SCSW_LOGOUT         0x04000000U /* ESW format: no concurrent sense */

#define ENDED         (DSTAT_CHANNEL_END | DSTAT_DEVICE_END)
#define CSTAT_PROGRAM 0x20
#define CSTAT_LENGTH  0x40
#define SENSE_REJECT  0x80
#define QUIET_US      2000000U /* that a device of a machine that goes may still work */

struct pmcw {
    uint32_t parm;
    uint8_t isc;             /* subclass, times 8 */
    uint8_t flags;           /* enabled X'80' ... valid X'01' */
    uint16_t devno;
    uint8_t lpm, pnom, lpum, pim;
    uint16_t mbi;
    uint8_t pom, pam;
    uint8_t chpid[8];
    uint8_t rest[4];
};
_Static_assert(sizeof(struct pmcw) == 28, "PMCW");

struct sie;
struct subchannel;
struct vctc;
struct sie_driver {
    /* A channel program begins: at is the first CCW, guest absolute. */
    void (*start)(struct sie *s, struct subchannel *c, uint32_t orb_flags, uint32_t at);
    bool (*clear)(struct sie *s, struct subchannel *c); /* false: it says when, by io_cleared */
};

struct guest_ccw {             /* a CCW of either format */
    uint8_t code, flags;
    uint16_t count;
    uint32_t data;
};

struct fba {                   /* of a minidisk's channel program */
    uint32_t origin, first, last; /* DEFINE EXTENT: place on the minidisk, blocks' numbers */
    uint32_t block;          /* LOCATE: the first, of the minidisk */
    uint32_t done;           /* bytes of the command that were moved */
    uint16_t count;
    uint8_t mask, operation;
    uint8_t defined, located; /* located: by the command before */
    uint8_t busy;            /* blocks move, whatever becomes of the program */
};

struct subchannel {
    const struct sie_driver *driver; /* 0: there is none */
    struct pmcw pmcw;
    struct scsw scsw;
    uint8_t bit;             /* its own of sie->interrupts */
    uint8_t reads;           /* console: a read waits for a line */
    uint8_t announced;       /* attention told of a line that is not read yet */
    uint8_t sense;
    uint32_t at, orb_flags;  /* the CCW of its program that waits */
    struct guest_ccw ccw;    /* adapter, minidisk: that one */
    unsigned steps;          /* commands of its program so far */
    struct vctc *adapter;    /* virtual channel-to-channel adapter */
    struct fba fba;
    struct device *real;     /* dedicated */
    struct sie_channel *work; /* its translated program */
    struct sie *sie;
};

struct sie {
    struct state_description sd; /* first, and on a boundary of 512 */
    struct vm *vm;
    uint64_t number;         /* of all that were made */
    uint8_t *store;          /* real address of guest absolute 0 */
    uint64_t size;
    uint8_t *whole;          /* what was allotted: storage and tables */
    uint64_t whole_size;
    uint64_t fpr[16];
    uint32_t ar[16];
    uint32_t fpc;
    uint8_t pending;         /* an interruption may be pending: look */
    uint8_t interrupts;      /* subchannels that have one pending, a bit each */
    uint8_t output;          /* the console has no room: its program goes on when it has */
    uint8_t waits;           /* enabled wait */
    uint8_t intercepted;     /* that it came back has yet to be dealt with */
    uint32_t service;        /* parameter of the service signal; 0: none */
    struct timer clock;      /* its clock comparator or CPU timer, while it waits */
    struct subchannel subchannels[SIE_DEVICES];
    struct sie_tally tally[SIE_CAUSES];
    char text[LINE_MAX];     /* console output without a new line yet */
    uint16_t text_len;
};

/* storage.c */
void host_storage_init(void); /* what storage there is above CP's, and what systems lie in it */
uint8_t *host_get(uint64_t bytes); /* whole megabytes, zeroed; 0: there is none */
void host_free(uint8_t *at, uint64_t bytes);
struct host_system;
const struct host_system *host_system(const char *name);
void host_load(const struct host_system *h, struct sie *s, const char *parm);
uint64_t host_system_least(const struct host_system *h); /* storage that it needs */

/* run.c */
void sie_forget(struct sie *s);          /* it is gone */

/* event.c */
void sie_swap_psw(struct sie *s, unsigned old, unsigned new); /* places in its prefix area */
void sie_wake(struct sie *s);            /* something may be pending for it */
void sie_program(struct sie *s, int code); /* a program interruption of the instruction behind */

/* guest.c: storage as the guest's instruction means it. False: the guest has its interruption. */
bool guest_read(struct sie *s, uint64_t address, void *to, uint64_t len);
bool guest_write(struct sie *s, uint64_t address, const void *from, uint64_t len);
void *guest_absolute(struct sie *s, uint64_t address, uint64_t len); /* or 0 */
void *guest_real(struct sie *s, uint64_t address, uint64_t len);
uint64_t guest_gr(const struct sie *s, unsigned r);
void guest_set_gr(struct sie *s, unsigned r, uint64_t value);
uint64_t guest_operand(struct sie *s);   /* second operand's address: base and displacement */
static inline void guest_cc(struct sie *s, unsigned cc)
{
    s->sd.psw.mask = (s->sd.psw.mask & ~(3UL << PSW_CC_SHIFT)) | (uint64_t)cc << PSW_CC_SHIFT;
}

/* instruction.c, sclp.c, stsi.c, command.c */
enum sie_cause sie_instruction(struct sie *s);
unsigned sclp_call(struct sie *s, uint32_t command, uint64_t sccb);
void sie_stsi(struct sie *s);
void sie_command(struct sie *s);

/* io.c */
void io_instruction(struct sie *s, unsigned op);
bool io_deliver(struct sie *s);          /* an I/O interruption the guest is open for, if any */
bool io_open(struct sie *s);       /* its CR6 takes one that is pending */
bool io_waits(struct sie *s);      /* one is pending, whatever its CR6 */
void io_end(struct sie *s, struct subchannel *c, uint32_t ccw, uint8_t dstat, uint8_t cstat,
            uint16_t residual);          /* the channel program has ended */
bool io_alert(struct sie *s, struct subchannel *c, uint8_t dstat); /* unsolicited; or busy */
void io_cleared(struct sie *s, struct subchannel *c);
struct subchannel *io_add(struct sie *s, uint16_t devno, const struct sie_driver *driver);

/* ccw.c */
bool fetch_command(struct sie *s, uint32_t orb_flags, uint32_t at, struct guest_ccw *to);
bool list_readable(uint32_t orb_flags);  /* lists of that format are */
/* A guest's list of indirect addresses, one for each page of so many bytes, and its length; 0: it
 * is not the guest's. */
const uint64_t *list_of(struct sie *s, uint32_t at, uint16_t count, unsigned *n);
/* What a command names from the byte DONE on, as far as it lies in one piece; 0: not the guest's */
void *ccw_data(struct sie *s, const struct guest_ccw *ccw, uint32_t done, uint32_t *len);

/* The program is at c->ccw, a command. It is none that CP can do so if not all of its storage is
 * the guest's. */
bool command_reachable(struct subchannel *c);
/* It has ended, `left` bytes of its count unused. False: the program with it. */
bool command_ended(struct subchannel *c, uint16_t left);
uint16_t command_answer(struct subchannel *c, const uint8_t *bytes, uint16_t size); /* left */
/* The program goes on at c->at until a command says that it waits or has ended: false. */
void program_run(struct subchannel *c, bool (*command)(struct subchannel *c));

/* console.c, dedicated.c, adapter.c, fba.c */
extern const struct sie_driver console_driver;
void console_typed(struct sie *s);       /* a line waits for it */
void console_resume(struct sie *s);      /* there is room again */
void dedicated_add(struct sie *s, uint16_t vaddr, uint16_t raddr);
void adapters_add(struct sie *s);        /* those that its machine has now */
void adapters_gone(struct sie *s);
void disks_add(struct sie *s);
/* No real device works for it now; false: one does. */
bool dedicated_quiet(struct sie *s);
bool disks_quiet(struct sie *s);
#endif
