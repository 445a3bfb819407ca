/* SPDX-License-Identifier: MIT */
/* RXPERFD: the server of RXPERF on UDP port 7009 (docs/reference/rx.md). IPL RXPERFD PARM WHOLE n:
 * it takes a request when all of it is there, and has n packets for one. */
#include "ctype.h"
#include "diag.h"
#include "perf.h"
#include "port.h"
#include "say.h"

#define CONNECTIONS 64
#define WINDOW      32

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

/* The n of PARM WHOLE n; 0: no such parameter, or none that can be. */
static uint32_t whole(void)
{
    static const char word[] = "WHOLE ";
    struct diag_id id;
    const char *p = id.ipl_parm;
    uint32_t n = 0;

    diag_id(&id);
    for (unsigned i = 0; word[i]; i++)
        if (to_upper(*p++) != word[i])
            return 0;
    while (is_digit(*p) && n <= RX_WINDOW)
        n = n * 10 + (uint32_t)(*p++ - '0');
    return n <= RX_WINDOW - WINDOW && (*p == ' ' || !*p) ? n : 0;
}

static long open(void)
{
    const struct rx_ops ops = {0, data, event, serves};
    struct rx_config config = {
        .connections = CONNECTIONS, .window = WINDOW, .jumbo = 1, .version = version};
    struct diag_space space;

    config.whole = whole();
    if (config.whole)
        say("DTCRXP0024I A REQUEST IS TAKEN WHOLE, OF AT MOST %u PACKETS", config.whole);
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
