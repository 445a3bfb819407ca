/* SPDX-License-Identifier: MIT */
/* ECHO host bytes count: sends a message of so many bytes to a host's echo service, and the next one when it has come
 * back, count times. ECHO SERVE: is that service, for one connection at a time, until HX.
 * Return codes: 0; 24 usage; 100 the host or TCPIP was not reached; 101 the connection was lost; 102 other bytes came
 * back; 104. */
#include "commands.h"
#include "net.h"

#define ECHO_PORT 7
#define BYTES_MAX 16384      /* both sides have room for all of it: nobody waits for who waits for him */
#define COUNT_MAX 1000000
#define CALL_US   10000000   /* what an answer may take */
#define IDLE_US   60000000   /* and what a client may be silent */

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

/* One message and its way back. */
static int round_trip(struct echo *e, int sock, uint32_t bytes)
{
    uint32_t got = 0;
    int rc = net_call(&e->net, SOCK_SEND, sock, e->sent, bytes, 0, 0, 0, 0, CALL_US);

    if (rc == SOCK_EOK)
        rc = net_call(&e->net, SOCK_RECV_ALL, sock, 0, 0, &e->got, (uint32_t)sizeof(e->got.head) + bytes, 0, &got,
                      CALL_US);
    if (rc != SOCK_EOK || got != bytes)
        return lost(rc != SOCK_EOK ? rc : SOCK_ENOTCONN);
    return memcmp(e->sent, e->got.data, bytes) == 0 ? 0 : cms_error(102, "DMSECH113E Other bytes came back");
}

static int ask(struct echo *e, const char *host, uint32_t bytes, uint32_t count)
{
    struct sock_address to;
    int32_t sock = 0;
    int rc = net_call(&e->net, SOCK_RESOLVE, 0, host, (uint32_t)strlen(host), &e->got, sizeof(e->got), 0, 0, CALL_US);

    memcpy(&to, e->got.data, sizeof(to));
    to.port = ECHO_PORT;
    if (rc == SOCK_EOK)
        rc = net_call(&e->net, SOCK_SOCKET, 0, 0, 0, 0, 0, &sock, 0, CALL_US);
    if (rc == SOCK_EOK)
        rc = net_call(&e->net, SOCK_CONNECT, sock, &to, sizeof(to), 0, 0, 0, 0, CALL_US);
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
        cms_say("ECHO: %u round trips of %u bytes in %lu microseconds", count, bytes, now_us() - begun);
    net_call(&e->net, SOCK_CLOSE, sock, 0, 0, 0, 0, 0, 0, CALL_US);
    return rc;
}

/* All that comes on a connection goes back, until its other side has closed it. */
static void answer(struct echo *e, int sock)
{
    int32_t bytes = 0;

    while (net_call(&e->net, SOCK_RECV, sock, 0, 0, &e->got, sizeof(e->got), &bytes, 0, IDLE_US) == SOCK_EOK && bytes > 0)
        if (net_call(&e->net, SOCK_SEND, sock, e->got.data, (uint32_t)bytes, 0, 0, 0, 0, CALL_US) != SOCK_EOK)
            break;
    net_call(&e->net, SOCK_CLOSE, sock, 0, 0, 0, 0, 0, 0, CALL_US);
}

static int serve(struct echo *e)
{
    int listener;
    int32_t sock = 0;
    long opened = net_serve(&e->net, "TCPIP", ECHO_PORT, 4, &listener);

    if (opened != 0)
        return cms_error(100, "DMSECH110E No port %u from TCPIP: code %ld", ECHO_PORT, opened);
    cms_say("ECHO: ready on port %u", ECHO_PORT);
    while (!cms_halted() && e->net.open)
        if (net_call(&e->net, SOCK_ACCEPT, listener, 0, 0, &e->got, sizeof(e->got), &sock, 0, 0) == SOCK_EOK)
            answer(e, sock);
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
    if (arg->n != 3 || arg->options || !cms_number(arg->word[1], &bytes) || !cms_number(arg->word[2], &count)
        || bytes < 1 || bytes > BYTES_MAX || count < 1 || count > COUNT_MAX)
        return cms_error(24, "DMSECH029E Use ECHO host bytes count, with 1 to %u bytes and at most %u of them, or"
                         " ECHO SERVE", BYTES_MAX, COUNT_MAX);
    long opened = net_open(&e->net, "TCPIP");
    if (opened != 0)
        return cms_error(100, "DMSECH110E The TCPIP machine is not there (IUCV code %ld)", opened);
    int rc = ask(e, arg->word[0], bytes, count);
    net_close(&e->net);
    return rc;
}
