/* SPDX-License-Identifier: MIT */
/* The data connection. We listen and the server comes (PORT, as VM does; EPRT over IPv6), or we go
 * to it (EPSV, else PASV). */
#include "client.h"

static void data_drop(struct ftp *f)
{
    for (int tag = T_DATA; tag < T_MAX; tag++)
        ftp_cancel(f, tag);
    ftp_close(f, &f->data, SOCK_ABORT);
    ftp_close(f, &f->listener, SOCK_CLOSE);
    f->open = false;
}

/* Says why the connection failed; nothing of it is left. */
static int data_failed(struct ftp *f, int rc)
{
    data_drop(f);
    if (f->halted)
        return FTP_HALTED;
    if (rc == NET_EPATH)
        return control_lost(f, net_error(rc));
    cms_say("Data connection: %s", net_error(rc));
    return FTP_NETWORK;
}

static int accept_one(struct ftp *f)
{
    return ftp_start(f, T_DATA,
                     &(struct net_ask){.function = SOCK_ACCEPT,
                                       .sock = f->listener,
                                       .reply = &f->accepted,
                                       .room = sizeof(f->accepted)});
}

static int listen_port(struct ftp *f)
{
    uint16_t port;

    int rc = ftp_listen(f, &f->listener, &port);
    if (rc == SOCK_EOK)
        rc = accept_one(f);
    if (rc != SOCK_EOK)
        return data_failed(f, rc);
    uint32_t ip = f->own.ip;
    if (f->own.ipv6)
        rc = control_ask(f, "EPRT |2|fd00::%x:%x|%u|", ip >> 16, ip & 0xffff, port);
    else
        rc = control_ask(f, "PORT %u,%u,%u,%u,%u,%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
                         ip & 255, port >> 8, port & 255);
    return rc < 0 || rc >= 400 ? rc : 0;
}

/* The server's data port; the address that PASV gives is not believed, data goes to the server
 * itself. */
static int ask_port(struct ftp *f, struct sock_address *a)
{
    uint32_t ip;
    int rc;

    *a = f->server;
    if (!f->no_epsv) {
        rc = control_ask(f, "EPSV");
        if (rc < 0 || (rc >= 400 && rc < 500))
            return rc;
        if (rc < 300 && reply_extended_passive(f->text, &a->port))
            return 0;
        f->no_epsv = true;   /* a server that does not have it says 5xx */
    }
    if (f->own.ipv6) {
        cms_say("The server has no EPSV, which IPv6 needs");
        return FTP_NETWORK;
    }
    rc = control_ask(f, "PASV");
    if (rc < 0 || rc >= 400)
        return rc;
    if (rc < 300 && reply_passive(f->text, &ip, &a->port))
        return 0;
    cms_say("The server's reply to PASV has no port");
    return FTP_NETWORK;
}

static int go_to_port(struct ftp *f)
{
    struct sock_address a;
    int rc = ask_port(f, &a);

    if (rc != 0)
        return rc;
    rc = ftp_socket(f, &f->data);
    if (rc == SOCK_EOK)
        rc = ftp_start(f, T_DATA,
                       &(struct net_ask){.function = SOCK_CONNECT,
                                         .sock = f->data,
                                         .data = &a,
                                         .len = sizeof(a),
                                         .reply = &f->accepted,
                                         .room = sizeof(f->accepted.head)});
    return rc == 0 ? 0 : data_failed(f, rc);
}

/* The call that opens the connection has ended. Only the server may come (RFC 2577). */
static int opened(struct ftp *f)
{
    struct ftp_call *c = &f->call[T_DATA];

    c->ended = false;
    if (c->rc != SOCK_EOK)
        return c->rc;
    if (f->listener >= 0) {
        int sock = c->value;
        if (f->accepted.from.ip != f->server.ip) {
            cms_say("A stranger came to the data port; turned away");
            ftp_close(f, &sock, SOCK_ABORT);
            return accept_one(f);
        }
        f->data = sock;
        ftp_close(f, &f->listener, SOCK_CLOSE);
    }
    f->open = true;
    f->opened_us = ftp_now();
    return 0;
}

/* All bytes have come, or are sent. */
static void data_over(struct ftp *f)
{
    ftp_close(f, &f->data, SOCK_CLOSE);
    f->open = false;
    f->connections++;
    f->data_bytes += f->bytes;
    f->data_us += ftp_now() - f->opened_us;
}

int data_reply(struct ftp *f)
{
    int code = f->code;      /* 1xx: the reply that ends it is still to come */

    while (code >= 100 && code < 200)
        code = control_reply(f);
    f->ended_us = ftp_now();
    return code < 0 || code >= 400 ? code : 0;
}

/* The connection failed under a command: its reply is still to be read. */
static int data_broken(struct ftp *f, int rc)
{
    rc = data_failed(f, rc);
    if (rc == FTP_NETWORK) {
        int code = data_reply(f);
        if (code < 0)
            return code;
    }
    return rc;
}

int data_command(struct ftp *f, const char *verb, const char *name)
{
    bool told = false;

    f->bytes = 0;
    int rc = f->passive ? go_to_port(f) : listen_port(f);
    f->began_us = ftp_now();
    if (rc == 0)
        rc = control_send(f, 0, *name ? "%s %s" : "%s", verb, name);
    if (rc != 0) {
        data_drop(f);
        return rc;
    }
    f->code = 100;           /* a reply is to come, whatever happens to the data */
    uint64_t until = ftp_now() + f->timeout_us;
    for (;;) {
        if (f->call[T_DATA].ended && (rc = opened(f)) != 0)
            return data_broken(f, rc);
        if (!told) {
            int code = control_step(f);
            if (code < 0 || code >= 400) {
                data_drop(f);
                return code;
            }
            told = code != 0;    /* 125 or 150; 226 already when there is next to nothing to move */
        }
        if (told && f->open)
            return 0;
        if (f->call[T_DATA].ended || (!told && f->in_at < f->in_len))
            continue;
        rc = ftp_poll(f, until);
        if (rc != 0)
            return data_broken(f, rc);
    }
}

/* During a transfer the server speaks only to end it: 0 or a code that does so badly. */
static int spoken(struct ftp *f)
{
    if (f->code >= 200)
        return 0;
    int code = control_step(f);
    return code < 0 || code >= 400 ? code : 0;
}

static int ask(struct ftp *f, int i)
{
    return ftp_start(f, T_SLOT + i, &(struct net_ask){.function = SOCK_RECV_ALL, .sock = f->data,
                                                      .reply = &f->buffers->in[i],
                                                      .room = sizeof(f->buffers->in[i])});
}

int data_receive(struct ftp *f, int (*take)(void *to, uint8_t *bytes, uint32_t n), void *to,
                 int *taken)
{
    int now = 0, asked = 0;  /* asked: RECVs under way for the buffers after `now` */
    int rc = ask(f, 0);

    *taken = 0;
    while (rc == 0) {
        struct ftp_call *c = &f->call[T_SLOT + now];
        if (!c->ended) {
            int code = spoken(f);
            if (code != 0) {
                data_drop(f);
                return code;
            }
            rc = ftp_poll(f, ftp_now() + f->timeout_us);
            continue;
        }
        c->ended = false;
        bool last = c->rc == SOCK_LAST || (c->rc == SOCK_EOK && c->value == 0);
        rc = last ? SOCK_EOK : c->rc;
        if (rc != SOCK_EOK)
            break;
        uint32_t came = (uint32_t)c->value;
        int ahead = last ? 0 : came == SOCK_RECV_MAX ? INS - 1 : 1;
        for (; rc == 0 && asked < ahead; asked++)
            rc = ask(f, (now + 1 + asked) % INS); /* behind a whole buffer there are more */
        f->bytes += came;
        if (last) {          /* our FIN goes with the acknowledgement of the server's */
            for (int tag = T_SLOT; tag < T_MAX; tag++)
                ftp_cancel(f, tag);
            data_over(f);
        }
        *taken = came ? take(to, f->buffers->in[now].bytes, came) : 0;
        if (*taken != 0)
            data_drop(f);
        if (last || *taken != 0)
            return 0;
        now = (now + 1) % INS;
        asked--;
    }
    return data_broken(f, rc);
}

/* Fills free buffers and sends them. False: the file or the connection has ended or failed. */
static bool fill(struct ftp *f, struct text_out *from, int *read, int *rc)
{
    for (int i = 0; i < SLOTS; i++) {
        if (f->call[T_SLOT + i].busy)
            continue;
        long n = text_out(from, f->buffers->slot[i], SLOT);
        if (n <= 0) {
            *read = (int)n;
            return false;
        }
        *rc = ftp_start(f, T_SLOT + i,
                        &(struct net_ask){.function = SOCK_SEND,
                                          .sock = f->data,
                                          .data = f->buffers->slot[i],
                                          .len = (uint32_t)n,
                                          .reply = &f->slot_reply[i],
                                          .room = sizeof(f->slot_reply[i])});
        if (*rc != 0)
            return false;
        f->bytes += (uint64_t)n;
    }
    return true;
}

/* Ends of SENDs. True: none is under way. */
static bool sent(struct ftp *f, int *rc)
{
    bool all = true;

    for (int i = 0; i < SLOTS; i++) {
        struct ftp_call *c = &f->call[T_SLOT + i];
        if (c->ended && c->rc != SOCK_EOK && *rc == 0)
            *rc = c->rc;
        c->ended = false;
        all &= !c->busy;
    }
    return all;
}

int data_send(struct ftp *f, struct text_out *from, int *read)
{
    bool more = true;
    int rc = 0;

    *read = 0;
    while (rc == 0) {
        if (more)
            more = fill(f, from, read, &rc);
        if (*read < 0) {
            data_drop(f);
            return 0;
        }
        if (rc == 0 && sent(f, &rc) && !more && rc == 0) {
            data_over(f);
            return 0;
        }
        int code = rc == 0 ? spoken(f) : 0;
        if (code != 0) {
            data_drop(f);
            return code;
        }
        if (rc == 0)
            rc = ftp_poll(f, ftp_now() + f->timeout_us);
    }
    return data_broken(f, rc);
}

void data_message(const struct ftp *f)
{
    char text[100];

    transfer_message(text, sizeof(text), f->bytes, f->ended_us - f->began_us);
    cms_say("%s", text);
}
