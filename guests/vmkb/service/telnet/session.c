/* SPDX-License-Identifier: MIT */
/* One connection: characters and records to CP's terminal, what that shows to the client. */
#include "telnetd.h"

#define LINES (by_records ? LT_RECORDS : 0)

static void answers(struct session *s)
{
    if (!s->tn.answer_len || s->out.len + s->tn.answer_len > sizeof(s->out_bytes))
        return;
    memcpy(s->out_bytes + s->out.len, s->tn.answer, s->tn.answer_len);
    s->out.len += s->tn.answer_len;
    s->tn.answer_len = 0;
}

/* A 3270 stream is a record. False: so many of its bytes are 255 that it is longer than CP's
 * longest: a program sent no stream of a 3270. */
static bool take_stream(struct session *s)
{
    uint8_t *to = s->out_bytes + s->out.len;
    long n = diag_lterm(LT_OUTPUT, s->terminal, to, (long)STREAM + 1);
    size_t room = sizeof(s->out_bytes) - s->out.len - 2, doubled = 0;

    if (n <= 0)
        return true;
    for (long i = 0; i < n; i++)
        doubled += to[i] == TN_IAC;
    if ((size_t)n + doubled > room)
        return false;
    s->out.len += (unsigned)telnet_escape(to, (size_t)n);
    s->out_bytes[s->out.len++] = TN_IAC;
    s->out_bytes[s->out.len++] = TN_EOR;
    return true;
}

/* CP's output, as much as fits when every byte is doubled. */
static long take_lines(struct session *s)
{
    long room = (long)(sizeof(s->out_bytes) - s->out.len) / 2, n = 0;
    uint8_t *to = s->out_bytes + s->out.len;

    if (room >= LINES_LEAST)
        n = diag_lterm(LT_OUTPUT, s->terminal, to, room);
    if (n > 0)
        s->out.len += (unsigned)telnet_escape(to, (size_t)n);
    return n;
}

static void take_output(struct session *s)
{
    while (s->terminal && !s->screen && !s->out.sending && take_lines(s) > 0 && !by_records)
        ;
    while (s->terminal && s->screen && !s->out.sending) {
        unsigned was = s->out.len;
        if (was > ANSWERS_FROM)
            break;
        if (!take_stream(s)) {
            session_drop(s);
            return;
        }
        if (s->out.len == was || by_records)
            break;
    }
    net_out_start(&net, &s->out, s->sock, s->out_bytes, tag_of(s, TAG_SEND));
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
    if (s->receiving || s->in_at < s->in_len || s->record_whole || s->wait_len > sizeof(s->wait) / 2
        || s->out.len > ANSWERS_FROM || s->refused)
        return;              /* what is not taken stays in TCPIP: its window closes */
    struct net_ask receive = {
        .function = SOCK_RECV, .sock = s->sock, .reply = &s->in, .room = sizeof(s->in)};
    if (net_start(&net, &receive, tag_of(s, TAG_RECV)) == 0)
        s->receiving = true;
}

/* A 3270 gets an erase/write with the text at its top. */
static void refuse(struct session *s)
{
#define NO_TERMINAL "DTCTND0025E CP has no terminal left; try again later"
    static const char ebcdic[] = NO_TERMINAL, ascii[] = u8"" NO_TERMINAL "\r\n";
    uint8_t *to = s->out_bytes + s->out.len;

    s->refused = true;
    if (s->out.len > ANSWERS_FROM)
        return;              /* it reads nothing of what it asked for */
    if (s->screen) {
        *to++ = 0xf5;
        *to++ = 0xc3;        /* unlock the keyboard */
        memcpy(to, ebcdic, sizeof(ebcdic) - 1);
        to += sizeof(ebcdic) - 1;
        *to++ = TN_IAC;
        *to = TN_EOR;
        s->out.len += sizeof(ebcdic) - 1 + 4;
    } else {
        memcpy(to, ascii, sizeof(ascii) - 1);
        s->out.len += sizeof(ascii) - 1;
    }
}

static void open_terminal(struct session *s, bool screen)
{
    if (!screen) {
        telnet_will(&s->tn, OPT_ECHO);
        telnet_will(&s->tn, OPT_SGA);
    }
    s->screen = screen;
    s->terminal = diag_lterm(LT_OPEN, 0, 0,
                             !screen                      ? LT_LINE | LT_ECHO | LINES
                             : telnet_is_extended(&s->tn) ? LT_3270 | LT_ASKS
                                                          : LT_3270);
    if (s->terminal <= 0) {
        s->terminal = 0;
        refuse(s);
    }
}

/* A 3270 when type, EOR and BINARY are agreed; a line-mode terminal when the client has no type or
 * another, or refuses one of the rest. A screen cannot go on without them. */
static void decide(struct session *s, enum telnet_event e)
{
    if (s->terminal) {
        if (s->screen && telnet_3270_refused(&s->tn))
            session_drop(s);
    } else if (e == TELNET_TYPE && telnet_is_3270(&s->tn)) {
        telnet_do(&s->tn, OPT_EOR);
        telnet_will(&s->tn, OPT_EOR);
        telnet_do(&s->tn, OPT_BINARY);
        telnet_will(&s->tn, OPT_BINARY);
    } else if (e == TELNET_TYPE || e == TELNET_NO_TYPE) {
        open_terminal(s, false);
    } else if (telnet_is_3270(&s->tn) && telnet_3270_refused(&s->tn)) {
        s->record_len = 0;
        open_terminal(s, false);
    } else if (telnet_is_3270(&s->tn) && telnet_3270_agreed(&s->tn)) {
        open_terminal(s, true);
    }
}

static void data(struct session *s, uint8_t c)
{
    if (s->screen || (!s->terminal && telnet_is_3270(&s->tn))) {
        if (s->record_len < STREAM)
            s->record[s->record_len] = c;
        if (s->record_len <= STREAM)
            s->record_len++; /* one more than STREAM: too long, refused at its end */
        return;
    }
    if (!s->terminal)
        open_terminal(s, false); /* somebody who types and does not negotiate */
    if (s->wait_len < sizeof(s->wait))
        s->wait[s->wait_len++] = c;
}

static void record(struct session *s)
{
    s->record_whole = s->screen && s->record_len && s->record_len <= STREAM;
    if (!s->record_whole)
        s->record_len = 0;
    offer_record(s);
}

static void event(struct session *s, enum telnet_event e, uint8_t c)
{
    switch (e) {
    case TELNET_DATA: data(s, c); break;
    case TELNET_ATTENTION:
        if (!s->terminal)
            break;
        if (!s->screen)
            offer_characters(s); /* typed before it; it overtakes what CP does not take now */
        diag_lterm(LT_ATTN, s->terminal, 0, 0);
        break;
    case TELNET_RECORD: record(s); break;
    case TELNET_ERASE:
    case TELNET_ERASE_LINE:
        if (!s->screen)
            data(s, e == TELNET_ERASE ? 0x7f : 0x15);
        break;
    case TELNET_OPTION:
        if (s->terminal && !s->screen)
            diag_lterm(LT_FLAGS, s->terminal, 0, LINES | (s->tn.us[OPT_ECHO] ? LT_ECHO : 0));
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
    net_out_start(&net, &s->out, s->sock, s->out_bytes, tag_of(s, TAG_SEND));
    receive(s);
}

/* What has come, until there is no room for what it asks for. */
static void digest(struct session *s)
{
    uint8_t c = 0;

    while (s->used && !s->refused && s->in_at < s->in_len && !s->record_whole
           && s->wait_len < sizeof(s->wait) && s->out.len <= ANSWERS_FROM) {
        enum telnet_event e = telnet_byte(&s->tn, s->in.bytes[s->in_at++], &c);
        if (e != TELNET_NONE)
            event(s, e, c);
        if (s->tn.answer_len > sizeof(s->tn.answer) - TELNET_ANSWER_MOST)
            answers(s);
    }
    if (s->used)
        answers(s);
}

void session_received(struct session *s, const struct net_done *d)
{
    s->receiving = false;
    if (d->rc != SOCK_EOK || d->value <= 0) {
        session_drop(s);
        return;
    }
    s->in_at = 0;
    s->in_len = (unsigned)d->value;
    session_news(s);
}

void session_sent(struct session *s, const struct net_done *d)
{
    s->out.sending = false;
    if (d->rc != SOCK_EOK) {
        session_drop(s);
        return;
    }
    net_out_sent(&s->out, s->out_bytes);
    session_news(s);
}

static bool over(const struct session *s)
{
    if (s->refused)
        return !s->out.sending && !s->out.len;
    return s->terminal && !s->out.sending && !s->out.len
           && (diag_lterm(LT_STATE, s->terminal, 0, 0) & (LT_ENDED | LT_HAS_OUTPUT)) == LT_ENDED;
}

void session_news(struct session *s)
{
    unsigned at;

    do {
        at = s->in_at;
        digest(s);
        if (!s->used)
            return;
        if (s->screen)
            offer_record(s);
        else if (s->terminal)
            offer_characters(s);
        take_output(s);
    } while (s->used && s->in_at != at && s->in_at < s->in_len);
    if (s->used && over(s))
        session_drop(s);
    else if (s->used)
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
    net_end(&net, s->sock, SOCK_CLOSE);
}
