/* SPDX-License-Identifier: MIT */
/* DECnet and SET HOST as CP knows them (cp/comm/decnet/decnet_cp.c, host_terminal.c,
 * sethost_terminal.c). */
#ifndef VMKB_DECNET_CP_H
#define VMKB_DECNET_CP_H
#include "cterm.h"
#include "defs.h"

#define DECNET_NODES 8       /* names of DECNODES= */
#define DECNET_HOSTS 72      /* terminals of other nodes here, and */
#define DECNET_CLIENTS 72    /* terminals here that are at other nodes */

struct decnet_node {
    char name[7];
    uint16_t address;
};

extern struct decnet *decnet;            /* 0: this system is no DECnet node */
extern struct cterm_counts cterm_counts;
extern struct decnet_node decnet_nodes[DECNET_NODES + 1]; /* ends with address 0 */

void decnet_start(void);                 /* after lan_init, before the first frame */
uint16_t decnet_address(const char *node); /* a name, or area.node; 0: not known */
const char *decnet_name(uint16_t address, char text[12]); /* its name, or area.node */
void decnet_now(void); /* the time is told to the node: before CP calls it on its own account */
void decnet_settle(void);                /* and after that: its timer is set */

/* cp/comm/decnet/host_terminal.c */
bool host_init(void);
int host_accept(struct dn_link *l);      /* -1 or the reason of refusal */
struct account *host_account(const struct cterm_host *h);
const struct terminal *host_terminal(const struct dn_link *l); /* served by that link, or 0 */

/* cp/comm/decnet/sethost_terminal.c */
bool sethost_init(void);
/* The terminal of vm goes to that node. 0; 1 when no session or link is free. */
int sethost_begin(struct vm *vm, uint16_t node, bool from_console);
struct account *sethost_account(const struct cterm_client *c);
const struct terminal *sethost_terminal(const struct dn_link *l);
#endif
