/* SPDX-License-Identifier: MIT */
/* The control connection: commands out, replies in. */
#include "client.h"
#include "translate.h"

int control_lost(struct ftp *f, const char *why)
{
    if (f->connected && !f->halted)
        cms_say("Control connection lost: %s", why);
    control_close(f);
    return f->halted ? FTP_HALTED : FTP_GONE;
}

void control_close(struct ftp *f)
{
    for (int tag = T_CTL_IN; tag < T_MAX; tag++)
        ftp_cancel(f, tag);
    ftp_close(f, &f->data, SOCK_ABORT);
    ftp_close(f, &f->listener, SOCK_CLOSE);
    ftp_close(f, &f->control, SOCK_CLOSE);
    f->connected = f->open = false;
    f->in_at = f->in_len = 0;
}

static int resolve(struct ftp *f, const char *host, struct sock_address *a)
{
    struct net_found r;
    char name[64];
    unsigned n = 0;

    for (; host[n] && n < sizeof(name) - 1; n++)
        name[n] = (char)to_upper(host[n]);
    int rc = ftp_call(
        f,
        &(struct net_ask){
            .function = SOCK_RESOLVE, .data = name, .len = n, .reply = &r, .room = sizeof(r)},
        0);
    *a = r.a;
    return rc;
}

int control_open(struct ftp *f, const char *host, uint16_t port)
{
    struct net_names names;
    struct sock_address a;

    int rc = resolve(f, host, &a);
    if (rc != SOCK_EOK) {
        if (!f->halted)
            cms_say("Host %s: %s", host, net_error(rc));
        return f->halted ? FTP_HALTED : rc == NET_EPATH ? FTP_TCPIP : FTP_NETWORK;
    }
    a.port = port;
    cms_say("Connecting to %s %u.%u.%u.%u, port %u", host, a.ip >> 24, a.ip >> 16 & 255,
            a.ip >> 8 & 255, a.ip & 255, port);
    rc = ftp_socket(f, &f->control);
    if (rc == SOCK_EOK)
        rc = ftp_call(f, &(struct net_ask){.function = SOCK_CONNECT, .sock = f->control, .data = &a,
                                           .len = sizeof(a)}, 0);
    if (rc == SOCK_EOK)
        rc = ftp_name(f, f->control, &names);
    if (rc != SOCK_EOK) {
        if (!f->halted)
            cms_say("Unable to connect to %s: %s", host, net_error(rc));
        ftp_close(f, &f->control, SOCK_ABORT);
        return f->halted ? FTP_HALTED : FTP_NETWORK;
    }
    f->server = a;
    f->own = names.own;
    f->connected = true;
    f->ascii = true;
    f->no_epsv = false;
    f->in_at = f->in_len = 0;
    reply_init(&f->reader);
    do                       /* 120 is followed by 220 */
        rc = control_reply(f);
    while (rc >= 100 && rc < 200);
    if (rc >= 400)
        control_close(f);
    return rc;
}

/* A line of ours with CR LF in it would be two commands: it is cut there. */
int control_send(struct ftp *f, const char *shown, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int n = (int)vfmt_kept(f->out, sizeof(f->out) - 2, format, ap);
    va_end(ap);
    cms_say(">>>%s", shown ? shown : f->out);
    translate(f->out, (size_t)n, latin1_of_ebcdic);
    for (int i = 0; i < n; i++)
        if (f->out[i] == 0x0a || f->out[i] == 0x0d)
            n = i;
    f->out[n++] = 0x0d;
    f->out[n++] = 0x0a;
    uint64_t until = ftp_now() + f->timeout_us;
    int rc = 0;
    while (rc == 0 && f->call[T_CTL_OUT].busy)  /* the one before: it is out long ago */
        rc = ftp_poll(f, until);
    if (rc == 0)
        rc = ftp_start(f, T_CTL_OUT,
                       &(struct net_ask){.function = SOCK_SEND,
                                         .sock = f->control,
                                         .data = f->out,
                                         .len = (uint32_t)n,
                                         .reply = &f->out_reply,
                                         .room = sizeof(f->out_reply)});
    return rc == 0 ? 0 : control_lost(f, net_error(rc));
}

/* Shows the line that was read; keeps it when it is the last of its reply. */
static void show(struct ftp *f)
{
    memcpy(f->text, f->reader.line, f->reader.len);
    f->text[f->reader.len] = 0;
    translate(f->text, f->reader.len, ebcdic_of_latin1);
    for (unsigned i = 0; i < f->reader.len; i++)
        if (!is_print(f->text[i]))
            f->text[i] = ' ';
    cms_say_text(f->text, f->reader.len);
}

int control_step(struct ftp *f)
{
    struct ftp_call *c = &f->call[T_CTL_IN];

    for (;;) {
        while (f->in_at < f->in_len) {
            f->in_at += reply_feed(&f->reader, f->in.bytes + f->in_at, f->in_len - f->in_at);
            if (!f->reader.whole)
                continue;
            show(f);
            if (f->reader.bad)
                return control_lost(f, "the server does not speak FTP");
            if (!f->reader.final)
                continue;
            f->code = f->reader.code;
            return f->code == 421 ? control_lost(f, "the server ends the session") : f->code;
        }
        if (f->call[T_CTL_OUT].ended && f->call[T_CTL_OUT].rc != SOCK_EOK)
            return control_lost(f, net_error(f->call[T_CTL_OUT].rc));
        if (c->ended) {
            c->ended = false;
            if (c->rc != SOCK_EOK)
                return control_lost(f, net_error(c->rc));
            if (c->value == 0)
                return control_lost(f, "closed by the server");
            f->in_at = 0;
            f->in_len = (unsigned)c->value;
            continue;
        }
        if (!c->busy) {
            int rc = ftp_start(f, T_CTL_IN,
                               &(struct net_ask){.function = SOCK_RECV,
                                                 .sock = f->control,
                                                 .reply = &f->in,
                                                 .room = sizeof(f->in)});
            if (rc != 0)
                return control_lost(f, net_error(rc));
        }
        return 0;
    }
}

int control_reply(struct ftp *f)
{
    uint64_t until = ftp_now() + f->timeout_us;

    for (;;) {
        int code = control_step(f);
        if (code != 0)
            return code;
        int rc = ftp_poll(f, until);
        if (rc != 0)
            return control_lost(f, rc == NET_ETIME ? "no reply in time" : net_error(rc));
    }
}

int control_ask(struct ftp *f, const char *format, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, format);
    vfmt(text, sizeof(text), format, ap);
    va_end(ap);
    int rc = control_send(f, 0, "%s", text);
    return rc ? rc : control_reply(f);
}
