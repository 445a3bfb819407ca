/* SPDX-License-Identifier: MIT */
/*
 * Drives guests/vmkb/protocol/rx from a pipe: big-endian records of u16 length and that many bytes,
 * the first an operation letter; each is answered by one record (u32 length) that holds what
 * happened, in order. Two services: PERF_SERVICE as RXPERFD has it, and ECHO, which answers a
 * request with its bytes, reversed in value. `harness fuzz SEED ROUNDS` runs without a pipe: real
 * traffic between two cores, damaged, and checks after
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../pipe.h"
#include "perf.h"

#define ECHO     1
#define CONNS    96
#define REQUESTS 512
#define LONGEST  (4u << 20)

struct request {                 /* a call that the pipe asked for, or one that ECHO serves */
    uint8_t *bytes;
    uint32_t len, at, id;
    struct rx_call *call;
};

static struct rx rx;
static struct perf_server perf;
static uint8_t *storage;
static struct request requests[REQUESTS];
static struct rx_conn *conns[CONNS + 1];
static uint64_t now;

static struct request *new_request(struct rx_call *call)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        if (!requests[i].call) {
            free(requests[i].bytes);
            requests[i] = (struct request){.call = call, .id = i};
            return &requests[i];
        }
    return 0;
}

static void forget(struct request *r)
{
    r->call->user = 0;
    r->call = 0;
}

static void write_on(struct request *r)
{
    r->at += rx_write(&rx, r->call, r->bytes + r->at, r->len - r->at);
    if (r->at == r->len)
        rx_end(&rx, r->call);
}

static void op_send(void *arg, const struct rx_address *to, const uint8_t *packet, uint32_t len)
{
    (void)arg;
    if (len > 65507)
        abort();
    put8('p');
    put32(to->ip);
    put32(to->port);
    put32(len);
    put(packet, len);
}

static void op_data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct request *r = call->user;
    (void)arg;
    if (!call->conn->client && call->conn->service == PERF_SERVICE) {
        perf_server_data(&perf, call, bytes, len);
    } else if (r && call->conn->client) {
        put8('d');
        put32(r->id);
        put32(len);
        put(bytes, len);
    } else if (r && r->len + len <= LONGEST) {
        r->bytes = realloc(r->bytes, r->len + len + 1);
        for (uint32_t i = 0; i < len; i++)
            r->bytes[r->len++] = (uint8_t)~bytes[i];
    } else if (r) {
        forget(r);
        rx_abort(&rx, call, 27);
    }
}

static void echo_event(struct rx_call *call, enum rx_event what)
{
    struct request *r = call->user;

    if (what == RX_NEW) {
        call->user = new_request(call);
        if (!call->user)
            rx_abort(&rx, call, 11);
    } else if (r && (what == RX_END || what == RX_ROOM)) {
        write_on(r);
    } else if (r) {
        forget(r);
    }
}

static void op_event(void *arg, struct rx_call *call, enum rx_event what)
{
    struct request *r = call->user;
    (void)arg;
    if (!call->conn->client) {
        if (call->conn->service == PERF_SERVICE)
            perf_server_event(&perf, call, what);
        else
            echo_event(call, what);
        return;
    }
    if (!r)
        return;
    if (what == RX_ROOM) {
        write_on(r);
        return;
    }
    put8(what == RX_END ? 'e' : 'f');
    put32(r->id);
    put32((uint32_t)call->error);
    forget(r);
}

static bool op_serves(void *arg, uint16_t service)
{
    (void)arg;
    return service == PERF_SERVICE || service == ECHO;
}

static void init(uint32_t mtu, uint32_t window, uint32_t jumbo, uint32_t packets, uint32_t epoch,
                 uint32_t whole)
{
    const struct rx_ops ops = {op_send, op_data, op_event, op_serves};
    struct rx_config config = {.connections = CONNS,
                               .mtu = mtu,
                               .window = window,
                               .jumbo = jumbo,
                               .epoch = epoch,
                               .whole = whole,
                               .version = "harness"};

    for (unsigned i = 0; i < REQUESTS; i++)
        free(requests[i].bytes);
    memset(requests, 0, sizeof(requests));
    memset(conns, 0, sizeof(conns));
    memset(&perf, 0, sizeof(perf));
    perf.rx = &rx;
    free(storage);
    size_t size = rx_packets_for(&config, packets);
    storage = malloc(size);
    if (!rx_init(&rx, &ops, 0, &config, storage, size))
        abort();
}

static unsigned connect(uint32_t ip, uint16_t port, uint16_t service)
{
    const struct rx_address to = {ip, port};
    unsigned i = 1;

    while (i <= CONNS && conns[i])
        i++;
    if (i > CONNS)
        return 0;
    conns[i] = rx_connect(&rx, &to, service);
    return conns[i] ? i : 0;
}

/* -1: no channel is free. */
static int call(struct rx_conn *conn, const uint8_t *bytes, uint32_t len)
{
    struct rx_call *c = rx_begin(&rx, conn);
    struct request *r = c ? new_request(c) : 0;

    if (!r)
        return -1;
    c->user = r;
    r->bytes = malloc(len + 1);
    memcpy(r->bytes, bytes, len);
    r->len = len;
    write_on(r);
    return (int)r->id;
}

/* Nothing of the pool may be lost: those that nobody holds are free. */
static void check(void)
{
    uint32_t held = 0;

    for (const struct rx_conn *c = rx.all; c; c = c->next)
        for (unsigned i = 0; i < RX_CHANNELS; i++) {
            const struct rx_call *k = &c->calls[i];
            if (k->made - k->first > RX_WINDOW || k->next - k->first > k->made - k->first)
                abort();
            for (unsigned s = 0; s < RX_WINDOW; s++)
                held += (k->tx[s] != 0) + (k->rx[s] != 0);
            held += k->open != 0;
            if (!k->active && (k->resend_at || k->refused))
                abort();
        }
    if (held + rx.free_packets != rx.packets) {
        fprintf(stderr, "packets lost: %u held, %u free of %u\n", held, rx.free_packets,
                rx.packets);
        abort();
    }
}

static void counts(void)
{
    put8('k');
    put32(sizeof(rx.counts) / 8);
    for (unsigned i = 0; i < sizeof(rx.counts) / 8; i++)
        put64(((uint64_t *)&rx.counts)[i]);
    put64(rx.free_packets);
    put64(rx.packets);
    put64(perf.bytes_in);
    put64(perf.calls[PERF_NULL] + perf.calls[PERF_WRITE] + perf.calls[PERF_READ]);
}

static void begun(int id)
{
    put8('b');
    put32((uint32_t)id);
}

static void operate(const uint8_t *p, uint32_t len)
{
    struct rx_address from;

    switch (p[0]) {
    case 'I':
        init(rx_get32(p + 1), rx_get32(p + 5), rx_get32(p + 9), rx_get32(p + 13), rx_get32(p + 17),
             p[21]);
        break;
    case 'P':
        now = get64(p + 1);
        from = (struct rx_address){rx_get32(p + 9), rx_get16(p + 13)};
        rx_input(&rx, &from, p + 15, len - 15, now);
        break;
    case 'T':
        now = get64(p + 1);
        rx_tick(&rx, now);
        break;
    case 'C':
        rx.now = get64(p + 1);
        put8('c');
        put32(connect(rx_get32(p + 9), rx_get16(p + 13), rx_get16(p + 15)));
        break;
    case 'B':
        rx.now = get64(p + 1);
        begun(call(conns[rx_get32(p + 9)], p + 13, len - 13));
        break;
    case 'M':                    /* a request that is longer than the pipe's records, made here */
        rx.now = get64(p + 1);
        {
            uint32_t n = rx_get32(p + 13), seed = rx_get32(p + 17);
            uint8_t *bytes = malloc(n + 1);
            for (uint32_t i = 0; i < n; i++)
                bytes[i] = (uint8_t)(i * seed >> 8);
            begun(call(conns[rx_get32(p + 9)], bytes, n));
            free(bytes);
        }
        break;
    case 'A':
        rx.now = get64(p + 1);
        {
            struct request *r = &requests[rx_get32(p + 9) % REQUESTS];
            struct rx_call *c = r->call;
            if (c) {
                forget(r);
                rx_abort(&rx, c, (int32_t)rx_get32(p + 13));
            }
        }
        break;
    case 'D':
        rx.now = get64(p + 1);
        rx_disconnect(&rx, conns[rx_get32(p + 9)]);
        conns[rx_get32(p + 9)] = 0;
        break;
    case 'K':
        counts();
        break;
    default:
        abort();
    }
    put8('n');
    put64(rx.next);
    check();
}

#include "fuzz.h"

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0)
        return fuzz((unsigned)strtoul(argv[2], 0, 10), strtoul(argv[3], 0, 10));
    if (!pipe_serve(operate))
        return 1;
    init(1500, 32, 1, 1, 1, 0); /* the sanitizer looks for leaks */
    free(storage);
    return 0;
}
