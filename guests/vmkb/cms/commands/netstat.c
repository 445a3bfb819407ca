/* SPDX-License-Identifier: MIT */
/* NETSTAT [CONN | POOLSIZE | DEVLINKS | COUNTERS]: what the TCPIP machine says of itself. */
#include "cms_net.h"
#include "commands.h"

static const struct {
    const char *name;
    unsigned min;
    uint32_t which;          /* SOCK_NETSTAT's */
    const char *heading;
} parts[] = {
    {"CONN", 1, 0, "User Id   Conn Foreign Socket          Local Socket            State"},
    {"POOLSIZE", 1, 1, "TCPIP Free pool status:"},
    {"DEVLINKS", 1, 2, "Device and link status:"},
    {"COUNTERS", 3, 3, "Protocol counters:"},
};

static int show(struct net *n, uint32_t which)
{
    struct {
        struct sock_reply head;
        char text[132];
    } line;
    uint32_t at[2] = {which, 0};
    struct net_ask ask = {.function = SOCK_NETSTAT, .data = at, .len = sizeof(at), .reply = &line,
                          .room = sizeof(line)};
    struct net_done d;

    for (;; at[1]++) {
        int rc = net_call(n, &ask, &d, NET_ANSWER_US);
        if (rc == NET_EATTN && !cms_halted()) {
            at[1]--;         /* HT or RT: ask again */
            continue;
        }
        if (rc != SOCK_EOK)
            return cms_error(100, "DMSNST110E TCPIP: %s", net_error(rc));
        if (!d.value)
            return 0;
        cms_say_text(line.text, d.len < sizeof(line.text) ? d.len : sizeof(line.text));
    }
}

CMS_COMMAND("NETSTAT", 4, cmd_netstat);
int cmd_netstat(struct cms_arg *arg)
{
    const char *what = arg->n ? arg->word[0] : "CONN";
    struct {
        struct sock_reply head;
        char text[32];
    } level;
    unsigned i = 0;
    struct net_ask ask = {.function = SOCK_LEVEL, .reply = &level, .room = sizeof(level)};
    struct net_done d = {.len = 0};

    while (i < sizeof(parts) / sizeof(*parts) && !cms_is(what, parts[i].name, parts[i].min))
        i++;
    if (i == sizeof(parts) / sizeof(*parts) || arg->n > 1)
        return cms_error(
            24, "DMSNST014E Invalid function %s; CONN, POOLSIZE, DEVLINKS and COUNTERS are known",
            arg->n > 1 ? arg->word[1] : what);
    struct net *n = cms_alloc(sizeof(*n));
    if (!n)
        return cms_error(104, "DMSNST109S Virtual storage capacity exceeded");
    int rc = tcpip_open("NST", n);
    if (rc != 0)
        return rc;
    net_call(n, &ask, &d, NET_ANSWER_US);
    cms_say("VM/KB TCP/IP level %.*s",
            (int)(d.len < sizeof(level.text) ? d.len : sizeof(level.text)), level.text);
    cms_say("%s", parts[i].heading);
    int code = show(n, parts[i].which);
    net_close(n);
    return code;
}
