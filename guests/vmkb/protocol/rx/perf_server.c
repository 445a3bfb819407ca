/* SPDX-License-Identifier: MIT */
#include "perf.h"

static void finish(struct perf_serving *p)
{
    p->call->user = 0;
    p->call = 0;
}

static void fail(struct perf_server *s, struct perf_serving *p, int32_t code)
{
    struct rx_call *call = p->call;

    s->failed++;
    finish(p);
    rx_abort(s->rx, call, code);
}

static void begin(struct perf_server *s, struct rx_call *call)
{
    struct perf_serving *p = s->serving;

    while (p < s->serving + PERF_CALLS && p->call)
        p++;
    if (p == s->serving + PERF_CALLS) {
        rx_abort(s->rx, call, PERF_EBUSY);
        return;
    }
    *p = (struct perf_serving){.call = call};
    call->user = p;
}

/* The bytes of a read, as far as there is room; then the end. */
static void send_on(struct perf_server *s, struct perf_serving *p)
{
    uint32_t before = p->left;
    bool all = perf_send(s->rx, p->call, &p->at, &p->left);

    s->bytes_out += before - p->left;
    if (all)
        rx_end(s->rx, p->call);
}

static void reply(struct perf_server *s, struct perf_serving *p)
{
    uint8_t word[4];

    if (p->head_len < sizeof(p->head) || (p->operation == PERF_WRITE && p->left)) {
        fail(s, p, RX_EEOF);
        return;
    }
    if (p->operation == PERF_READ) {
        send_on(s, p);
        return;
    }
    if (p->operation == PERF_WRITE) {
        rx_put32(word, p->at);
        rx_write(s->rx, p->call, word, sizeof(word));
    }
    rx_end(s->rx, p->call);
}

void perf_server_event(struct perf_server *s, struct rx_call *call, enum rx_event what)
{
    struct perf_serving *p = call->user;

    if (what == RX_NEW) {
        begin(s, call);
        return;
    }
    if (!p)
        return;
    switch (what) {
    case RX_END:
        reply(s, p);
        break;
    case RX_ROOM:
        send_on(s, p);
        break;
    case RX_DONE:
        s->calls[p->operation]++;
        finish(p);
        break;
    default:
        s->failed++;
        finish(p);
        break;
    }
}

/* The two words that begin a request. Returns the bytes that were of them. */
static uint32_t head(struct perf_serving *p, const uint8_t *bytes, uint32_t len)
{
    uint32_t n = (uint32_t)sizeof(p->head) - p->head_len;

    if (n > len)
        n = len;
    memcpy(p->head + p->head_len, bytes, n);
    p->head_len += n;
    if (n && p->head_len == sizeof(p->head)) {
        p->operation = rx_get32(p->head);
        p->left = rx_get32(p->head + 4);
    }
    return n;
}

void perf_server_data(struct perf_server *s, struct rx_call *call, const uint8_t *bytes,
                      uint32_t len)
{
    struct perf_serving *p = call->user;

    if (!p)
        return;
    uint32_t n = head(p, bytes, len);
    bytes += n;
    len -= n;
    if (p->head_len == sizeof(p->head) && p->operation > PERF_READ)
        fail(s, p, RX_EOPCODE);
    else if (!len)
        return;
    else if (p->operation != PERF_WRITE || len > p->left || !perf_right(bytes, p->at, len))
        fail(s, p, PERF_EBYTES);
    else {
        p->at += len;
        p->left -= len;
        s->bytes_in += len;
    }
}
