/* SPDX-License-Identifier: MIT */
/* The control connection: command lines in, replies out. */
#include "server.h"
#include "ctype.h"
#include "translate.h"

#define IAC 255
#define LF  0x0a

void control_flush(struct session *s)
{
    if (net_out_later(&net, &s->out, s->sock, s->out_bytes, tag_of(s, TAG_SEND)))
        s->send_us = now_us();
}

static void append(struct session *s, const char *text, unsigned n)
{
    if (s->out.len + n > OUT)
        return;              /* does not happen: control_more leaves half of it free */
    memcpy(s->out_bytes + s->out.len, text, n);
    translate(s->out_bytes + s->out.len, n, latin1_of_ebcdic);
    s->out.len += n;
}

static void finish_line(struct session *s)
{
    static const char crlf[2] = {0x0d, 0x0a};

    if (s->out.len + 2 <= OUT) {
        memcpy(s->out_bytes + s->out.len, crlf, 2);
        s->out.len += 2;
    }
    if (!s->looking)         /* control_more sends all that it has said */
        control_flush(s);
}

void reply(struct session *s, int code, const char *f, ...)
{
    char text[400];
    va_list ap;

    text[0] = (char)('0' + code / 100); /* three digits, as all codes have */
    text[1] = (char)('0' + code / 10 % 10);
    text[2] = (char)('0' + code % 10);
    text[3] = ' ';
    va_start(ap, f);
    size_t n = 4 + vfmt_kept(text + 4, sizeof(text) - 4, f, ap);
    va_end(ap);
    append(s, text, (unsigned)n);
    finish_line(s);
}

void reply_raw(struct session *s, const char *f, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    append(s, text, (unsigned)n);
    finish_line(s);
}

/* What is to be said goes with the call for more, if there is one to be made. */
static void receive(struct session *s)
{
    uint32_t room = (uint32_t)(sizeof(s->pending) - s->pending_len);
    bool call = !s->receiving && !s->closing && room;

    if (!call || s->out.sending || s->out.len > SAID)
        control_flush(s);
    if (!call)
        return;
    struct net_ask receive = {.function = SOCK_RECV, .sock = s->sock, .reply = &s->in,
                              .room = (uint32_t)sizeof(s->in.head) + room};
    if (!s->out.sending && s->out.len) {
        memcpy(s->said, s->out_bytes, s->out.len);
        receive.data = s->said;
        receive.len = s->out.len;
        receive.closes = s->out.closes;
        s->out.len = s->out.closes = 0;
    }
    if (net_later(&net, &receive, tag_of(s, TAG_RECV)) == 0)
        s->receiving = true;
    else
        session_drop(s);
}

void control_start(struct session *s)
{
    struct net_names names;

    if (net_name(&net, s->sock, &names) == SOCK_EOK)
        s->own = names.own;
    reply(s, 220, "VM/KB FTPSERVE at your service.");
    receive(s);
}

static void run_line(struct session *s)
{
    char text[LINE + 1], *arg;
    unsigned n = s->line_len;

    s->line_len = 0;
    if (s->line_long) {
        s->line_long = false;
        reply(s, 500, "Command line over %u bytes.", LINE);
        return;
    }
    memcpy(text, s->line, n);
    translate(text, n, ebcdic_of_latin1);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\r'))
        n--;
    text[n] = 0;
    for (arg = text; *arg && *arg != ' '; arg++)
        *arg = (char)to_upper(*arg);
    if (*arg)
        *arg++ = 0;
    while (*arg == ' ')
        arg++;
    s->last_us = now_us();
    command_run(s, text, arg);
}

/* Telnet commands (RFC 854) that clients put before ABOR are passed over. */
static unsigned telnet(const uint8_t *p, unsigned n)
{
    if (n < 2)
        return 1;
    return p[1] >= 251 && p[1] <= 254 ? 3 : 2;
}

static bool urgent(const struct session *s)
{
    return s->line_len >= 4 && (s->line[0] | 0x20) == 0x61
           && (s->line[1] | 0x20) == 0x62; /* "ab" of ABOR */
}

/* n bytes at p: those before the end of a line, or before a Telnet command. */
static unsigned plain(const uint8_t *p, unsigned n)
{
    const uint8_t *end = memchr(p, LF, n);

    if (end)
        n = (unsigned)(end - p);
    end = memchr(p, IAC, n);
    return end ? (unsigned)(end - p) : n;
}

/* n bytes more of the line, as far as there is room for them. */
static void lengthen(struct session *s, const uint8_t *p, unsigned n)
{
    unsigned k = n < LINE - s->line_len ? n : LINE - s->line_len;

    memcpy(s->line + s->line_len, p, k);
    s->line_len += k;
    if (k < n)
        s->line_long = true;
}

/* Commands wait while a transfer is under way, but ABOR; while a password waits; and while the
 * client does not take its replies. */
void control_more(struct session *s)
{
    unsigned at = 0;

    if (s->looking)
        return;
    s->looking = true;
    while (at < s->pending_len && !s->closing) {
        unsigned n = plain(s->pending + at, s->pending_len - at);
        lengthen(s, s->pending + at, n);
        at += n;
        if (at == s->pending_len)
            break;
        if (s->pending[at] == LF) {
            if (s->out.len > OUT / 2 || s->held_until || (s->xfer != XFER_NONE && !urgent(s)))
                break;
            at++;
            run_line(s);
            if (!s->used)
                return;      /* its memory may be another session's by now */
        } else {
            at += telnet(s->pending + at, s->pending_len - at);
        }
    }
    s->looking = false;
    if (at > s->pending_len)
        at = s->pending_len;
    s->pending_len -= at;
    memmove(s->pending, s->pending + at, s->pending_len);
    if (s->used)
        receive(s);
}

void control_received(struct session *s, const struct net_done *d)
{
    s->receiving = false;
    if (d->rc != SOCK_EOK || d->value == 0) {
        session_drop(s);     /* the client is gone */
        return;
    }
    memcpy(s->pending + s->pending_len, s->in.bytes, (unsigned)d->value);
    s->pending_len += (unsigned)d->value;
    control_more(s);
}

void control_sent(struct session *s, const struct net_done *d)
{
    s->out.sending = false;
    if (d->rc != SOCK_EOK) {
        session_drop(s);
        return;
    }
    net_out_sent(&s->out, s->out_bytes);
    control_flush(s);
    if (s->closing && !s->out.len && !s->out.sending)
        session_drop(s);
    else
        control_more(s);
}

void control_end(struct session *s)
{
    s->closing = true;
    s->last_us = now_us();
    if (!s->out.len && !s->out.sending)
        session_drop(s);
}

void session_drop(struct session *s)
{
    if (!s->used)
        return;
    if (s->xfer != XFER_NONE)
        data_abort(s, 0, 0);
    data_forget(s);
    net_cancel_range(&net, tag_of(s, TAG_RECV), tag_of(s, TAG_SLOT + SLOTS - 1));
    if (s->out.closes)       /* with a reply for which IUCV had no room */
        net_end(&net, (int)s->out.closes - 1, SOCK_CLOSE);
    net_end(&net, s->sock, s->out.sending ? SOCK_ABORT : SOCK_CLOSE);
    if (s->disk)
        disk_leave(s->disk);
    s->disk = 0;
    s->used = false;
}
