/* SPDX-License-Identifier: MIT */
/*
 * Storage inside the arena: a heap of sized blocks from below, temporaries from above. Blocks
 * come in classes (16-byte steps to 512, then two sizes per power of two), each with a list of
 * free ones; the caller gives a block's size back with it.
 */
#include "rx.h"

enum { SMALL = 512, STEP = 16, SMALL_CLASSES = SMALL / STEP };

static size_t class_size(int c)
{
    if (c < SMALL_CLASSES)
        return (size_t)(c + 1) * STEP;
    int big = c - SMALL_CLASSES; /* 768, 1024, 1536, 2048... */
    size_t power = (size_t)SMALL << (big / 2);
    return big & 1 ? power * 2 : power + power / 2;
}

static int class_of(size_t n)
{
    if (n <= SMALL)
        return n ? (int)((n - 1) / STEP) : 0;
    int c = SMALL_CLASSES;
    while (c < RX_CLASSES && class_size(c) < n)
        c++;
    return c;
}

/* Bytes that a block asked for with n really has. */
size_t rx_heap_room(size_t n)
{
    return class_size(class_of(n));
}

/* Returns a block of at least n bytes, 8-byte aligned; raises Error 5 when there is none. */
void *rx_heap(struct rx *rx, size_t n)
{
    int c = class_of(n);
    if (c >= RX_CLASSES)
        rx_raise(rx, 5);
    void **block = rx->free[c];
    if (block) {
        rx->free[c] = *block;
        return block;
    }
    size_t size = class_size(c);
    if ((size_t)(rx->top - rx->lo) > size + 64) {
        void *p = rx->lo;
        rx->lo += size;
        return p;
    }
    for (c++; c < RX_CLASSES; c++) { /* the arena is nearly full: use what was given back */
        block = rx->free[c];
        if (block) {
            rx->free[c] = *block;
            return block;
        }
    }
    rx_raise(rx, 5);
}

void rx_heap_free(struct rx *rx, void *p, size_t n)
{
    if (!p)
        return;
    int c = class_of(n);
    *(void **)p = rx->free[c];
    rx->free[c] = p;
}

/* Returns n bytes, not aligned, that last until the clause's temporaries are dropped. */
char *rx_temp(struct rx *rx, size_t n)
{
    if (n + 64 > (size_t)(rx->top - rx->lo))
        rx_raise(rx, 5);
    rx->top -= n;
    return rx->top;
}

/* Bytes between heap and temporaries. */
size_t rx_space(const struct rx *rx)
{
    return (size_t)(rx->top - rx->lo);
}
