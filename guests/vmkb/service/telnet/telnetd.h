/* SPDX-License-Identifier: MIT */
/* TELNETD: gives each TELNET connection a logical terminal of CP's, in line mode (NVT, RFC 854) or
 * as a 3270 screen (TN3270, RFC 1576). */
#ifndef VMKB_TELNETD_H
#define VMKB_TELNETD_H
#include "out.h"
#include "protocol.h"
#include "serve.h"

#define SESSIONS 64
#define STREAM   12288       /* the longest 3270 stream that CP writes or takes */
#define OUT      20480       /* a SEND; a stream and some bytes doubled fit behind ANSWERS_FROM */
/* with more than this on its way nothing is read, so that answers always fit */
#define ANSWERS_FROM 4096
#define LINES_LEAST 1024     /* room for lines that makes it worth to ask for them */

/* Each line that a terminal shows is a SEND of its own, as of a server that reads records from a
 * pseudo-terminal; else what has gathered goes together. */
extern bool by_records;

struct session {
    bool used, receiving, sending;
    bool refused;            /* it is told why, and ends */
    int sock;
    long terminal;           /* of CP's; 0: not yet */
    bool screen;             /* it is a 3270 */
    struct telnet tn;
    struct { struct sock_reply head; uint8_t bytes[1024]; } in;
    unsigned in_at, in_len;  /* of in.bytes: what is not digested yet */
    uint8_t wait[2048];      /* characters not yet taken by CP */
    unsigned wait_len;
    uint8_t record[STREAM];
    unsigned record_len;
    bool record_whole;       /* a whole record waits for CP to take it */
    uint8_t out_bytes[OUT];
    struct net_out out;
};

void session_open(struct session *s, int sock);
void session_received(struct session *s, const struct net_done *d);
void session_sent(struct session *s, const struct net_done *d);
void session_news(struct session *s);   /* CP's terminal has output or has ended */
void session_drop(struct session *s);
uint32_t tag_of(const struct session *s, int what);
enum { TAG_RECV = 1, TAG_SEND = 2 };
#endif
