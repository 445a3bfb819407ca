/* SPDX-License-Identifier: MIT */
#include "location.h"
#include "xdr.h"

#define NAME_WORDS 65            /* each character of a name is a word */
#define SERVERS    8
#define SERVERS_U  13
#define READ_WRITE 0x1000        /* the volume has that one; of a server: 4 */
#define UUID_WORDS 11

static void finish(struct location_call *c)
{
    c->call->user = 0;
    c->call = 0;
}

static void put_words(struct xdr_out *x, uint32_t value, unsigned count)
{
    while (count--)
        xdr_put(x, value);
}

static void put_name(struct xdr_out *x, const struct location_volume *v)
{
    for (unsigned i = 0; i < NAME_WORDS; i++)
        xdr_put(x, i < v->name_len ? v->name[i] : 0);
}

/* The server's own unique number: VMKB and its address. */
static void put_uuid(struct xdr_out *x, uint32_t server)
{
    xdr_put(x, 0x564d4b42);
    put_words(x, 0, 4);
    xdr_put(x, 2);
    xdr_put(x, 0);
    for (unsigned i = 0; i < 4; i++)
        xdr_put(x, server >> (24 - 8 * i) & 0xff);
}

/* The first of `count` is the server's; the others are none's. */
static void put_first(struct xdr_out *x, uint32_t first, unsigned count)
{
    xdr_put(x, first);
    put_words(x, 0, count - 1);
}

static void put_ids(struct xdr_out *x, const struct location_volume *v)
{
    put_first(x, v->id, 3);      /* no read-only, no backup */
    xdr_put(x, 0);               /* no clone */
    xdr_put(x, READ_WRITE);
}

static void put_entry(struct location *l, struct xdr_out *x, const struct location_volume *v)
{
    put_name(x, v);
    xdr_put(x, 0);
    xdr_put(x, 1);
    put_first(x, l->server, SERVERS);
    put_first(x, 0, SERVERS);    /* partition a */
    put_first(x, 4, SERVERS);
    put_ids(x, v);
}

static void put_entry_u(struct location *l, struct xdr_out *x, const struct location_volume *v)
{
    put_name(x, v);
    xdr_put(x, 1);
    put_uuid(x, l->server);
    put_words(x, 0, UUID_WORDS * (SERVERS_U - 1));
    put_first(x, 1, SERVERS_U);  /* the list of addresses has changed so often */
    put_first(x, 0, SERVERS_U);
    put_first(x, 4 | 0x10, SERVERS_U); /* 10: it is told by its unique number */
    put_ids(x, v);
    put_words(x, 0, 9);
}

static void put_entry_n(struct location *l, struct xdr_out *x, const struct location_volume *v)
{
    put_name(x, v);
    xdr_put(x, 1);
    put_first(x, l->server, SERVERS_U);
    put_first(x, 0, SERVERS_U);
    put_first(x, 4, SERVERS_U);
    put_ids(x, v);
    put_words(x, 0, 9);
}

static const struct location_volume *by_id(const struct location *l, uint32_t id)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->volumes[i].id == id)
            return &l->volumes[i];
    return 0;
}

/* A name of digits is a number. */
static const struct location_volume *by_name(const struct location *l, const uint8_t *name,
                                             uint32_t len)
{
    uint32_t id = 0, i = 0;

    for (; i < len && name[i] >= 0x30 && name[i] <= 0x39 && id < 400000000; i++)
        id = id * 10 + name[i] - 0x30;
    if (len && i == len)
        return by_id(l, id);
    for (i = 0; i < l->count; i++)
        if (l->volumes[i].name_len == len && memcmp(l->volumes[i].name, name, len) == 0)
            return &l->volumes[i];
    return 0;
}

static int addresses(struct location *l, struct xdr_in *in, struct xdr_out *out)
{
    uint32_t mask = xdr_get(in), address = xdr_get(in), index = xdr_get(in);

    if (in->bad)
        return AFS_EARGS;
    if ((mask & 1 && address != l->server) || (mask & 2 && index != 1))
        return LOCATION_NONE;
    put_uuid(out, l->server);
    xdr_put(out, 1);
    xdr_put(out, 1);
    xdr_put(out, 1);
    xdr_put(out, l->server);
    return 0;
}

/* All servers' addresses: ours. */
static int servers(struct location *l, struct xdr_in *in, struct xdr_out *out)
{
    xdr_get(in);
    xdr_get(in);
    put_words(out, 0, 4);        /* no promise to tell of changes */
    xdr_put(out, 1);
    xdr_put(out, 1);
    xdr_put(out, l->server);
    return in->bad ? AFS_EARGS : 0;
}

enum { OF_SERVER = 1, OF_PARTITION = 2, OF_ID = 8, OF_FLAG = 0x10 };

/* The volumes that have what the request names; with a name, as LIST_N2 has it, those called so. */
static int list(struct location *l, struct xdr_in *in, struct xdr_out *out, bool named)
{
    uint32_t mask = xdr_get(in), server = xdr_get(in), partition = xdr_get(in), len = 0, found = 0;
    xdr_get(in);
    uint32_t id = xdr_get(in), flag = xdr_get(in);
    const uint8_t *name = named ? xdr_get_string(in, NAME_WORDS, &len) : 0;
    uint32_t first = named ? xdr_get(in) : 0;
    uint8_t *counts = out->at;

    xdr_put(out, 0);
    xdr_put(out, 0);
    for (uint32_t i = first; i < l->count; i++) {
        const struct location_volume *v = &l->volumes[i];
        if ((mask & OF_SERVER && server != l->server) || (mask & OF_PARTITION && partition)
            || (mask & OF_ID && id != v->id) || (mask & OF_FLAG && !(flag & READ_WRITE))
            || (len && (len != v->name_len || memcmp(name, v->name, len) != 0)))
            continue;
        put_entry_n(l, out, v);
        found++;
    }
    if (!out->bad) {
        rx_put32(counts, found);
        rx_put32(counts + 4, found);
    }
    if (named)
        xdr_put(out, ~0u);       /* that was the last of them */
    return in->bad ? AFS_EARGS : 0;
}

static int answer(struct location *l, struct xdr_in *in, struct xdr_out *out)
{
    uint32_t operation = xdr_get(in), len;
    const struct location_volume *v = 0;

    switch (operation) {
    case LOCATION_PROBE:
        return 0;
    case LOCATION_CAPABILITIES:
        xdr_put(out, 1);         /* never none: see get_capabilities in calls.c */
        xdr_put(out, 0);
        return 0;
    case LOCATION_ADDRESSES:
        return addresses(l, in, out);
    case LOCATION_SERVERS:
        return servers(l, in, out);
    case LOCATION_LIST_N:
    case LOCATION_LIST_N2:
        return list(l, in, out, operation == LOCATION_LIST_N2);
    case LOCATION_BY_ID:
    case LOCATION_BY_ID_N:
    case LOCATION_BY_ID_U:
        v = by_id(l, xdr_get(in));
        xdr_get(in);             /* which of its kinds: there is one */
        break;
    case LOCATION_BY_NAME:
    case LOCATION_BY_NAME_N:
    case LOCATION_BY_NAME_U: {
        const uint8_t *name = xdr_get_string(in, NAME_WORDS, &len);
        v = by_name(l, name, len);
        break;
    }
    default:
        return in->bad ? AFS_EARGS : RX_EOPCODE;
    }
    if (in->bad)
        return AFS_EARGS;
    if (!v)
        return LOCATION_NONE;
    if (operation == LOCATION_BY_ID || operation == LOCATION_BY_NAME)
        put_entry(l, out, v);
    else if (operation == LOCATION_BY_ID_N || operation == LOCATION_BY_NAME_N)
        put_entry_n(l, out, v);
    else
        put_entry_u(l, out, v);
    return 0;
}

static void send_on(struct location *l, struct location_call *c)
{
    c->reply_at += rx_write(l->rx, c->call, c->reply + c->reply_at, c->reply_len - c->reply_at);
    if (c->reply_at == c->reply_len)
        rx_end(l->rx, c->call);
}

static void asked(struct location *l, struct location_call *c)
{
    struct xdr_in in = {c->args, c->args_len, false};
    struct xdr_out out = {c->reply, sizeof(c->reply), false};
    struct rx_call *call = c->call;
    int code = answer(l, &in, &out);

    if (code || out.bad) {
        finish(c);
        rx_abort(l->rx, call, code ? code : AFS_EIO);
        return;
    }
    c->reply_len = (uint32_t)(out.at - c->reply);
    send_on(l, c);
}

static void begin(struct location *l, struct rx_call *call)
{
    for (struct location_call *c = l->calls; c < l->calls + LOCATION_CALLS; c++)
        if (!c->call) {
            c->call = call;
            c->args_len = c->reply_len = c->reply_at = 0;
            call->user = c;
            return;
        }
    rx_abort(l->rx, call, AFS_VBUSY);
}

void location_event(struct location *l, struct rx_call *call, enum rx_event what)
{
    struct location_call *c = call->user;

    if (what == RX_NEW)
        begin(l, call);
    else if (!c)
        return;
    else if (what == RX_END)
        asked(l, c);
    else if (what == RX_ROOM)
        send_on(l, c);
    else
        finish(c);
}

void location_data(struct location *l, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct location_call *c = call->user;

    if (!c)
        return;
    if (len > LOCATION_ARGS - c->args_len) {
        finish(c);
        rx_abort(l->rx, call, AFS_EARGS);
        return;
    }
    memcpy(c->args + c->args_len, bytes, len);
    c->args_len += len;
}

void location_drop(struct location *l)
{
    for (struct location_call *c = l->calls; c < l->calls + LOCATION_CALLS; c++)
        if (c->call)
            finish(c);
}
