/* SPDX-License-Identifier: MIT */
/* Numbers and addresses in commands and parameters. Pure: it is also compiled on the host, for
 * tests. Each leaves the text behind what it took. */
#ifndef VMKB_FTP_ADDRESS_H
#define VMKB_FTP_ADDRESS_H
#include <stdbool.h>
#include <stdint.h>

/* Up to six digits. False: none, or more than MAX. */
static inline bool number_read(const char **text, unsigned max, unsigned *value)
{
    const char *t = *text, *most = t + 6;
    unsigned n = 0, digit;

    for (; t < most && (digit = (unsigned)*t - '0') < 10; t++)
        n = n * 10 + digit;
    bool digits = t != *text;
    *text = t;
    *value = n;
    return digits && n <= max;
}

/* a.b.c.d. */
bool ip4_read(const char **text, uint32_t *ip);
/* An address of IPv6 (RFC 4291, 2.2). IP: the a.b.c.d for which it stands (sock_address), or 0. */
bool ip6_read(const char **text, uint32_t *ip);
#endif
