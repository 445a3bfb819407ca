/* SPDX-License-Identifier: MIT */
/* TELNETD's main loop: connections, ended calls, news of CP's terminals. */
#include "telnetd.h"

#define TELNET_PORT 23
#define LISTEN_TAG  0x10000u

struct net net;
static struct session sessions[SESSIONS];
static int listener;
static struct { struct sock_reply head; struct sock_address from; } incoming;

uint32_t tag_of(const struct session *s, int what)
{
    return (uint32_t)(s - sessions) << 8 | (uint32_t)what;
}

static void say(const char *f, ...)
{
    char text[120];
    va_list ap;

    va_start(ap, f);
    int n = vfmt(text, sizeof(text), f, ap);
    va_end(ap);
    diag_write(text, n, 0);
}

static void listen_again(void)
{
    net_start(&net, SOCK_ACCEPT, listener, 0, 0, &incoming, sizeof(incoming), LISTEN_TAG);
}

static void ended(const struct net_done *d)
{
    if (d->tag == LISTEN_TAG) {
        unsigned i = 0;
        while (i < SESSIONS && sessions[i].used)
            i++;
        if (d->rc == SOCK_EOK && i < SESSIONS)
            session_open(&sessions[i], d->value);
        else if (d->rc == SOCK_EOK)
            net_call(&net, SOCK_ABORT, d->value, 0, 0, 0, 0, 0, 0, 2000000);
        listen_again();
        return;
    }
    struct session *s = &sessions[(d->tag >> 8) % SESSIONS];
    if (!s->used)
        return;
    if ((d->tag & 0xff) == TAG_RECV)
        session_received(s, d);
    else
        session_sent(s, d);
}

static void news(uint32_t id)
{
    for (unsigned i = 0; i < SESSIONS; i++)
        if (sessions[i].used && sessions[i].terminal == (long)id) {
            session_news(&sessions[i]);
            return;
        }
}

static void serve(void)
{
    struct net_done d;
    struct event e;

    listen_again();
    while (net.open) {
        while (net.done_count) { /* what ended while a call was waited for */
            net_wait(&net, &d, 0);
            ended(&d);
        }
        long ev = diag_wait(EV_IUCV | EV_LTERM, &e, 0);
        if (ev == EV_LTERM)
            news(e.lterm);
        else if (ev == EV_IUCV && net_event(&net, &e.iucv, &d) && net.open)
            ended(&d);
    }
}

void vm_main(void);
void vm_main(void)
{
    struct event e;

    for (;;) {
        long rc = net_serve(&net, "TCPIP", TELNET_PORT, 64, &listener);
        if (rc == 0) {
            say("DTCTND0021I TELNET SERVER READY ON PORT %u", TELNET_PORT);
            serve();
            say("DTCTND0023E TCPIP WENT AWAY; TRYING AGAIN");
        } else if (rc != 11 && rc != 12) {
            say("DTCTND0022E NO PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", TELNET_PORT, rc);
        }
        for (unsigned i = 0; i < SESSIONS; i++)
            session_drop(&sessions[i]);
        diag_wait(EV_ATTN, &e, 1000000);
    }
}
