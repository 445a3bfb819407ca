/* SPDX-License-Identifier: MIT */
#include "out.h"
#include "lib.h"

static bool begin(struct net *n, struct net_out *o, int sock, const void *buffer, uint32_t tag,
                  long (*start)(struct net *, const struct net_ask *, uint32_t))
{
    if (o->sending || !o->len)
        return false;
    o->going = o->len;
    struct net_ask send = {.function = SOCK_SEND,
                           .sock = sock,
                           .data = buffer,
                           .len = o->len,
                           .closes = o->closes,
                           .reply = &o->reply,
                           .room = sizeof(o->reply)};
    o->sending = start(n, &send, tag) == 0;
    if (o->sending)
        o->closes = 0;
    return o->sending;
}

bool net_out_start(struct net *n, struct net_out *o, int sock, const void *buffer, uint32_t tag)
{
    return begin(n, o, sock, buffer, tag, net_start);
}

bool net_out_later(struct net *n, struct net_out *o, int sock, const void *buffer, uint32_t tag)
{
    return begin(n, o, sock, buffer, tag, net_later);
}

void net_out_sent(struct net_out *o, void *buffer)
{
    uint8_t *bytes = buffer;

    o->len -= o->going;
    if (o->len)
        memmove(bytes, bytes + o->going, o->len);
}
