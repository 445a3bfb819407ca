/* SPDX-License-Identifier: MIT */
/* Streams on FreeRTOS-Plus-TCP. A callback of the IP task notes that there is news of a socket;
 * what that is, is found out behind it, for a client may do anything then. */
#include "stack.h"
#include "tcpip.h"
#include "address.h"
#include "FreeRTOS_IP_Timers.h"

#define WORDS (CLIENT_NUMBERS / 64)
#define BACKLOG 64
#ifndef RX_ROOM              /* guests/release/rooms.py may say */
#define RX_ROOM (4 * 57344)  /* bytes of a socket's streams: twice the windows, for it tells of */
#define TX_ROOM (6 * 32768)  /* one that grew only when it had shrunk to nearly nothing */
#endif
#define LITTLE  16384        /* the same at most when there are more than FEW sockets */
#define FEW     8
#define ORPHANS 256          /* closed by their clients, not yet by the other side */

static struct stack_tcp *sockets[CLIENT_NUMBERS];
static unsigned socket_count;
static uint64_t news[WORDS];
static FreeRTOS_Socket_t *orphans[ORPHANS];
static unsigned orphan_count;

static void note(const struct stack_tcp *t)
{
    unsigned n = client_number(t);

    news[n / 64] |= 1UL << n % 64;
}

static void woken(FreeRTOS_Socket_t *s)
{
    if (s->pvSocketID)
        note(s->pvSocketID);
}

/* Its streams get their storage when they are first used: those of many sockets are shorter. */
static void fit(FreeRTOS_Socket_t *s)
{
    bool many = socket_count > FEW;

    s->u.xTCP.uxRxStreamSize = many && RX_ROOM > LITTLE ? LITTLE : RX_ROOM;
    s->u.xTCP.uxTxStreamSize = many && TX_ROOM > LITTLE ? LITTLE : TX_ROOM;
    s->u.xTCP.uxRxWinSize = s->u.xTCP.uxRxStreamSize / 2 / s->u.xTCP.usMSS;
    s->u.xTCP.uxTxWinSize = s->u.xTCP.uxTxStreamSize / 2 / s->u.xTCP.usMSS;
}

static void own(struct stack_tcp *t, FreeRTOS_Socket_t *s)
{
    *t = (struct stack_tcp){.socket = s};
    sockets[client_number(t)] = t;
    socket_count++;
    s->pvSocketID = t;
    s->pxUserWakeCallback = woken;
}

/* `t` names no socket any more. */
static FreeRTOS_Socket_t *disowned(struct stack_tcp *t)
{
    FreeRTOS_Socket_t *s = t->socket;

    sockets[client_number(t)] = NULL;
    socket_count--;
    s->pvSocketID = NULL;
    s->pxUserWakeCallback = NULL;
    *t = (struct stack_tcp){0};
    return s;
}

/* The IP task is to look at it at once, if it is to do so soon. */
static void hurry(const FreeRTOS_Socket_t *s)
{
    if (s->u.xTCP.usTimeout != 1)
        return;
    vIPSetTCPTimerExpiredState(pdTRUE);
    stack_run();
}

static bool over(const FreeRTOS_Socket_t *s)
{
    return s->u.xTCP.eTCPState == eCLOSED || s->u.xTCP.eTCPState == eCLOSE_WAIT;
}

static void accept_all(struct stack_tcp *l)
{
    struct freertos_sockaddr a;
    socklen_t len = sizeof(a);
    FreeRTOS_Socket_t *s;

    while (l->socket && (s = FreeRTOS_accept(l->socket, &a, &len)) != NULL) {
        struct stack_tcp *t = client_accepted(l, number_of(&a.sin_address), a.sin_port);
        if (!t) {
            vSocketClose(s);
            continue;
        }
        own(t, s);
        t->open = 1;
        note(t);
        fit(l->socket);      /* the next ones have what it has */
        xTCPCheckNewClient(l->socket);
    }
}

static void acknowledged(struct stack_tcp *t)
{
    uint32_t left = (uint32_t)FreeRTOS_tx_size(t->socket), n = t->sent - left;

    t->sent = left;
    if (n)
        client_acknowledged(t, n);
}

static void received(struct stack_tcp *t)
{
    uint32_t n = (uint32_t)FreeRTOS_rx_size(t->socket);

    if (n <= t->offered)
        return;
    enum offer offer = client_offered(t);
    if (offer == OFFER_TAKE) {
        t->offered = n;
    } else if (offer == OFFER_DROP) {
        FreeRTOS_recv(t->socket, NULL, n, 0);
    }
}

static void look(struct stack_tcp *t)
{
    FreeRTOS_Socket_t *s = t->socket;

    if (t->listens) {
        accept_all(t);
        return;
    }
    if (t->connects && !t->open && FreeRTOS_issocketconnected(s) == pdTRUE) {
        t->open = 1;
        if (!client_connected(t))
            return;
    }
    if (t->open && t->sent)
        acknowledged(t);
    if (t->socket == s)
        received(t);
    if (t->socket == s && s->u.xTCP.bits.bFinAccepted && !t->ended
        && t->offered == (uint32_t)FreeRTOS_rx_size(s)) {
        t->ended = 1;
        client_ended(t);
    }
    if (t->socket == s && over(s) && (t->open || t->connects) && !t->gone
        && (!t->ended || !client_idle(t))) {
        t->gone = 1;
        client_gone(t, s->u.xTCP.ucRepCount >= 3);
    }
}

void tcp_look(void)
{
    for (unsigned w = 0; w < WORDS; w++)
        while (news[w]) {
            unsigned n = (unsigned)__builtin_ctzl(news[w]);
            news[w] &= news[w] - 1;
            if (sockets[w * 64 + n])
                look(sockets[w * 64 + n]);
        }
    for (unsigned i = 0; i < orphan_count;)
        if (over(orphans[i])) {
            vSocketClose(orphans[i]);
            orphans[i] = orphans[--orphan_count];
        } else {
            i++;
        }
}

void stack_timers(void)
{
    static uint32_t polled;

    if (stack_due() == 0)
        stack_run();
    if (tcpip_now() - polled < CLIENT_POLL_S * 1000)
        return;
    polled = tcpip_now();
    for (unsigned i = 0; i < CLIENT_NUMBERS; i++)
        if (sockets[i] && sockets[i]->open && !sockets[i]->gone && client_polled(sockets[i])
            && sockets[i])
            look(sockets[i]);
}

bool stack_tcp_new(struct stack_tcp *t)
{
    Socket_t s = FreeRTOS_socket(FAMILY, FREERTOS_SOCK_STREAM, FREERTOS_IPPROTO_TCP);

    if (s == FREERTOS_INVALID_SOCKET)
        return false;
    own(t, s);
    fit(s);
    return true;
}

int stack_tcp_bind(struct stack_tcp *t, uint16_t port)
{
    struct freertos_sockaddr a = {.sin_family = FAMILY, .sin_port = port};

    return vSocketBind(t->socket, &a, sizeof(a), pdFALSE) == 0 ? t->socket->usLocalPort
                                                              : SOCK_EADDRINUSE;
}

int stack_tcp_listen(struct stack_tcp *t)
{
    t->listens = FreeRTOS_listen(t->socket, BACKLOG) == 0;
    return t->listens ? SOCK_EOK : SOCK_EINVAL;
}

int stack_tcp_connect(struct stack_tcp *t, uint32_t ip, uint16_t port)
{
    struct freertos_sockaddr a = place_of(ip, port);

    if (!t->socket->usLocalPort && stack_tcp_bind(t, 0) < 0)
        return SOCK_ELIMIT;
    BaseType_t rc = FreeRTOS_connect(t->socket, &a, sizeof(a));
    if (rc != 0 && rc != -pdFREERTOS_ERRNO_EWOULDBLOCK)
        return SOCK_EINVAL;
    t->connects = 1;
    stack_run();
    return SOCK_EOK;
}

/* It has no call that sends RST: the other side gets one when it next says something. */
void stack_tcp_abort(struct stack_tcp *t)
{
    vSocketClose(disowned(t));
}

void stack_tcp_close(struct stack_tcp *t)
{
    bool ends = stack_tcp_end(t) || t->socket->u.xTCP.bits.bFinAccepted;
    FreeRTOS_Socket_t *s = disowned(t);

    if (ends && !over(s) && orphan_count < ORPHANS)
        orphans[orphan_count++] = s;
    else
        vSocketClose(s);
    stack_run();
}

bool stack_tcp_write(struct stack_tcp *t, const void *bytes, uint16_t n, bool copy, bool more)
{
    (void)copy, (void)more;
    if (!stack_tcp_may_write(t) || n > stack_tcp_room(t)
        || FreeRTOS_send(t->socket, bytes, n, 0) != n)
        return false;
    t->sent += n;
    return true;
}

void stack_tcp_push(struct stack_tcp *t)
{
    hurry(t->socket);
}

bool stack_tcp_end(struct stack_tcp *t)
{
    if (!t->shut && t->socket->u.xTCP.eTCPState == eESTABLISHED)
        t->shut = FreeRTOS_shutdown(t->socket, FREERTOS_SHUT_RDWR) == 0;
    return t->shut;
}

void stack_tcp_copy(const struct stack_tcp *t, uint8_t *to, uint32_t n)
{
    FreeRTOS_recv(t->socket, to, n, FREERTOS_MSG_PEEK);
}

void stack_tcp_taken(struct stack_tcp *t, uint32_t n)
{
    FreeRTOS_recv(t->socket, NULL, n, 0);
    t->offered -= n;
    note(t);
    hurry(t->socket);
}

/* The client has nothing to do with it any more. */
void stack_tcp_drop(struct stack_tcp *t)
{
    if (t->socket)
        vSocketClose(disowned(t));
}

static void names(const FreeRTOS_Socket_t *s, struct stack_names *n)
{
    static const char *const states[] = {"CLOSED",      "LISTEN",     "SYN-SENT",   "SYN-RCVD",
                                         "SYN-RCVD",    "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2",
                                         "CLOSED",      "CLOSING",    "LAST-ACK",   "TIME-WAIT"};

    *n = (struct stack_names){number_of(&s->u.xTCP.xRemoteIP), profile.address,
                              s->u.xTCP.usRemotePort, s->usLocalPort,
                              states[s->u.xTCP.eTCPState]};
}

void stack_tcp_names(const struct stack_tcp *t, struct stack_names *n)
{
    names(t->socket, n);
}

bool stack_tcp_ownerless(unsigned index, struct stack_names *n)
{
    if (index < orphan_count)
        names(orphans[index], n);
    return index < orphan_count;
}
