/* SPDX-License-Identifier: MIT */
/* The clients: paths and the sockets they own. */
#include "sock.h"

struct sock socks[SOCKS];

static struct client {
    uint8_t connected;
    char userid[9];
} clients[CLIENTS];    /* by path id */

static uint8_t dirty[SOCKS];
static unsigned dirty_count;

const char *client_name(uint16_t path)
{
    return clients[path % CLIENTS].userid;
}

int sock_number(const struct sock *s)
{
    return (int)(s - socks);
}

unsigned client_number(const struct stack_tcp *t)
{
    return (unsigned)sock_number(sock_of(t));
}

struct sock *sock_new(uint16_t path)
{
    for (unsigned i = 0; i < SOCKS; i++)
        if (socks[i].state == SOCK_FREE) {
            uint8_t dirty = socks[i].dirty; /* its place in the list, from the socket before */
            memset(&socks[i], 0, sizeof(socks[i]));
            socks[i].dirty = dirty;
            socks[i].state = SOCK_NEW;
            socks[i].path = path;
            return &socks[i];
        }
    return 0;
}

struct sock *sock_find(uint16_t path, unsigned number)
{
    struct sock *s = number < SOCKS ? &socks[number] : 0;

    return s && s->state != SOCK_FREE && s->state != SOCK_CLOSING && !s->queued && s->path == path
               ? s
               : 0;
}

static struct {
    struct sock_reply head;
    uint8_t data[sizeof(struct sock_address) + SOCK_RECV_MAX];
} out __attribute__((aligned(8)));
uint8_t *const sock_reply_data = out.data;

/* The last answer without data of a turn is kept: one call of CP gives it and waits. */
static struct {
    struct iucv_parm parm;
    struct sock_reply head;
    bool waits;
} kept;

/* Give the answer that was kept, if there is one. */
static void give_answer(void)
{
    if (kept.waits)
        iucv(IUCV_REPLY, &kept.parm);
    kept.waits = false;
}

unsigned sockets_answer_with(struct event *e)
{
    bool waits = kept.waits;

    kept.waits = false;
    e->answer = (uintptr_t)&kept.parm;
    return waits ? EV_ANSWER : 0;
}

static void keep(uint16_t path, uint32_t msgid, int rc, int value)
{
    kept.head = (struct sock_reply){rc, value};
    kept.parm = (struct iucv_parm){.path = path, .msgid = msgid, .len = sizeof(kept.head),
                                   .buffer = (uintptr_t)&kept.head};
    kept.waits = true;
}

bool sock_reply(uint16_t path, uint32_t msgid, int rc, int value, const void *extra, uint32_t len)
{
    struct iucv_parm p = {
        .path = path, .msgid = msgid, .buffer = (uintptr_t)&out, .len = sizeof(out.head) + len};

    give_answer();
    if (!len) {
        keep(path, msgid, rc, value);
        return true;
    }
    out.head = (struct sock_reply){rc, value};
    if (len && extra != out.data)
        memcpy(out.data, extra, len);
    long done = iucv(IUCV_REPLY, &p);
    return done == IUCV_OK || done == IUCV_ETRUNC;
}

bool sock_answer(struct sock *s, struct call *c, int rc, int value, const void *extra, uint32_t len)
{
    uint32_t msgid = c->msgid;

    c->msgid = 0;
    return msgid && sock_reply(s->path, msgid, rc, value, extra, len);
}

void sock_mark(struct sock *s)
{
    if (s->dirty)
        return;
    s->dirty = 1;
    dirty[dirty_count++] = (uint8_t)sock_number(s);
}

void client_mark(struct stack_tcp *t)
{
    sock_mark(sock_of(t));
}

void sock_mark_last(struct sock *s)
{
    uint8_t number = (uint8_t)sock_number(s);
    unsigned at = 0;

    if (s->dirty) {
        while (dirty[at] != number)
            at++;
        dirty_count--;
        memmove(dirty + at, dirty + at + 1, dirty_count - at);
        s->dirty = 0;
    }
    sock_mark(s);
}

void sockets_settle(void)
{
    for (unsigned i = 0; i < dirty_count; i++) {
        struct sock *s = &socks[dirty[i]];
        s->dirty = 0;
        if (s->state == SOCK_FREE)
            continue;
        stack_tcp_settle(&s->tcp);
        sock_deliver(s, false);
    }
    dirty_count = 0;
    udp_settle();
    sock_pump_starved();
}

void sock_release(struct sock *s)
{
    sock_drop_buffers(s);
    stack_tcp_drop(&s->tcp);
    s->state = SOCK_FREE;
}

void sock_failed(struct sock *s, int error)
{
    s->error = (int16_t)error;
    sock_answer(s, &s->connect, error, 0, 0, 0);
    sock_answer(s, &s->accept, error, 0, 0, 0);
    sock_deliver(s, true);   /* what had come, else the error */
    while (s->send_count) {
        sock_answer(s, &s->send[0], error, 0, 0, 0);
        s->send_count--;
        memmove(s->send, s->send + 1, s->send_count * sizeof(s->send[0]));
    }
    sock_drop_buffers(s);
}

void sock_abort(struct sock *s)
{
    sock_failed(s, SOCK_ECANCELLED);
    while (s->waiting_count)
        sock_abort(&socks[s->waiting[--s->waiting_count]]);
    if (stack_tcp_lives(&s->tcp))
        stack_tcp_abort(&s->tcp);
    sock_release(s);
}

/* Orderly: what was sent goes out first, then FIN; the slot is freed when the last byte is
 * acknowledged. */
void sock_close(struct sock *s)
{
    if (!stack_tcp_lives(&s->tcp) || s->state == SOCK_LISTENING || s->state == SOCK_NEW) {
        sock_abort(s);
        return;
    }
    s->state = SOCK_CLOSING;
    while (s->recv_count) {
        sock_answer(s, &s->recv[0], SOCK_ECANCELLED, 0, 0, 0);
        sock_next_recv(s);
    }
    if (!sock_idle(s)) {
        sock_pump(s);
        return;
    }
    stack_tcp_close(&s->tcp);
    sock_release(s);
}

static void path_gone(uint16_t path)
{
    for (unsigned i = 0; i < SOCKS; i++)
        /* A listener aborts what is queued at it; what was closed in order and taken whole may
         * still go out. */
        if (socks[i].state != SOCK_FREE && socks[i].path == path && !socks[i].queued
            && (socks[i].state != SOCK_CLOSING || socks[i].send_count))
            sock_abort(&socks[i]);
    udp_path_gone(path);
    clients[path % CLIENTS].connected = 0;
}

static void accept_client(const struct iucv_interrupt *i)
{
    struct iucv_parm p = {.path = i->path, .limit = 255};
    struct client *c = &clients[i->path % CLIENTS];

    c->connected = 1;
    name_string(c->userid, i->userid);
    iucv(IUCV_ACCEPT, &p);
}

/* The message at hand, whose data may have come with it. */
static const struct event *at_hand;

const void *sock_text(uint32_t msgid, uint32_t len)
{
    return at_hand && at_hand->iucv.msgid == msgid && len && at_hand->text_len == len
               ? at_hand->text
               : 0;
}

void sockets_interrupt(const struct event *e)
{
    const struct iucv_interrupt *i = &e->iucv;

    switch (i->type) {
    case IUCV_PENDING_CONNECTION:
        accept_client(i);
        break;
    case IUCV_CONNECTION_SEVERED:
        path_gone(i->path);
        break;
    case IUCV_MESSAGE:
    case IUCV_MESSAGE_PRIORITY:
        at_hand = e;
        sock_call(i->path, i);
        at_hand = 0;
        break;
    default:
        break;
    }
}
