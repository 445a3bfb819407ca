/* SPDX-License-Identifier: MIT */
/* The location service: the volumes of AFS VOLUMES, all of which are at our own HOME address. */
#include "location.h"
#include "role.h"

static struct location places;

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    location_data(arg, call, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    location_event(arg, call, what);
}

static void prepare(void)
{
    places.count = volume_count;
    for (unsigned i = 0; i < volume_count; i++) {
        struct location_volume *v = &places.volumes[i];
        v->id = volume_list[i].id;
        v->name_len = volume_list[i].name_len;
        memcpy(v->name, volume_list[i].name, v->name_len);
    }
}

static void start(struct rx_port *p)
{
    places.rx = &p->rx;
}

static void opened(struct rx_port *p)
{
    struct net_names names;

    if (net_name(&p->udp.net, p->udp.sock, &names) == SOCK_EOK)
        places.server = names.own.ip;
}

static uint64_t tick(void)
{
    return ~0UL;
}

static void *arg(void)
{
    return &places;
}

static void drop(void)
{
    location_drop(&places);
}

const struct role location_role = {
    .title = "LOCATION",
    /* VM/KB VLSERVE */
    .version = "\x56\x4d\x2f\x4b\x42\x20\x56\x4c\x53\x45\x52\x56\x45",
    .port = AFS_PORT_LOCATION, .service = AFS_SERVICE_LOCATION, .connections = 64,
    .ops = {.data = data, .event = event}, .arg = arg,
    .prepare = prepare, .start = start, .opened = opened, .tick = tick, .drop = drop};
