/* SPDX-License-Identifier: MIT */
/* Bytes between clients and connections. A SEND is received into buffers of DATABUFFERPOOLSIZE,
 * which TCP sends from without copying and gives back when they are acknowledged: a larger pool
 * lets more be under way. */
#include "sock.h"

static uint8_t *free_buffers;    /* each begins with the address of the next */
static unsigned free_count, made;
static uint8_t starved;          /* a SEND waits for a buffer */

unsigned sockets_free_buffers(void)
{
    return free_count;
}

static void give_back(uint8_t *b)
{
    *(uint8_t **)b = free_buffers;
    free_buffers = b;
    free_count++;
}

/* The pool is what PROFILE TCPIP asks for, or what the machine's storage has room for: then that is
 * said. */
void buffers_init(void)
{
    struct diag_space sp;
    uint32_t size = (profile.data_buffer_size + 4095) & ~4095u;

    diag_space(&sp);
    uint64_t at = (sp.free_from + 4095) & ~4095UL, end = sp.size - 0x10000;
    while (free_count < profile.data_buffers && at + size <= end) {
        give_back((uint8_t *)at);
        at += size;
    }
    made = free_count;
    if (free_count < profile.data_buffers)
        say("DTCPAR053I DATABUFFERPOOLSIZE %u %u DOES NOT FIT; %u BUFFERS MADE",
            profile.data_buffers, profile.data_buffer_size, free_count);
}

void sock_drop_buffers(struct sock *s)
{
    for (unsigned i = 0; i < s->flight_count; i++)
        give_back(s->flight[i].buffer);
    s->flight_count = 0;
}

bool client_idle(const struct stack_tcp *t)
{
    return sock_idle(sock_of(t));
}

bool sock_idle(const struct sock *s)
{
    return !s->flight_count && !s->send_count && !s->copied;
}

static void next_send(struct sock *s)
{
    struct call c = s->send[0];

    s->send_count--;
    s->send_taken = 0;
    memmove(s->send, s->send + 1, s->send_count * sizeof(s->send[0]));
    if (!c.room)
        sock_answer(s, &c, SOCK_EOK, (int)c.len, 0, 0);
    else if (s->state == SOCK_CLOSING)
        sock_answer(s, &c, SOCK_ECANCELLED, 0, 0, 0);
    else if (c.msgid)
        sock_await(s, &(struct call){c.msgid, c.room, c.all, 0});
}

/* The client took its first SEND back. */
static void taken_back(struct sock *s)
{
    s->send[0].msgid = 0;
    s->lost = s->state == SOCK_CLOSING;
}

/* A short SEND does without a data buffer: a session that says a few words and is not listened to
 * would hold one. TCP has its copy; true: it was taken. */
static bool copy(struct sock *s)
{
    static uint8_t received[COPY_MAX];
    uint32_t n = s->send[0].len;
    const void *bytes = sock_text(s->send[0].msgid, n);
    struct iucv_parm p = {
        .path = s->path, .msgid = s->send[0].msgid, .buffer = (uintptr_t)received, .len = n};

    if (s->copied + n > COPIED_MAX || n > stack_tcp_room(&s->tcp))
        return false;
    if (!bytes && iucv(IUCV_RECEIVE, &p) == IUCV_OK)
        bytes = received;
    if (!bytes) {
        taken_back(s);
    } else if (stack_tcp_write(&s->tcp, bytes, (uint16_t)n, true, false)) {
        s->copied += n;
    } else {
        sock_answer(s, &s->send[0], SOCK_ELIMIT, 0, 0, 0);
    }
    next_send(s);
    return true;
}

/* The second buffer of a socket and further ones leave half of the pool to others: connections
 * whose other side does not read cannot hold it all. */
static bool may_take(const struct sock *s)
{
    return s->flight_count < FLIGHT && free_buffers && (!s->flight_count || free_count > made / 2);
}

/* Receive the first SEND message, or as much of it as a buffer holds. False: nothing could be
 * taken. */
static bool take(struct sock *s)
{
    if (!s->send_count)
        return false;
    if (s->send[0].len <= COPY_MAX && !s->flight_count)
        return copy(s);
    if (!may_take(s)) {
        starved |= s->flight_count < FLIGHT;
        return false;
    }
    uint8_t *b = free_buffers;
    free_buffers = *(uint8_t **)b;
    free_count--;
    struct iucv_parm p = {.path = s->path, .msgid = s->send[0].msgid, .buffer = (uintptr_t)b,
                          .len = profile.data_buffer_size};
    long rc = iucv(IUCV_RECEIVE, &p);
    uint32_t left = s->send[0].len - s->send_taken;
    uint32_t n = left < profile.data_buffer_size ? left : profile.data_buffer_size;
    if ((rc != IUCV_OK && rc != IUCV_ETRUNC) || n == 0) {
        give_back(b);
        taken_back(s);
    } else {
        s->flight[s->flight_count++] = (struct flight){.buffer = b, .len = n};
        s->send_taken += n;
    }
    if (rc != IUCV_ETRUNC)
        next_send(s);
    return true;
}

/* A client that sent a whole buffer has more, or ends the connection: what would be a short segment
 * waits for that. Otherwise it would depend on how late the client is in how many segments a file
 * is sent. */
static uint32_t kept_back(const struct sock *s, const struct flight *last)
{
    if (last->len < SOCK_SEND_MAX || s->send_count || s->shut || s->state != SOCK_OPEN)
        return 0;
    return (s->streamed + last->len - last->written) % stack_tcp_mss(&s->tcp);
}

static void write_out(struct sock *s, bool all)
{
    unsigned i = s->flight_count;

    /* those before the first that TCP has not whole need no look */
    while (i && s->flight[i - 1].written < s->flight[i - 1].len)
        i--;
    for (; i < s->flight_count; i++) {
        struct flight *f = &s->flight[i];
        bool last = i + 1 == s->flight_count;
        uint32_t keep = last && !all ? kept_back(s, f) : 0;
        while (f->written + keep < f->len) {
            uint32_t n = f->len - f->written - keep, room = stack_tcp_room(&s->tcp);
            if (n > room)
                n = room;
            if (n == 0)
                return;
            bool more = f->written + n < f->len || !last || s->send_count;
            if (!stack_tcp_write(&s->tcp, f->buffer + f->written, (uint16_t)n, false, more))
                return;      /* not now: client_acknowledged or client_polled comes again */
            f->written += n;
            s->streamed += n;
        }
    }
}

/* Once all that a closing client sent is in TCP's hands, FIN goes behind it: after the
 * acknowledgement it would wait for the other side's delayed one, up to 250 ms. */
static void end_early(struct sock *s)
{
    const struct flight *last = s->flight_count ? &s->flight[s->flight_count - 1] : 0;

    if ((s->state != SOCK_CLOSING && !s->shut) || s->ended || s->send_count || s->lost
        || (last && last->written < last->len))
        return;
    s->ended = stack_tcp_end(&s->tcp);
}

void sock_pump(struct sock *s)
{
    if (!stack_tcp_lives(&s->tcp) || (s->state != SOCK_OPEN && s->state != SOCK_CLOSING))
        return;
    if (stack_tcp_may_write(&s->tcp)) {
        while (take(s))
            ;
        write_out(s, false);
        end_early(s);
    }
    stack_tcp_push(&s->tcp);
}

void sock_pump_starved(void)
{
    static unsigned from;    /* not always the same one first */

    if (!starved || !free_buffers)
        return;
    starved = 0;
    from++;
    for (unsigned i = 0; i < SOCKS; i++) {
        struct sock *s = &socks[(from + i) % SOCKS];
        if (s->state != SOCK_FREE && s->send_count && may_take(s))
            sock_pump(s);
    }
}

/* The connection did not get on for LINGER_S after its client closed it: the other side reads
 * nothing, or is not there. Otherwise, once more what TCP had no storage for. */
bool client_polled(struct stack_tcp *t)
{
    struct sock *s = sock_of(t);

    if ((s->state == SOCK_CLOSING && ++s->idle > LINGER_S / CLIENT_POLL_S) || s->lost
        || sock_given_up(s)) {
        sock_abort(s);
        return false;
    }
    if (s->polled)
        sock_deliver(s, true); /* a slow sender's bytes are not kept back for ever */
    s->polled = stack_tcp_unread(t) != 0;
    if (s->flight_count && stack_tcp_quiet(t))
        write_out(s, true);  /* nor is the end of what a client sends that had no more after all */
    if (s->send_count || s->flight_count)
        sock_pump(s);
    return true;
}

void client_acknowledged(struct stack_tcp *t, uint32_t left)
{
    struct sock *s = sock_of(t);

    s->idle = 0;
    if (s->copied) {
        uint32_t n = s->copied < left ? s->copied : left;
        s->copied -= n;
        left -= n;
    }
    while (left && s->flight_count) {
        struct flight *f = &s->flight[0];
        uint32_t n = f->len - f->acked < left ? f->len - f->acked : left;
        f->acked += n;
        left -= n;
        if (f->acked == f->len) {
            give_back(f->buffer);
            s->flight_count--;
            memmove(s->flight, s->flight + 1, s->flight_count * sizeof(*f));
        }
    }
    sock_pump(s);
    if (s->state == SOCK_CLOSING && sock_idle(s) && !s->lost)
        sock_close(s);
}

/* When input buffers are short, those who left much unread get no more. */
static bool short_of_input(const struct sock *s)
{
    return stack_tcp_unread(&s->tcp) > RX_KEEP && stack_short_of_input();
}

enum offer client_offered(struct stack_tcp *t)
{
    struct sock *s = sock_of(t);

    if (s->state == SOCK_CLOSING)
        return OFFER_DROP;
    if (short_of_input(s)) {
        sock_deliver(s, true);
        if (short_of_input(s))
            return OFFER_LATER;
    }
    sock_mark(s);
    return OFFER_TAKE;
}

/* Ends are told in the order in which they came: to FTPSERVE a data connection's is that of the
 * file, unless the control connection ended before. */
void client_ended(struct stack_tcp *t)
{
    sock_of(t)->fin = 1;
    sock_mark_last(sock_of(t));
}

void client_gone(struct stack_tcp *t, bool timed_out)
{
    struct sock *s = sock_of(t);
    bool was_connecting = s->state == SOCK_CONNECTING;

    sock_failed(s, timed_out        ? SOCK_ETIMEDOUT
                   : was_connecting ? SOCK_EREFUSED
                                    : SOCK_ERESET);
    if (s->state == SOCK_CLOSING || s->unnamed)
        sock_release(s);
}

void sock_next_recv(struct sock *s)
{
    s->recv_count--;
    memmove(s->recv, s->recv + 1, s->recv_count * sizeof(s->recv[0]));
}

/* Its client learns the number of a socket of CONNECT_FROM with the first bytes. False: it had
 * taken the call back, and nobody would ever close the socket. */
static bool name_it(struct sock *s, struct call *c, int rc, uint32_t n)
{
    const struct sock_address own = {profile.address, s->bound_port, 0};

    memcpy(sock_reply_data, &own, sizeof(own));
    s->unnamed = 0;
    s->lost = !sock_answer(s, c, rc, sock_number(s), sock_reply_data, sizeof(own) + n);
    return !s->lost;
}

/* Answer the first RECV, with all there is or all it has room for. False: it goes on waiting. */
static bool deliver(struct sock *s, bool now)
{
    struct call *c = &s->recv[0];
    uint32_t room = c->len - sizeof(struct sock_reply), n = stack_tcp_unread(&s->tcp);
    uint8_t *data = sock_reply_data + (s->unnamed ? sizeof(struct sock_address) : 0);

    if (!n && !s->error && !s->fin)
        return false;
    if (room > SOCK_RECV_MAX)
        room = SOCK_RECV_MAX;
    if (n > room)
        n = room;
    if (c->all && n < room && !now && !s->fin && !s->error && !stack_tcp_hurries(&s->tcp))
        return false;
    stack_tcp_copy(&s->tcp, data, n);
    int rc = n || !s->error ? c->all && s->fin && n < room ? SOCK_LAST : SOCK_EOK : s->error;
    bool taken = s->unnamed && rc >= 0 ? name_it(s, c, rc, n)
                                       : sock_answer(s, c, rc, (int)n, data, n);
    if (!c->all || rc == SOCK_LAST)
        link_expects_call(); /* the next command, or CLOSE */
    sock_next_recv(s);
    if (!taken || !n)
        return true; /* the client had taken the call back: the bytes stay for the next one */
    s->polled = 0;
    stack_tcp_taken(&s->tcp, n);
    return true;
}

void sock_deliver(struct sock *s, bool now)
{
    while (s->recv_count && deliver(s, now))
        ;
}

void sock_await(struct sock *s, const struct call *recv)
{
    if (s->recv_count == RECV_QUEUE) { /* so many only if older ones were taken back */
        sock_answer(s, &s->recv[0], SOCK_ECANCELLED, 0, 0, 0);
        sock_next_recv(s);
    }
    s->recv[s->recv_count++] = *recv;
    sock_deliver(s, false);
}
