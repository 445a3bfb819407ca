/* SPDX-License-Identifier: MIT */
/* The connection of the TELNET command: what comes is shown in lines, what is typed is sent. The
 * console is read only when a line is typed already. After a line that asks for a password the next
 * one typed is hidden; what the host shows meanwhile is shown, since the line may be one of a
 * document. */
#include "remote.h"
#include "translate.h"

enum {
    TAG_IN = 1,
    TAG_OUT = 2,
    PROMPT_US = 200000,
    PAUSE_US = 3000000,
    FINISH_US = 5000000,
    CONNECT_US = 60000000
};
enum { CONTINUE = -1, GONE = 101, HALTED = 0 };

int remote_open(struct remote *r, const char *host, uint16_t port)
{
    struct net_found found;
    int rc = net_resolve(&r->net, host, &found);

    if (rc == SOCK_EOK)
        rc = net_socket(&r->net, &r->sock);
    r->tn.client = true;
    found.a.port = port;
    /* A client that only waits would wait for ever when the end of the handshake was lost and the
     * host has given up: what is sent is sent again, and completes the handshake or is refused. */
    if (port == TELNET_PORT)
        telnet_do(&r->tn, OPT_SGA);
    if (rc == SOCK_EOK)
        rc = net_call(&r->net,
                      &(struct net_ask){.function = SOCK_CONNECT,
                                        .sock = r->sock,
                                        .data = &found.a,
                                        .len = sizeof(found.a)},
                      0, CONNECT_US);
    return rc;
}

static void lose(struct remote *r, int rc)
{
    r->ended = true;
    r->lost = rc;
}

static void flush(struct remote *r)
{
    if (r->out.sending || !r->out.len || r->ended)
        return;
    if (!net_out_start(&r->net, &r->out, r->sock, r->out_bytes, TAG_OUT))
        lose(r, NET_EPATH);
}

static void answers(struct remote *r)
{
    if (r->out.len + r->tn.answer_len > sizeof(r->out_bytes))
        return;
    memcpy(r->out_bytes + r->out.len, r->tn.answer, r->tn.answer_len);
    r->out.len += r->tn.answer_len;
    r->tn.answer_len = 0;
}

static void show(struct remote *r)
{
    char text[LINES_MAX];

    r->asks |= lines_ask_secret(&r->lines);
    memcpy(text, r->lines.text, r->lines.len);
    translate(text, r->lines.len, ebcdic_of_latin1);
    cms_say_text(text, r->lines.len);
    lines_next(&r->lines);
}

static void put(struct remote *r, uint8_t c)
{
    if (lines_put(&r->lines, c))
        show(r);
}

/* A character to show, unless it is the echo of the line typed last. */
static void shown(struct remote *r, uint8_t c)
{
    if (r->echo_at < r->echo_len && c == r->echo[r->echo_at]) {
        r->echo_at++;
        return;
    }
    if (r->echo_at < r->echo_len)
        for (unsigned i = 0; i < r->echo_at; i++) /* it was none */
            put(r, r->echo[i]);
    r->echo_at = r->echo_len = 0;
    put(r, c);
}

static void received(struct remote *r, const struct net_done *d)
{
    uint8_t c = 0;

    r->receiving = false;
    if (d->rc != SOCK_EOK || d->value <= 0) {
        lose(r, d->rc);
        return;
    }
    for (int i = 0; i < d->value; i++) {
        if (r->echo_at >= r->echo_len && telnet_in_data(&r->tn)) /* nearly all: many at a time */
            i += (int)lines_run(&r->lines, r->in.bytes + i, (unsigned)(d->value - i));
        if (i == d->value)
            break;
        if (telnet_byte(&r->tn, r->in.bytes[i], &c) == TELNET_DATA)
            shown(r, c);
        if (r->tn.answer_len > sizeof(r->tn.answer) - TELNET_ANSWER_MOST)
            answers(r);
    }
    answers(r);
}

static void done(struct remote *r, const struct net_done *d)
{
    if (d->tag == TAG_IN) {
        received(r, d);
    } else if (d->tag == TAG_OUT) {
        r->out.sending = false;
        if (d->rc != SOCK_EOK)
            lose(r, d->rc);
        net_out_sent(&r->out, r->out_bytes);
    }
}

static void command_out(struct remote *r, uint8_t command)
{
    const uint8_t bytes[2] = {TN_IAC, command};

    if (r->out.len + sizeof(bytes) > sizeof(r->out_bytes))
        return;
    memcpy(r->out_bytes + r->out.len, bytes, sizeof(bytes));
    r->out.len += sizeof(bytes);
}

static void typed(struct remote *r, char *line, unsigned n, bool hidden)
{
    if (n && line[0] == '\\') {
        char c = n > 1 ? to_lower(line[1]) : ' ';
        if (c == 'x') {
            r->left = true;
            return;
        }
        if (c == 'b' || c == 'c') {
            command_out(r, c == 'b' ? TN_BRK : TN_IP);
            return;
        }
        line++;              /* \\ is one \ */
        n--;
    }
    if (r->out.len + 2 * n + 2 > sizeof(r->out_bytes)) {
        cms_say("DMSTEL112W The host does not read; this line was not sent");
        return;
    }
    uint8_t *to = r->out_bytes + r->out.len;
    memcpy(to, line, n);
    translate(to, n, latin1_of_ebcdic);
    r->echo_at = r->echo_len = 0;
    if (r->tn.them[OPT_ECHO] == 1) {
        unsigned k = hidden ? 0 : n;
        memcpy(r->echo, to, k);
        r->echo[k] = 0x0d;
        r->echo[k + 1] = 0x0a;
        r->echo_len = k + 2;
    }
    r->out.len += (unsigned)telnet_escape(to, n);
    r->out_bytes[r->out.len++] = 0x0d;
    r->out_bytes[r->out.len++] = r->tn.them[OPT_ECHO] == 1 ? 0 : 0x0a;
}

/* The next line, if it is typed already; else it will be hidden or not. */
static void read_line(struct remote *r, bool hidden)
{
    char line[CMS_LINE];
    long n = diag_read(line, sizeof(line) - 1, READ_NOWAIT | (hidden ? READ_HIDDEN : 0));

    r->hidden = hidden && n < 0;
    if (n >= 0)
        typed(r, line, (unsigned)n, hidden);
    memset(line, 0, sizeof(line));
}

static int step(struct remote *r)
{
    struct net_done d;
    struct event e;

    if (!r->receiving) {
        struct net_ask receive = {
            .function = SOCK_RECV, .sock = r->sock, .reply = &r->in, .room = sizeof(r->in)};
        if (net_start(&r->net, &receive, TAG_IN) != 0)
            return GONE;
        r->receiving = true;
    }
    flush(r);
    /* What does not look like a prompt is likelier a line whose rest a busy network holds up. */
    uint64_t rest = !r->lines.len ? 0 : lines_prompt(&r->lines) ? PROMPT_US : PAUSE_US;
    long ev = diag_wait(EV_IUCV | EV_CONSOLE | EV_ATTN, &e, rest);
    if (ev == EV_IUCV && net_event(&r->net, &e.iucv, &d)) {
        if (!r->net.open)
            lose(r, NET_EPATH);
        else
            done(r, &d);
    } else if (ev == EV_CONSOLE) {
        read_line(r, r->hidden);
    } else if (ev == EV_ATTN) {
        return cms_halted() ? HALTED : CONTINUE;
    } else if (ev == EV_TIMER && r->lines.len) {
        show(r);             /* without a line's end: a prompt, since nothing follows for a while */
    }
    if (r->asks)
        read_line(r, true);
    r->asks = false;
    return r->left ? 0 : CONTINUE;
}

/* What was typed still goes out; a host that does not take it in time loses it. */
static void finish(struct remote *r)
{
    struct net_done d;

    for (flush(r); r->out.sending && !r->ended && net_wait(&r->net, &d, FINISH_US); flush(r))
        done(r, &d);
    net_cancel(&r->net, TAG_IN);
    if (!r->ended && !r->out.sending)
        net_end(&r->net, r->sock, SOCK_CLOSE);
}

int remote_run(struct remote *r)
{
    int rc = CONTINUE;

    answers(r);
    while (rc == CONTINUE && !r->ended)
        rc = step(r);
    if (r->hidden)
        read_line(r, false); /* a password typed too late must not become a command */
    if (!r->ended) {
        finish(r);
        return rc;
    }
    if (r->lines.len)
        show(r);
    if (r->lost == SOCK_EOK) {
        cms_say("Connection closed by the host");
        return 0;
    }
    return cms_error(GONE, "DMSTEL113E Connection lost: %s", net_error(r->lost));
}
