/* SPDX-License-Identifier: MIT */
/* gms_net's core: calls between the CPs of systems on one LAN, after Anderson, Chase and others,
 * "Cheating the I/O Bottleneck", USENIX 1998. A request is one control message; what it draws may
 * carry one or two pages, which its token leads to the frame where they are wanted. It touches no
 * hardware and knows no machine: cp/comm/gms/gms_cp.c does, and the host's tests. */
#ifndef VMKB_GMS_H
#define VMKB_GMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lan.h"
#include "gms_diag.h"

#define GMS_ETHERTYPE 0x6006     /* DEC's for what a customer makes of it */
#define GMS_CONTROL   60         /* bytes of a frame without payload: Ethernet's shortest */
#define GMS_PAGE      4096
#define GMS_PAGES     2          /* of one payload at most */

#define GMS_CALLS     64         /* call records */
#define GMS_WINDOW    16         /* requests of this system that are on their way at one time */
#define GMS_STATIONS  16         /* others whose calls are served; one that is quiet is forgotten */
#define GMS_USERS     8          /* machines with a window */
#define GMS_TOKENS    (GMS_USERS * GMS_SLOTS)
#define GMS_NOWHERE   0xffffU    /* no token: a frame of the receiver's choice */
#define GMS_STORED    1024       /* pages that this system has for others */
#define GMS_PLACES    16         /* files of which it knows where their pages are */
#define GMS_DEPTH     4          /* continuations of one call */
#define GMS_HOPS      3          /* delegations of one call */

#define GMS_TICK_US   100000
#define GMS_TICKS     3          /* until a request is sent again; twice as long after two, */
#define GMS_TRIES     6          /* and given up after so many: 4.2 s */
#define GMS_QUIET     600        /* ticks without a request until a station may be forgotten */

/* Numbers on the LAN: most significant byte first, as in this machine. */
#ifdef __s390x__
#define gms16(n) ((uint16_t)(n))
#define gms32(n) ((uint32_t)(n))
#else
#define gms16(n) __builtin_bswap16(n)
#define gms32(n) __builtin_bswap32(n)
#endif

enum gms_op { GMS_REQUEST = 0x11, GMS_REPLY = 0x12 }; /* the first digit is the version */

/* How a call ended. The first four a reply may say. */
enum gms_status {
    GMS_OK = GMS_CALL_OK,
    GMS_NOPAGE = GMS_CALL_NOPAGE,           /* whoever was asked last has no such page */
    GMS_RESTARTED,           /* it was IPLed since: may have been executed */
    GMS_LOOP,                /* delegated too often */
    GMS_TIMEOUT,             /* not answered */
    GMS_NOFRAME,             /* answered, but there was no frame for the payload */
    GMS_WRONGTOKEN,          /* answered, but the payload's token was not valid */
};

struct gms_message {         /* 16 bytes: the control message itself */
    uint32_t file, page;
    uint32_t want;           /* pages asked for; in a reply: bytes sent */
    uint32_t user;           /* the caller's own: comes back as it was */
};

struct gms_frame {
    uint8_t to[6], from[6];
    uint16_t type;
    uint8_t pages;           /* of payload, which follows: on a LAN in the same frame, */
    uint8_t place;           /* in a block from this page on, which the adapter says */
    uint8_t op, status;      /* of a request: how often it was delegated */
    uint16_t call;           /* reply token: the call record, */
    uint32_t serial;         /* its unique id, */
    uint8_t home[6];         /* and whose it is, wherever the reply comes from */
    uint16_t token;          /* payload token: index of the frame, GMS_NOWHERE: none; */
    uint32_t key;            /* and its protection key */
    uint32_t epoch;          /* the sender's IPL; in a request: the caller's */
    uint32_t known;          /* IPL of the receiver that the caller has heard of; 0: none */
    struct gms_message message;
} __attribute__((packed, aligned(2)));
_Static_assert(sizeof(struct gms_frame) == GMS_CONTROL, "gms_frame");

struct gms_call;

/* What is done when the reply has come, or the call has failed: in the interruption, and without a
 * machine. false: it needs something that is held; it is called again later, with `late`. It may
 * start the call anew. */
typedef bool gms_continuation(struct gms_call *c, void *arg, bool late);

enum gms_state { CALL_FREE, CALL_MINE, CALL_QUEUED, CALL_SENT, CALL_DONE, CALL_DEFERRED };

struct gms_call {
    struct gms_frame request;  /* as it is sent, and sent again */
    uint8_t state;             /* enum gms_state */
    uint8_t tries, ticks, depth;
    uint8_t status;            /* enum gms_status, once it is done */
    uint16_t landed;           /* the token of the frame that the payload is in, or GMS_NOWHERE */
    struct gms_message reply;
    void *owner;               /* whose work it is */
    struct counted *of;        /* what the request carries, until the call is over; or 0 */
    struct gms_call *next;     /* free, queued or deferred */
    struct {
        gms_continuation *run;
        void *arg;
    } then[GMS_DEPTH];         /* a stack: the last one pushed runs first */
} __attribute__((aligned(256))); /* so that an index is a shift */

/* What a station asked last by one of its call records, and what it was told: sent again, not
 * executed again, if the request comes again. */
struct gms_served {
    struct gms_frame answer; /* a reply, or the request as it was delegated */
    uint8_t used;
    struct counted *of;
    const uint8_t *at;
} __attribute__((aligned(128))); /* the same */

struct gms_station {
    uint8_t mac[6];
    uint8_t used;
    uint32_t epoch;
    uint32_t quiet;          /* ticks since its last request */
    struct gms_served served[GMS_CALLS];
};

struct gms_stored {
    uint32_t file, page;
    struct counted *of;      /* 0: empty */
    const void *owner;
    uint8_t pages;
};

struct gms_place {
    uint32_t file;
    uint8_t mac[6];
    const void *owner;       /* 0: empty */
};

/* What the core asks of whoever it serves. */
struct gms_ops {
    /* Send a frame, with payload if `of` is not 0. What there is no room for is lost. */
    void (*send)(const struct gms_frame *f, struct counted *of, const uint8_t *at, unsigned pages);
    /* A payload came: it is now in the frame of `token`, or of any for GMS_NOWHERE: which one;
     * GMS_NOWHERE: there is none. */
    unsigned (*land)(struct gms_call *c, unsigned token, unsigned place, unsigned pages);
    /* A payload came with a request: its bytes are now at `to`. false: there is none. */
    bool (*take)(uint8_t *to, unsigned place, unsigned pages);
    void (*work_for)(void *owner);
    void (*later)(void);     /* gms_late is to be called when there is nothing more urgent */
};

struct gms_counts {
    uint64_t calls, done, failed, again;      /* of this system: started, answered, not, again */
    uint64_t executed, duplicates, delegated; /* of others */
    uint64_t deferred;
    uint64_t stale;          /* replies that nobody waits for */
    uint64_t malformed, refused; /* frames; requests of more stations than there is room for */
    uint64_t wrong_token, no_frame; /* payloads that were dropped */
};

struct gms {
    const struct gms_ops *ops;
    uint8_t mac[6];
    uint32_t epoch, serial, keys;
    unsigned in_flight;
    struct gms_call *free, *queue, *queue_end, *late, *late_end;
    struct gms_counts counts;
    struct {
        uint32_t key;
        uint8_t armed;
    } token[GMS_TOKENS];
    struct {
        uint8_t mac[6];
        uint32_t epoch;
    } heard[GMS_STATIONS];
    unsigned hear_next, heard_last;
    struct gms_call call[GMS_CALLS];
    struct gms_place place[GMS_PLACES];
    struct gms_stored stored[GMS_STORED];
    unsigned stored_count;
    struct gms_station station[GMS_STATIONS];
};

void gms_init(struct gms *g, const struct gms_ops *ops, const uint8_t mac[6], uint32_t epoch);
/* A frame of ours came: GMS_CONTROL bytes, whose payload the adapter has put at its place. */
void gms_input(struct gms *g, const struct gms_frame *f, size_t len);
/* So many ticks have passed: one at a time while this system has requests on their way. */
void gms_tick(struct gms *g, unsigned ticks);
/* The continuations that declined, once each. */
void gms_late(struct gms *g);
/* Whose program is gone: nothing of it is left, and its tokens are stale. */
void gms_forget(struct gms *g, const void *owner);

/* gms_call.c. The request carries these pages to where they are the page of the file. The hold of
 * them goes over. */
static inline void gms_carry(struct gms_call *c, struct counted *of, unsigned n)
{
    c->of = of;
    c->request.pages = (uint8_t)n;
}
/* A call record for owner, to the station mac; 0: all are in use. */
struct gms_call *gms_call_get(struct gms *g, void *owner, const uint8_t mac[6]);
void gms_call_give(struct gms *g, struct gms_call *c); /* one that was not started */
void gms_then(struct gms_call *c, gms_continuation *run, void *arg);
void gms_call_start(struct gms *g, struct gms_call *c);
/* The token's key: from now on one payload may come to that frame. */
static inline uint32_t gms_arm(struct gms *g, unsigned token)
{
    g->token[token].armed = 1;
    return g->token[token].key = ++g->keys;
}

/* gms_serve.c. Storage of `pages` pages is that page of the file from now on; its hold goes over.
 * false: GMS_STORED are there. */
bool gms_store(struct gms *g, uint32_t file, uint32_t page, struct counted *of, unsigned pages,
               const void *owner);
/* The file's pages are at that station. false: GMS_PLACES are known. */
bool gms_set_place(struct gms *g, uint32_t file, const uint8_t mac[6], const void *owner);
#endif
