/* SPDX-License-Identifier: MIT */
/* A harness behind a pipe: big-endian records of u16 length and that many bytes, each answered by
 * one record (u32 length) of what happened, in order. For guests' protocols. */
#ifndef GUESTS_PIPE_H
#define GUESTS_PIPE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t reply[32u << 20];
static size_t reply_len;
static int quiet;                /* nobody is told what happens */

static void put(const void *p, size_t n)
{
    if (quiet)
        return;
    if (reply_len + n > sizeof(reply))
        abort();
    if (n)
        memcpy(reply + reply_len, p, n);
    reply_len += n;
}

static void put8(unsigned v)
{
    uint8_t b = (uint8_t)v;
    put(&b, 1);
}

/* Big-endian numbers; inline, as no harness needs all of them. */
static inline void put_number(uint64_t v, int bytes)
{
    while (bytes--)
        put8((unsigned)(v >> (8 * bytes)) & 0xff);
}

static inline void put16(unsigned v) { put_number(v, 2); }
static inline void put32(uint32_t v) { put_number(v, 4); }
static inline void put64(uint64_t v) { put_number(v, 8); }

static inline uint64_t get64(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static bool pipe_read(void *to, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t k = read(0, (uint8_t *)to + got, n - got);
        if (k <= 0)
            return false;
        got += (size_t)k;
    }
    return true;
}

static bool pipe_write(const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t k = write(1, (const uint8_t *)from + done, n - done);
        if (k <= 0)
            return false;
        done += (size_t)k;
    }
    return true;
}

/* Until the pipe's end, which has to be between two records: false. */
static bool pipe_serve(void (*operate)(const uint8_t *bytes, uint32_t len))
{
    uint8_t head[4];

    while (pipe_read(head, 2)) {
        uint32_t len = (uint32_t)head[0] << 8 | head[1];
        uint8_t *bytes = malloc(len ? len : 1); /* the sanitizer sees each byte behind it */
        if (!pipe_read(bytes, len))
            return false;
        reply_len = 0;
        operate(bytes, len);
        free(bytes);
        for (int i = 0; i < 4; i++)
            head[i] = (uint8_t)(reply_len >> (24 - 8 * i));
        if (!pipe_write(head, 4) || !pipe_write(reply, reply_len))
            return false;
    }
    return true;
}
#endif
