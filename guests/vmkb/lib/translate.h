/* SPDX-License-Identifier: MIT */
/* EBCDIC 1047 and ISO 8859-1; the tables are made by tools/ebcdic.py. */
#ifndef VMKB_TRANSLATE_H
#define VMKB_TRANSLATE_H
#include <stddef.h>
#include <stdint.h>

extern const uint8_t latin1_of_ebcdic[256], ebcdic_of_latin1[256];

/* n bytes in place through a table; TRANSLATE does 256 at a time. */
static inline void translate(void *at, size_t n, const uint8_t table[256])
{
    uint8_t *p = at;
#ifdef __s390x__
    for (; n >= 256; n -= 256, p += 256)
        __asm__ volatile("tr 0(256,%0),0(%1)" : : "a"(p), "a"(table) : "memory");
    if (n)
        __asm__ volatile("exrl %2,0f\n\t.subsection 1\n0:\ttr 0(1,%0),0(%1)\n\t.previous"
                         : : "a"(p), "a"(table), "a"(n - 1) : "memory");
#else
    while (n--) {
        *p = table[*p];
        p++;
    }
#endif
}
#endif
