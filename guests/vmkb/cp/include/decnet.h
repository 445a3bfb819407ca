/* SPDX-License-Identifier: MIT */
/* A DECnet Phase IV end node on one Ethernet: routing, NSP and session control
 * (docs/reference/decnet.md tells the protocols and their sources). Pure: time is an argument,
 * frames leave by dn_ops, nothing is allocated. Compiled on the host too (tests/guests/decnet).
 * cp/comm/decnet/decnet_cp.c joins it to the LAN; cterm.h has the users of its links. */
#ifndef VMKB_DECNET_H
#define VMKB_DECNET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DN_ETHERTYPE 0x6003
#define DN_LINKS     80       /* logical links at one time */
#define DN_SEGMENT   563      /* bytes of data of a segment: what fits a block of 576 bytes */
#define DN_SEGMENT_MIN 230    /* a peer that takes less is refused: NSP allows no smaller one */
#define DN_WINDOW    4        /* segments sent and not acknowledged, of a link */
#define DN_QUEUE     8 /* received and not taken: XOFF goes at 2, a window may be on its way then */
#define DN_BLOCK     1498     /* block size that hello messages tell */
#define DN_OBJECT_CTERM 42

#define DN_HELLO_US     15000000UL
#define DN_FIRST_US     500000UL    /* first hello after the start */
#define DN_CONNECT_US   30000000UL  /* for a connection to be confirmed */
/* silence after which the other side is asked whether it is there */
#define DN_INACTIVE_US  300000000UL
#define DN_ACK_US       100000UL    /* an acknowledgement that may wait waits so long at most */
/* ends of such waits are rounded to this: one pass serves many links */
#define DN_ACK_GRID_US  50000UL
#define DN_DELAY_MIN_US 1000000UL   /* estimate of the round trip */
#define DN_DELAY_MAX_US 5000000UL
#define DN_DELAY_FIRST_US 2000000UL
#define DN_NO_ROOM_US   20000UL     /* the LAN had no room for a segment: it is tried again */
#define DN_TRIES        10          /* retransmissions without any sign of the other side */

/* reasons of a disconnection (NSP and session control) */
#define DN_REJECTED    0
#define DN_RESOURCES   1
#define DN_SHUTDOWN    3
#define DN_NO_OBJECT   4
#define DN_BAD_FORMAT  5
#define DN_BUSY        6
#define DN_ABORTED     9
#define DN_NO_ANSWER   38
#define DN_UNREACHABLE 39
#define DN_NO_LINK     41
#define DN_COMPLETE    42
#define DN_TOO_LONG    43

enum dn_state {
    DN_FREE,
    DN_CI,                    /* connect initiate sent */
    DN_CD,                    /* it was delivered */
    DN_CC,                    /* connect confirm sent */
    DN_RUN,
    DN_DI,                    /* disconnect initiate sent */
};

struct dn_link;

/* What a link tells its user. After down the link is no more. */
struct dn_user {
    void (*up)(struct dn_link *l);
    /* false: not now; again by dn_resume */
    bool (*message)(struct dn_link *l, const uint8_t *m, size_t n);
    void (*room)(struct dn_link *l);       /* something was acknowledged: dn_send may go on */
    void (*down)(struct dn_link *l, unsigned reason);
};

struct dn_segment {
    uint16_t len;
    uint8_t flags;            /* BOM, EOM as in the message */
    uint8_t resent;
    uint8_t data[DN_SEGMENT];
};

struct dn_link {
    struct decnet *net;
    const struct dn_user *user;
    void *arg;                /* the user's */
    uint8_t state;
    uint8_t flow;             /* what the peer asked for: 0 none, 1 segments, 2 messages */
    uint8_t xoff;             /* the peer wants no data */
    uint8_t closing, close_reason;
    uint8_t delivering;       /* in user->message */
    uint16_t generation;
    uint16_t local, remote, node;
    uint16_t segment;         /* bytes that the peer takes in one */
    int credits;              /* segments or messages that the peer asked for */
    uint64_t connect_by, close_by, heard;

    /* data sent: tx[tx_head] is number tx_acked + 1 */
    uint16_t tx_acked;
    uint8_t tx_head, tx_count, tx_sent, tx_tries;
    uint64_t tx_at;           /* when to send again; 0: nothing is outstanding */
    uint64_t pump_at;         /* when the LAN may have room again; 0: it had */
    uint16_t timed;           /* number whose round trip is measured; 0x8000: none */
    uint64_t timed_from, delay;

    /* link service sent: one at a time */
    uint16_t other_acked;
    uint8_t other_flags, other_out, other_tries;
    uint8_t stopped;          /* the peer has been told XOFF */
    uint64_t other_at;

    uint16_t rx_last, rx_other; /* numbers of the last ones taken */
    uint8_t rx_head, rx_count, ack_owed, ack_other;
    uint64_t ack_at;

    uint8_t control_tries;    /* CI, CC, DI */
    uint64_t control_at;
    uint8_t ci_len;           /* source end user of our CI, or our DI's reason */
    uint8_t ci_user[16];

    struct dn_segment tx[DN_WINDOW], rx[DN_QUEUE];
};

struct dn_counts {
    uint64_t frames_in, frames_out, bytes_in, bytes_out; /* bytes: of segments' data, once */
    uint64_t hellos_in, routing_in; /* of other nodes; what routers tell each other */
    uint64_t malformed;       /* frames that are no message of the protocols; dropped */
    uint64_t not_ours;        /* for another node */
    uint64_t duplicates, out_of_order, resent;
    uint64_t unknown;         /* for a link that there is not */
    uint64_t violations;      /* in order as messages, but against the protocol: dropped */
    uint64_t refused;         /* connections */
    uint64_t lost;            /* links that no longer answered */
};

struct dn_ops {
    /* 60 bytes or more; false: no room now */
    bool (*send)(struct decnet *d, const uint8_t *frame, size_t len);
    /* Somebody connects to that object. Sets l->user and l->arg and returns -1, or a reason to
     * refuse. */
    int (*accept)(struct decnet *d, struct dn_link *l, unsigned object);
    /* whose work begins; 0: nobody's */
    void (*work_for)(struct decnet *d, const struct dn_link *l);
};

struct decnet {
    const struct dn_ops *ops;
    void *arg;
    uint8_t mac[6];
    uint16_t address;         /* area << 10 | node */
    uint64_t now, hello_at;
    uint64_t due;             /* when dn_tick is to be called */
    struct dn_counts counts;
    struct dn_link link[DN_LINKS];
};

/* address: area (1 to 63) << 10 | node (1 to 1023). */
void dn_init(struct decnet *d, const struct dn_ops *ops, uint16_t address, uint64_t now_us);
/* A frame of DN_ETHERTYPE came, from its destination address on. What is not in order is counted
 * and dropped. */
void dn_frame(struct decnet *d, const uint8_t *frame, size_t len, uint64_t now_us);
/* Timers; call it when d->due has come. */
void dn_tick(struct decnet *d, uint64_t now_us);
/* Connect to the object of a node. who: the source end user's name, ISO 8859-1, cut to 16. 0: no
 * link is free. */
struct dn_link *dn_connect(struct decnet *d, uint16_t node, const uint8_t *who, size_t who_len,
                           const struct dn_user *user, void *arg, uint64_t now_us);
/* Bytes that one dn_send may have now; 0: none. */
size_t dn_room(const struct dn_link *l);
/* One message, in segments. False: there is no room, or the link is being closed. */
bool dn_send(struct dn_link *l, const uint8_t *m, size_t n, uint64_t now_us);
/* The user takes messages again. */
void dn_resume(struct dn_link *l, uint64_t now_us);
/* Disconnect when what was sent is acknowledged; the user is told nothing more but down. */
void dn_close(struct dn_link *l, unsigned reason, uint64_t now_us);
/* Disconnect now; the user is not called again. */
void dn_abort(struct dn_link *l, unsigned reason, uint64_t now_us);
const char *dn_state_name(unsigned state);
const char *dn_reason_text(unsigned reason);
#endif
