/* SPDX-License-Identifier: MIT */
/* Datagrams through the TCPIP machine, which come back as they were. */
#include "exercise.h"
#include "udp.h"

#define ECHO_PORT 7

static struct udp_port echo;

/* n: the port; 7 if none was given. */
void exercise_udpecho(unsigned n)
{
    uint16_t port = n && n != 1000 ? (uint16_t)n : ECHO_PORT;
    long rc = udp_open(&echo, "TCPIP", port);

    if (rc != 0) {
        say("EXERCISE: NO UDP PORT %u, RC %ld", port, rc);
        return;
    }
    say("EXERCISE: UDPECHO IS READY AT %u", echo.port);
    while ((rc = udp_wait(&echo, 0)) == SOCK_EOK) {
        const struct sock_datagram *d;
        uint32_t at = 0;
        while ((d = udp_next(&echo, &at)) != 0)
            udp_send(&echo, d->ip, d->port, d + 1, d->len);
    }
    udp_close(&echo);
    say("EXERCISE: UDPECHO ENDS, RC %ld", rc);
}
