/* SPDX-License-Identifier: MIT */
/* DECnet in CP: frames by cp/comm/lan.c, one timer, the node's name and address from the IPL
 * parameters (NODE=CLE750 DECNET=1.2 DECNODES=LNS53:1.1,CLE750:1.2). Work is CP's for the machine
 * whose terminal is served, or whose terminal is away, else the system's. */
#include "decnet_cp.h"
#include "ctype.h"
#include "lan.h"
#include "lib.h"

struct decnet *decnet;
struct cterm_counts cterm_counts;
struct decnet_node decnet_nodes[DECNET_NODES + 1];

static struct timer timer;

static void tick(void *arg)
{
    (void)arg;
    acct_change(&acct_system);
    dn_tick(decnet, us_now());
    decnet_settle();
}

void decnet_now(void)
{
    decnet->now = us_now();
}

void decnet_settle(void)
{
    if (!timer.due || decnet->due < timer.due)
        timer_set(&timer, decnet->due, tick, 0);
}

static bool send(struct decnet *d, const uint8_t *frame, size_t len)
{
    (void)d;
    return lan_send(frame, len);
}

static int accept(struct decnet *d, struct dn_link *l, unsigned object)
{
    (void)d;
    return object == DN_OBJECT_CTERM ? host_accept(l) : DN_NO_OBJECT;
}

static void work_for(struct decnet *d, const struct dn_link *l)
{
    struct account *who = 0;

    (void)d;
    if (l && l->user == &cterm_host_user)
        who = host_account(l->arg);
    else if (l && l->user == &cterm_client_user)
        who = sethost_account(l->arg);
    acct_change(who ? who : &acct_system);
}

static void frame(const uint8_t *at, size_t len)
{
    acct_change(&acct_system);
    dn_frame(decnet, at, len, us_now());
    decnet_settle();
}

static const char *number(const char *p, unsigned *n)
{
    const char *from = p;

    for (*n = 0; is_digit(*p) && *n < 10000; p++)
        *n = *n * 10 + (unsigned)(*p - '0');
    return p == from ? 0 : p;
}

/* area.node: what follows it, or 0. */
static const char *parse_address(const char *p, uint16_t *address)
{
    unsigned area, node;

    p = number(p, &area);
    if (!p || *p != '.' || !(p = number(p + 1, &node)) || area < 1 || area > 63 || node < 1
        || node > 1023)
        return 0;
    *address = (uint16_t)(area << 10 | node);
    return p;
}

static bool parse_nodes(const char *p)
{
    for (unsigned i = 0; *p; i++) {
        unsigned n = 0;
        if (i == DECNET_NODES)
            return false;
        while (n < 6 && is_alnum(p[n]))
            n++;
        if (!n || p[n] != ':')
            return false;
        memcpy(decnet_nodes[i].name, p, n);
        p = parse_address(p + n + 1, &decnet_nodes[i].address);
        if (!p || (*p && *p != ','))
            return false;
        p += *p == ',';
    }
    return true;
}

uint16_t decnet_address(const char *node)
{
    uint16_t address;

    for (const struct decnet_node *n = decnet_nodes; n->address; n++)
        if (strcmp(n->name, node) == 0)
            return n->address;
    const char *end = parse_address(node, &address);
    return end && !*end ? address : 0;
}

const char *decnet_name(uint16_t address, char text[12])
{
    for (const struct decnet_node *n = decnet_nodes; n->address; n++)
        if (n->address == address)
            return n->name;
    fmt(text, 12, "%u.%u", (unsigned)(address >> 10), (unsigned)(address & 0x3ff));
    return text;
}

void decnet_start(void)
{
    static const struct dn_ops ops = {send, accept, work_for};
    char value[128];
    uint16_t address;
    const char *end;

    if (!ctca_there() || !ipl_parm_value("DECNET", value, sizeof(value)))
        return;
    end = parse_address(value, &address);
    if (!end || *end) {
        operator_say("DMKDNT003E INVALID OPTION - DECNET=%s; IT IS AREA.NODE, 1.1 TO 63.1023",
                     value);
        return;
    }
    if (ipl_parm_value("DECNODES", value, sizeof(value)) && !parse_nodes(value))
        operator_say(
            "DMKDNT003E INVALID OPTION - DECNODES=%s; IT IS NAME:AREA.NODE,... OF UP TO %d NODES",
            value, DECNET_NODES);
    struct decnet *d =
        (struct decnet *)pages_get((sizeof(struct decnet) + PAGE_SIZE - 1) / PAGE_SIZE);
    if (!d || !host_init() || !sethost_init() || !lan_register(DN_ETHERTYPE, frame)) {
        operator_say("DMKDNT088E DECNET HAS NO STORAGE OR NO LAN");
        return;
    }
    decnet = d;
    dn_init(d, &ops, address, us_now());
    lan_set_address(d->mac);
    decnet_settle();
}
