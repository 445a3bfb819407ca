/* SPDX-License-Identifier: MIT */
/* Where volumes are (docs/reference/afs.md): a client that knows a volume's name or number asks for
 * its server. All volumes are on one. Pure. */
#ifndef VMKB_AFS_LOCATION_H
#define VMKB_AFS_LOCATION_H
#include "afs.h"
#include "rx_core.h"

#define LOCATION_CALLS   16      /* at one time */
#define LOCATION_VOLUMES 8
#define LOCATION_ARGS    256
#define LOCATION_REPLY   4096    /* a list of all volumes: 476 bytes each */
#define LOCATION_NAME    32

struct location_volume {
    uint32_t id;
    uint8_t name[LOCATION_NAME]; /* ISO 8859-1 */
    uint32_t name_len;
};

struct location_call {
    struct rx_call *call;        /* 0: free */
    uint32_t args_len, reply_len, reply_at;
    uint8_t args[LOCATION_ARGS], reply[LOCATION_REPLY];
};

struct location {
    struct rx *rx;
    uint32_t server;             /* its IP address */
    unsigned count;
    struct location_volume volumes[LOCATION_VOLUMES];
    struct location_call calls[LOCATION_CALLS];
};

/* The server's part of rx_ops. */
void location_event(struct location *l, struct rx_call *call, enum rx_event what);
void location_data(struct location *l, struct rx_call *call, const uint8_t *bytes, uint32_t len);
void location_drop(struct location *l); /* all calls are forgotten; nothing is said */
#endif
