/* SPDX-License-Identifier: MIT */
/* RXPERFD: the server of RXPERF on UDP port 7009 (docs/rx.md). */
#include "perf.h"
#include "port.h"
#include "say.h"

#define CONNECTIONS 64

static struct rx_port port;
static struct perf_server server;

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    perf_server_data(arg, call, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    perf_server_event(arg, call, what);
}

static bool serves(void *arg, uint16_t service)
{
    (void)arg;
    return service == PERF_SERVICE;
}

/* "VM/KB RXPERFD" in ISO 8859-1, which rxdebug -version shows. */
static const char version[] = "\x56\x4d\x2f\x4b\x42\x20\x52\x58\x50\x45\x52\x46\x44";

static long open(void)
{
    const struct rx_ops ops = {0, data, event, serves};
    struct rx_config config = {
        .connections = CONNECTIONS, .window = 32, .jumbo = 1, .version = version};
    struct diag_space space;

    diag_space(&space);
    uint64_t at = (space.free_from + 4095) & ~4095UL;
    memset(&server, 0, sizeof(server));
    server.rx = &port.rx;
    return rx_port_open(&port, PERF_PORT, &config, &ops, &server, (void *)at,
                        space.size - 0x10000 - at);
}

static void serve(void)
{
    int rc;

    do {
        rc = rx_port_turn(&port);
        say_moved();
    } while (rc == SOCK_EOK || rc == NET_EATTN);
}

void vm_main(void);
void vm_main(void)
{
    struct event e;
    long said = 0;

    for (;;) {
        long rc = open();
        if (rc == 0) {
            say("DTCRXP0021I RXPERF SERVER READY ON UDP PORT %u, MTU %u, %u PACKETS", PERF_PORT,
                port.udp.mtu, port.rx.packets);
            serve();
            udp_close(&port.udp);
            say("DTCRXP0023E TCPIP WENT AWAY; TRYING AGAIN");
            said = 0;
        } else if (rc != IUCV_ENOTLOGGED && rc != IUCV_ENOTREADY && rc != said) {
            said = rc;
            say("DTCRXP0022E NO UDP PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", PERF_PORT, rc);
        }
        diag_wait(EV_ATTN, &e, 1000000);
    }
}
