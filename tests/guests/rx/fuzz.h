/* SPDX-License-Identifier: MIT */
/* Packets of every kind, most nearly right: of connections that there are or are not, with counts
 * and numbers at their edges, damaged, cut. Time passes between them. The core may say anything,
 * but it must stay whole. */
#ifndef VMKB_RX_FUZZ_H
#define VMKB_RX_FUZZ_H

static uint32_t edge(uint32_t near)
{
    static const uint32_t values[] = {0,          1,  2,  0x7fffffff, 0x80000000u, 0xfffffffe,
                                      0xffffffff, 31, 32, 33,         63,          64};

    switch (chance(4)) {
    case 0:  return values[chance(sizeof(values) / sizeof(*values))];
    case 1:  return near + chance(80) - 40;
    default: return near + chance(4);
    }
}

static const struct rx_conn *some_conn(void)
{
    const struct rx_conn *c = rx.all;

    for (uint32_t n = chance(8); c && c->next && n; n--)
        c = c->next;
    return c;
}

static uint32_t fuzz_packet(uint8_t *p, struct rx_address *from)
{
    const struct rx_conn *c = chance(10) ? some_conn() : 0;
    unsigned channel = chance(4);
    const struct rx_call *call = c ? &c->calls[channel] : 0;
    bool to_client = c && c->client;
    static const uint8_t types[] = {
        RX_DATA, RX_DATA,  RX_DATA,   RX_DATA,      RX_ACK,      RX_ACK,   RX_ACK,
        RX_BUSY, RX_ABORT, RX_ACKALL, RX_CHALLENGE, RX_RESPONSE, RX_DEBUG, RX_VERSION,
        9,       0,        77};
    struct rx_header h = {.epoch = c ? c->epoch : chance(3) << 30,
                          .cid = (c ? c->cid : chance(40) * 4) | channel,
                          .service = chance(20) ? (c           ? c->service
                                                   : chance(2) ? PERF_SERVICE
                                                               : ECHO)
                                                : 9,
                          .type = types[chance(sizeof(types))],
                          .serial = edge(call ? call->ack_heard : 1),
                          .security = chance(30) ? 0 : (uint8_t)chance(256)};
    uint32_t len = chance(3) ? chance(60) : chance(1600);

    *from =
        c && chance(20) ? c->peer : (struct rx_address){10 + chance(3), (uint16_t)(1 + chance(3))};
    h.call = call ? (chance(4) ? call->number + (to_client ? 0 : chance(2)) : edge(call->number))
                  : chance(3);
    h.seq = h.type == RX_DATA ? (call && chance(3) ? edge(call->want) : 1 + chance(3)) : chance(3);
    h.flags = (uint8_t)(chance(5) ? (to_client ? 0 : RX_F_CLIENT) | (chance(3) ? 0 : RX_F_LAST)
                                        | (chance(4) ? 0 : RX_F_REQUEST_ACK)
                                        | (chance(9) ? 0 : RX_F_JUMBO)
                                  : chance(256));
    for (uint32_t i = 0; i < len; i++)
        p[RX_HEADER + i] = (uint8_t)chance(256);
    if (h.type == RX_DATA && len >= 8 && chance(2)) {
        rx_put32(p + RX_HEADER, chance(4));
        rx_put32(p + RX_HEADER + 4, chance(8) ? chance(200000) : edge(0));
    }
    if (h.type == RX_ACK && chance(8)) {
        uint8_t have[RX_ACK_MAX];
        for (unsigned i = 0; i < sizeof(have); i++)
            have[i] = (uint8_t)chance(2);
        const struct rx_ack a = {.first = edge(call ? (chance(2) ? call->first : call->next) : 1),
                                 .serial = edge(c ? c->serial - 2 : 1),
                                 .reason = (uint8_t)(chance(12)),
                                 .count = (uint8_t)(chance(2) ? chance(20) : chance(256)),
                                 .acks = have,
                                 .max_mtu = edge(1472),
                                 .if_mtu = edge(1472),
                                 .window = edge(32),
                                 .jumbo = edge(1)};
        len = rx_ack_put(p + RX_HEADER, &a);
        if (!chance(6))
            len = chance(len);
    }
    rx_header_put(p, &h);
    for (uint32_t n = chance(6) ? 0 : 1 + chance(3); n; n--)
        p[chance(RX_HEADER + len)] ^= (uint8_t)(1u << chance(8));
    return chance(40) ? RX_HEADER + len : chance(RX_HEADER + 4);
}

static int fuzz(unsigned seed, unsigned long rounds)
{
    static uint8_t packet[RX_HEADER + 4096];
    struct rx_address from;

    chance_seed(seed);
    quiet = 1;
    for (unsigned long i = 0; i < rounds; i++) {
        if (i % 20000 == 0)
        {
            uint32_t window = 1 + chance(RX_WINDOW);
            init(chance(2) ? 1500 : 4000, window, 1 + chance(3), 8 + chance(300), 5,
                 chance(8) ? 0 : chance(RX_WINDOW - window + 1));
        }
        if (!chance(200)) {
            unsigned id = connect(10 + chance(3), 7009, chance(2) ? PERF_SERVICE : ECHO);
            if (!id && (id = 1 + chance(CONNS)) && conns[id]) {
                for (unsigned k = 0; k < REQUESTS; k++)
                    if (requests[k].call && requests[k].call->conn == conns[id])
                        requests[k].call = 0;
                rx_disconnect(&rx, conns[id]);
                conns[id] = 0;
            }
        }
        struct rx_conn *c = conns[1 + chance(CONNS)];
        if (c && !chance(3))
            call(c, packet, chance(sizeof(packet)));
        uint32_t len = fuzz_packet(packet, &from);
        uint8_t *exact = malloc(len ? len : 1); /* the sanitizer sees each byte behind it */
        memcpy(exact, packet, len);
        rx_input(&rx, &from, exact, len, now);
        free(exact);
        now += chance(50) ? chance(3000) : chance(3000000);
        rx_tick(&rx, now);
        if (i % 16 == 0)
            check();
    }
    printf("%lu packets, %llu calls, %llu failed, %llu malformed, %llu stale, %llu resent\n",
           rounds, (unsigned long long)rx.counts.calls, (unsigned long long)rx.counts.calls_failed,
           (unsigned long long)rx.counts.malformed, (unsigned long long)rx.counts.stale,
           (unsigned long long)rx.counts.resent);
    init(1500, 32, 1, 1, 1, 0);
    free(storage);
    return 0;
}
#endif
