/* SPDX-License-Identifier: MIT */
/* PING host [(COUNT n LENGTH n TIMEOUT s]: echo requests by the TCPIP machine, one after the
 * other. */
#include "cms_net.h"
#include "commands.h"

struct job {
    uint32_t count, length, timeout_s;
};

static int options(struct cms_arg *arg, struct job *job)
{
    const struct cms_number_option known[] = {{"COUNT", &job->count, 1, 999999},
                                              {"LENGTH", &job->length, 0, 16384},
                                              {"TIMEOUT", &job->timeout_s, 1, 600}};

    if (arg->n != 1)
        return cms_error(24,
                         arg->n ? "DMSPNG070E Invalid parameter %s" : "DMSPNG031E No host named",
                         arg->word[1]);
    return cms_option_numbers("PNG", arg, known, sizeof(known) / sizeof(*known));
}

/* Return code 0 if every request was answered, else 8. */
static int run(struct net *n, const struct job *job, struct sock_address *a)
{
    struct net_ask ask = {.function = SOCK_PING, .data = a, .len = sizeof(*a)};
    unsigned answered = 0, sent = 0;
    char host[16];

    fmt(host, sizeof(host), "%u.%u.%u.%u", a->ip >> 24, a->ip >> 16 & 255, a->ip >> 8 & 255,
        a->ip & 255);
    a->port = (uint16_t)job->length;
    while (sent < job->count && !cms_halted()) {
        struct net_done d = {.value = 0};
        cms_say("PING: Ping #%u to %s, %u bytes", ++sent, host, job->length);
        int rc = net_call(n, &ask, &d, job->timeout_s * 1000000UL);
        if (rc == SOCK_EOK) {
            unsigned us = (unsigned)d.value;
            answered++;
            cms_say("PING: Ping #%u response took %u.%03u seconds (%u microseconds)", sent,
                    us / 1000000, us / 1000 % 1000, us);
        } else if (rc == NET_EPATH || (rc == NET_EATTN && cms_halted())) {
            return cms_error(100, "DMSPNG110E TCPIP: %s", net_error(rc));
        } else {
            cms_say("PING: Ping #%u: %s", sent, net_error(rc));
        }
    }
    cms_say("PING: %u of %u answered", answered, sent);
    return answered == sent ? 0 : 8;
}

CMS_COMMAND("PING", 4, cmd_ping);
int cmd_ping(struct cms_arg *arg)
{
    struct job job = {.count = 1, .length = 256, .timeout_s = 10};
    struct net *n = cms_alloc(sizeof(*n));
    struct sock_address a;
    int rc = options(arg, &job);

    if (rc != 0)
        return rc;
    if (!n)
        return cms_error(104, "DMSPNG109S Virtual storage capacity exceeded");
    rc = tcpip_open("PNG", n);
    if (rc != 0)
        return rc;
    rc = tcpip_host("PNG", n, arg->word[0], &a);
    if (rc == 0)
        rc = run(n, &job, &a);
    net_close(n);
    return rc;
}
