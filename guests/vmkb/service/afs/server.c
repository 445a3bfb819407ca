/* SPDX-License-Identifier: MIT */
/* A call from its first packet to its last. */
#include "server.h"

#define SWEEP_US 30000000UL      /* between looks at connections to clients that nobody needs */
#define CLIENT_IDLE_US 60000000UL

void afs_init(struct afs_server *s, struct rx *rx, uint32_t epoch)
{
    memset(s, 0, offsetof(struct afs_server, calls));
    for (unsigned i = 0; i < AFS_CALLS; i++)
        s->calls[i].state = CALL_FREE;
    callbacks_init(&s->callbacks);
    s->rx = rx;
    s->epoch = epoch;
    s->next = ~0UL;
}

static void arm(struct afs_server *s, uint64_t at)
{
    if (at < s->next)
        s->next = at;
}

void afs_drop(struct afs_call *c)
{
    if (c->state == CALL_FREE)
        return;
    if (c->state == CALL_FETCHING)
        volume_fetch_end(&c->fetch);
    else if (c->state == CALL_STORING)
        volume_store_abort(c->volume, &c->store);
    if (c->client)
        c->client->calls--;
    c->call->user = 0;
    c->call = 0;
    c->state = CALL_FREE;
}

static void fail(struct afs_server *s, struct afs_call *c, int32_t code)
{
    struct rx_call *call = c->call;

    s->counts.failed++;
    afs_drop(c);
    rx_abort(s->rx, call, code);
}

/* Reply's bytes up to `to`. True: all were taken. */
static bool put(struct afs_server *s, struct afs_call *c, uint32_t to)
{
    c->reply_at += rx_write(s->rx, c->call, c->reply + c->reply_at, to - c->reply_at);
    return c->reply_at == to;
}

static bool put_file(struct afs_server *s, struct afs_call *c)
{
    struct volume_fetch *f = &c->fetch;

    while (f->have || f->left) {
        int code = f->have ? 0 : volume_fetch_more(c->volume, f, c->buffer);
        if (code) {
            fail(s, c, code);
            return false;
        }
        uint32_t n = rx_write(s->rx, c->call, f->bytes, f->have);
        f->bytes += n;
        f->have -= n;
        s->counts.bytes_fetched += n;
        if (f->have)
            return false;
    }
    return true;
}

static void send_on(struct afs_server *s, struct afs_call *c)
{
    c->moved_at = s->rx->now;
    if (c->reply_at < c->head_len && !put(s, c, c->head_len))
        return;
    if (c->state == CALL_FETCHING && !put_file(s, c))
        return;
    if (put(s, c, c->reply_len))
        rx_end(s->rx, c->call);
}

/* The reply is made; it goes when all clients that must know have answered. */
static void reply(struct afs_server *s, struct afs_call *c)
{
    c->reply_len = (uint32_t)(c->out.at - c->reply);
    if (c->state == CALL_FETCHING) {
        send_on(s, c);
    } else if (c->awaits) {
        c->state = CALL_WAITING;
        c->wait_until = s->rx->now + AFS_BREAK_US;
        arm(s, c->wait_until);
    } else {
        c->state = CALL_REPLYING;
        c->head_len = 0;
        send_on(s, c);
    }
}

static void run(struct afs_server *s, struct afs_call *c)
{
    c->state = CALL_ARGUMENTS;
    int code = afs_run(s, c);

    if (!code && c->out.bad)
        code = AFS_EIO;
    if (code)
        fail(s, c, code);
    else if (c->state != CALL_STORING)
        reply(s, c);
}

/* All of the request is there. */
static void asked(struct afs_server *s, struct afs_call *c)
{
    if (c->state == CALL_STORING) {
        int code = afs_store_done(s, c);
        c->state = CALL_ARGUMENTS; /* nothing of the store is held */
        if (code)
            fail(s, c, code);
        else
            reply(s, c);
        return;
    }
    if (c->state != CALL_ARGUMENTS)
        return;
    if (c->client && c->client->state == CLIENT_NEW && c->client->telling) {
        c->state = CALL_HELD;
        c->awaited[callbacks_index(&s->callbacks, c->client)] = 1;
        c->awaits = 1;
        c->wait_until = s->rx->now + AFS_BREAK_US;
        arm(s, c->wait_until);
        return;
    }
    run(s, c);
}

static void go_on(struct afs_server *s, struct afs_call *c)
{
    if (c->state == CALL_HELD) {
        run(s, c);
    } else {
        c->state = CALL_REPLYING;
        c->head_len = 0;
        send_on(s, c);
    }
}

void afs_settle(struct afs_server *s, const struct afs_client *of)
{
    unsigned i = callbacks_index(&s->callbacks, of);

    for (struct afs_call *c = s->calls; c < s->calls + AFS_CALLS; c++) {
        if ((c->state != CALL_WAITING && c->state != CALL_HELD) || !c->awaited[i])
            continue;
        c->awaited[i] = 0;
        if (--c->awaits == 0)
            go_on(s, c);
    }
}

static void begin(struct afs_server *s, struct rx_call *call)
{
    struct afs_call *c = s->calls;
    bool fresh;

    s->counts.calls++;
    while (c < s->calls + AFS_CALLS && c->state != CALL_FREE)
        c++;
    if (c == s->calls + AFS_CALLS) {
        s->counts.busy++;
        rx_abort(s->rx, call, AFS_VBUSY);
        return;
    }
    memset(c, 0, offsetof(struct afs_call, args));
    c->call = call;
    call->user = c;
    c->state = CALL_ARGUMENTS;
    c->moved_at = s->rx->now;
    c->out = (struct xdr_out){c->reply, sizeof(c->reply), false};
    arm(s, s->rx->now + AFS_IDLE_US);
    c->client = callbacks_client(&s->callbacks, &call->conn->peer, s->rx->now, &fresh);
    if (c->client)
        c->client->calls++;
    if (fresh) {
        afs_tell(s, c->client);
        arm(s, s->rx->now + SWEEP_US);
    }
}

void afs_event(struct afs_server *s, struct rx_call *call, enum rx_event what)
{
    struct afs_call *c = call->user;

    if (call->conn->client) {
        if (what == RX_END || what == RX_FAILED)
            afs_told(s, call, what == RX_END);
        return;
    }
    if (what == RX_NEW) {
        begin(s, call);
        return;
    }
    if (!c)
        return;
    switch (what) {
    case RX_END:
        asked(s, c);
        break;
    case RX_ROOM:
        send_on(s, c);
        break;
    case RX_DONE:
        s->counts.done++;
        afs_drop(c);
        break;
    default:
        s->counts.failed++;
        afs_drop(c);
        break;
    }
}

static void store(struct afs_server *s, struct afs_call *c, const uint8_t *bytes, uint32_t len)
{
    int code = len ? volume_store_more(&c->store, bytes, len) : 0;

    s->counts.bytes_stored += len;
    if (code)
        fail(s, c, code);
}

void afs_data(struct afs_server *s, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct afs_call *c = call->user;

    if (call->conn->client || !c)
        return;
    c->moved_at = s->rx->now;
    if (c->state == CALL_STORING) {
        store(s, c, bytes, len);
        return;
    }
    uint32_t n = AFS_ARGS - c->args_len;
    if (n > len)
        n = len;
    memcpy(c->args + c->args_len, bytes, n);
    c->args_len += n;
    uint32_t need = afs_args_needed(c);
    if (!need) {
        if (n < len)
            fail(s, c, AFS_EARGS);
        return;
    }
    if (c->args_len < need)
        return;
    uint32_t over = c->args_len - need; /* bytes of the file that came with the arguments */
    c->args_len = need;
    run(s, c);
    if (c->state == CALL_STORING)
        store(s, c, bytes + n - over, len - n + over);
}

static void tick_call(struct afs_server *s, struct afs_call *c)
{
    uint64_t now = s->rx->now;

    if (c->state == CALL_FREE)
        return;
    if (c->state == CALL_WAITING || c->state == CALL_HELD) {
        if (now < c->wait_until) {
            arm(s, c->wait_until);
            return;
        }
        uint8_t late[AFS_CLIENTS]; /* what goes on then may wait for others */
        memcpy(late, c->awaited, sizeof(late));
        for (unsigned i = 0; i < AFS_CLIENTS; i++)
            if (late[i])
                afs_untold(s, &s->callbacks.clients[i]);
    } else if (now - c->moved_at >= AFS_IDLE_US) {
        fail(s, c, RX_ETIMEOUT);
    } else {
        arm(s, c->moved_at + AFS_IDLE_US);
    }
}

void afs_tick(struct afs_server *s)
{
    uint64_t now = s->rx->now;

    if (now < s->next)
        return;
    s->next = ~0UL;
    for (struct afs_call *c = s->calls; c < s->calls + AFS_CALLS; c++)
        tick_call(s, c);
    for (struct afs_client *c = s->callbacks.clients; c < s->callbacks.clients + AFS_CLIENTS; c++) {
        if (!c->conn)
            continue;
        if (!c->telling
            && (c->state == CLIENT_DOWN || c->conn->error || now - c->seen >= CLIENT_IDLE_US)) {
            rx_disconnect(s->rx, c->conn);
            c->conn = 0;
        } else {
            arm(s, now + SWEEP_US);
        }
    }
}
