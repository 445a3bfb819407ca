/* SPDX-License-Identifier: MIT */
#include "serve.h"
#include "say.h"

#define LISTEN_TAG 0x10000U      /* behind all of serve_tag */

struct net net;

static const struct server *us;
static int listener;
static struct { struct sock_reply head; struct sock_address from; } incoming;

static void listen_again(void)
{
    net_start(&net, &(struct net_ask){.function = SOCK_ACCEPT, .sock = listener, .reply = &incoming,
                                      .room = sizeof(incoming)}, LISTEN_TAG);
}

void serve_ended(const struct net_done *d)
{
    if (d->tag != LISTEN_TAG) {
        us->ended(d);
        return;
    }
    if (d->rc == SOCK_EOK)
        us->began(d->value, &incoming.from);
    listen_again();
}

void serve_turn_away(int sock, const char *text)
{
    struct net_ask send = {
        .function = SOCK_SEND, .sock = sock, .data = text, .len = (uint32_t)strlen(text)};

    net_call(&net, &send, 0, SERVE_REFUSE_US);
    net_call(&net, &(struct net_ask){.function = SOCK_CLOSE, .sock = sock}, 0, SERVE_REFUSE_US);
}

/* That TCPIP is not there yet is no news, and neither is the same refusal again. */
static void tell_refusal(long rc)
{
    static long said;

    if (rc && rc != said && rc != IUCV_ENOTLOGGED && rc != IUCV_ENOTREADY)
        say("%s0022E NO PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", us->prefix, us->port, rc);
    said = rc;
}

_Noreturn void serve_for_ever(const struct server *server)
{
    struct event e;

    us = server;
    for (;;) {
        long rc = net_serve(&net, "TCPIP", us->port, us->backlog, &listener);
        tell_refusal(rc);
        if (rc == 0) {
            say("%s0021I %s SERVER READY ON PORT %u%s", us->prefix, us->name, us->port, us->also);
            listen_again();
            us->serve();
            say("%s0023E TCPIP WENT AWAY; TRYING AGAIN", us->prefix);
        }
        us->drop();
        diag_wait(EV_ATTN, &e, SERVE_RETRY_US);
    }
}
