/* SPDX-License-Identifier: MIT */
/* Rx, the remote procedure calls of AFS, over UDP (docs/reference/rx.md). Pure: packets and the
 * time go in, packets, events and the next deadline come out; storage for packets is the caller's,
 * nothing else is allocated. Compiled on the host too (tests/guests/rx). Both roles: who calls
 * rx_connect is a client, what others connect to it serves.
 *
 * A connection has four channels, each with one call at a time; struct rx_call is a channel and its
 * call. A program is told of its calls by rx_ops.event and rx_ops.data, and may call any function
 * here from there. Times are microseconds of one clock. Security is null: nobody's name is known
 * and nothing is secret. */
#ifndef VMKB_RX_CORE_H
#define VMKB_RX_CORE_H
#include "rx_wire.h"

#define RX_CHANNELS  4
#define RX_WINDOW    64          /* packets under way in one call, at most: a power of two */
#define RX_HASH      256

#define RX_DEAD_US      12000000UL /* nothing heard for so long: the call is dead */
/* silence before the other side is asked whether it is there */
#define RX_PING_US      (RX_DEAD_US / 6)
#define RX_IDLE_US      60000000UL /* a connection without calls is forgotten by the server */
/* the other side is there, and nothing of ours has arrived: the way takes no packets of that size
 * any more, or next to none */
#define RX_STUCK_US     30000000UL
#define RX_ACK_DELAY_US 100000UL
#define RX_RTO_FIRST_US 1000000UL  /* before a round trip was seen */
#define RX_RTO_ADD_US   350000UL
#define RX_RTO_MAX_US   8000000UL
#define RX_CWND_FIRST   4
#define RX_NAKS         3          /* later packets that arrived before one is taken for lost */

struct rx_address {
    uint32_t ip;
    uint16_t port;
};

enum rx_event {
    RX_NEW,      /* server: a call has begun; its data follows */
    RX_END, /* the other side's last byte was given. Client: the call is over, and it went well */
    RX_ROOM,     /* rx_write took less than it was given, and takes more now */
    RX_DONE,     /* server: the client has all of the reply; the call is over */
    RX_FAILED    /* call->error tells why; the call is over */
};

struct rx_call {
    struct rx_conn *conn;
    void *user;                  /* the program's own, 0 when a call begins */
    uint32_t number; /* of the call that is or was the last on this channel; 0: none yet */
    int32_t error;
    uint8_t channel, active;
    uint8_t ended;               /* rx_end was called */
    uint8_t last_made;           /* and its packet has been made */
    uint8_t heard_any;           /* of this call */
    uint8_t refused;             /* rx_write took less than it was given */
    uint8_t recovering; /* 1: what naks showed is sent again; 2: all, since a timer ran out */
    uint8_t backoff;
    uint8_t discard; /* the reply came before the request had ended: nobody wants the rest */
    /* our direction */
    uint32_t first, next, made; /* sequence numbers: first without a hard acknowledgement, first
                                   never sent, first not made; first <= next <= made */
    struct rx_packet *tx[RX_WINDOW];
    struct rx_packet *open;      /* being filled; not in tx yet */
    uint32_t peer_window, cwnd, ssthresh, grown, recover;
    uint32_t ack_heard;          /* serial of the newest acknowledgement */
    /* the last packet that asked for an acknowledgement, and packets sent since */
    uint32_t asked, unasked;
    uint64_t resend_at;          /* 0: nothing is out */
    uint64_t arrived; /* when it was last known that something of ours had, or all was silent */
    uint64_t late_at; /* what a later packet has overtaken is taken for lost then; 0: nothing has */
    /* the other's */
    /* next to give to the program, highest that came, number of the last (0: not known) */
    uint32_t held;               /* packets before want that have yet to be given */
    uint32_t want, highest, last;
    struct rx_packet *rx[RX_WINDOW];
    uint32_t unacked;            /* packets taken since we acknowledged */
    uint32_t eager;              /* of so many packets to come each second is acknowledged */
    uint64_t ack_at;             /* 0: none is due */
    uint32_t ack_serial;
    uint64_t heard, pinged;
    uint64_t busy_since;         /* 0: the server does not say that it is busy */
};

struct rx_conn {
    struct rx_conn *hash_next, *next; /* next: of all */
    struct rx_address peer;
    uint32_t epoch, cid;         /* cid without its channel */
    uint16_t service;
    uint8_t used, client;
    uint32_t serial;             /* of the next packet */
    int32_t error;               /* the whole connection failed */
    uint32_t data_max;           /* bytes of DATA in a packet */
    uint32_t path_max;           /* that the way has shown to take; the other side may say more */
    uint32_t jumbo;              /* packets in a datagram that the other side takes */
    uint32_t peer_window;        /* as last said */
    uint32_t cwnd, ssthresh;     /* that the last call ended with */
    int64_t srtt, rttvar;        /* microseconds; srtt 0: none yet */
    uint64_t used_at;
    struct rx_call calls[RX_CHANNELS];
};

struct rx_ops {
    void (*send)(void *arg, const struct rx_address *to, const uint8_t *packet, uint32_t len);
    void (*data)(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len);
    void (*event)(void *arg, struct rx_call *call, enum rx_event what);
    bool (*serves)(void *arg, uint16_t service); /* 0: no server */
};

struct rx_config {
    uint32_t connections;        /* at one time, of both roles: 1 to 1024 */
    /* of our link; packets of that size are taken and, if the other side takes them, sent */
    uint32_t mtu;
    uint32_t window; /* packets that we let the other side have under way: 1 to RX_WINDOW */
    /* packets in one datagram that we send, if the other side takes them; 1: no jumbograms */
    uint32_t jumbo;
    /* A server's program takes a request when all of it is there, and has buffers for so many
     * packets, with the window RX_WINDOW at most: a longer request never ends
     * (docs/reference/rx.md). 0: as they come */
    uint32_t whole;
    uint32_t epoch; /* of our own connections: when the program began; its top bit is not used */
    const char *version;         /* what VERSION is answered, in ISO 8859-1 */
};

struct rx_counts {
    uint64_t packets_in, packets_out, data_in, data_out, acks_in, acks_out, resent, fast_resent,
        timeouts;
    uint64_t duplicates, out_of_sequence, out_of_window, jumbograms_in, no_space;
    /* unsent: acknowledgements for what was never sent */
    uint64_t malformed, stale, unsent, unknown, refused;
    uint64_t busies_in, busies_out, aborts_in, aborts_out, challenges, pings_in, pings_out;
    uint64_t calls, calls_done, calls_failed, connections, no_connection;
};

struct rx {
    struct rx_ops ops;
    struct rx_config config;
    void *arg;
    uint64_t now, next;          /* next: no timer is due before it; ~0: none */
    uint32_t next_cid;
    uint32_t packet_size, packets, free_packets;
    struct rx_packet *free;
    uint8_t starved;             /* a rx_write found no packet */
    struct rx_conn *hash[RX_HASH], *all, *free_conns;
    struct rx_conn *conns;
    uint32_t conns_used;
    struct rx_counts counts;
    uint8_t scratch[RX_HEADER + RX_ACK_FIXED + RX_ACK_MAX + RX_ACK_TRAILER];
    uint8_t *datagram;           /* where jumbograms are put together */
};

/* storage, 8-byte aligned, holds the packets: as many as fit, rx_packets_for tells how much n need.
 * False: it does not hold even one, or config is out of range. */
bool rx_init(struct rx *rx, const struct rx_ops *ops, void *arg, const struct rx_config *config,
             void *storage, size_t size);
size_t rx_packets_for(const struct rx_config *config, unsigned n);

/* A datagram came. Returns whether it was Rx as far as can be told. */
bool rx_input(struct rx *rx, const struct rx_address *from, const uint8_t *packet, uint32_t len,
              uint64_t now);
/* Time has passed. rx->next tells when to call again at the latest. */
void rx_tick(struct rx *rx, uint64_t now);

/* A connection to a server; 0: the table is full. Nothing is sent yet. */
struct rx_conn *rx_connect(struct rx *rx, const struct rx_address *server, uint16_t service);
/* Calls that are under way fail with RX_EUSER, without an event; what is not acknowledged is. */
void rx_disconnect(struct rx *rx, struct rx_conn *conn);
/* A call on a free channel; 0: all four have one, or the connection has failed (conn->error). */
struct rx_call *rx_begin(struct rx *rx, struct rx_conn *conn);
/* Bytes of our direction. Returns how many were taken; when that is not all, RX_ROOM comes. */
uint32_t rx_write(struct rx *rx, struct rx_call *call, const void *bytes, uint32_t len);
/* No more bytes of ours. */
void rx_end(struct rx *rx, struct rx_call *call);
/* Ends a call with ABORT; no event comes. */
void rx_abort(struct rx *rx, struct rx_call *call, int32_t code);
#endif
