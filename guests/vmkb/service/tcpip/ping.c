/* SPDX-License-Identifier: MIT */
/* PING: ICMP echo requests for clients, one outstanding for each call. */
#include "s390.h"
#include "sock.h"

#define PINGS   8
#define TIMEOUT_MS 5000
#define PING_ID 0x4b42

static struct {
    uint32_t msgid;
    uint16_t path, sequence;
    uint64_t sent;
    uint32_t until;
} pings[PINGS];
static uint16_t sequence;
static unsigned waiting;

static void ends(unsigned i, int rc, int value)
{
    sock_reply(pings[i].path, pings[i].msgid, rc, value, 0, 0);
    pings[i].msgid = 0;
    waiting--;
}

uint32_t ping_due(void)
{
    uint32_t now, least = UINT32_MAX;

    if (!waiting)
        return least;
    now = tcpip_now();
    for (unsigned i = 0; i < PINGS; i++)
        if (pings[i].msgid) {
            int32_t left = (int32_t)(pings[i].until - now);
            if (left < 0)
                left = 0;
            least = (uint32_t)left < least ? (uint32_t)left : least;
        }
    return least;
}

void ping_timers(void)
{
    for (unsigned i = 0; waiting && i < PINGS; i++)
        if (pings[i].msgid && (int32_t)(tcpip_now() - pings[i].until) >= 0)
            ends(i, SOCK_ETIMEDOUT, 0);
}

bool client_pong(uint16_t id, uint16_t number)
{
    if (id != PING_ID)
        return false;
    for (unsigned i = 0; i < PINGS; i++)
        if (pings[i].msgid && pings[i].sequence == number)
            ends(i, SOCK_EOK, (int)((tod() - pings[i].sent) >> 12));
    return true;
}

void ping_start(uint16_t path, uint32_t msgid, const struct sock_address *a)
{
    unsigned i = 0;

    while (i < PINGS && pings[i].msgid)
        i++;
    if (i == PINGS) {
        sock_reply(path, msgid, SOCK_ELIMIT, 0, 0, 0);
        return;
    }
    pings[i].msgid = msgid;
    pings[i].path = path;
    pings[i].sequence = ++sequence;
    pings[i].sent = tod();
    pings[i].until = tcpip_now() + TIMEOUT_MS;
    waiting++;
    int rc = stack_ping(a->ip, PING_ID, sequence, a->port <= 16384 ? a->port : 16384);
    if (rc != SOCK_EOK)
        ends(i, rc, 0);
}
