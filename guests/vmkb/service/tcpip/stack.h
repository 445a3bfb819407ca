/* SPDX-License-Identifier: MIT */
/* The seam between TCPIP and its TCP/IP stack. TCPIP has the link's blocks (ctclink.c), the
 * clients' calls and data buffers (sock_*.c), NETSTAT and PING; the stack has what a host says on a
 * wire.
 * A port of a stack is a folder beside this file: port/ for lwIP, freertos/ for FreeRTOS-Plus-TCP
 * (freertos/kernel/ stands for the kernel that this one needs).
 *
 * To port a stack, write a folder with a header stack_port.h and the functions of the first part
 * below, and name it in the Makefile. stack_port.h defines
 *     STACK_LEVEL         the stack's name and version, a string
 *     struct stack_tcp    what the port keeps in each stream socket: zeros at first
 *     struct stack_udp    the same of a datagram socket
 * and, as static inline functions, those of the first part that it wants to be so.
 *
 * Everything runs in one thread, and nothing may wait. A turn of main.c is: one event (a block of
 * frames, a client's call); the timers, if they are due; the clients' answers; then what is to go
 * out goes in one block. Addresses and ports are numbers in this machine's byte order, which is the
 * wire's. Results are SOCK_EOK or an error of socket.h. `t` and `u` belong to one socket from
 * stack_tcp_new, client_accepted or stack_udp_new on; after close, abort or remove the port must
 * not name them any more. */
#ifndef VMKB_STACK_H
#define VMKB_STACK_H
#include "lib.h"
#include "socket.h"
#include "stack_port.h"
#include "words.h"

#ifdef TCPIP_IPV6
#define OVER_IPV6 1          /* the stack has IPv6 alone, and a.b.c.d stands for fd00::a.b.c.d */
#else
#define OVER_IPV6 0
#endif

/* ------------------------------------------------------------ what a port of a stack provides */

/* The stack begins, with the addresses and MTU of `profile` (tcpip.h). */
void stack_init(void);
/* From now on what comes goes to the stack through route_takes, if route_wants it, and what it
 * sends to profile.peer to route_packet. False: it cannot. */
bool stack_routes(void);
/* A frame came from the host of the second link. */
void stack_routed(const uint8_t *frame, uint16_t len);
/* Milliseconds until stack_timers has something to do; UINT32_MAX: nothing. */
uint32_t stack_due(void);
/* Called in each turn in which tcpip_now() has moved on. */
void stack_timers(void);
/* Called in each turn when its input is taken and its answers are given. */
void stack_settled(void);
/* An Ethernet frame came, and MORE come behind it in its block. Its bytes are gone at the block's
 * end (stack_input_ends). */
void stack_frame(const uint8_t *frame, uint16_t len, bool more);
/* The frames of a block have all come. */
void stack_input_ends(void);
/* What the stack sent to its own host comes in, as far as it is there. Whether any was. */
bool stack_loops(void);
/* When something goes out may depend on what a client calls for next: not where the stack behaves
 * as another host's. */
bool stack_may_wait(void);
/* Three quarters of the storage for input are taken. */
bool stack_short_of_input(void);
/* TCPBEHAVIOR's words. What is wrong with them, or 0. stack_behavior_say: at start, if any. */
const char *stack_behavior(char words[][WORD_MAX], unsigned count);
void stack_behavior_say(void);

/* Streams. A new one; false: there is no room for one. */
bool stack_tcp_new(struct stack_tcp *t);
/* Whether there still is a connection or listener behind `t`. */
bool stack_tcp_lives(const struct stack_tcp *t);
/* The port that it got, PORT or one of the dynamic range for 0; below 0: an error. */
int stack_tcp_bind(struct stack_tcp *t, uint16_t port);
int stack_tcp_listen(struct stack_tcp *t);
/* client_connected or client_gone follows SOCK_EOK. */
int stack_tcp_connect(struct stack_tcp *t, uint32_t ip, uint16_t port);
/* Gone at once, with RST if there is a connection. No event follows. */
void stack_tcp_abort(struct stack_tcp *t);
/* All that was written is acknowledged: FIN, if stack_tcp_end has not sent it, and what comes after
 * it is the stack's own matter. No event follows. */
void stack_tcp_close(struct stack_tcp *t);
/* False: nothing may be written until client_acknowledged. */
bool stack_tcp_may_write(struct stack_tcp *t);
/* Bytes that stack_tcp_write takes now. */
uint32_t stack_tcp_room(const struct stack_tcp *t);
uint32_t stack_tcp_mss(const struct stack_tcp *t);
/* N bytes, all or none. They stay where they are until client_acknowledged, unless COPY. MORE: the
 * client has more, so no PSH. It need not go out before stack_tcp_push. */
bool stack_tcp_write(struct stack_tcp *t, const void *bytes, uint16_t n, bool copy, bool more);
void stack_tcp_push(struct stack_tcp *t);
/* FIN goes behind the last byte. False: not now. */
bool stack_tcp_end(struct stack_tcp *t);
/* Nothing that was written waits to be sent or acknowledged. */
bool stack_tcp_quiet(const struct stack_tcp *t);
/* Bytes that came and were not taken; they may outlive the connection. */
uint32_t stack_tcp_unread(const struct stack_tcp *t);
/* The client should have them although it waits for more: the window is small. */
bool stack_tcp_hurries(const struct stack_tcp *t);
/* The first N of them are copied; they stay until stack_tcp_taken, which opens the window. */
void stack_tcp_copy(const struct stack_tcp *t, uint8_t *to, uint32_t n);
void stack_tcp_taken(struct stack_tcp *t, uint32_t n);
/* Nobody will read the rest. */
void stack_tcp_drop(struct stack_tcp *t);
/* After input of a turn, of each socket for which client_mark or client_offered was called. */
void stack_tcp_settle(struct stack_tcp *t);

/* Datagrams. DATA is the port's own handle of one that came (client_datagram). */
bool stack_udp_new(struct stack_udp *u);
bool stack_udp_lives(const struct stack_udp *u);
int stack_udp_bind(struct stack_udp *u, uint16_t port);
uint16_t stack_udp_port(const struct stack_udp *u);
int stack_udp_send(struct stack_udp *u, uint32_t ip, uint16_t port, const void *bytes,
                   uint16_t len);
void stack_udp_remove(struct stack_udp *u);
void stack_datagram_copy(const void *data, uint8_t *to);
void stack_datagram_free(void *data);

/* An ICMP echo request with LEN bytes of data. client_pong follows an answer. */
int stack_ping(uint32_t ip, uint16_t id, uint16_t sequence, uint16_t len);

/* NETSTAT. The rows by index from 0; false: no more. */
struct stack_names {
    uint32_t remote_ip, local_ip;
    uint16_t remote_port, local_port;
    const char *state;                   /* as RFC 793 has it */
};
void stack_tcp_names(const struct stack_tcp *t, struct stack_names *n);
bool stack_tcp_ownerless(unsigned index, struct stack_names *n);
unsigned stack_tcp_time_waits(void);
struct stack_pool {
    const char *name;
    unsigned free, made, most, failed;
};
bool stack_pool(unsigned index, struct stack_pool *p);
struct stack_counter {
    const char *name;
    unsigned sent, received, dropped, checksum, length, memory, route;
};
bool stack_counter(unsigned index, struct stack_counter *c);

/* Where callers for few frames must not cost a function of each frame a call. */
#define EACH_FRAME __attribute__((always_inline)) inline

/* ----------------------------------------------------------------- what TCPIP does for a port */

/* Where a frame of LEN bytes is to be written; 0: the link has no room. (ctclink.c) */
uint8_t *link_frame(uint16_t len);
/* Whether frames of so many bytes, each with two more, find room in two blocks. */
bool link_has_room(uint32_t bytes);
/* For the host of a second link (route.c). An Ethernet frame of which the first bytes are at F may
 * be for it; it was, or is wrong; where a packet to it is to be written, 0: there is no room; it
 * goes. */
bool route_wants(const uint8_t *f, uint32_t len);
bool route_takes(uint8_t *f, uint32_t len);
void route_passed(uint16_t len);     /* such a frame has been seen to, its or not */
uint8_t *route_packet(uint16_t len);
void route_flush(void);
/* Milliseconds, modulo 2^32; random numbers; the end. (machine.c) */
uint32_t tcpip_now(void);
uint32_t tcpip_random(void);
void tcpip_stop(const char *why);
/* The checksums of an Ethernet frame of IPv4, of its head and of TCP, UDP or ICMP, are made, or
 * looked at: false, one of them is wrong. Other frames have none. With TCPIP_IPV6, which an
 * IP=6 of make defines, of IPv6 instead. (packet.c) */
bool packet_summed(uint8_t *frame, size_t len, bool make);
/* Events of streams (sock_*.c). A connection of LISTENER is open; its place, or 0: refused. */
struct stack_tcp *client_accepted(struct stack_tcp *listener, uint32_t ip, uint16_t port);
/* False: it was aborted. */
bool client_connected(struct stack_tcp *t);
/* N more bytes are acknowledged; then more may be written. */
void client_acknowledged(struct stack_tcp *t, uint32_t n);
/* Bytes came. OFFER_TAKE: they count as unread from now on; OFFER_DROP: nobody will read them;
 * OFFER_LATER: there is no room, offer them again. */
enum offer { OFFER_TAKE, OFFER_DROP, OFFER_LATER };
enum offer client_offered(struct stack_tcp *t);
void client_ended(struct stack_tcp *t);  /* FIN came, behind all bytes */
/* There is no connection any more: reset, or TIMED_OUT. */
void client_gone(struct stack_tcp *t, bool timed_out);
#define CLIENT_POLL_S 2
/* To be called each CLIENT_POLL_S seconds of a connection. False: it was aborted. */
bool client_polled(struct stack_tcp *t);
void client_mark(struct stack_tcp *t);   /* stack_tcp_settle comes this turn */
unsigned client_number(const struct stack_tcp *t); /* from 0 to CLIENT_NUMBERS - 1 */
#define CLIENT_NUMBERS 128
/* Nothing of it waits to be sent or acknowledged. */
bool client_idle(const struct stack_tcp *t);
/* A datagram came: DATA is given back by stack_datagram_free. */
void client_datagram(struct stack_udp *u, void *data, uint16_t len, uint32_t ip, uint16_t port);
/* An answer came to an echo request. False: to none of ours. */
bool client_pong(uint16_t id, uint16_t sequence);
#endif
