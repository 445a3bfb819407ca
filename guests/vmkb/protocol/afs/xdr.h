/* SPDX-License-Identifier: MIT */
/* XDR: words are big-endian, strings are their length, their bytes, and zeros up to a whole word. A
 * reader that is asked for more than there is has `bad` set and gives zeros. */
#ifndef VMKB_XDR_H
#define VMKB_XDR_H
#include "rx_wire.h"

struct xdr_in {
    const uint8_t *at;
    uint32_t left;
    bool bad;
};

struct xdr_out {
    uint8_t *at;
    uint32_t left;
    bool bad;                    /* there was no room */
};

static inline uint32_t xdr_get(struct xdr_in *x)
{
    if (x->left < 4) {
        x->bad = true;
        return 0;
    }
    uint32_t v = rx_get32(x->at);
    x->at += 4;
    x->left -= 4;
    return v;
}

static inline uint64_t xdr_get64(struct xdr_in *x)
{
    uint64_t high = xdr_get(x);

    return high << 32 | xdr_get(x);
}

/* The bytes of a string where they are; *len 0 and bad: it is not whole, or longer than most. */
static inline const uint8_t *xdr_get_string(struct xdr_in *x, uint32_t most, uint32_t *len)
{
    uint32_t n = xdr_get(x), whole = (n + 3u) & ~3u;
    const uint8_t *bytes = x->at;

    if (x->bad || n > most || whole > x->left) {
        x->bad = true;
        *len = 0;
        return x->at;
    }
    x->at += whole;
    x->left -= whole;
    *len = n;
    return bytes;
}

static inline void xdr_put(struct xdr_out *x, uint32_t v)
{
    if (x->left < 4) {
        x->bad = true;
        return;
    }
    rx_put32(x->at, v);
    x->at += 4;
    x->left -= 4;
}

static inline void xdr_put_string(struct xdr_out *x, const void *bytes, uint32_t len)
{
    uint32_t whole = (len + 3u) & ~3u;

    xdr_put(x, len);
    if (x->bad || x->left < whole) {
        x->bad = true;
        return;
    }
    memset(x->at, 0, whole);
    memcpy(x->at, bytes, len);
    x->at += whole;
    x->left -= whole;
}
#endif
