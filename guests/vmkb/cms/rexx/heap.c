/* SPDX-License-Identifier: MIT */
/*
 * Storage inside the arena: a heap of sized blocks from below, temporaries from above. Blocks
 * come in classes (16-byte steps to 512, then two sizes per power of two), each with a list of
 * free ones; the caller gives a block's size back with it. Only when the arena is full are free
 * neighbours joined: until then a block costs a few instructions.
 */
#include "rx.h"

enum { SMALL_CLASSES = RX_SMALL / RX_STEP };

struct hole {
    struct hole *next;
    size_t size; /* only while holes are being joined */
};

static size_t class_size(int c)
{
    if (c < SMALL_CLASSES)
        return (size_t)(c + 1) * RX_STEP;
    int big = c - SMALL_CLASSES; /* 768, 1024, 1536, 2048... */
    size_t power = (size_t)RX_SMALL << (big / 2);
    return big & 1 ? power * 2 : power + power / 2;
}

static int class_of(size_t n)
{
    if (n <= RX_SMALL)
        return rx_small_class(n);
    int c = SMALL_CLASSES;
    while (c < RX_CLASSES && class_size(c) < n)
        c++;
    return c;
}

/* rx_heap_room for a large block. */
size_t rx_heap_room_large(size_t n)
{
    return class_size(class_of(n));
}

static void *take(struct rx *rx, int c)
{
    void **block = rx->free[c];
    if (block)
        rx->free[c] = *block;
    return block;
}

static void give(struct rx *rx, void *p, int c)
{
    *(void **)p = rx->free[c];
    rx->free[c] = p;
}

/* Puts a hole of any size (a multiple of RX_STEP) on the lists, in as few blocks as possible. */
static void give_hole(struct rx *rx, char *p, size_t size)
{
    while (size) {
        int c = class_of(size);
        if (c >= RX_CLASSES || class_size(c) > size)
            c--;
        give(rx, p, c);
        p += class_size(c);
        size -= class_size(c);
    }
}

static void *take_larger(struct rx *rx, int c)
{
    size_t size = class_size(c);
    for (int larger = c + 1; larger < RX_CLASSES; larger++) {
        char *p = take(rx, larger);
        if (p) {
            give_hole(rx, p + size, class_size(larger) - size);
            return p;
        }
    }
    return NULL;
}

static struct hole *merge(struct hole *a, struct hole *b)
{
    struct hole *first = NULL, **at = &first;
    while (a && b) {
        struct hole **lower = a < b ? &a : &b;
        *at = *lower;
        at = &(*lower)->next;
        *lower = *at;
    }
    *at = a ? a : b;
    return first;
}

/* All free blocks in one list by address: a merge sort with one run per power of two. */
static struct hole *sorted(struct rx *rx)
{
    struct hole *runs[32] = {NULL}, *all = NULL;
    for (int c = 0; c < RX_CLASSES; c++) {
        struct hole *h;
        while ((h = take(rx, c))) {
            h->next = NULL;
            h->size = class_size(c);
            int k = 0;
            for (; k < 31 && runs[k]; k++) {
                h = merge(runs[k], h);
                runs[k] = NULL;
            }
            runs[k] = k == 31 ? merge(runs[k], h) : h;
        }
    }
    for (int k = 0; k < 32; k++)
        all = merge(all, runs[k]);
    return all;
}

/* Joins free neighbours; what lies at the heap's end goes back to the middle. */
void rx_compact(struct rx *rx)
{
    struct hole *h = sorted(rx);
    while (h) {
        struct hole *next = h->next;
        if (next && (char *)h + h->size == (char *)next) {
            h->size += next->size;
            h->next = next->next;
            continue;
        }
        if ((char *)h + h->size == rx->lo)
            rx->lo = (char *)h;
        else
            give_hole(rx, (char *)h, h->size);
        h = next;
    }
}

static void *find_room(struct rx *rx, int c)
{
    size_t size = class_size(c);
    void *p = take(rx, c);
    if (!p && (size_t)(rx->top - rx->lo) > size + RX_MARGIN) {
        p = rx->lo;
        rx->lo += size;
    }
    return p ? p : take_larger(rx, c);
}

/* rx_heap for a large block, and when there is no room for a small one as it is. */
void *rx_heap_large(struct rx *rx, size_t n)
{
    int c = class_of(n);
    if (c >= RX_CLASSES)
        rx_raise(rx, 5);
    void *p = find_room(rx, c);
    if (!p) {
        rx_compact(rx);
        p = find_room(rx, c);
    }
    if (!p)
        rx_raise(rx, 5);
    return p;
}

void rx_heap_free_large(struct rx *rx, void *p, size_t n)
{
    give(rx, p, class_of(n));
}

/* rx_temp when there is no room for n bytes as it is; raises Error 5. */
char *rx_temp_tidied(struct rx *rx, size_t n)
{
    if (n < (size_t)(rx->end - (char *)rx))
        rx_compact(rx);
    if (n + RX_MARGIN > (size_t)(rx->top - rx->lo))
        rx_raise(rx, 5);
    rx->top -= n;
    return rx->top;
}

/* Bytes between heap and temporaries. */
size_t rx_space(const struct rx *rx)
{
    return (size_t)(rx->top - rx->lo);
}
