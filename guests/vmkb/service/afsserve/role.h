/* SPDX-License-Identifier: MIT */
/* What the machine is: AFS's file service, or with IPL's PARM LOCATION that of volumes' places. */
#ifndef VMKB_AFSSERVE_ROLE_H
#define VMKB_AFSSERVE_ROLE_H
#include "disks.h"
#include "port.h"

struct role {
    const char *title;           /* of the ready message */
    const char *version;         /* what rxdebug -version shows, in ISO 8859-1 */
    uint16_t port, service, connections;
    struct rx_ops ops;           /* data and event */
    void *(*arg)(void);          /* of ops */
    void (*prepare)(void);       /* once, before the port is opened for the first time */
    void (*start)(struct rx_port *p); /* before the port is opened, each time */
    void (*opened)(struct rx_port *p); /* the ready message has been said */
    uint64_t (*tick)(void);      /* after each turn; when the next is due */
    void (*drop)(void);          /* TCPIP is gone: no packet of what is under way will come */
};
/* Storage that is kept for good; 0: there is not so much. What is left is for packets. */
void *role_storage(size_t size);
extern const struct role file_role, location_role;
extern struct listed_volume volume_list[];
extern unsigned volume_count;    /* of volume_list */
#endif
