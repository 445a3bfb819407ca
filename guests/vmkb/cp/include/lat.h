/* SPDX-License-Identifier: MIT */
/* The host side of DEC's Local Area Transport, version 5 (Ethertype 6004; docs/reference/lat.md
 * tells the protocol and its sources). Pure: time is an argument, frames and terminals are reached
 * by lat_ops, nothing is allocated. Compiled on the host too (tests/guests/lat).
 * cp/comm/lat/lat_cp.c joins it to the LAN and to CP's terminals.
 *
 * A terminal server is the master of its circuit and sends when its circuit timer says so; the host
 * answers each message at once with all it has to say, and sends of its own accord only when the
 * circuit is balanced (nothing outstanding). One message is outstanding each way. */
#ifndef VMKB_LAT_H
#define VMKB_LAT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAT_ETHERTYPE 0x6004
#define LAT_CIRCUITS  16        /* terminal servers at one time */
#define LAT_SESSIONS  80        /* terminals at one time; ids are 1 to LAT_SESSIONS */
#define LAT_MESSAGE   1500      /* bytes of the longest message */
#define LAT_CREDITS   4         /* slots of input that a terminal may have under way */
#define LAT_HELD      (LAT_CREDITS * 255) /* so much input can come before CP takes it */
#define LAT_CONTROLS  8         /* rejects and stops waiting to be sent on a circuit */
#define LAT_NAME      16        /* letters of a node's or service's name */

#define LAT_RESEND_US   1000000UL  /* the host's own resend timer; the sources give none */
#define LAT_RESENDS     8          /* then the circuit is down */
#define LAT_TICK_US     1000000UL  /* while there is a circuit */
#define LAT_ANNOUNCE_S  30         /* multicast timer: DEC's range is 10 to 180 */
#define LAT_FIRST_US    1000000UL  /* first announcement after the start */
#define LAT_KEEPALIVES  3          /* keep-alive intervals of silence, then the circuit is down */
#define LAT_DRAIN_US    30000000UL /* after LOGOFF: for a terminal that takes nothing */
/* a Start on a circuit that was silent for so long is a new life */
#define LAT_REBOOT_US   2000000UL

struct lat_counts {
    uint64_t frames_in, frames_out, bytes_in, bytes_out; /* bytes: of terminals' text */
    uint64_t malformed;         /* frames that are no LAT message; dropped whole */
    uint64_t duplicates, out_of_order, resent;
    uint64_t unknown;           /* messages for a circuit or a session that there is not */
    uint64_t refused;           /* circuits and sessions */
    uint64_t violations;        /* slots sent without a credit: the session is stopped */
    uint64_t circuits_lost;     /* silent too long, or not acknowledging */
};

struct lat_session {
    void *term;                 /* 0: slot free (or about to be opened) */
    struct lat_circuit *circuit; /* 0: slot free */
    struct lat_session *next;   /* in the circuit's queue of those with something to send */
    uint64_t stop_at;           /* closing: stop even if output is left */
    uint16_t held;              /* input that CP has not taken yet */
    uint8_t queued, starting, closing, feeding;
    uint8_t remote;             /* the server's id of it */
    uint8_t credits;            /* slots that we may send */
    uint8_t granted;            /* slots that the server may send */
    uint8_t slot_max;           /* bytes that the server takes in one slot */
    uint8_t input[LAT_HELD];
};

struct lat_control {
    uint8_t dst, src, type;     /* type: with the reason in its low nibble */
};

struct lat_circuit {
    uint8_t running;            /* 0: free */
    uint8_t mac[6];
    uint8_t received, sent;     /* sequence numbers: last taken, last sent */
    uint8_t outstanding;        /* the last one with slots is not acknowledged */
    uint8_t bare;               /* nor is this one without any, which went before: bare_frame */
    uint8_t owed; /* the server's last message had no answer of its own, only one resent */
    uint8_t tries, keepalive, control_count, ran, sessions;
    uint16_t id, remote;
    uint16_t message_max;
    uint16_t saved_len;
    uint64_t heard, resend_at, frames;
    struct lat_session *first, *last, *payer; /* payer: last one served */
    struct lat_control control[LAT_CONTROLS];
    char node[LAT_NAME + 1];    /* the server's name, ISO 8859-1 */
    uint8_t saved[14 + LAT_MESSAGE]; /* the last message with slots */
    uint8_t bare_frame[60];
};

struct lat_ops {
    void (*send)(const uint8_t *frame, size_t len); /* a whole Ethernet frame of 60 bytes or more */
    void *(*open)(struct lat_session *s);           /* a terminal for it, or 0 */
    void (*close)(void *term);                      /* the session is over */
    size_t (*input)(void *term, const uint8_t *text, size_t len); /* returns how many were taken */
    size_t (*output)(void *term, uint8_t *to, size_t max);
    size_t (*waiting)(const void *term);
    void (*attention)(void *term);                  /* a break */
    void (*work_for)(const void *term);             /* whose work begins now; 0: the system's */
};

struct lat {
    const struct lat_ops *ops;
    uint8_t mac[6];
    char node[LAT_NAME + 1], description[65]; /* ISO 8859-1; the service has the node's name */
    uint8_t closed;             /* refuses everything: the system is being shut down */
    uint8_t others;             /* meanwhile another circuit got something to say */
    struct lat_circuit *processing; /* it will be answered: callbacks only queue */
    uint16_t generation;
    unsigned drains;            /* sessions that are closing */
    uint64_t now, announce_at;
    struct lat_counts counts;
    struct lat_circuit circuit[LAT_CIRCUITS];
    struct lat_session session[LAT_SESSIONS];
};

/* names: ISO 8859-1, cut to their room. */
void lat_init(struct lat *l, const struct lat_ops *ops, const uint8_t mac[6], const char *node,
              const char *description, uint64_t now_us);
/* A frame with Ethertype 6004 came, from its destination address on. Anything that is not in order
 * is counted and dropped. */
void lat_frame(struct lat *l, const uint8_t *frame, size_t len, uint64_t now_us);
/* Timers. Returns when to call it next. */
uint64_t lat_tick(struct lat *l, uint64_t now_us);
/* The terminal of s has output, or takes input again. */
void lat_ready(struct lat *l, struct lat_session *s, uint64_t now_us);
/* The terminal's user has logged off: what is left is sent, then the session ends. */
void lat_closing(struct lat *l, struct lat_session *s, uint64_t now_us);
/* The system is being shut down: all circuits are stopped, and no new ones accepted. */
void lat_shutdown(struct lat *l, uint64_t now_us);
unsigned lat_id(const struct lat *l, const struct lat_session *s);
#endif
