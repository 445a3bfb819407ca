/* SPDX-License-Identifier: MIT */
/* The data connection, and the transfer on it. Out: up to SLOTS SENDs under way, the disk is read
 * into the next while TCPIP has the others. In: INS RECVs under way, one while the other is written
 * to the disk. */
#include "server.h"
#include "translate.h"

#define DATA_PORT 20

static void finish(struct session *s);
static bool read_ahead(struct session *s);
static void stored(struct session *s, const struct net_done *d);
static void connect_from(struct session *s, uint16_t port);

static bool incoming(const struct session *s)
{
    return s->xfer == XFER_STOR || s->xfer == XFER_NULL;
}

void data_port(struct session *s, const struct sock_address *a)
{
    data_forget(s);
    s->port = *a;
    s->passive = false;
}

/* Nobody waits for it: what is said next goes behind it, and TCPIP has both at once. */
static void close_sock(const struct session *s, int *sock, int function)
{
    static struct sock_reply nowhere;

    if (*sock >= 0)
        net_later(&net, &(struct net_ask){.function = function, .sock = *sock, .reply = &nowhere,
                                          .room = sizeof(nowhere)}, tag_of(s, TAG_CLOSED));
    *sock = -1;
}

void data_forget(struct session *s)
{
    close_sock(s, &s->listener, SOCK_CLOSE);
    s->port.port = 0;
    s->passive = false;
}

/* A listening port of our choice, or of the range we were given: there the first that nobody
 * listens on. */
int data_passive(struct session *s)
{
    int rc = SOCK_EADDRINUSE;
    uint16_t port;

    data_forget(s);
    for (unsigned i = passive_count(&passive); i && rc == SOCK_EADDRINUSE; i--)
        rc = net_socket_at(&net, passive_next(&passive), 1, &s->listener, &port);
    s->passive = rc == SOCK_EOK;
    return s->passive ? port : rc;
}

static void ask(struct session *s, const struct net_ask *call, int what)
{
    if (net_later(&net, call, tag_of(s, what)) != 0)
        data_abort(s, 425, "TCPIP takes no more calls; try later.");
}

static void ask_accept(struct session *s)
{
    ask(s, &(struct net_ask){.function = SOCK_ACCEPT, .sock = s->listener, .reply = &s->opened,
                             .room = sizeof(s->opened)}, TAG_ACCEPT);
}

void data_begin(struct session *s)
{
    s->starting = true;
    s->fs_failed = s->net_failed = 0;
    s->eof = false;
    s->bytes = 0;
    s->slot_busy = 0;
    s->slots_out = 0;
    s->in_now = s->in_asked = s->in_skip = 0;
    s->ready = 0;
    s->whole = false;
    s->last_us = s->started_us = now_us();
    if (s->passive) {
        s->opened.head.rc = SOCK_ENOTCONN;
        ask_accept(s);
        return;
    }
    if (s->xfer == XFER_RETR && !read_ahead(s))
        return;
    connect_from(s, DATA_PORT);
}

/* The first slot is filled while nothing is connected: less than that is the whole file. False:
 * that failed. */
static bool read_ahead(struct session *s)
{
    long n = text_out(&s->tout, s->slot[0], SLOT);

    if (n < 0) {
        s->fs_failed = (int)n;
        s->starting = false;
        finish(s);
        return false;
    }
    s->ready = (uint32_t)n;
    s->whole = n > 0 && n < SLOT;
    return true;
}

/* Where CONNECT_FROM is answered: bytes that come are part of that. */
static struct sock_reply *opening(struct session *s)
{
    return !s->passive && incoming(s) ? &s->data_in[0].head : &s->opened.head;
}

/* To the client's PORT. A client that names the same port again and again meets our TIME-WAIT at
 * port 20; then another port of ours does. */
static void connect_from(struct session *s, uint16_t port)
{
    const struct sock_connection to = {s->port.ip, s->port.port, port};
    struct net_ask call = {.function = SOCK_CONNECT_FROM,
                           .data = &to,
                           .len = sizeof(to),
                           .reply = opening(s),
                           .room = sizeof(s->opened)};

    s->own_data_port = port;
    opening(s)->rc = SOCK_ENOTCONN;
    if (incoming(s)) {
        call.room = sizeof(s->data_in[0]);
    } else if (s->whole) {
        s->to = to;
        call.data = &s->to;
        call.len += s->ready;
    }
    ask(s, &call, TAG_CONNECT);
}

/* RFC 3659: for V records the stored size in ASCII (CR LF is as long as the length prefix), without
 * the prefixes in binary. */
uint64_t wire_size(const struct fs_stat *st, bool ascii)
{
    if (st->recfm == FS_VARIABLE)
        return ascii ? st->size : st->size - 2UL * st->records;
    return ascii ? st->size + 2UL * st->records : st->size;
}

/* Clients ask MLSD in ASCII, before any TYPE or behind a TYPE A that is for the list, and go on in
 * Image: ASCII is not the files' type until one of them was moved in it. */
uint64_t facts_size(const struct session *s, const struct fs_stat *st)
{
    return wire_size(st, s->ascii && s->files_ascii);
}

static int list_entry(const struct session *s, const struct fs_stat *st, char *text, size_t size)
{
    int n = 0;

    switch (s->list_style) {
    case LIST_FACTS:
        return list_facts(st, s->facts, facts_size(s, st), text, size);
    case LIST_UNIX:
        return list_unix(st, s->at, wire_size(st, false), now_1900(), text, size);
    case LIST_NAMES:
        n = fmt(text, size, "%s", s->list_before);
        break;
    }
    return n + list_line(st, s->list_style, text + n, size - (size_t)n);
}

static long list_out(struct session *s, uint8_t *to, uint32_t max)
{
    struct fs_stat st;
    uint32_t n = 0;

    while (n + 160 <= max
           && fs_list(&s->at->fs, s->list_fn, s->list_ft, -1, &s->list_cursor, &st) == FS_OK) {
        int k = list_entry(s, &st, (char *)to + n, max - n - 2);
        translate(to + n, (size_t)k, latin1_of_ebcdic);
        n += (uint32_t)k;
        to[n++] = 0x0d;
        to[n++] = 0x0a;
    }
    return (long)n;
}

static bool failed(const struct session *s)
{
    return s->fs_failed || s->net_failed;
}

static void send_more(struct session *s)
{
    for (unsigned i = 0; i < SLOTS && !s->eof && !failed(s); i++) {
        if (s->slot_busy & 1u << i)
            continue;
        long n = s->ready              ? (long)s->ready
                 : s->xfer == XFER_LIST ? list_out(s, s->slot[i], SLOT)
                                        : text_out(&s->tout, s->slot[i], SLOT);
        s->ready = 0;
        if (n < 0) {
            s->fs_failed = (int)n;
            break;
        }
        if (n == 0) {
            s->eof = true;
            break;
        }
        struct net_ask send = {.function = SOCK_SEND,
                               .sock = s->data_sock,
                               .data = s->slot[i],
                               .len = (uint32_t)n,
                               .reply = &s->slot_reply[i],
                               .room = sizeof(s->slot_reply[i])};
        if (net_later(&net, &send, tag_of(s, TAG_SLOT + (int)i)) != 0) {
            s->net_failed = SOCK_ELIMIT;
            break;
        }
        s->slot_busy |= (uint8_t)(1u << i);
        s->bytes += (uint64_t)n;
    }
    if ((s->eof || failed(s)) && !s->slot_busy)
        finish(s);
}

/* A RECV into the buffer that follows those under way. */
static void receive(struct session *s)
{
    struct reply_buffer *b = &s->data_in[(s->in_now + s->in_asked++) % INS];

    ask(s,
        &(struct net_ask){
            .function = SOCK_RECV_ALL, .sock = s->data_sock, .reply = b, .room = sizeof(*b)},
        TAG_DATA_IN);
}

static void connected(struct session *s, const struct net_done *d)
{
    int rc = d->rc;
    bool open = rc == SOCK_EOK || rc == SOCK_LAST;

    s->data_sock = open && !s->whole ? d->value : -1;
    if (rc == SOCK_EADDRINUSE && !s->passive && s->own_data_port) {
        connect_from(s, 0);
        return;
    }
    s->starting = false;
    if (s->passive)
        close_sock(s, &s->listener, SOCK_CLOSE);
    if (rc == SOCK_ERESET) { /* it was open */
        s->net_failed = rc;
        finish(s);
    } else if (!open) {
        data_abort(s, 425, rc == SOCK_ELIMIT ? "No socket for the data connection."
                                             : "Cannot open the data connection.");
    } else if (s->whole) {
        finish(s);
    } else if (!incoming(s)) {
        send_more(s);
    } else if (s->passive) {
        receive(s);
    } else {
        s->in_asked = 1;
        s->in_skip = sizeof(struct sock_address);
        stored(s, &(struct net_done){.rc = rc, .value = (int32_t)d->len - s->in_skip});
    }
}

/* Only the client of the control connection may be the other end (RFC 2577). */
static void accepted(struct session *s, const struct net_done *d)
{
    if (d->rc == SOCK_EOK && s->opened.address.ip != s->peer.ip) {
        int stranger = d->value;
        close_sock(s, &stranger, SOCK_ABORT);
        s->opened.head.rc = SOCK_ENOTCONN;
        ask_accept(s);
        return;
    }
    connected(s, d);
}

static void all_came(struct session *s)
{
    if (!s->fs_failed && s->xfer == XFER_STOR)
        s->fs_failed = text_in_end(&s->tin);
    finish(s);
}

static void stored(struct session *s, const struct net_done *d)
{
    bool last = d->rc == SOCK_LAST;

    s->in_asked--;
    if (d->rc != SOCK_EOK && !last) {
        s->net_failed = d->rc;
        finish(s);
        return;
    }
    if (d->value == 0) {
        all_came(s);
        return;
    }
    uint8_t *bytes = s->data_in[s->in_now].bytes + s->in_skip;
    s->in_skip = 0;
    s->in_now = (s->in_now + 1) % INS;
    s->bytes += (uint64_t)d->value;
    if (!s->in_asked && !last) {
        receive(s);
        net_pass(&net);      /* more comes while this goes to the disk */
    }
    if (s->xfer == XFER_NONE)
        return;              /* TCPIP did not take that */
    if (s->xfer == XFER_NULL)
        null_file_add(&s->null, bytes, (uint32_t)d->value);
    else if (!s->fs_failed && (s->fs_failed = text_in(&s->tin, bytes, (uint32_t)d->value)) != 0)
        fs_abort(&s->file);  /* what comes yet is dropped: a reset would overtake the reply */
    if (last)
        all_came(s);
    else if (d->value == SOCK_RECV_MAX) /* behind a whole buffer there are more */
        receive(s);
}

void data_event(struct session *s, int what, const struct net_done *d)
{
    s->last_us = now_us();
    switch (what) {
    case TAG_ACCEPT:  accepted(s, d); break;
    case TAG_CONNECT: connected(s, d); break;
    case TAG_DATA_IN: stored(s, d); break;
    default:
        if (what < TAG_SLOT || what >= TAG_SLOT + SLOTS)
            break;
        s->slot_busy &= (uint8_t)~(1u << (what - TAG_SLOT));
        if (d->rc != SOCK_EOK && !s->net_failed)
            s->net_failed = d->rc;
        send_more(s);
        break;
    }
}

static void drop_calls(struct session *s)
{
    net_cancel_range(&net, tag_of(s, TAG_ACCEPT), tag_of(s, TAG_SLOT + SLOTS - 1));
    s->slot_busy = 0;
    /* answered already, and not looked at */
    if (s->starting && opening(s)->rc >= SOCK_EOK && !s->whole)
        s->data_sock = opening(s)->value;
}

/* The transfer is over: file kept or dropped, connection closed or reset, one reply. */
static void finish(struct session *s)
{
    int xfer = s->xfer;

    if (xfer == XFER_STOR) {
        if (!failed(s))
            s->fs_failed = fs_commit(&s->file, now_1900());
        else
            fs_abort(&s->file);
    } else if (xfer == XFER_RETR) {
        int rc = fs_close(&s->file);
        if (!failed(s))
            s->fs_failed = rc;
    }
    bool broken = s->net_failed || (s->fs_failed && !incoming(s));
    if (failed(s) || s->in_asked)
        drop_calls(s);
    if (broken || s->data_sock < 0 || s->out.sending)
        close_sock(s, &s->data_sock, broken ? SOCK_ABORT : SOCK_CLOSE);
    else
        s->out.closes = (uint32_t)s->data_sock + 1; /* goes with the reply */
    s->data_sock = -1;
    data_forget(s);
    s->xfer = XFER_NONE;
    away_done(s);
    if (s->net_failed)
        reply(s, 426, "Data connection broken, %s; nothing was kept.", net_error(s->net_failed));
    else if (s->fs_failed == FS_E_FULL || s->fs_failed == FS_E_DIRFULL)
        reply(s, 552, "The minidisk is full; nothing was kept.");
    else if (s->fs_failed == FS_E_RECORD)
        reply(s, 552, "A line is longer than the record length; nothing was kept.");
    else if (s->fs_failed == FS_E_STALE)
        reply(s, 451, "The minidisk was changed by its owner meanwhile; try again.");
    else if (s->fs_failed)
        reply(s, 451, "%s; nothing was kept.", fs_words(s->fs_failed));
    else if (xfer == XFER_NULL)
        reply(s, 250, "Transfer completed successfully; %lu bytes to the null file, sum %08X.",
              s->null.bytes, s->null.sum);
    else
        reply(s, 250,
              xfer == XFER_LIST ? "List completed successfully."
                                : "Transfer completed successfully.");
    control_more(s);
}

/* End it now. code 0: no reply (the session ends too). */
void data_abort(struct session *s, int code, const char *text)
{
    if (s->xfer == XFER_NONE)
        return;
    if (s->xfer == XFER_STOR)
        fs_abort(&s->file);
    else if (s->xfer == XFER_RETR)
        fs_close(&s->file);
    drop_calls(s);
    close_sock(s, &s->data_sock, SOCK_ABORT);
    data_forget(s);
    s->xfer = XFER_NONE;
    away_done(s);
    s->starting = false;
    if (code) {
        reply(s, code, "%s", text);
        control_more(s);     /* commands may have come meanwhile */
    }
}
