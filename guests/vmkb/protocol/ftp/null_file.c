/* SPDX-License-Identifier: MIT */
#include "null_file.h"
#include "ctype.h"

bool null_file_named(const char *name)
{
    static const char own[] = "/DEV/NULL";
    unsigned i = 0;

    while (own[i] && to_upper(name[i]) == own[i])
        i++;
    return !own[i] && !name[i];
}

static uint32_t folded(uint64_t sum)
{
    sum = (sum >> 32) + (sum & 0xffffffff);
    return (uint32_t)((sum >> 32) + sum);
}

static uint32_t sum_of(const uint8_t *bytes, uint32_t len)
{
#ifdef __s390x__
    register uint64_t at __asm__("2") = (uintptr_t)bytes;
    register uint64_t left __asm__("3") = len;
    uint64_t sum = 0;

    __asm__ volatile("0:\tcksm %0,%1\n\tjo 0b"
                     : "+d"(sum), "+d"(at), "+d"(left)
                     :
                     : "cc", "memory");
    return (uint32_t)sum;
#else
    uint64_t sum = 0;

    for (uint32_t i = 0; i < len; i++)
        sum += (uint64_t)bytes[i] << (24 - 8 * (i & 3));
    return folded(sum);
#endif
}

/* A piece that begins inside a word is summed as if it did not: its sum is then rotated by as many
 * bytes. */
void null_file_add(struct null_file *f, const uint8_t *bytes, uint32_t len)
{
    uint32_t sum = sum_of(bytes, len);
    unsigned bits = 8 * (unsigned)(f->bytes & 3);

    if (bits)
        sum = sum >> bits | sum << (32 - bits);
    f->sum = folded((uint64_t)f->sum + sum);
    f->bytes += len;
}
