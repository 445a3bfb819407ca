/* SPDX-License-Identifier: MIT */
/* The words of a line that a harness reads, and bytes in hexadecimal. */
#ifndef GUESTS_WORDS_H
#define GUESTS_WORDS_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next word of standard input, which has to be there. */
static inline void word(char text[16])
{
    if (scanf("%15s", text) != 1)
        exit(1);
}

/* The same as a number, hexadecimal behind 0x. */
static inline long number(void)
{
    char text[24];

    if (scanf("%23s", text) != 1)
        exit(1);
    return (long)strtoull(text, 0, 0);
}

/* TEXT's digits up to a character that is none; returns how many bytes they are, at most MAX. */
static inline size_t unhex(const char *text, uint8_t *to, size_t max)
{
    size_t n = strspn(text, "0123456789abcdefABCDEF") / 2;

    if (n > max)
        n = max;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)strtoul((char[]){text[2 * i], text[2 * i + 1], 0}, 0, 16);
    return n;
}

static inline void put_hex(const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const uint8_t *)from)[i]);
}
#endif
