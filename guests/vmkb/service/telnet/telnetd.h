/* SPDX-License-Identifier: MIT */
/* TELNETD: gives each TELNET connection a logical terminal of CP's, in line mode (NVT, RFC 854) or as a 3270
 * screen (TN3270, RFC 1576). */
#ifndef VMKB_TELNETD_H
#define VMKB_TELNETD_H
#include "net.h"
#include "protocol.h"

#define SESSIONS 64
#define OUT      4352        /* a 3270 stream of 4 KB with its escapes is sent in pieces of this */
#define RECORD   2304        /* a 3270 input stream */

struct session {
    bool used, receiving, sending, closing;
    int sock;
    long terminal;           /* of CP's; 0: not yet */
    bool screen;             /* it is a 3270 */
    struct telnet tn;
    struct { struct sock_reply head; uint8_t bytes[1024]; } in;
    uint8_t wait[2048];      /* data characters or records not yet taken by CP */
    unsigned wait_len;
    uint8_t record[RECORD];
    unsigned record_len;
    bool record_whole;       /* a whole record waits for CP to take it */
    uint8_t out[2 * OUT];
    unsigned out_len, out_sending;
    struct sock_reply out_reply;
};

extern struct net net;
void session_open(struct session *s, int sock);
void session_received(struct session *s, const struct net_done *d);
void session_sent(struct session *s, const struct net_done *d);
void session_news(struct session *s);   /* CP's terminal has output or has ended */
void session_drop(struct session *s);
uint32_t tag_of(const struct session *s, int what);
enum { TAG_RECV = 1, TAG_SEND = 2 };
#endif
