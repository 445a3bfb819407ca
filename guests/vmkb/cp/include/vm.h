/* SPDX-License-Identifier: MIT */
/* A virtual machine: an address space in problem state, its accounts, its console, its
 * minidisks. */
#ifndef VMKB_VM_H
#define VMKB_VM_H
#include <stdint.h>
#include "acct.h"
#include "param.h"
#include "psa.h"
#include "diag.h"
#include "monitor.h"
#include "iucv_table.h"

/* Loaded and saved by run() in boot/entry.S, which knows these offsets. */
struct context {
    struct psw psw;
    uint64_t gr[16];
};
_Static_assert(offsetof(struct context, gr) == 16, "boot/entry.S");

struct timer {
    struct timer *next;
    uint64_t due;              /* TOD; 0 = not set */
    void (*fire)(void *arg);
    void *arg;
};

struct line {
    uint16_t len;
    char text[LINE_MAX];
};

struct smsg {
    char from[9];
    struct line text;
};

struct mdisk {
    uint16_t vaddr;            /* virtual device address; 0 = slot free */
    uint8_t volume;
    uint8_t writable;
    uint32_t start, blocks;    /* extent in 512-byte blocks of the volume */
    char owner[8];             /* whose minidisk it is, for LINK and QUERY */
    uint16_t owner_vaddr;
};

/* SET and TERMINAL options */
#define SET_MSG   0x01
#define SET_WNG   0x02
#define SET_IMSG  0x04
#define SET_ACNT  0x08
#define SET_RUN   0x10         /* stay running in CP mode */
#define SET_EMSG  0x20
#define SET_SMSG  0x40
#define SET_TIMER 0x80
#define SET_EMSG_TEXT 0x100   /* of an error message only the text, or only the code */
#define SET_EMSG_CODE 0x200

/* A virtual reader, printer, punch or console, and what SPOOL has said of it. */
struct spool_device {
    uint16_t vaddr;            /* 0: there is none */
    char class;
    uint8_t hold, cont, copies;
    uint8_t to_reader;         /* what it makes goes to the reader of `to` */
    char to[9];                /* else it belongs to that user; "": its own */
    char dist[9], tag[137];
    struct spool_out *out;     /* the file that it writes, or 0 */
    struct spool_file *in;     /* the file that it reads, or 0 */
    uint32_t page;             /* of that one, the next to be read */
};

/* VM_GOING: LOGOFF is done, a request still uses its storage. VM_GONE: the dispatcher frees the
 * slot when it is done with it. */
enum vm_state { VM_FREE, VM_HERE, VM_GOING, VM_GONE };

struct vm {
    struct context ctx;
    uint64_t asce;
    uint8_t *store;            /* real address of virtual VM_LOW */
    uint64_t size;             /* virtual storage; VM_LOW..size-1 is private */
    uint64_t span;             /* bytes at store: size - VM_LOW, or 0 without storage */
    uint64_t *tables;          /* segment and page tables, pages of real storage */
    uint32_t table_pages;
    const struct nss *nss;     /* named system it was IPLed with */

    uint32_t wait;
    uint8_t state;             /* enum vm_state */
    uint8_t priority;          /* 0..99, SET PRIORITY; small first */
    uint8_t queue;             /* dispatch list: 0 interactive, 1 used a whole slice */
    uint8_t queued;
    uint8_t favored;           /* SET FAVORED: stays in list 0 */
    uint8_t ipl_pending;       /* IPL waits for a request of the old program to end */
    uint8_t autologged;
    uint8_t logged_on;         /* its LOGON is complete: a second one reconnects */
    struct vm *next;           /* in its dispatch list */
    int64_t slice_left;        /* CPU-timer units */
    uint64_t queue_since;      /* TOD when it was put in its list */

    uint16_t ipl_error; /* number of the message that says why its last IPL failed; 0: it did not */
    char userid[9], account[9];
    char ipl_name[9];
    char ipl_parm[64];
    uint32_t classes;          /* bit 0 = A ... bit 7 = H */
    uint32_t max_size;
    uint32_t dir_flags;        /* DIR_ flags of its directory entry */
    uint32_t set;              /* SET_ options */

    struct account acct;
    struct account acct_base;  /* at the last ACNT: counters are told from here */
    uint64_t logon_tod, acnt_tod;
    uint64_t sio, sio_base;    /* minidisk and device requests */
    uint64_t iucv_msgs, console_lines, bytes_io;
    uint64_t punched, punched_base;
    uint64_t printed, printed_base, read, read_base; /* records of spool files */

    struct terminal *term;     /* 0 = disconnected */
    char secuser[9];           /* CONSOLE statement: who sees it when disconnected */
    struct line stacked[VM_STACKED];
    uint8_t stack_head, stack_count;
    uint8_t console_hidden;    /* the line typed next is a password */
    uint8_t attention;         /* HX, HT or an attention since last asked */
    uint64_t read_buffer, read_len; /* virtual, of the console read under way */

    uint32_t events;           /* EV_ bits pending */
    uint32_t event_mask;       /* EV_ bits that end the wait under way */
    struct event *event; /* where it is told of one: in its storage, which stays while it waits */
    struct timer timer;        /* end of a timed wait, of this one or of one before it */
    uint64_t wait_until;       /* when this one ends if EV_TIMER is waited for: microseconds, TOD */
    struct timer sleep;
    struct timer hung_up;      /* its terminal is gone: the end of its session */
    uint8_t cp_mode; /* SET RUN ON and attention: what is typed is for CP, the program runs */
    uint8_t sleep_cp;          /* SLEEP came from the console: it ends in CP READ */
    char linend;               /* TERMINAL LINEND: ends a logical line; 0: OFF */
    uint8_t link_tries;        /* wrong passwords of this session, LINK and AUTOLOG */
    struct smsg smsg[SMSG_MAX];
    uint8_t smsg_head, smsg_count;

    struct mdisk mdisk[VM_MDISKS];
    struct iucv_queue iucv;
    struct gms_user *gms;      /* its window of frames, or 0 */
    struct sie *sie;           /* it runs under SIE; 0: it does not */
    struct spool_device spool[4]; /* by DEV_ of spool.h */
    unsigned spool_waits;      /* what it waits for before WAIT_SPOOL ends */
    uint8_t keep_console;      /* SPOOL CONSOLE START */
    void (*typed)(struct vm *vm); /* told of a line that waits for it, or 0 */
};

/* A named system: program text shared by all machines that IPL it. The header is the first thing in
 * its text segment (service and CMS linker script vm.ld). */
#define NSS_MAGIC 0x564d4b424e535331UL /* "VMKBNSS1" in ASCII, the same in every character set */
struct nss {
    uint64_t magic;
    char name[8];
    uint64_t text_size;        /* bytes from the header on, read only at VM_TEXT */
    uint64_t data_addr;        /* virtual: where private data is copied to */
    uint64_t data_offset;      /* in the image */
    uint64_t data_size;
    uint64_t bss_size;
    uint64_t entry;            /* virtual */
    uint64_t image_size;
};
#endif
