/* SPDX-License-Identifier: MIT */
/* TELNET host [port]: a line-mode terminal on another system (cms/telnet). A line is sent when
 * ENTER is pressed. Lines that begin with \ are for this command: \x ends, \b sends BREAK, \c sends
 * IP, \\ sends one \. HX ends it, too. Return codes: 0; 24 usage; 100 the host was not reached; 101
 * the connection was lost; 104. */
#include "cms_net.h"
#include "commands.h"
#include "remote.h"

CMS_COMMAND("TELNET", 6, cmd_telnet);
int cmd_telnet(struct cms_arg *arg)
{
    struct remote *r;
    uint32_t port = TELNET_PORT;

    if (arg->n < 1 || arg->n > 2)
        return cms_error(24, "DMSTEL029E Use TELNET host [port]");
    if (arg->n == 2 && (!cms_number(arg->word[1], &port) || port == 0 || port > 65535))
        return cms_error(24, "DMSTEL029E Invalid port %s", arg->word[1]);
    r = cms_alloc(sizeof(*r));
    if (!r)
        return cms_error(104, "DMSTEL109S Virtual storage capacity exceeded");
    memset(r, 0, sizeof(*r));
    int rc = tcpip_open("TEL", &r->net);
    if (rc != 0)
        return rc;
    rc = remote_open(r, arg->word[0], (uint16_t)port);
    if (rc != SOCK_EOK) {
        net_close(&r->net);
        return cms_error(100, "DMSTEL111E Unable to connect to %s: %s", arg->word[0],
                         net_error(rc));
    }
    cms_say("Connected to %s; \\x ends", arg->word[0]);
    rc = remote_run(r);
    net_close(&r->net);
    return rc;
}
