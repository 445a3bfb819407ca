/* SPDX-License-Identifier: MIT */
#include "address.h"
#include "ctype.h"
#include "lib.h"

#define GROUPS 8             /* of 16 bits */
#define NONE   (GROUPS + 1)
#define NETWORK 0xfd00       /* TCPIP's, with zeros up to the last two groups */

bool ip4_read(const char **text, uint32_t *ip)
{
    unsigned part;

    *ip = 0;
    for (int i = 0; i < 4; i++) {
        if ((i && *(*text)++ != '.') || !number_read(text, 255, &part))
            return false;
        *ip = *ip << 8 | part;
    }
    return true;
}

/* One group, or the last two as a.b.c.d, into GROUP, which has
 * ROOM; how many, or 0. */
static unsigned group_read(const char **text, unsigned room, uint16_t *group)
{
    const char *t = *text;
    unsigned value = 0, digits = 0;
    uint32_t ip;

    if (!room)
        return 0;
    if (room >= 2 && ip4_read(&t, &ip)) {
        group[0] = (uint16_t)(ip >> 16);
        group[1] = (uint16_t)ip;
        *text = t;
        return 2;
    }
    for (t = *text; digits < 5 && is_xdigit(*t); digits++, t++)
        value = value << 4 | (unsigned)(is_digit(*t) ? *t - '0' : to_upper(*t) - 'A' + 10);
    *text = t;
    group[0] = (uint16_t)value;
    return digits >= 1 && digits <= 4;
}

bool ip6_read(const char **text, uint32_t *ip)
{
    uint16_t group[GROUPS] = {0}, whole[GROUPS] = {0};
    unsigned n = 0, gap = NONE, took = 1;
    const char *t = *text;

    while (took == 1) {
        if (t[0] == ':' && t[1] == ':' && gap == NONE) {
            gap = n;         /* zeros stand here */
            t += 2;
            if (!is_xdigit(*t))
                break;
        } else if (n && gap != n) {
            if (*t != ':')
                break;
            t++;
        }
        took = group_read(&t, GROUPS - n, group + n);
        n += took;
    }
    *text = t;
    if (!took || (gap == NONE) != (n == GROUPS))
        return false;
    for (unsigned i = 0; i < n; i++)
        whole[i < gap ? i : i + GROUPS - n] = group[i];
    *ip = (uint32_t)whole[GROUPS - 2] << 16 | whole[GROUPS - 1];
    for (unsigned i = 0; i < GROUPS - 2; i++)
        if (whole[i] != (i ? 0 : NETWORK))
            *ip = 0;
    return true;
}
