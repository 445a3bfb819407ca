/* SPDX-License-Identifier: MIT */
/* What GMSBENCH, GMSREAD, GMSWRITE and GMSSERVE have in common. */
#ifndef VMKB_GMS_CMS_H
#define VMKB_GMS_CMS_H
#include "commands.h"
#include "gms_diag.h"

#define GMS_FILES_MAX 999999U

/* What the words of a page are that GMSSERVE PATTERN has made: none is that of another page. */
static inline uint32_t gms_word(uint32_t file, uint32_t page, uint32_t i)
{
    return (file << 24) ^ (page << 11) ^ i;
}

/* A node's name, blank at its end. */
static inline void gms_node(char to[8], const char *name)
{
    size_t n = strnlen(name, 8);

    __builtin_memset(to, ' ', 8);
    __builtin_memcpy(to, name, n);
}

/* What an answer of DIAG_GMS below 0, or a status above, means. */
const char *gms_why(long rc);
/* After a call that failed: wait for those that were started beside it, so that the next command
 * finds these slots free. */
void gms_settle(uint32_t slots);
uint64_t gms_now_us(void);
/* CHECKSUM over bytes, on top of sum: 32 bits, end-around carry (as GMSSERVE FILE prints it). */
uint32_t gms_sum(const void *at, uint64_t len, uint32_t sum);
#endif
