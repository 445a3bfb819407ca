/* SPDX-License-Identifier: MIT */
/* A server of TCP connections: it asks the TCPIP machine for its port for as long as it runs,
 * listens there, and begins anew when that machine went away. */
#ifndef VMKB_SERVE_H
#define VMKB_SERVE_H
#include "net.h"

#define SERVE_RETRY_US  1000000  /* until TCPIP is asked for the port again */
#define SERVE_REFUSE_US 2000000  /* what it may take to turn somebody away */

struct server {
    const char *name;            /* in messages: FTP */
    const char *prefix;          /* of them: DTCFTS */
    uint16_t port;
    uint32_t backlog;
    const char *also;            /* behind the message that it is ready, or "" */
    void (*began)(int sock, const struct sock_address *peer); /* somebody has connected */
    void (*ended)(const struct net_done *d);                  /* one of the server's own calls */
    void (*serve)(void);         /* until net is closed: hand what ends to serve_ended */
    void (*drop)(void);          /* all sessions: TCPIP went away */
};

extern struct net net;           /* the path to TCPIP */

_Noreturn void serve_for_ever(const struct server *server);
/* Somebody who cannot be served is told so, in ASCII, and the connection closed. */
void serve_turn_away(int sock, const char *text);
void serve_ended(const struct net_done *d);

/* Tags of calls: whose, by index, and what for. */
static inline uint32_t serve_tag(unsigned index, unsigned what)
{
    return (uint32_t)(index << 8 | what);
}
static inline unsigned serve_tag_index(uint32_t tag)
{
    return tag >> 8;
}
static inline unsigned serve_tag_what(uint32_t tag)
{
    return tag & 0xff;
}
#endif
