/* SPDX-License-Identifier: MIT */
/* AFSSERVE: AFS's file service on UDP port 7000, or VLSERVE, where volumes are, on 7003
 * (docs/reference/afs.md). */
#include "afs.h"
#include "role.h"
#include "say.h"

#define VOLUMES 8
#define STACK   0x10000UL        /* at the end of storage */

struct listed_volume volume_list[VOLUMES];
unsigned volume_count;
static struct rx_port port;
static const struct role *role;
static uint64_t storage_at;      /* what is behind it is free; 0: not looked at yet */

static const struct role *chosen(void)
{
    struct diag_id id;

    diag_id(&id);
    return memcmp(id.ipl_parm, "LOCATION", 8) == 0 ? &location_role : &file_role;
}

static bool serves(void *arg, uint16_t service)
{
    (void)arg;
    return service == role->service;
}

static void read_list(void)
{
    int n = disks_list(volume_list, VOLUMES);

    if (n < 0)
        say("DTCAFS0026E AFS VOLUMES ON 191: %s; THERE ARE NO VOLUMES", fs_strerror(n));
    volume_count = n < 0 ? 0 : (unsigned)n;
}

void *role_storage(size_t size)
{
    struct diag_space space;

    diag_space(&space);
    if (!storage_at)
        storage_at = (space.free_from + 4095) & ~4095UL;
    uint64_t at = storage_at;
    if (size > space.size - STACK - at)
        return 0;
    storage_at = (at + size + 4095) & ~4095UL;
    return (void *)at;
}

static long open(void)
{
    struct rx_config config = {.connections = role->connections, .window = 32, .jumbo = 1,
                               .version = role->version};
    struct rx_ops ops = role->ops;
    struct diag_space space;

    role_storage(0);
    diag_space(&space);
    ops.serves = serves;
    role->start(&port);
    return rx_port_open(&port, role->port, &config, &ops, role->arg(), (void *)storage_at,
                        space.size - STACK - storage_at);
}

static void serve(void)
{
    int rc;

    do {
        rc = rx_port_turn(&port);
        uint64_t due = role->tick();
        if (due < port.rx.next)
            port.rx.next = due;
    } while (rc == SOCK_EOK || rc == NET_EATTN);
    role->drop();
}

void vm_main(void);
void vm_main(void)
{
    struct event e;
    long said = 0;

    role = chosen();
    read_list();
    role->prepare();
    for (;;) {
        long rc = open();
        if (rc == 0) {
            say("DTCAFS0021I AFS %s SERVER READY ON UDP PORT %u, MTU %u, %u VOLUMES, %u PACKETS",
                role->title, role->port, port.udp.mtu, volume_count, port.rx.packets);
            role->opened(&port);
            serve();
            udp_close(&port.udp);
            say("DTCAFS0023E TCPIP WENT AWAY; TRYING AGAIN");
            said = 0;
        } else if (rc != IUCV_ENOTLOGGED && rc != IUCV_ENOTREADY && rc != said) {
            said = rc;
            say("DTCAFS0022E NO UDP PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", role->port, rc);
        }
        diag_wait(EV_ATTN, &e, 1000000);
    }
}
