/* SPDX-License-Identifier: MIT */
/* Calls of the TCPIP machine, several under way, and HX heard while they are. */
#include "client.h"
#include "s390.h"

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

int ftp_poll(struct ftp *f, uint64_t until_us)
{
    struct net_done d;

    for (;;) {
        uint64_t now = ftp_now();
        if (now >= until_us)
            return NET_ETIME;
        if (net_wait(&f->net, &d, until_us - now)) {
            if (d.tag == 0 || d.tag >= T_MAX)
                continue;
            f->call[d.tag] = (struct ftp_call){.ended = true, .rc = d.rc, .value = d.value};
            return 0;
        }
        if (d.rc == NET_EPATH)
            return NET_EPATH;
        if (d.rc == NET_EATTN && cms_halted()) {
            f->halted = true;
            return FTP_HALTED;
        }
    }
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
    int rc = ftp_start(f, T_CALL, &ask);
    uint64_t until = ftp_now() + f->timeout_us;
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
