/* SPDX-License-Identifier: MIT */
/* One connection: characters and records to CP's terminal, what that shows to the client. */
#include "telnetd.h"

static void flush(struct session *s)
{
    if (s->sending || !s->out_len)
        return;
    s->out_sending = s->out_len;
    if (net_start(&net, SOCK_SEND, s->sock, s->out, s->out_len, &s->out_reply, sizeof(s->out_reply),
                  tag_of(s, TAG_SEND)) == 0)
        s->sending = true;
}

static void put(struct session *s, const uint8_t *p, unsigned n, bool escape)
{
    for (; n && s->out_len + 2 < sizeof(s->out); n--, p++) {
        s->out[s->out_len++] = *p;
        if (escape && *p == TN_IAC)
            s->out[s->out_len++] = TN_IAC;
    }
}

static void answers(struct session *s)
{
    put(s, s->tn.answer, s->tn.answer_len, false);
    s->tn.answer_len = 0;
}

/* CP's output, as much as fits; a 3270 stream is a record. */
static void take_output(struct session *s)
{
    static uint8_t shown[4200];
    static const uint8_t eor[2] = {TN_IAC, TN_EOR};

    while (s->terminal && !s->sending && s->out_len < 256) {
        long n = diag_lterm(LT_OUTPUT, s->terminal, shown, s->screen ? (long)sizeof(shown) : 2048);
        if (n <= 0)
            break;
        put(s, shown, (unsigned)n, true);
        if (s->screen)
            put(s, eor, 2, false);
    }
    flush(s);
}

static void offer_record(struct session *s)
{
    if (!s->record_whole)
        return;
    long n = diag_lterm(LT_INPUT, s->terminal, s->record, s->record_len);
    if (n == DIAG_EBUSY)
        return;              /* CP writes first: after that output it is offered again */
    s->record_whole = false;
    s->record_len = 0;
}

static void offer_characters(struct session *s)
{
    while (s->wait_len) {
        long n = diag_lterm(LT_INPUT, s->terminal, s->wait, s->wait_len);
        if (n <= 0)
            return;
        s->wait_len -= (unsigned)n;
        memmove(s->wait, s->wait + n, s->wait_len);
    }
}

static void receive(struct session *s)
{
    if (s->receiving || s->closing || s->record_whole || s->wait_len > sizeof(s->wait) / 2)
        return;              /* what is not taken stays in TCPIP: its window closes */
    if (net_start(&net, SOCK_RECV, s->sock, 0, 0, &s->in, sizeof(s->in), tag_of(s, TAG_RECV)) == 0)
        s->receiving = true;
}

static void open_terminal(struct session *s, bool screen)
{
    if (s->terminal)
        return;
    s->screen = screen;
    s->terminal = diag_lterm(LT_OPEN, 0, 0, screen ? LT_3270 : LT_LINE | LT_ECHO);
    if (s->terminal <= 0) {
        s->terminal = 0;
        session_drop(s);
    }
}

/* A 3270 when type, EOR and BINARY are agreed; a line-mode terminal when the client has no type or another. */
static void decide(struct session *s, enum telnet_event e)
{
    if (s->terminal)
        return;
    if (e == TELNET_TYPE && telnet_is_3270(&s->tn)) {
        telnet_do(&s->tn, OPT_EOR);
        telnet_will(&s->tn, OPT_EOR);
        telnet_do(&s->tn, OPT_BINARY);
        telnet_will(&s->tn, OPT_BINARY);
    } else if (e == TELNET_TYPE || e == TELNET_NO_TYPE) {
        telnet_will(&s->tn, OPT_ECHO);
        telnet_will(&s->tn, OPT_SGA);
        open_terminal(s, false);
    } else if (telnet_is_3270(&s->tn) && s->tn.us[OPT_EOR] == 1 && s->tn.them[OPT_EOR] == 1
               && s->tn.us[OPT_BINARY] == 1 && s->tn.them[OPT_BINARY] == 1) {
        open_terminal(s, true);
    }
}

static void data(struct session *s, uint8_t c)
{
    if (s->screen || (!s->terminal && telnet_is_3270(&s->tn))) {
        if (s->record_len < RECORD)
            s->record[s->record_len++] = c;
        return;
    }
    if (!s->terminal)
        open_terminal(s, false); /* somebody who types and does not negotiate */
    if (s->wait_len < sizeof(s->wait))
        s->wait[s->wait_len++] = c;
}

static void event(struct session *s, enum telnet_event e, uint8_t c)
{
    switch (e) {
    case TELNET_DATA: data(s, c); break;
    case TELNET_ATTENTION:
        if (s->terminal)
            diag_lterm(LT_ATTN, s->terminal, 0, 0);
        break;
    case TELNET_RECORD:
        s->record_whole = s->screen && s->record_len;
        if (s->record_whole)
            offer_record(s);
        break;
    case TELNET_ERASE: data(s, 0x7f); break;
    case TELNET_ERASE_LINE: data(s, 0x15); break;
    case TELNET_OPTION:
        if (s->terminal && !s->screen)
            diag_lterm(LT_FLAGS, s->terminal, 0, s->tn.us[OPT_ECHO] ? LT_ECHO : 0);
        decide(s, e);
        break;
    case TELNET_TYPE:
    case TELNET_NO_TYPE: decide(s, e); break;
    case TELNET_NONE: break;
    }
}

void session_open(struct session *s, int sock)
{
    memset(s, 0, sizeof(*s));
    s->used = true;
    s->sock = sock;
    telnet_do(&s->tn, OPT_TTYPE);
    answers(s);
    flush(s);
    receive(s);
}

void session_received(struct session *s, const struct net_done *d)
{
    uint8_t c = 0;

    s->receiving = false;
    if (d->rc != SOCK_EOK || d->value == 0) {
        session_drop(s);
        return;
    }
    for (int i = 0; i < d->value && s->used; i++) {
        enum telnet_event e = telnet_byte(&s->tn, s->in.bytes[i], &c);
        if (s->tn.answer_len > sizeof(s->tn.answer) - 16)
            answers(s);
        if (e != TELNET_NONE)
            event(s, e, c);
    }
    if (!s->used)
        return;
    answers(s);
    session_news(s);
}

void session_sent(struct session *s, const struct net_done *d)
{
    s->sending = false;
    if (d->rc != SOCK_EOK) {
        session_drop(s);
        return;
    }
    s->out_len -= s->out_sending;
    memmove(s->out, s->out + s->out_sending, s->out_len);
    session_news(s);
}

void session_news(struct session *s)
{
    if (s->terminal && !s->screen)
        offer_characters(s);
    take_output(s);
    if (s->screen)
        offer_record(s);
    if (s->terminal && s->screen)
        take_output(s);
    flush(s);
    if (s->terminal && !s->sending && !s->out_len && (diag_lterm(LT_STATE, s->terminal, 0, 0) & (LT_ENDED | LT_HAS_OUTPUT)) == LT_ENDED) {
        session_drop(s);
        return;
    }
    receive(s);
}

void session_drop(struct session *s)
{
    if (!s->used)
        return;
    s->used = false;
    net_cancel(&net, tag_of(s, TAG_RECV));
    net_cancel(&net, tag_of(s, TAG_SEND));
    if (s->terminal)
        diag_lterm(LT_CLOSE, s->terminal, 0, 0);
    net_call(&net, SOCK_CLOSE, s->sock, 0, 0, 0, 0, 0, 0, 5000000);
}
