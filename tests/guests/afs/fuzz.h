/* SPDX-License-Identifier: MIT */
/* Requests of every kind in whole or broken calls, with files that there are or were; stores that
 * end early; clients that answer callbacks, or do not; packets damaged. The server may say
 * anything, but it and its volumes must stay whole. */
#ifndef AFS_FUZZ_H
#define AFS_FUZZ_H

#define CLIENTS 6

static uint32_t call_number[CLIENTS][RX_CHANNELS], serials[CLIENTS];

static void put_any_fid(struct xdr_out *x, bool directory)
{
    struct volume *v = &volumes[chance(disk_count)];
    uint32_t slot = chance(v->slots + 1) % VOLUME_SLOTS;
    struct afs_fid fid = volume_fid(v, slot);

    if (directory && chance(4))
        fid = volume_fid(v, 0);
    if (!chance(12))
        fid.unique += chance(3) - 1;
    if (!chance(20))
        fid.vnode = chance(2) ? chance(5000) : 0xffffffff - chance(3);
    if (!chance(30))
        fid.volume = chance(3) + VOLUME_1;
    afs_put_fid(x, &fid);
}

static void put_any_name(struct xdr_out *x)
{
    uint8_t name[300];
    uint32_t len = chance(10) ? 1 + chance(2) : chance(sizeof(name));

    for (uint32_t i = 0; i < len; i++)
        name[i] = chance(30) ? (uint8_t)('a' + chance(6)) : (uint8_t)chance(256);
    xdr_put_string(x, name, len);
}

static void put_any_status(struct xdr_out *x)
{
    xdr_put(x, chance(4) ? chance(16) : chance(0x7fffffff));
    for (unsigned i = 0; i < 5; i++)
        xdr_put(x, chance(0x7fffffff));
}

static uint32_t any_number(void)
{
    return chance(4) ? chance(9000) : chance(3) ? chance(300000) : 0xffffffff - chance(3);
}

static uint32_t any_request(uint8_t *to, uint32_t size)
{
    static const uint32_t known[] = {130, 132, 133, 133, 135, 136, 137, 137, 138, 139, 140, 141,
                                     142, 147, 149, 151, 153, 155, 161, 65536, 65537, 65538, 65539,
                                     65540, 503, 504, 526, 527, 533, 514};
    uint32_t op = chance(60) ? known[chance(sizeof(known) / sizeof(known[0]))] : chance(70000);
    struct xdr_out x = {to, size, false};

    xdr_put(&x, op);
    switch (op) {
    case 130: case 65537:
        put_any_fid(&x, false);
        for (unsigned n = op == 130 ? 2 : 4; n; n--)
            xdr_put(&x, op != 130 && n % 2 == 0 ? !chance(20) : any_number());
        break;
    case 133: case 65538: {
        uint32_t bytes = chance(3) ? chance(3000) : chance(200000);
        put_any_fid(&x, false);
        put_any_status(&x);
        for (unsigned n = 0; n < 3; n++) {
            if (op == 65538)
                xdr_put(&x, !chance(30));
            xdr_put(&x, n == 1 && chance(5) ? bytes : chance(3) ? chance(50000) : any_number());
        }
        for (bytes /= 4; bytes && x.left >= 4; bytes--)
            xdr_put(&x, chance(0x7fffffff));
        break;
    }
    case 136: case 142: case 161:
        put_any_fid(&x, true);
        put_any_name(&x);
        break;
    case 137: case 141:
        put_any_fid(&x, true);
        put_any_name(&x);
        put_any_status(&x);
        break;
    case 139:
        put_any_fid(&x, true);
        put_any_name(&x);
        put_any_name(&x);
        put_any_status(&x);
        break;
    case 140:
        put_any_fid(&x, true);
        put_any_name(&x);
        put_any_fid(&x, false);
        break;
    case 138:
        put_any_fid(&x, true);
        put_any_name(&x);
        put_any_fid(&x, true);
        put_any_name(&x);
        break;
    case 147: case 155: case 65536: {
        uint32_t n = chance(20) ? chance(8) : chance(60);
        xdr_put(&x, n);
        while (n--)
            put_any_fid(&x, false);
        if (op == 147)
            xdr_put(&x, 0);
        break;
    }
    case 504: case 527:
        put_any_name(&x);
        break;
    default:
        put_any_fid(&x, false);
        if (op == 135)
            put_any_status(&x);
        break;
    }
    uint32_t len = (uint32_t)(x.at - to);
    return chance(15) ? len : chance(len + 1);
}

static void deliver(uint32_t client, uint8_t *packet, uint32_t len)
{
    const struct rx_address from = {10 + client, 7001};

    for (uint32_t n = chance(40) ? 0 : 1 + chance(3); n && len; n--)
        packet[chance(len)] ^= (uint8_t)(1u << chance(8));
    uint8_t *exact = malloc(len ? len : 1); /* the sanitizer sees each byte behind it */
    memcpy(exact, packet, len);
    rx_input(&rx, &from, exact, len, now);
    free(exact);
}

/* What a client's cache manager answers to calls from the server: nothing, if it is a silent one.
 * */
static void answer_callbacks(void)
{
    for (struct rx_conn *c = rx.all, *next; c; c = next) {
        uint8_t packet[RX_HEADER + 4] = {0};
        next = c->next;
        if (!c->client || c->peer.ip - 10 >= CLIENTS - 1 || chance(3))
            continue;
        for (unsigned i = 0; i < RX_CHANNELS; i++) {
            if (!c->calls[i].active)
                continue;
            bool refuse = !chance(20);
            const struct rx_header h = {
                .epoch = c->epoch, .cid = c->cid | i, .call = c->calls[i].number,
                .seq = refuse ? 0 : 1, .serial = ++serials[c->peer.ip - 10],
                .type = refuse ? RX_ABORT : RX_DATA, .flags = refuse ? 0 : RX_F_LAST,
                .service = AFS_SERVICE};
            rx_header_put(packet, &h);
            rx_put32(packet + RX_HEADER, 0xfffffe39u);
            deliver(c->peer.ip - 10, packet, RX_HEADER + (refuse ? 4 : 0));
            break;               /* its connection may be gone */
        }
    }
}

static unsigned long call(uint32_t client)
{
    static uint8_t request[250000], packet[RX_HEADER + 1444];
    uint32_t len = any_request(request, sizeof(request)), at = 0, seq = 1, channel = chance(4);
    uint32_t number = call_number[client][channel] += chance(20) ? 1 : 0;
    unsigned long packets = 0;
    uint16_t service = len >= 4 && rx_get32(request) > 500 && rx_get32(request) < 600
                           ? AFS_SERVICE_LOCATION : AFS_SERVICE;

    do {
        uint32_t n = len - at < 1444 ? len - at : chance(8) ? 1444 : 1 + chance(1444);
        bool last = at + n == len;
        const struct rx_header h = {.epoch = 0x1000 + client,
                                    .cid = (service == AFS_SERVICE ? 4 : 8) | channel,
                                    .call = number ? number : 1, .seq = seq++,
                                    .serial = ++serials[client], .type = RX_DATA,
                                    .flags = (uint8_t)(RX_F_CLIENT | (last ? RX_F_LAST : 0)),
                                    .service = service};
        rx_header_put(packet, &h);
        memcpy(packet + RX_HEADER, request + at, n);
        at += n;
        if (chance(60))
            deliver(client, packet, RX_HEADER + n);
        packets++;
    } while (at < len && chance(100));
    /* what came back is acknowledged up to some packet, or the client is gone */
    for (unsigned k = chance(4) ? 1 + chance(12) : 0, first = 2; k; k--, first += chance(33)) {
        struct rx_ack a = {.first = first, .serial = 1, .reason = RX_ACK_DELAY, .max_mtu = 1472,
                           .if_mtu = 1472, .window = 32, .jumbo = 1};
        struct rx_header h = {.epoch = 0x1000 + client,
                              .cid = (service == AFS_SERVICE ? 4 : 8) | channel,
                              .call = number ? number : 1, .serial = ++serials[client],
                              .type = RX_ACK, .flags = RX_F_CLIENT, .service = service};
        rx_header_put(packet, &h);
        deliver(client, packet, RX_HEADER + rx_ack_put(packet + RX_HEADER, &a));
        packets++;
    }
    return packets;
}

static int fuzz(unsigned seed, unsigned long rounds)
{
    unsigned long packets = 0, lives = 0, round = 0;
    uint64_t made = 0, broken = 0, unanswered = 0;

    chance_seed(seed);
    quiet = 1;
    for (; packets < rounds; round++) {
        if (round % 3000 == 0) {
            made += server.counts.done;
            broken += server.callbacks.broken;
            unanswered += server.callbacks.unanswered;
            if (lives % 4 == 0)
                format(2, 3000);
            memset(call_number, 0, sizeof(call_number));
            begin(chance(2) ? 1500 : 4000);
            lives++;
            for (unsigned i = 0; i < disk_count; i++)
                if (!volumes[i].online)
                    abort();     /* what it wrote itself it must be able to read */
        }
        packets += call(chance(CLIENTS));
        answer_callbacks();
        now += chance(50) ? chance(3000) : chance(3000000);
        time_passes();
        if (round % 8 == 0)
            check();
    }
    printf(
        "%lu packets, %llu calls well, %llu callbacks broken, %llu times not answered, %lu lives\n",
        packets, (unsigned long long)(made + server.counts.done),
        (unsigned long long)(broken + server.callbacks.broken),
        (unsigned long long)(unanswered + server.callbacks.unanswered), lives);
    free(storage);
    for (unsigned i = 0; i < DISKS; i++)
        free(disks[i].data);
    return 0;
}
#endif
