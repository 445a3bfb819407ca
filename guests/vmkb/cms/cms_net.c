/* SPDX-License-Identifier: MIT */
/* Reaching TCPIP, and the host that was named. */
#include "cms.h"
#include "cms_net.h"

int tcpip_open(const char *module, struct net *n)
{
    long rc = net_open(n, "TCPIP");

    return rc == 0 ? 0
                   : cms_error(100, "DMS%s110E The TCPIP machine is not there (IUCV code %ld)",
                               module, rc);
}

int tcpip_host(const char *module, struct net *n, const char *host, struct sock_address *a)
{
    struct net_found found;
    int rc = net_resolve(n, host, &found);

    *a = found.a;
    return rc == SOCK_EOK
               ? 0
               : cms_error(100, "DMS%s110E Host %s: %s", module, host, net_error(rc));
}
