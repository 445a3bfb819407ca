/* SPDX-License-Identifier: MIT */
/* The checksums of a packet, for stacks that leave them to their driver; of a fragment that of its
 * head. */
#include "cksm.h"
#include "stack.h"

enum { ICMP = 1, TCP = 6, UDP = 17, ICMP_OF_IPV6 = 58 };

static uint16_t half(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static void put_half(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

#ifdef TCPIP_IPV6
#define IPV6 0x86dd
#define HEAD 40              /* bytes: RFC 8200. What stands before TCP else is as it came */

bool packet_summed(uint8_t *frame, size_t len, bool make)
{
    uint8_t *ip = frame + 14, kind = ip[6];
    uint32_t rest = half(ip + 4);

    if (len < 14 + HEAD || half(frame + 12) != IPV6
        || (kind != TCP && kind != UDP && kind != ICMP_OF_IPV6))
        return true;
    if (rest < 8 || 14 + HEAD + rest > len)
        return false;
    uint8_t *at = ip + HEAD + (kind == TCP ? 16 : kind == UDP ? 6 : 2);
    if (make)
        put_half(at, 0);
    uint32_t of_addresses = sum_of(kind + rest, ip + 8, 32);
    uint16_t sum = (uint16_t)~folded(sum_of(of_addresses, ip + HEAD, rest));
    if (!make)
        return !sum;
    put_half(at, sum ? sum : 0xffff);
    return true;
}
#else
#define IPV4     0x0800
#define FRAGMENT 0x3fff      /* of its offset, and whether more follow */

bool packet_summed(uint8_t *frame, size_t len, bool make)
{
    uint8_t *ip = frame + 14, kind = frame[23];
    uint32_t first = (ip[0] & 15) * 4u, total = half(ip + 2), rest = total - first;
    uint32_t sum = 0;

    if (len < 34 || half(frame + 12) != IPV4)
        return true;
    if (first < 20 || total < first || total + 14 > len)
        return false;
    if (make)
        put_half(ip + 10, 0);
    uint16_t head_sum = (uint16_t)~folded(sum_of(0, ip, first));
    if (make)
        put_half(ip + 10, head_sum);
    else if (head_sum)
        return false;
    if (half(ip + 6) & FRAGMENT)
        return true;         /* the sum in it is of a whole */
    if (rest < 8)
        return false;
    uint8_t *in_rest = ip + first + 2;
    if (kind != ICMP) {
        in_rest = ip + first + (kind == TCP ? 16 : 6);
        sum = sum_of(kind + rest, ip + 12, 8);
    }
    if (make)
        put_half(in_rest, 0);
    uint16_t rest_sum = (uint16_t)~folded(sum_of(sum, ip + first, rest));
    if (!make)
        return !rest_sum || (kind == UDP && !half(in_rest));
    put_half(in_rest, rest_sum ? rest_sum : 0xffff);
    return true;
}
#endif
