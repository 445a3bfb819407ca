/* SPDX-License-Identifier: MIT */
/* Routing of an end node on one Ethernet: every node is reached directly at the address that its
 * number gives. */
#include "dn_wire.h"

#define CONTROL      0x01
#define FORMAT       0x07
#define SHORT_FORMAT 0x02
#define LONG_FORMAT  0x06
#define RETURN_TO_SENDER 0x08
#define RETURNED     0x10
#define INTRA_ETHERNET 0x20
#define MUST_BE_0    0x40
#define PADDED       0x80
#define ROUTING_1    0x07    /* between routers: level 1 and level 2 */
#define ROUTING_2    0x09
#define HELLO_ENDNODE 0x0d
#define HELLO_ROUTER 0x0b
#define SHORT_HEADER 6
#define ENDNODE      3
#define TEST_DATA    2

static const uint8_t hiord[4] = {0xaa, 0x00, 0x04, 0x00};
static const uint8_t all_routers[6] = {0xab, 0x00, 0x00, 0x03, 0x00, 0x00};

static uint8_t *put_id(uint8_t *p, unsigned node)
{
    memcpy(p, hiord, 4);
    return put16(p + 4, node);
}

void dn_init(struct decnet *d, const struct dn_ops *ops, uint16_t address, uint64_t now_us)
{
    memset(d, 0, sizeof(*d));
    d->ops = ops;
    d->address = address;
    put_id(d->mac, address);
    d->now = now_us;
    d->hello_at = now_us + DN_FIRST_US;
    d->due = d->hello_at;
}

static bool send(struct decnet *d, const uint8_t *to, uint8_t *frame, uint8_t *end)
{
    size_t len = (size_t)(end - frame);

    memcpy(frame, to, 6);
    memcpy(frame + 6, d->mac, 6);
    frame[12] = DN_ETHERTYPE >> 8;
    frame[13] = DN_ETHERTYPE & 0xff;
    put16(frame + ETH, (unsigned)(len - ETH - LENGTH));
    if (len < FRAME_MIN) {
        memset(frame + len, 0, FRAME_MIN - len);
        len = FRAME_MIN;
    }
    d->counts.frames_out++;
    return d->ops->send(d, frame, len);
}

/* frame has a message from dn_body(frame) to end: the headers are put before it. */
bool route_send(struct decnet *d, unsigned node, uint8_t *frame, uint8_t *end, bool return_it)
{
    uint8_t to[6];
    uint8_t *p = frame + ETH + LENGTH;

    put_id(to, node);
    *p++ = LONG_FORMAT | INTRA_ETHERNET | (return_it ? RETURN_TO_SENDER : 0);
    p = put16(p, 0);
    p = put_id(p, node);
    p = put16(p, 0);
    p = put_id(p, d->address);
    memset(p, 0, 4);         /* no level 2 router, no visits, class, type */
    return send(d, to, frame, end);
}

static void route_hello(struct decnet *d)
{
    uint8_t frame[FRAME_MIN + 16];
    uint8_t *p = frame + ETH + LENGTH;

    *p++ = HELLO_ENDNODE;
    *p++ = 2;
    *p++ = 0;
    *p++ = 0;
    p = put_id(p, d->address);
    *p++ = ENDNODE;
    p = put16(p, DN_BLOCK);
    memset(p, 0, 1 + 8 + 6); /* area, seed, designated router */
    p = put16(p + 1 + 8 + 6, DN_HELLO_US / 1000000);
    *p++ = 0;
    *p++ = TEST_DATA;
    memset(p, 0xaa, TEST_DATA);
    send(d, all_routers, frame, p + TEST_DATA);
}

static bool is_id(const uint8_t *p)
{
    return memcmp(p, hiord, 4) == 0 && le16(p + 4) >> 10 && (le16(p + 4) & 0x3ff);
}

static unsigned if_ours(struct decnet *d, unsigned to, unsigned from)
{
    if (to == d->address)
        return from;
    d->counts.not_ours++;
    return 0;
}

/* Data for us: the node it is from, or 0; *at is moved to NSP's message. */
static unsigned long_from(struct decnet *d, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;

    if (left(p, end) < LONG_HEADER || (*p & MUST_BE_0) || !is_id(p + 3) || !is_id(p + 11)) {
        d->counts.malformed++;
        return 0;
    }
    *at = p + LONG_HEADER;
    return if_ours(d, le16(p + 7), le16(p + 15));
}

static unsigned short_from(struct decnet *d, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;

    if (left(p, end) < SHORT_HEADER || (*p & MUST_BE_0) || !(le16(p + 3) >> 10)
        || !(le16(p + 3) & 0x3ff)) {
        d->counts.malformed++;
        return 0;
    }
    *at = p + SHORT_HEADER;
    return if_ours(d, le16(p + 1), le16(p + 3));
}

static void route_message(struct decnet *d, const uint8_t *p, const uint8_t *end)
{
    unsigned flags = *p, node;

    if (flags & CONTROL) {
        if (flags == HELLO_ENDNODE || flags == HELLO_ROUTER)
            d->counts.hellos_in++; /* an end node asks no router: nothing to learn */
        else if (flags == ROUTING_1 || flags == ROUTING_2)
            d->counts.routing_in++; /* between routers */
        else
            d->counts.malformed++;
        return;
    }
    if ((flags & FORMAT) == LONG_FORMAT) {
        node = long_from(d, &p, end);
    } else if ((flags & FORMAT) == SHORT_FORMAT) {
        node = short_from(d, &p, end);
    } else {
        d->counts.malformed++;
        return;
    }
    if (!node)
        return;
    if (node == d->address && !(flags & RETURNED)) {
        d->counts.violations++; /* nobody else has our address */
        return;
    }
    nsp_message(d, node, p, end, (flags & RETURNED) != 0);
}

void dn_frame(struct decnet *d, const uint8_t *frame, size_t len, uint64_t now_us)
{
    const uint8_t *p = frame + ETH + LENGTH, *end;

    d->now = now_us;
    d->counts.frames_in++;
    if (len >= ETH + LENGTH + 1 && !(frame[0] & 1) && memcmp(frame, d->mac, 6) != 0) {
        d->counts.not_ours++; /* a LAN that floods */
        return;
    }
    if (len < ETH + LENGTH + 1 || !le16(frame + ETH) || le16(frame + ETH) > len - ETH - LENGTH) {
        d->counts.malformed++;
        return;
    }
    end = p + le16(frame + ETH);
    if (*p & PADDED) {
        size_t pad = *p & 0x7f;
        if (!pad || pad >= left(p, end) || (p[pad] & PADDED)) {
            d->counts.malformed++;
            return;
        }
        p += pad;
    }
    route_message(d, p, end);
    d->ops->work_for(d, 0);
}

void dn_tick(struct decnet *d, uint64_t now_us)
{
    d->now = now_us;
    if (now_us < d->due)
        return;
    d->due = UINT64_MAX;
    if (now_us >= d->hello_at) {
        d->hello_at = now_us + DN_HELLO_US;
        route_hello(d);
    }
    due_at(d, d->hello_at);
    for (unsigned i = 0; i < DN_LINKS; i++)
        if (d->link[i].state != DN_FREE) {
            d->ops->work_for(d, &d->link[i]);
            nsp_tick(&d->link[i]);
        }
    d->ops->work_for(d, 0);
}
