/* SPDX-License-Identifier: MIT */
/* AFSSERVE: AFS's file service on UDP port 7000 (docs/afs.md). */
#include "disks.h"
#include "port.h"
#include "say.h"
#include "server.h"

#define CONNECTIONS 256
#define FROM_1900   2208988800u  /* seconds from there to 1970 */

static struct rx_port port;
static struct afs_server server;
static struct volume volumes[AFS_VOLUMES];
static struct listed_volume list[AFS_VOLUMES];
static unsigned count;

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    afs_data(arg, call, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    afs_event(arg, call, what);
}

static bool serves(void *arg, uint16_t service)
{
    (void)arg;
    return service == AFS_SERVICE;
}

/* "VM/KB AFSSERVE" in ISO 8859-1, which rxdebug -version shows. */
static const char version[] = "\x56\x4d\x2f\x4b\x42\x20\x41\x46\x53\x53\x45\x52\x56\x45";

static uint32_t now_1970(void)
{
    return (uint32_t)(rx_port_now() / 1000000) - FROM_1900;
}

/* Every volume that can be used; it stays open for as long as the machine runs. */
static void open_volumes(void)
{
    int n = disks_list(list, AFS_VOLUMES);

    if (n < 0)
        say("DTCAFS0026E AFS VOLUMES ON 191: %s; THERE ARE NO VOLUMES", fs_strerror(n));
    for (int i = 0; i < n; i++) {
        const struct listed_volume *l = &list[i];
        struct fs_device dev;
        int rc = disks_device(l, &dev)
                     ? volume_open(&volumes[count], &dev, l->id, l->name, l->name_len, now_1970())
                     : FS_E_IO;
        struct volume *v = &volumes[count];
        v->id = l->id;           /* an offline one is known by its number too */
        if (rc == FS_OK)
            say("DTCAFS0027I VOLUME %s, NUMBER %u, ON %03X IS ONLINE", l->shown, l->id, l->vaddr);
        else
            say("DTCAFS0028E VOLUME %s, NUMBER %u, ON %03X IS OFFLINE: %s", l->shown, l->id,
                l->vaddr, fs_strerror(rc));
        count++;
    }
}

static long open(void)
{
    const struct rx_ops ops = {0, data, event, serves};
    struct rx_config config = {
        .connections = CONNECTIONS, .window = 32, .jumbo = 1, .version = version};
    struct diag_space space;

    diag_space(&space);
    uint64_t at = (space.free_from + 4095) & ~4095UL;
    afs_init(&server, &port.rx, 0u - FROM_1900);
    for (unsigned i = 0; i < count; i++)
        server.volumes[i] = &volumes[i];
    return rx_port_open(&port, AFS_PORT, &config, &ops, &server, (void *)at,
                        space.size - 0x10000 - at);
}

/* What was under way when TCPIP went: no packet of it will come. */
static void drop(void)
{
    for (unsigned i = 0; i < AFS_CALLS; i++)
        afs_drop(&server.calls[i]);
}

static void serve(void)
{
    int rc;

    do {
        if (server.next < port.rx.next)
            port.rx.next = server.next;
        rc = rx_port_turn(&port);
        afs_tick(&server);
        say_moved();
    } while (rc == SOCK_EOK || rc == NET_EATTN);
    drop();
}

void vm_main(void);
void vm_main(void)
{
    struct event e;
    long said = 0;

    open_volumes();
    for (;;) {
        long rc = open();
        if (rc == 0) {
            say("DTCAFS0021I AFS FILE SERVER READY ON UDP PORT %u, MTU %u, %u VOLUMES, %u PACKETS",
                AFS_PORT, port.udp.mtu, count, port.rx.packets);
            say("DTCAFS0029W THERE IS NO SECURITY: WHOEVER REACHES THE PORT READS AND WRITES EVERY "
                "FILE");
            serve();
            udp_close(&port.udp);
            say("DTCAFS0023E TCPIP WENT AWAY; TRYING AGAIN");
            said = 0;
        } else if (rc != IUCV_ENOTLOGGED && rc != IUCV_ENOTREADY && rc != said) {
            said = rc;
            say("DTCAFS0022E NO UDP PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", AFS_PORT, rc);
        }
        diag_wait(EV_ATTN, &e, 1000000);
    }
}
