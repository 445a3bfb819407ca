/* SPDX-License-Identifier: MIT */
/* Calls of the TCPIP machine, several under way, and HX heard while they are. */
#include "client.h"
#include "s390.h"

#define AGAIN 1

uint64_t ftp_now(void)
{
    return tod() >> 12;
}

int ftp_start(struct ftp *f, int tag, const struct net_ask *ask)
{
    if (net_start(&f->net, ask, (uint32_t)tag) != 0)
        return f->net.open ? SOCK_ELIMIT : NET_EPATH;
    f->call[tag] = (struct ftp_call){.busy = true};
    return 0;
}

/* What a wait has told, true: that a call ended. 0, NET_EPATH, FTP_HALTED, or AGAIN: it was nothing
 * for us. */
static int told(struct ftp *f, bool ended, const struct net_done *d)
{
    if (ended) {
        if (d->tag == 0 || d->tag >= T_MAX)
            return AGAIN;
        f->call[d->tag] = (struct ftp_call){.ended = true, .rc = d->rc, .value = d->value};
        return 0;
    }
    if (d->rc == NET_EPATH)
        return NET_EPATH;
    if (d->rc == NET_EATTN && cms_halted()) {
        f->halted = true;
        return FTP_HALTED;
    }
    return AGAIN;
}

int ftp_poll(struct ftp *f, uint64_t until_us)
{
    struct net_done d;

    for (;;) {
        uint64_t now = ftp_now();
        if (now >= until_us)
            return NET_ETIME;
        bool ended = net_wait(&f->net, &d, until_us - now);
        int rc = told(f, ended, &d);
        if (rc != AGAIN)
            return rc;
    }
}

/* Both in one call of CP. */
static int start_and_poll(struct ftp *f, int tag, const struct net_ask *ask, uint64_t until_us)
{
    struct net_done d;

    f->call[tag] = (struct ftp_call){.busy = true};
    bool ended = net_start_and_wait(&f->net, ask, (uint32_t)tag, &d, f->timeout_us);
    int rc = told(f, ended, &d);
    return rc == AGAIN ? ftp_poll(f, until_us) : rc;
}

void ftp_cancel(struct ftp *f, int tag)
{
    if (f->call[tag].busy)
        net_cancel(&f->net, (uint32_t)tag);
    f->call[tag] = (struct ftp_call){.busy = false};
}

int ftp_call(struct ftp *f, const struct net_ask *asked, int32_t *value)
{
    struct net_ask ask = *asked;

    if (!ask.reply) {
        ask.reply = &f->call_reply;
        ask.room = sizeof(f->call_reply);
    }
    uint64_t until = ftp_now() + f->timeout_us;
    int rc = start_and_poll(f, T_CALL, &ask, until);
    while (rc == 0 && !f->call[T_CALL].ended)
        rc = ftp_poll(f, until);
    if (rc != 0) {
        ftp_cancel(f, T_CALL);
        return rc;
    }
    f->call[T_CALL].ended = false;
    if (value)
        *value = f->call[T_CALL].value;
    return f->call[T_CALL].rc;
}

int ftp_socket(struct ftp *f, int *sock)
{
    int32_t made;
    int rc = ftp_call(f, &(struct net_ask){.function = SOCK_SOCKET}, &made);

    *sock = rc == SOCK_EOK ? made : -1;
    return rc;
}

int ftp_listen(struct ftp *f, int *sock, uint16_t *port)
{
    static const struct sock_open at = {.backlog = 1};
    struct net_found made;
    int32_t number;
    int rc = ftp_call(f, &(struct net_ask){.function = SOCK_SOCKET, .data = &at, .len = sizeof(at),
                                           .reply = &made, .room = sizeof(made)}, &number);

    *sock = rc == SOCK_EOK ? number : -1;
    *port = rc == SOCK_EOK ? made.a.port : 0;
    return rc;
}

int ftp_name(struct ftp *f, int sock, struct net_names *names)
{
    return ftp_call(f, &(struct net_ask){.function = SOCK_NAME, .sock = sock, .reply = names,
                                         .room = sizeof(*names)}, 0);
}

void ftp_close(struct ftp *f, int *sock, int function)
{
    if (*sock >= 0 && f->net.open && !f->halted)
        ftp_call(f, &(struct net_ask){.function = function, .sock = *sock}, 0);
    *sock = -1;
}
