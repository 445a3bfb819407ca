/* SPDX-License-Identifier: MIT */
/*
 * Memory and string functions of the guest. On s390x the work is done by MVC, XC and CLC of up
 * to 256 bytes (through EXRL for the odd end) and by MVCLE from 512 bytes on: the fewest
 * instructions per byte, which is what accounting charges. Operations: z/Architecture Principles
 * of Operation, chapter 7 ("General Instructions").
 */
/* A loop here must not be turned into a call of the very function it is in. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#define LIB_NO_INLINE
#include "lib.h"

enum { LONG_MOVE = 512 }; /* MVCLE takes over from here */

#ifdef __s390x__

static inline void mvc_256(char *d, const char *s)
{
    asm volatile("mvc 0(256,%0),0(%1)" : : "a"(d), "a"(s) : "memory");
}

/* Moves n + 1 bytes, n < 256. */
static inline void mvc_up_to_256(char *d, const char *s, size_t n)
{
    asm volatile("exrl %2,0f\n\t"
                 ".subsection 1\n"
                 "0:\tmvc 0(1,%0),0(%1)\n\t"
                 ".previous"
                 :
                 : "a"(d), "a"(s), "a"(n)
                 : "memory");
}

/* MVCLE: condition code 3 means "not finished yet", so it is simply issued again. */
static inline void move_long(char *d, size_t dn, const char *s, size_t sn, unsigned char fill)
{
    register unsigned long r2 asm("2") = (unsigned long)d;
    register unsigned long r3 asm("3") = dn;
    register unsigned long r4 asm("4") = (unsigned long)s;
    register unsigned long r5 asm("5") = sn;
    asm volatile("0:\tmvcle 2,4,0(%4)\n\t"
                 "jo 0b"
                 : "+d"(r2), "+d"(r3), "+d"(r4), "+d"(r5)
                 : "a"((unsigned long)fill)
                 : "cc", "memory");
}

static void copy_up(char *d, const char *s, size_t n)
{
    for (; n >= 256; n -= 256, d += 256, s += 256)
        mvc_256(d, s);
    if (n)
        mvc_up_to_256(d, s, n - 1);
}

static void fill(char *d, unsigned char c, size_t n)
{
    if (n >= LONG_MOVE) {
        move_long(d, n, d, 0, c);
        return;
    }
    while (n) {
        size_t k = n > 256 ? 256 : n;
        d[0] = (char)c;
        if (k > 1)
            mvc_up_to_256(d + 1, d, k - 2); /* MVC moves byte after byte: the first one spreads */
        d += k;
        n -= k;
    }
}

/* CLC of n + 1 bytes, n < 256: returns 0, -1 (a low) or 1. */
static inline int clc_up_to_256(const char *a, const char *b, size_t n)
{
    int cc;
    asm volatile("exrl %3,0f\n\t"
                 "ipm %0\n\t"
                 "srl %0,28\n\t"
                 ".subsection 1\n"
                 "0:\tclc 0(1,%1),0(%2)\n\t"
                 ".previous"
                 : "=&d"(cc)
                 : "a"(a), "a"(b), "a"(n), "m"(*(const char(*)[256])a), "m"(*(const char(*)[256])b)
                 : "cc");
    return cc == 0 ? 0 : cc == 1 ? -1 : 1;
}

static int compare(const char *a, const char *b, size_t n)
{
    while (n) {
        size_t k = n > 256 ? 256 : n;
        int r = clc_up_to_256(a, b, k - 1);
        if (r)
            return r;
        a += k;
        b += k;
        n -= k;
    }
    return 0;
}

#else /* the host's unit test of everything around the instructions */

static void copy_up(char *d, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d[i] = s[i];
}

static void mvc_up_to_256(char *d, const char *s, size_t n)
{
    copy_up(d, s, n + 1);
}

static void move_long(char *d, size_t dn, const char *s, size_t sn, unsigned char fill_byte)
{
    for (size_t i = 0; i < dn; i++)
        d[i] = i < sn ? s[i] : (char)fill_byte;
}

static void fill(char *d, unsigned char c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d[i] = (char)c;
}

static int compare(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
    return 0;
}

#endif

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    if (n - 1 < 255) { /* by far the most frequent */
        mvc_up_to_256(dst, src, n - 1);
        return dst;
    }
    if (n >= LONG_MOVE)
        move_long(dst, n, src, n, 0);
    else
        copy_up(dst, src, n);
    return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (d - s >= n && s - d >= n)
        return memcpy(dst, src, n); /* apart */
    if (d <= s) {
        copy_up(dst, src, n); /* left to right is right when the target lies lower */
        return dst;
    }
    size_t step = d - s < 256 ? d - s : 256; /* pieces that do not overlap themselves */
    char *to = (char *)dst;
    const char *from = (const char *)src;
    while (n) {
        size_t k = n < step ? n : step;
        n -= k;
        copy_up(to + n, from + n, k);
    }
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    fill(dst, (unsigned char)c, n);
    return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
    return compare(a, b, n);
}

#ifdef __s390x__

void *memchr(const void *s, int c, size_t n)
{
    const uint8_t *stop = (const uint8_t *)s + n, *found = find_byte(s, stop, (uint8_t)c);

    return found == stop ? 0 : (void *)(uintptr_t)found;
}

size_t strlen(const char *s)
{
    register unsigned long r0 asm("0") = 0;
    const char *from = s, *end = 0;
    asm volatile("0:\tsrst %0,%1\n\t"
                 "jo 0b"
                 : "+a"(end), "+a"(from)
                 : "d"(r0)
                 : "cc", "memory");
    return (size_t)(end - s);
}

/* COMPARE LOGICAL STRING; condition code 0 equal, 1 a is low, 2 high, 3 to be continued. */
int strcmp(const char *a, const char *b)
{
    register unsigned long r0 asm("0") = 0;
    int cc;
    asm volatile("0:\tclst %1,%2\n\t"
                 "jo 0b\n\t"
                 "ipm %0\n\t"
                 "srl %0,28"
                 : "=&d"(cc), "+a"(a), "+a"(b)
                 : "d"(r0)
                 : "cc", "memory");
    return cc == 1 ? -1 : cc;
}

#else

void *memchr(const void *s, int c, size_t n)
{
    const unsigned char *p = s;
    for (; n; n--, p++)
        if (*p == (unsigned char)c)
            return (void *)(uintptr_t)p;
    return NULL;
}

size_t strlen(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return (size_t)(p - s);
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

#endif

size_t strnlen(const char *s, size_t max)
{
    const char *end = memchr(s, 0, max);
    return end ? (size_t)(end - s) : max;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++) {
        if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        if (!*a)
            break;
    }
    return 0;
}

char *strchr(const char *s, int c)
{
    return memchr(s, c, strlen(s) + 1);
}

char *strstr(const char *s, const char *what)
{
    size_t n = strlen(what);
    for (; *s; s++)
        if (strncmp(s, what, n) == 0)
            return (char *)(uintptr_t)s;
    return n ? NULL : (char *)(uintptr_t)s;
}
