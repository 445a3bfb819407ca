/* SPDX-License-Identifier: MIT */
/* The TELNET command: a connection to another system as lines of the CMS console. */
#ifndef VMKB_TELNET_REMOTE_H
#define VMKB_TELNET_REMOTE_H
#include "cms.h"
#include "lines.h"
#include "out.h"
#include "protocol.h"

enum { TELNET_PORT = 23 };

struct remote {
    struct net net;
    struct telnet tn;
    struct lines lines;
    int sock;
    bool receiving, ended;
    bool asks, hidden; /* a line that was shown asks for a password; the line typed next is one */
    bool left;               /* \x was typed */
    int lost;                /* why the connection ended; SOCK_EOK: the host closed it */
    struct { struct sock_reply head; uint8_t bytes[4096]; } in;
    uint8_t out_bytes[1024]; /* to be sent */
    struct net_out out;
    /* what the host is expected to echo: shown already when it was typed */
    uint8_t echo[CMS_LINE + 2];
    unsigned echo_len, echo_at;
};

/* SOCK_ or NET_ code. */
int remote_open(struct remote *r, const char *host, uint16_t port);
/* Until it ends: a CMS return code; what there is to say is said. */
int remote_run(struct remote *r);
#endif
