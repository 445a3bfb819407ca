/* SPDX-License-Identifier: MIT */
/* ECHO host bytes count: sends a message of so many bytes to a host's echo service, and the next
 * one when it has come back, count times. ECHO SERVE: is that service, for one connection at a
 * time, until HX. Return codes: 0; 24 usage; 100 the host or TCPIP was not reached; 101 the
 * connection was lost; 102 other bytes came back; 104. */
#include "cms_net.h"
#include "commands.h"

#define ECHO_PORT 7
#define BYTES_MAX 16384 /* both sides have room for all of it: nobody waits for who waits for him */
#define COUNT_MAX 1000000
#define IDLE_US   60000000   /* what a client may be silent */

struct echo {
    struct net net;
    uint8_t sent[BYTES_MAX];
    struct {
        struct sock_reply head;
        uint8_t data[BYTES_MAX];
    } got __attribute__((aligned(8)));
};

static uint64_t now_us(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

static int lost(int rc)
{
    return cms_error(101, "DMSECH112E The connection was lost: %s", net_error(rc));
}

/* One message and its way back; it may come in pieces. */
static int round_trip(struct echo *e, int sock, uint32_t bytes)
{
    struct net_ask back = {.function = SOCK_RECV_ALL, .sock = sock, .reply = &e->got};
    struct net_done d = {.len = 0};
    int rc = net_call(
        &e->net,
        &(struct net_ask){.function = SOCK_SEND, .sock = sock, .data = e->sent, .len = bytes}, 0,
        NET_ANSWER_US);

    for (uint32_t got = 0; rc == SOCK_EOK && got < bytes; got += d.len) {
        back.room = (uint32_t)sizeof(e->got.head) + bytes - got;
        rc = net_call(&e->net, &back, &d, NET_ANSWER_US);
        if (rc == NET_ETIME)
            return cms_error(
                101, "DMSECH114E No answer in time; an echo service has one client at a time");
        if (rc != SOCK_EOK && rc != SOCK_LAST)
            return lost(rc);
        if (memcmp(e->sent + got, e->got.data, d.len) != 0)
            return cms_error(102, "DMSECH113E Other bytes came back");
        if (rc == SOCK_LAST || d.len == 0)
            return cms_error(101,
                             "DMSECH115E The other side closed the connection after %u of %u bytes",
                             got + d.len, bytes);
    }
    return rc == SOCK_EOK ? 0 : lost(rc);
}

static int ask(struct echo *e, const char *host, uint32_t bytes, uint32_t count)
{
    struct net_found to;
    int sock = -1;
    int rc = net_resolve(&e->net, host, &to);

    to.a.port = ECHO_PORT;
    if (rc == SOCK_EOK)
        rc = net_socket(&e->net, &sock);
    if (rc == SOCK_EOK)
        rc = net_call(
            &e->net,
            &(struct net_ask){
                .function = SOCK_CONNECT, .sock = sock, .data = &to.a, .len = sizeof(to.a)},
            0, NET_ANSWER_US);
    if (rc != SOCK_EOK)
        return cms_error(100, "DMSECH111E Unable to connect to %s: %s", host, net_error(rc));
    for (uint32_t i = 0; i < bytes; i++)
        e->sent[i] = (uint8_t)(i * 7 + i / 256);
    uint64_t begun = now_us();
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        e->sent[i % bytes]++;             /* no two messages in a row are the same */
        rc = round_trip(e, sock, bytes);
    }
    if (rc == 0)
        cms_say("ECHO: %u round trips of %u bytes in %lu microseconds", count, bytes,
                now_us() - begun);
    net_end(&e->net, sock, SOCK_CLOSE);
    return rc;
}

/* All that comes on a connection goes back, until its other side has closed it. */
static void answer(struct echo *e, int sock)
{
    const struct net_ask receive = {
        .function = SOCK_RECV, .sock = sock, .reply = &e->got, .room = sizeof(e->got)};
    struct net_done d;

    while (net_call(&e->net, &receive, &d, IDLE_US) == SOCK_EOK && d.value > 0)
        if (net_call(&e->net,
                     &(struct net_ask){.function = SOCK_SEND,
                                       .sock = sock,
                                       .data = e->got.data,
                                       .len = (uint32_t)d.value},
                     0, NET_ANSWER_US)
            != SOCK_EOK)
            break;
    net_end(&e->net, sock, SOCK_CLOSE);
}

static int serve(struct echo *e)
{
    int listener;
    struct net_done d;
    long opened = net_serve(&e->net, "TCPIP", ECHO_PORT, 4, &listener);

    if (opened != 0)
        return cms_error(100, "DMSECH110E No port %u from TCPIP: code %ld", ECHO_PORT, opened);
    cms_say("ECHO: ready on port %u", ECHO_PORT);
    while (!cms_halted() && e->net.open)
        if (net_call(&e->net,
                     &(struct net_ask){.function = SOCK_ACCEPT,
                                       .sock = listener,
                                       .reply = &e->got,
                                       .room = sizeof(e->got)},
                     &d, 0)
            == SOCK_EOK)
            answer(e, d.value);
    net_close(&e->net);
    return cms_halted() ? 0 : lost(NET_EPATH);
}

CMS_COMMAND("ECHO", 4, cmd_echo);
int cmd_echo(struct cms_arg *arg)
{
    struct echo *e = cms_alloc(sizeof(*e));
    uint32_t bytes, count;

    if (!e)
        return cms_error(104, "DMSECH109S Virtual storage capacity exceeded");
    if (arg->n == 1 && arg->options == 0 && cms_is(arg->word[0], "SERVE", 5))
        return serve(e);
    if (arg->n != 3 || arg->options || !cms_number(arg->word[1], &bytes)
        || !cms_number(arg->word[2], &count) || bytes < 1 || bytes > BYTES_MAX || count < 1
        || count > COUNT_MAX)
        return cms_error(
            24,
            "DMSECH029E Use ECHO host bytes count, with 1 to %u bytes and at most %u of them, or"
            " ECHO SERVE",
            BYTES_MAX, COUNT_MAX);
    int rc = tcpip_open("ECH", &e->net);
    if (rc != 0)
        return rc;
    rc = ask(e, arg->word[0], bytes, count);
    net_close(&e->net);
    return rc;
}
