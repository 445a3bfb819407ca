/* SPDX-License-Identifier: MIT */
/* smoltcp's side of stack.h, which is in Rust (lib.rs and others); what is in C is here and in
 * port.c. */
#ifndef VMKB_STACK_PORT_H
#define VMKB_STACK_PORT_H
#include "lib.h"
#include "smoltcp_version.h" /* guests/release/smoltcp.py has it from Cargo.toml */

#define STACK_LEVEL "SMOLTCP " SMOLTCP_VERSION

struct stack_tcp {           /* as in stream.rs */
    uint8_t what, has, ended, shut;
    uint16_t port;
    uint32_t sent, offered, rx;
    uint64_t handle;
};

struct stack_udp {           /* as in udp.rs */
    uint8_t has;
    uint16_t port;
    uint64_t handle;
};

enum { SMOLTCP_GONE = 5 };

static inline bool stack_may_wait(void) { return true; }
static inline void stack_behavior_say(void) {}
static inline bool stack_loops(void) { return false; }
static inline bool stack_routes(void) { return false; }
static inline void stack_routed(const uint8_t *frame, uint16_t len) { (void)frame, (void)len; }
static inline bool stack_short_of_input(void) { return false; }

static inline bool stack_tcp_lives(const struct stack_tcp *t)
{
    return t->what && t->what != SMOLTCP_GONE;
}

static inline bool stack_tcp_quiet(const struct stack_tcp *t)
{
    return t->sent == 0;
}

static inline uint32_t stack_tcp_unread(const struct stack_tcp *t)
{
    return t->offered;
}

static inline bool stack_tcp_hurries(const struct stack_tcp *t)
{
    return t->offered >= t->rx / 2;
}

static inline void stack_tcp_settle(struct stack_tcp *t) { (void)t; }

static inline bool stack_udp_lives(const struct stack_udp *u)
{
    return u->has;
}

static inline uint16_t stack_udp_port(const struct stack_udp *u)
{
    return u->port;
}
#endif
