/* SPDX-License-Identifier: MIT */
/* Sockets of the TCPIP machine, over IUCV. A program connects one path to the TCPIP machine and
 * sends one message for each call; the reply is held until the call is complete, so several calls
 * are under way at once by their message ids and tags, and a full send buffer or an empty receive
 * buffer is simply a reply that has not come yet: that is the back-pressure.
 *   message class (trgcls)  = function << 16 | socket number
 *   message data            = what each function says, numbers big-endian; what SOCKET, BIND,
 *                             LISTEN, CONNECT and CONNECT_FROM take may be in the parameter list
 *                             (IUCV_PRMDATA)
 *   reply                   = struct sock_reply, then what each function says
 * PURGE of a message cancels the call. Severing the path closes all its sockets (connections are
 * reset). */
#ifndef VMKB_SOCKET_IUCV_H
#define VMKB_SOCKET_IUCV_H
#include <stdint.h>

/* data: none, or sock_open: it is bound, and listens if there is a backlog
 * -> reply.value = number of a new stream socket; then its own sock_address, if it was bound */
#define SOCK_SOCKET   1
#define SOCK_BIND     2   /* data: sock_address (port 0: any) */
#define SOCK_LISTEN   3   /* data: uint32_t backlog */
/* -> value = new socket; then sock_address of the peer. Held until one comes */
#define SOCK_ACCEPT   4
#define SOCK_CONNECT  5   /* data: sock_address. Held until connected or refused */
/* data: bytes, up to SOCK_SEND_MAX -> value = bytes taken (all of them). Held until they are in
 * data buffers of the pool. Behind SOCK_SEND_MAX bytes more are expected, or CLOSE: their end may
 * wait for that, some seconds at most. A source class, here and in a RECV that sends first, is one
 * more than the number of another socket, which is closed before, as by CLOSE */
#define SOCK_SEND     6
/* data: bytes, sent first as by SEND; or none. -> value = bytes, then the bytes; 0: the peer has
 * closed. Held until there are some */
#define SOCK_RECV     7
#define SOCK_CLOSE    8   /* orderly: what was sent still goes out */
#define SOCK_SHUTDOWN 9   /* no more SEND from here: the peer sees the end */
#define SOCK_NAME     10  /* -> own sock_address, peer's sock_address */
#define SOCK_ABORT    11  /* reset the connection */
/* data: host name -> value = 1, sock_address (HOSTS LOCAL, dotted numbers) */
#define SOCK_RESOLVE  12
/* data: sock_address, port = bytes -> value = round trip in microseconds */
#define SOCK_PING     13
/* data: uint32_t which, uint32_t index -> value = 1 and one line of text, 0 past the end */
#define SOCK_NETSTAT  14
#define SOCK_LEVEL    15  /* -> the TCP/IP level as text, e.g. "LWIP 2.1.3" */
/* as RECV, held until the reply has no more room, the peer has closed, or nothing has come for some
 * seconds: so many calls for so many bytes, however they come. SOCK_LAST: fewer bytes than there is
 * room for, and the peer has closed behind them */
#define SOCK_RECV_ALL 16
/* data: none -> reply.value = number of a new datagram socket; BIND, NAME and CLOSE as for others;
 * NAME's value is the link's MTU */
#define SOCK_UDP      17
/* data: datagrams, each a sock_datagram, its bytes and padding to a multiple of 8 -> value =
 * datagrams sent. Held until the link has room; what has none after a second is not sent */
#define SOCK_SENDTO   18
/* data: as SENDTO, sent first; or none. -> value = datagrams, then they, as many as have room, in
 * the same form with the sender's address. Held until one comes; another RECVFROM takes its place.
 * One too long for the reply is dropped */
#define SOCK_RECVFROM 19
/* data: sock_connection -> value = number of a new stream socket that is connected, then its own
 * sock_address. Held until connected; when that fails there is no socket.
 * More room in the reply: a RECV_ALL is part of it, whose rc it has and whose bytes follow.
 * Bytes behind the sock_connection, up to SOCK_SEND_MAX: they are sent and the connection is closed
 * -> value = bytes. Held until they are in data buffers */
#define SOCK_CONNECT_FROM 20

#define SOCK_SEND_MAX 32768
#define SOCK_RECV_MAX 57344   /* half of what TCP lets the peer send before it is read */
#define SOCK_DATAGRAMS_MAX 57344 /* bytes of a SENDTO, and behind the sock_reply of a RECVFROM */

#define SOCK_UNREAD_MAX (1u << 20) /* bytes of datagrams that a socket keeps until they are read */

#define SOCK_LAST       1
#define SOCK_EOK        0
#define SOCK_EBADF      (-1)   /* no such socket of yours */
#define SOCK_EINVAL     (-2)
#define SOCK_EADDRINUSE (-3)   /* or the PORT statement reserves it for another machine */
#define SOCK_EREFUSED   (-4)
#define SOCK_ERESET     (-5)
#define SOCK_ETIMEDOUT  (-6)
#define SOCK_EUNREACH   (-7)
#define SOCK_ENOTCONN   (-8)
#define SOCK_ELIMIT     (-9)   /* a pool or table is full: see NETSTAT POOLS */
#define SOCK_ECANCELLED (-10)
#define SOCK_EDOWN      (-11)  /* TCPIP is ending */
#define SOCK_ENOHOST    (-12)

struct sock_address {
    uint32_t ip;
    uint16_t port;
    uint16_t ipv6;           /* in what NAME says: not 0, it stands for the address fd00::ip */
};

struct sock_open {           /* 16 bytes */
    struct sock_address own; /* ip is not looked at; port 0: any */
    uint32_t backlog;        /* 0: it does not listen */
    uint32_t zero;
};

struct sock_connection {     /* 8 bytes */
    uint32_t ip;
    uint16_t port;
    uint16_t own_port;       /* 0: any */
};

struct sock_datagram {       /* 8 bytes before each datagram */
    uint32_t ip;
    uint16_t port, len;
};
#define SOCK_DATAGRAM_ROOM(len) (sizeof(struct sock_datagram) + (((len) + 7u) & ~7u))

struct sock_reply {
    int32_t rc;              /* SOCK_EOK or an error */
    int32_t value;
};
#endif
