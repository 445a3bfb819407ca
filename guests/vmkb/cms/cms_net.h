/* SPDX-License-Identifier: MIT */
/* What the CMS commands that use the TCPIP machine do alike. module: three letters of messages. */
#ifndef VMKB_CMS_NET_H
#define VMKB_CMS_NET_H
#include "net.h"

/* Connects to the TCPIP machine: 0, or 100 after DMSxxx110E. */
int tcpip_open(const char *module, struct net *n);
/* The address of a host by its name or in digits: 0, or 100 after DMSxxx110E. */
int tcpip_host(const char *module, struct net *n, const char *host, struct sock_address *a);
#endif
