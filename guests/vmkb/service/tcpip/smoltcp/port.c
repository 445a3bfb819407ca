/* SPDX-License-Identifier: MIT */
/* What of the port to smoltcp has texts, which are in EBCDIC, or needs PROFILE TCPIP. */
#include "stack.h"
#include "tcpip.h"

void smoltcp_begin(uint32_t ip, uint32_t mask, uint32_t gateway, uint16_t mtu, uint32_t seed);
unsigned smoltcp_names(const struct stack_tcp *t, uint32_t *ip, uint16_t *port, uint16_t *own);
int smoltcp_closed(unsigned index, uint32_t *ip, uint16_t *port, uint16_t *own);
unsigned smoltcp_bytes(void);
_Noreturn void smoltcp_panicked(const uint8_t *file, size_t len, uint32_t line);
int bcmp(const void *a, const void *b, size_t n);

_Static_assert(sizeof(struct stack_tcp) == 32 && sizeof(struct stack_udp) == 16,
               "stream.rs and udp.rs say so, too");

void stack_init(void)
{
    smoltcp_begin(profile.address, profile.mask, profile.gateway, profile.mtu, tcpip_random());
}

/* FILE is in ASCII, and begins with the folders of the build. */
_Noreturn void smoltcp_panicked(const uint8_t *file, size_t len, uint32_t line)
{
    static const char printable[] = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
    char name[48], said[80];
    size_t n = 0, from = len < sizeof(name) ? 0 : len - (sizeof(name) - 1);

    for (; from < len; from++)
        name[n++] = file[from] < 0x20 || file[from] > 0x7e ? '?' : printable[file[from] - 0x20];
    name[n] = 0;
    fmt(said, sizeof(said), "SMOLTCP PANICS IN %s LINE %u", name, line);
    for (;;)
        tcpip_stop(said);
}

/* rustc calls it where bytes are only equal or not. */
int bcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}

static const char *const states[] = {"CLOSED",     "LISTEN",     "SYN-SENT",   "SYN-RCVD",
                                     "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT",
                                     "CLOSING",    "LAST-ACK",   "TIME-WAIT"};

void stack_tcp_names(const struct stack_tcp *t, struct stack_names *n)
{
    *n = (struct stack_names){.local_ip = profile.address};
    n->state = states[smoltcp_names(t, &n->remote_ip, &n->remote_port, &n->local_port)];
}

bool stack_tcp_ownerless(unsigned index, struct stack_names *n)
{
    *n = (struct stack_names){.local_ip = profile.address};
    int state = smoltcp_closed(index, &n->remote_ip, &n->remote_port, &n->local_port);
    if (state >= 0)
        n->state = states[state];
    return state >= 0;
}

const char *stack_behavior(char words[][WORD_MAX], unsigned count)
{
    (void)words, (void)count;
    return "TCPBEHAVIOR NEEDS LWIP";
}

bool stack_pool(unsigned index, struct stack_pool *p)
{
    *p = (struct stack_pool){.name = "KB OF RINGS", .made = smoltcp_bytes() / 1024};
    return index == 0;
}

/* It counts nothing itself. */
bool stack_counter(unsigned index, struct stack_counter *c)
{
    *c = (struct stack_counter){.name = "LINK", .sent = (unsigned)link_counts.frames_out,
                                .received = (unsigned)link_counts.frames_in};
    return index == 0;
}
