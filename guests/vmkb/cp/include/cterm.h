/* SPDX-License-Identifier: MIT */
/* Foundation services and CTERM over a DECnet link (docs/reference/decnet.md): a terminal here of a
 * host there, and a host here of a terminal there. Pure; text is ISO 8859-1. The terminal's side
 * echoes and edits: a line typed is one message. */
#ifndef VMKB_CTERM_H
#define VMKB_CTERM_H
#include "decnet.h"

#define CTERM_OUT   4096     /* characters to show that have not been sent; a writer waits */
#define CTERM_LINE  240      /* characters of the longest line read */
#define CTERM_TYPED (CTERM_LINE + 1)
#define CTERM_MAX   512      /* bytes of a CTERM message, ours and (said in Initiate) the peer's */

struct cterm_counts {
    /* messages that are none of the protocol: the rest of the NSP message is dropped */
    uint64_t malformed;
    uint64_t unexpected;     /* known, but not from that side or not now: ignored */
};

/* The host's side. What it calls. */
struct cterm_host;
struct cterm_host_ops {
    void (*started)(struct cterm_host *h);         /* the terminal is there: open one */
    /* A line was typed. The next is asked for by cterm_host_read. */
    void (*line)(struct cterm_host *h, const uint8_t *text, size_t n);
    void (*attention)(struct cterm_host *h);
    void (*room)(struct cterm_host *h);            /* characters were sent */
    void (*down)(struct cterm_host *h);            /* the link is gone; h may be used anew */
};

struct cterm_host {
    const struct cterm_host_ops *ops;
    struct dn_link *link;    /* 0: free */
    struct cterm_counts *counts;
    void *arg;
    uint8_t bound, started;
    uint8_t wanted, hidden;  /* a read is to be posted, with its echo off */
    uint8_t posted, posted_hidden, unreading;
    uint8_t behind_line;     /* 1: the last line is a typed one, echoed up to its CR */
    uint8_t closing;
    uint16_t message_max, text_len;
    uint16_t head, count;
    uint8_t text[CTERM_LINE]; /* of a line: what came before its end */
    uint8_t out[CTERM_OUT];
};

extern const struct dn_user cterm_host_user; /* l->arg is the host */
size_t cterm_host_room(const struct cterm_host *h);
/* Text for the terminal, as much as there is room for. It goes with cterm_host_flush. */
size_t cterm_host_write(struct cterm_host *h, const uint8_t *text, size_t n);
/* Ask for a line (wanted), with or without echo. A read that is posted already with the other echo
 * is taken back. */
void cterm_host_read(struct cterm_host *h, bool hidden);
/* Send what waits, as far as the link takes it. */
void cterm_host_flush(struct cterm_host *h);
/* The session is over: what waits is sent, then the link ends. */
void cterm_host_close(struct cterm_host *h);

/* The terminal's side. */
struct cterm_client;
struct cterm_client_ops {
    /* Text to show; returns how many characters were taken: the rest again after
     * cterm_client_resume. */
    size_t (*write)(struct cterm_client *c, const uint8_t *text, size_t n);
    /* the host reads, or no longer */
    void (*read)(struct cterm_client *c, bool reading, bool hidden);
    void (*up)(struct cterm_client *c);
    /* ended: the host said so first */
    void (*down)(struct cterm_client *c, unsigned reason, bool ended);
};

struct cterm_client {
    const struct cterm_client_ops *ops;
    struct dn_link *link;    /* 0: free */
    struct cterm_counts *counts;
    void *arg;
    uint8_t bound, reading, hidden, unbound, answering;
    uint8_t behind_line;     /* a line was typed: the new line behind it is there */
    uint16_t read_max, message_max;
    uint16_t at, done;       /* in the message that is being taken: of the part, and of its text */
    uint16_t typed;
    uint8_t ends[32];        /* characters that end a read, a bit each */
    uint8_t line[CTERM_TYPED + 1];
    uint8_t answer_len, answer[48];
};

extern const struct dn_user cterm_client_user; /* l->arg is the client */
/* A line typed, without its end. False: the host does not read, or the link is full. */
bool cterm_client_line(struct cterm_client *c, const uint8_t *text, size_t n);
void cterm_client_attention(struct cterm_client *c);
void cterm_client_resume(struct cterm_client *c);
#endif
