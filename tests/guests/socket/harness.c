/* SPDX-License-Identifier: MIT */
/* socket/net.c with CP played. `cp CODE...` says what the next SENDs return, 0 for ever behind
 * them; `later TAG` and `start TAG` begin a call, `connect BYTES` one that opens a connection, with
 * its message's flags as result; `pass`, `cancel TAG`; `wait` answers how a call ended or that none
 * did. What is sent is answered in order. Each line is answered by what CP was asked since the last
 * one (S a SEND, W a wait, P a PURGE) and the result. */
#include <stdio.h>
#include <stdlib.h>
#include "net.h"

static long codes[16], code_count;
static char asked[64];
static struct iucv_parm sent[64];
static unsigned sent_count, answered;

static void note(char c)
{
    size_t n = strlen(asked);

    asked[n] = c;
    asked[n + 1] = 0;
}

static long send_one(struct iucv_parm *p)
{
    long rc = code_count ? codes[0] : IUCV_OK;

    note('S');
    if (code_count)
        memmove(codes, codes + 1, (size_t)--code_count * sizeof(*codes));
    if (rc == IUCV_OK) {
        p->msgid = 1000 + sent_count;
        sent[sent_count++ % 64] = *p;
    }
    return rc;
}

static long iucv(int function, struct iucv_parm *p)
{
    if (function == IUCV_SEND)
        return send_one(p);
    note('P');
    return IUCV_OK;
}

static long diag_wait(unsigned mask, struct event *e, uint64_t us)
{
    (void)mask;
    (void)us;
    note('W');
    if (answered == sent_count)
        return EV_TIMER;
    const struct iucv_parm *p = &sent[answered++ % 64];
    ((struct sock_reply *)(uintptr_t)p->reply_buffer)->rc = SOCK_EOK;
    e->iucv = (struct iucv_interrupt){.path = p->path, .type = IUCV_COMPLETE, .msgid = p->msgid,
                                      .len = sizeof(struct sock_reply), .tag = p->tag};
    return EV_IUCV;
}

static long iucv_then_wait(int function, struct iucv_parm *p, unsigned mask, struct event *e,
                           uint64_t us)
{
    long rc = iucv(function, p);

    return rc == IUCV_OK ? diag_wait(mask, e, us) : -1000 - rc;
}

#include "net.c"

int main(void)
{
    static struct net n = {.path = 3, .open = 1};
    static struct sock_reply replies[8];
    char line[200], word[16];
    int at;

    while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s%n", word, &at) == 1) {
        uint32_t tag = (uint32_t)strtoul(line + at, NULL, 10);
        struct net_ask ask = {.function = SOCK_RECV, .reply = &replies[tag % 8],
                              .room = sizeof(replies[0])};
        struct net_done d = {.tag = 0};
        long result = 0;
        if (strcmp(word, "cp") == 0) {
            char *p = line + at;
            for (code_count = 0; *p && *p != '\n'; code_count++)
                codes[code_count] = strtol(p, &p, 10);
        } else if (strcmp(word, "later") == 0) {
            result = net_later(&n, &ask, tag);
        } else if (strcmp(word, "start") == 0) {
            result = net_start(&n, &ask, tag);
        } else if (strcmp(word, "connect") == 0) {
            static uint8_t bytes[4096];
            ask.function = SOCK_CONNECT_FROM;
            ask.data = bytes;
            ask.len = tag;
            net_start(&n, &ask, 1);
            result = sent[(sent_count - 1) % 64].flags;
        } else if (strcmp(word, "pass") == 0) {
            net_pass(&n);
        } else if (strcmp(word, "cancel") == 0) {
            net_cancel(&n, tag);
        } else {
            result = net_wait(&n, &d, tag);
        }
        printf("%s %ld %u %d\n", asked[0] ? asked : "-", result, d.tag, d.rc);
        fflush(stdout);
        asked[0] = 0;
    }
    return 0;
}
