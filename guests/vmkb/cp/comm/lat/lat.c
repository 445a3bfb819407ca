/* SPDX-License-Identifier: MIT */
/* Circuits: one for each terminal server, begun by it. Sequence numbers, acknowledgements, answers,
 * resends and time limits. */
#include "lat_wire.h"

static void name_copy(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);

    if (n > size - 1)
        n = size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

void lat_init(struct lat *l, const struct lat_ops *ops, const uint8_t mac[6], const char *node,
              const char *description, uint64_t now_us)
{
    memset(l, 0, sizeof(*l));
    l->ops = ops;
    memcpy(l->mac, mac, 6);
    name_copy(l->node, sizeof(l->node), node);
    name_copy(l->description, sizeof(l->description), description);
    l->now = now_us;
    l->announce_at = now_us + LAT_FIRST_US;
}

unsigned lat_id(const struct lat *l, const struct lat_session *s)
{
    return (unsigned)(s - l->session) + 1;
}

static uint8_t *put_header(const struct lat_circuit *c, uint8_t *frame, unsigned type,
                           unsigned slots)
{
    uint8_t *p = frame + ETH;

    p[0] = (uint8_t)type;
    p[1] = (uint8_t)slots;
    put16(p + 2, c->remote);
    put16(p + 4, c->id);
    p[6] = c->sent;
    p[7] = c->received;
    return p + HEADER;
}

/* A Stop to whoever sent a message: dst is his circuit. */
static void send_stop(struct lat *l, const uint8_t *mac, unsigned dst, unsigned src,
                      unsigned reason)
{
    uint8_t frame[FRAME_MIN + 4] = {0};
    uint8_t *p = frame + ETH;

    p[0] = MSG_STOP << 2;
    put16(p + 2, dst);
    put16(p + 4, src);
    p[HEADER] = (uint8_t)reason;
    p[HEADER + 1] = 0;       /* no text */
    frame_send(l, mac, frame, p + HEADER + 2);
}

static void circuit_down(struct lat *l, struct lat_circuit *c)
{
    c->running = 0;
    for (unsigned i = 0; c->sessions && i < LAT_SESSIONS; i++)
        if (l->session[i].circuit == c) {
            l->ops->work_for(l->session[i].term);
            session_release(l, &l->session[i]);
        }
    l->ops->work_for(0);
}

static void circuit_lost(struct lat *l, struct lat_circuit *c, unsigned reason)
{
    l->counts.circuits_lost++;
    send_stop(l, c->mac, c->remote, c->id, reason);
    circuit_down(l, c);
}

static void resend_bare(struct lat *l, struct lat_circuit *c)
{
    c->bare_frame[ETH + 7] = c->received;
    l->counts.resent++;
    frame_send(l, c->mac, c->bare_frame, c->bare_frame + ETH + HEADER);
}

/* What the server may not have, in the order of its numbers. */
static void resend(struct lat *l, struct lat_circuit *c)
{
    if (c->bare)
        resend_bare(l, c);
    c->saved[ETH + 7] = c->received;
    l->counts.resent++;
    frame_send(l, c->mac, c->saved, c->saved + c->saved_len);
}

/* One Run with everything there is to say; false: there was nothing. */
static bool send_run(struct lat *l, struct lat_circuit *c, unsigned flags)
{
    unsigned count;
    size_t n = slots_build(l, c, c->saved + ETH + HEADER, c->message_max - HEADER, &count);

    if (!count)
        return false;
    c->sent++;
    put_header(c, c->saved, MSG_RUN << 2 | flags, count);
    c->saved_len = (uint16_t)(ETH + HEADER + n);
    c->outstanding = 1;
    c->tries = 0;
    c->resend_at = l->now + LAT_RESEND_US;
    frame_send(l, c->mac, c->saved, c->saved + c->saved_len);
    return true;
}

/* With nothing to say an answer is an acknowledgement with a number of its own: a server may take
 * one that repeats a number for a duplicate, and not look at it. It is kept until the server has
 * acknowledged it, which it need not do before it has something to say; only the server's duplicate
 * has it sent again. */
static void send_bare(struct lat *l, struct lat_circuit *c)
{
    c->sent++;
    c->bare = 1;
    frame_send(l, c->mac, c->bare_frame, put_header(c, c->bare_frame, MSG_RUN << 2, 0));
}

/* The answer to a message. One message with slots is outstanding: that goes again, with the new
 * acknowledgement; a server that has had it already asks again. */
static void answer(struct lat *l, struct lat_circuit *c)
{
    c->owed = c->outstanding;
    if (c->outstanding)
        resend(l, c);
    else if (!send_run(l, c, 0))
        send_bare(l, c);
}

/* The answer to one that came before: the same answer, unless it has had none of its own yet. */
static void answer_again(struct lat *l, struct lat_circuit *c)
{
    if (c->outstanding)
        resend(l, c);
    else if (c->owed)
        answer(l, c);
    else if (c->bare)
        resend_bare(l, c);
}

static void processed(struct lat *l)
{
    l->processing = 0;
    if (!l->others)
        return;
    l->others = 0;
    for (unsigned i = 0; i < LAT_CIRCUITS; i++)
        circuit_kick(l, &l->circuit[i]);
}

/* The circuit is balanced and there is something to say: of our own accord, an answer requested. */
void circuit_kick(struct lat *l, struct lat_circuit *c)
{
    if (l->processing) {
        l->others |= l->processing != c;
        return;
    }
    if (!c->running || c->outstanding || !(c->first || c->control_count))
        return;
    l->processing = c;
    send_run(l, c, RESPOND);
    processed(l);
}

static struct lat_circuit *circuit_find(struct lat *l, const uint8_t *mac, unsigned id,
                                        unsigned remote)
{
    unsigned i = (id & 0xff) - 1u;

    if (i >= LAT_CIRCUITS)
        return 0;
    struct lat_circuit *c = &l->circuit[i];
    return c->running && c->id == id && c->remote == remote && memcmp(c->mac, mac, 6) == 0 ? c : 0;
}

static bool slots_valid(const uint8_t *at, const uint8_t *end, unsigned count)
{
    struct slot s;

    while (count--)
        if (!(at = slot_next(at, end, &s)))
            return false;
    return true;
}

static void run_message(struct lat *l, const uint8_t *frame, size_t len)
{
    const uint8_t *p = frame + ETH, *end = frame + len;
    struct lat_circuit *c = circuit_find(l, frame + 6, le16(p + 2), le16(p + 4));

    if (!c) {
        l->counts.unknown++;
        l->ops->work_for(0);
        send_stop(l, frame + 6, le16(p + 4), 0, STOP_HALT);
        return;
    }
    l->ops->work_for(c->payer ? c->payer->term : 0);
    if (!slots_valid(p + HEADER, end, p[1])) {
        l->counts.malformed++;
        return;
    }
    c->heard = l->now;
    c->frames++;
    if (p[7] == c->sent)
        c->outstanding = c->bare = 0;
    else if (p[7] == c->bare_frame[ETH + 6])
        c->bare = 0;
    if (p[6] == c->received && c->ran) {
        l->counts.duplicates++;
        l->processing = c;
        answer_again(l, c);
        processed(l);
        return;
    }
    /* a server may begin with the number of its Start or with the next */
    if (p[6] != (uint8_t)(c->received + 1) && !(p[6] == c->received && !c->ran)) {
        l->counts.out_of_order++;
        return;
    }
    c->ran = 1;
    c->received = p[6];
    l->processing = c;
    slots_take(l, c, p + HEADER, end, p[1]);
    answer(l, c);
    processed(l);
}

static void start_reply(struct lat *l, struct lat_circuit *c)
{
    uint8_t frame[256];
    uint8_t *p = put_header(c, frame, MSG_START << 2, 0);

    p = put16(p, LAT_MESSAGE);
    *p++ = VERSION;
    *p++ = ECO;
    *p++ = LAT_SESSIONS;
    *p++ = 0;                /* one message outstanding */
    *p++ = TIMER_DEFAULT;
    *p++ = c->keepalive;
    p = put16(p, 0);
    *p++ = PRODUCT;
    *p++ = 1;
    p = put_counted(p, l->node);
    p = put_counted(p, c->node);
    p = put_counted(p, l->description);
    *p++ = 0;
    frame_send(l, c->mac, frame, p);
}

/* A Start from a server that has a circuit: the same Start again, a late copy, or a server that
 * began anew. */
static bool start_again(struct lat *l, struct lat_circuit *c, unsigned remote)
{
    if (c->remote == remote && !c->ran) {
        start_reply(l, c);
        return true;
    }
    if (c->remote == remote && l->now - c->heard < LAT_REBOOT_US)
        return true;
    circuit_down(l, c);
    return false;
}

static void start_circuit(struct lat *l, const uint8_t *frame, const uint8_t *name,
                          unsigned name_len)
{
    const uint8_t *p = frame + ETH;
    unsigned i = 0;

    while (i < LAT_CIRCUITS && l->circuit[i].running)
        i++;
    if (i == LAT_CIRCUITS || l->closed) {
        l->counts.refused++;
        send_stop(l, frame + 6, le16(p + 4), 0, l->closed ? STOP_HALT : STOP_CIRCUITS);
        return;
    }
    struct lat_circuit *c = &l->circuit[i];
    memset(c, 0, offsetof(struct lat_circuit, saved));
    c->running = 1;
    memcpy(c->mac, frame + 6, 6);
    l->generation = (uint16_t)(l->generation % 255 + 1);
    c->id = (uint16_t)(l->generation << 8 | (i + 1));
    c->remote = (uint16_t)le16(p + 4);
    c->received = p[6];
    c->sent = p[7];          /* what it says it has had; the answer is the next one */
    c->sent++;
    unsigned size = le16(p + HEADER);
    c->message_max = (uint16_t)(size < LAT_MESSAGE ? size : LAT_MESSAGE);
    c->keepalive = p[HEADER + 7] ? p[HEADER + 7] : 20;
    c->heard = l->now;
    memcpy(c->node, name, name_len);
    start_reply(l, c);
}

static void start_message_checked(struct lat *l, const uint8_t *frame, const uint8_t *name,
                                  unsigned name_len)
{
    const uint8_t *p = frame + ETH;
    unsigned remote = le16(p + 4), timer = p[HEADER + 6];

    if (timer < TIMER_MIN || timer > TIMER_MAX || p[HEADER + 2] != VERSION
        || le16(p + HEADER) < 64) {
        l->counts.refused++;
        send_stop(l, frame + 6, remote, 0,
                  timer < TIMER_MIN || timer > TIMER_MAX ? STOP_TIMER : STOP_ILLEGAL);
        return;
    }
    for (unsigned i = 0; i < LAT_CIRCUITS; i++) {
        struct lat_circuit *c = &l->circuit[i];
        if (c->running && memcmp(c->mac, frame + 6, 6) == 0 && start_again(l, c, remote))
            return;
    }
    start_circuit(l, frame, name, name_len);
}

static void start_received(struct lat *l, const uint8_t *frame, size_t len)
{
    const uint8_t *p = frame + ETH, *end = frame + len, *text, *name;
    unsigned n, name_len;

    l->ops->work_for(0);
    if (len < ETH + HEADER + 12 || p[1] || le16(p + 2) || !le16(p + 4)
        || !(p = counted(p + HEADER + 12, end, &text, &n))
        || !(p = counted(p, end, &name, &name_len)) || name_len > LAT_NAME
        || !counted(p, end, &text, &n)) {
        l->counts.malformed++;
        return;
    }
    start_message_checked(l, frame, name, name_len);
}

static void stop_received(struct lat *l, const uint8_t *frame)
{
    const uint8_t *p = frame + ETH;
    struct lat_circuit *c = circuit_find(l, frame + 6, le16(p + 2), le16(p + 4));

    /* Some servers say 0 for their own circuit in a Stop. */
    if (!c && le16(p + 4) == 0 && (le16(p + 2) & 0xff) - 1u < LAT_CIRCUITS)
        c = circuit_find(l, frame + 6, le16(p + 2), l->circuit[(le16(p + 2) & 0xff) - 1].remote);
    if (c)
        circuit_down(l, c);
    else
        l->counts.unknown++;
}

void lat_frame(struct lat *l, const uint8_t *frame, size_t len, uint64_t now_us)
{
    const uint8_t *p = frame + ETH;

    l->now = now_us;
    l->counts.frames_in++;
    if (len < ETH + HEADER || len > ETH + LAT_MESSAGE || frame[6] & 1) {
        l->counts.malformed++;
        return;
    }
    if (frame[0] & 1) {
        if (*p >> 2 == MSG_SOLICIT)
            solicited(l, frame, len);
        return;
    }
    if (memcmp(frame, l->mac, 6) != 0)
        return;              /* a LAN that floods: for somebody else */
    switch (*p & ~RESPOND) {
    case MSG_RUN << 2 | FROM_MASTER:
        run_message(l, frame, len);
        break;
    case MSG_START << 2 | FROM_MASTER:
        start_received(l, frame, len);
        break;
    case MSG_STOP << 2 | FROM_MASTER:
        stop_received(l, frame);
        break;
    case MSG_SOLICIT << 2:
    case MSG_SOLICIT << 2 | FROM_MASTER:
        solicited(l, frame, len);
        break;
    default:
        l->counts.malformed++;
    }
}

static void circuit_tick(struct lat *l, struct lat_circuit *c)
{
    l->ops->work_for(c->payer ? c->payer->term : 0);
    if (l->now - c->heard > (uint64_t)c->keepalive * LAT_KEEPALIVES * 1000000) {
        circuit_lost(l, c, STOP_NO_PROGRESS);
        return;
    }
    if (!c->outstanding || l->now < c->resend_at)
        return;
    if (++c->tries > LAT_RESENDS) {
        circuit_lost(l, c, STOP_RESENDS);
        return;
    }
    c->resend_at = l->now + LAT_RESEND_US;
    resend(l, c);
}

uint64_t lat_tick(struct lat *l, uint64_t now_us)
{
    uint64_t next;

    l->now = now_us;
    if (now_us >= l->announce_at) {
        l->announce_at = now_us + LAT_ANNOUNCE_S * 1000000UL;
        announce(l);
    }
    next = l->announce_at;
    for (unsigned i = 0; l->drains && i < LAT_SESSIONS; i++) {
        struct lat_session *s = &l->session[i];
        if (s->circuit && s->closing && now_us >= s->stop_at) {
            struct lat_circuit *c = s->circuit;
            session_stop(l, s, SLOT_USER);
            circuit_kick(l, c);
        }
    }
    for (unsigned i = 0; i < LAT_CIRCUITS; i++)
        if (l->circuit[i].running) {
            circuit_tick(l, &l->circuit[i]);
            if (next > now_us + LAT_TICK_US)
                next = now_us + LAT_TICK_US;
        }
    l->ops->work_for(0);
    return next;
}

void lat_shutdown(struct lat *l, uint64_t now_us)
{
    l->now = now_us;
    l->closed = 1;
    announce(l);
    for (unsigned i = 0; i < LAT_CIRCUITS; i++) {
        struct lat_circuit *c = &l->circuit[i];
        if (c->running) {
            send_stop(l, c->mac, c->remote, c->id, STOP_HALT);
            circuit_down(l, c);
        }
    }
}
