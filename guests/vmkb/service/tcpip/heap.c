/* SPDX-License-Identifier: MIT */
#include "heap.h"
#include <stdbool.h>
#include <stdint.h>
#include "lib.h"

union cell {
    union cell *next;        /* of one that is free */
    uint64_t bytes[HEAP_CELL / 8];
};

/* The rest is one row of blocks; those that are free are linked in its order, no two of them side
 * by side. */
struct block {
    size_t size;             /* with this word */
    struct block *next;      /* of one that is free */
};
#define HEAD  offsetof(struct block, next)
#define LEAST 64             /* bytes that are worth a block of their own */

static union cell cells[HEAP_CELLS];
static union cell *free_cell;
static unsigned cells_used;  /* those behind were never taken */
static uint64_t rest[HEAP_REST / 8];
static struct block *free_block = (struct block *)rest;

static struct block *behind(struct block *b)
{
    return (struct block *)((uint8_t *)b + b->size);
}

static void *take_block(size_t size)
{
    struct block **at = &free_block;

    if (size > HEAP_REST)
        return NULL;
    size = (size + HEAD + 7) & ~(size_t)7;
    if (size < sizeof(struct block))
        size = sizeof(struct block);
    if (!((struct block *)rest)->size)
        ((struct block *)rest)->size = sizeof(rest);
    while (*at && (*at)->size < size)
        at = &(*at)->next;
    struct block *b = *at;
    if (!b)
        return NULL;
    if (b->size - size >= LEAST) {
        size_t left = b->size - size;
        struct block *next = b->next;
        b->size = size;
        *at = behind(b);
        **at = (struct block){left, next};
    } else {
        *at = b->next;
    }
    return &b->next;
}

static void join(struct block *b)
{
    if (b->next && behind(b) == b->next) {
        b->size += b->next->size;
        b->next = b->next->next;
    }
}

static void free_rest(struct block *b)
{
    struct block *before = NULL, *next = free_block;

    for (; next && next < b; next = next->next)
        before = next;
    b->next = next;
    if (before)
        before->next = b;
    else
        free_block = b;
    join(b);
    if (before)
        join(before);
}

void *heap_malloc(size_t size)
{
    union cell *c = free_cell;

    if (size > HEAP_CELL)
        return take_block(size);
    if (c) {
        free_cell = c->next;
        return c;
    }
    return cells_used < HEAP_CELLS ? &cells[cells_used++] : take_block(size);
}

void heap_free(void *p)
{
    union cell *c = p;

    if (c >= cells && c < cells + HEAP_CELLS) {
        c->next = free_cell;
        free_cell = c;
    } else {
        free_rest((struct block *)((uint8_t *)p - HEAD));
    }
}

void *heap_calloc(size_t count, size_t size)
{
    void *p = size && count > HEAP_REST / size ? NULL : heap_malloc(count * size);

    return p ? memset(p, 0, count * size) : NULL;
}
