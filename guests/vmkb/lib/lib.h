/* SPDX-License-Identifier: MIT */
/*
 * Strings, memory and formatting for every part of the guest. On the host (unit tests) the
 * mem and str names come from the C library; in the guest they come from string.c.
 */
#ifndef VMKB_LIB_H
#define VMKB_LIB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__ && !defined(LIB_TEST_NAMES)
#include <string.h>
#else
#ifdef LIB_TEST_NAMES /* the unit test calls string.c beside the C library's own functions */
#define memcpy lib_memcpy
#define memmove lib_memmove
#define memset lib_memset
#define memcmp lib_memcmp
#define memchr lib_memchr
#define strlen lib_strlen
#define strnlen lib_strnlen
#define strcmp lib_strcmp
#define strncmp lib_strncmp
#define strchr lib_strchr
#define strstr lib_strstr
#endif
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int c, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strstr(const char *s, const char *what);

/* A short length known at compile time becomes an MVC or XC in place (-ffreestanding turns that
 * off). */
#if !defined(LIB_NO_INLINE) && !defined(LIB_TEST_NAMES)
#define LIB_SHORT(n) (__builtin_constant_p(n) && (n) <= 1024)
#define memcpy(d, s, n) (LIB_SHORT(n) ? __builtin_memcpy(d, s, n) : memcpy(d, s, n))
#define memset(d, c, n) (LIB_SHORT(n) ? __builtin_memset(d, c, n) : memset(d, c, n))
#define memcmp(a, b, n) (LIB_SHORT(n) ? __builtin_memcmp(a, b, n) : memcmp(a, b, n))
#endif
#endif

/* Where the first C is from FROM on; STOP if none is before that. In place, for loops that look for
 * something near. */
static inline const uint8_t *find_byte(const uint8_t *from, const uint8_t *stop, uint8_t c)
{
#ifdef __s390x__
    register unsigned long r0 __asm__("0") = c; /* SEARCH STRING; code 3: not at the end */
    __asm__("0:\tsrst %0,%1\n\tjo 0b"
            : "+a"(stop), "+a"(from)
            : "d"(r0), "m"(*(const uint8_t(*)[1 << 30])from)
            : "cc");
    return stop;
#else
    const uint8_t *found = from < stop ? memchr(from, c, (size_t)(stop - from)) : 0;
    return found ? found : stop;
#endif
}

/* For loops of such searches, each behind the byte BEFORE: *AT is where the next C is; false: none
 * is there. One branch where one is. */
static inline bool next_byte(const uint8_t **at, const uint8_t *before, const uint8_t *stop,
                             uint8_t c)
{
#ifdef __s390x__
    register unsigned long r0 __asm__("0") = c;
    const uint8_t *found, *from;

    __asm__ goto("la %1,1(%2)\n\tlgr %0,%3\n0:\tsrst %0,%1\n\tbrc 3,1f\n\t.subsection 1\n"
                 "1:\tjo 0b\n\tjg %l[none]\n\t.previous"
                 : "=&a"(found), "=&a"(from)
                 : "a"(before), "a"(stop), "d"(r0)
                 : "cc", "memory" : none);
    *at = found;
    return true;
none:
    return false;
#else
    *at = find_byte(before + 1, stop, c);
    return *at != stop;
#endif
}

/* The length of text without the blanks at its end. */
static inline size_t blank_trim(const void *text, size_t len)
{
    const char *p = text;

    while (len && p[len - 1] == ' ')
        len--;
    return len;
}

/* A name of eight bytes, padded with blanks, as a string. */
static inline void name_string(char to[9], const void *from)
{
    size_t n = blank_trim(from, 8);

    __builtin_memmove(to, from, 8);
    to[n] = 0;
}

#if 'A' == 0x41
#define LIB_FORMAT(f, first) __attribute__((format(printf, f, first)))
#else
#define LIB_FORMAT(f, first) /* gcc reads formats as ASCII and would warn of every one */
#endif

/*
 * Formats into buf, always ended by a zero byte when size > 0; what does not fit is dropped.
 * Knows %s %c %d %i %u %x %X %p %% with flags '-' and '0', a width or '*', a precision for %s
 * and the sizes h, l, ll and z. Returns the length the whole text would have had.
 */
int fmt(char *buf, size_t size, const char *f, ...) LIB_FORMAT(3, 4);
int vfmt(char *buf, size_t size, const char *f, va_list ap) LIB_FORMAT(3, 0);
/* As vfmt; returns the length of what is in buf. size > 0. */
size_t vfmt_kept(char *buf, size_t size, const char *f, va_list ap) LIB_FORMAT(3, 0);

#endif
