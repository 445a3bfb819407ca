/* SPDX-License-Identifier: MIT */
/* Frames to and from lwIP over IPv6, in place of ../netif.c and ../gather.c: each goes by itself,
 * and lwIP looks for its neighbour and makes its checksum. There is no second link, and no GATEWAY:
 * lwIP takes all addresses with its own first 64 bits for its neighbours'. */
#include "address.h"
#include "lwip/ethip6.h"
#include "lwip/pbuf.h"
#include "netif/ethernet.h"
#include "tcpip.h"

static struct netif link_netif;

static err_t output(struct netif *n, struct pbuf *p)
{
    uint8_t *to = link_frame(p->tot_len);
    (void)n;
    if (!to)
        return ERR_MEM;
    pbuf_copy_partial(p, to, p->tot_len, 0);
    return ERR_OK;
}

void stack_frame(const uint8_t *at, uint16_t len, bool more)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, len, PBUF_POOL);
    (void)more;
    if (!p) {
        link_counts.no_buffer++;
        return;
    }
    pbuf_take(p, at, len);
    if (link_netif.input(p, &link_netif) != ERR_OK)
        pbuf_free(p);
}

void stack_input_ends(void)
{
}

bool stack_loops(void)
{
    const struct netif *n = netif_list;

    while (n && !n->loop_first)
        n = n->next;
    if (n)
        netif_poll_all();
    return n != NULL;
}

bool stack_routes(void)
{
    return false;
}

void stack_routed(const uint8_t *at, uint16_t len)
{
    (void)at, (void)len;
}

static err_t setup(struct netif *n)
{
    n->name[0] = 'c';
    n->name[1] = 't';
    n->output_ip6 = ethip6_output;
    n->linkoutput = output;
    n->mtu = profile.mtu;
    n->hwaddr_len = 6;
    n->hwaddr[0] = 0x02;
    n->hwaddr[1] = 0x00;
    memcpy(n->hwaddr + 2, &profile.address, 4);
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

/* The first address is the one from which lwIP asks for neighbours: ours, since not all stacks
 * answer a host of fe80:: that is not of their network. */
void stack_init(void)
{
    const ip_addr_t own = address_of(profile.address);

    lwip_init();
    lwip_stats.mem.avail = MEM_SIZE; /* of a heap that is not its own lwIP does not know */
    netif_add(&link_netif, 0, setup, ethernet_input);
    netif_set_default(&link_netif);
    netif_set_up(&link_netif);
    netif_set_link_up(&link_netif);
    netif_ip6_addr_set(&link_netif, 0, &own);
    netif_ip6_addr_set_state(&link_netif, 0, IP6_ADDR_PREFERRED);
    stack_ping_init();
}
