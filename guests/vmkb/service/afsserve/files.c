/* SPDX-License-Identifier: MIT */
/* The file service: volumes stay open for as long as the machine runs. */
#include "role.h"
#include "say.h"
#include "server.h"

#define FROM_1900 2208988800u    /* seconds from there to 1970 */

static struct afs_server *server;
static struct volume *volumes[AFS_VOLUMES];
static unsigned count;           /* of volumes */

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    afs_data(arg, call, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    afs_event(arg, call, what);
}

static void prepare(void)
{
    uint32_t now = (uint32_t)(rx_port_now() / 1000000) - FROM_1900;

    server = role_storage(sizeof(*server));
    for (unsigned i = 0; server && i < volume_count; i++) {
        const struct listed_volume *l = &volume_list[i];
        struct volume *v = volumes[count] = role_storage(sizeof(*v));
        struct fs_device dev;
        int rc = FS_E_IO;
        if (!v)
            break;
        count++;
        if (disks_device(l, &dev))
            rc = volume_open(v, &dev, l->id, l->name, l->name_len, now);
        v->id = l->id;           /* an offline one is known by its number too */
        if (rc == FS_OK)
            say("DTCAFS0027I VOLUME %s, NUMBER %u, ON %03X IS ONLINE", l->shown, l->id, l->vaddr);
        else
            say("DTCAFS0028E VOLUME %s, NUMBER %u, ON %03X IS OFFLINE: %s", l->shown, l->id,
                l->vaddr, fs_strerror(rc));
    }
    if (count < volume_count) {
        say("DTCAFS0030E NOT ENOUGH STORAGE FOR %u VOLUMES: DEFINE MORE AND IPL AGAIN",
            volume_count);
        diag_end(1);
    }
}

static void start(struct rx_port *p)
{
    afs_init(server, &p->rx, 0u - FROM_1900);
    for (unsigned i = 0; i < count; i++)
        server->volumes[i] = volumes[i];
}

static void opened(struct rx_port *p)
{
    (void)p;
    say("DTCAFS0029W THERE IS NO SECURITY: WHOEVER REACHES THE PORT READS AND WRITES EVERY FILE");
}

static uint64_t tick(void)
{
    afs_tick(server);
    return server->next;
}

static void *arg(void)
{
    return server;
}

static void drop(void)
{
    for (unsigned i = 0; i < AFS_CALLS; i++)
        afs_drop(&server->calls[i]);
}

const struct role file_role = {
    .title = "FILE",
    /* VM/KB AFSSERVE */
    .version = "\x56\x4d\x2f\x4b\x42\x20\x41\x46\x53\x53\x45\x52\x56\x45",
    .port = AFS_PORT, .service = AFS_SERVICE, .connections = 256,
    .ops = {.data = data, .event = event}, .arg = arg,
    .prepare = prepare, .start = start, .opened = opened, .tick = tick, .drop = drop};
