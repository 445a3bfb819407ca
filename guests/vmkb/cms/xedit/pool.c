/* SPDX-License-Identifier: MIT */
/* Storage of lines. It comes from the end of the machine's storage that commands do not use, in
 * chunks, and is cut into blocks of set sizes; a block that is given back waits for the next one
 * of its size. */
#include "nucleus.h"
#include "xedit.h"

enum {
    STEP = 32, SMALL = 512, SMALL_CLASSES = SMALL / STEP, CLASSES = SMALL_CLASSES + 18,
    CHUNK = 32768, HEAD = 8,
    KEEP = 96 * 1024 /* left for the commands and macros that run meanwhile */
};

struct block { /* the class stands before what the caller has */
    uint64_t class;
    struct block *next;
};

struct chunk {
    struct chunk *next;
    size_t size;
};

static struct block *waiting[CLASSES];
static struct chunk *chunks, *spare;
static char *rest;
static size_t rest_size;

static size_t class_size(unsigned c)
{
    if (c < SMALL_CLASSES)
        return (c + 1) * STEP;
    c -= SMALL_CLASSES;
    size_t power = (size_t)SMALL << (c / 2);
    return c & 1 ? power * 2 : power + power / 2;
}

static unsigned class_of(size_t n)
{
    unsigned c = SMALL_CLASSES;

    if (n <= SMALL)
        return (unsigned)((n - 1) / STEP);
    while (c < CLASSES && class_size(c) < n)
        c++;
    return c;
}

static char *take_spare(size_t size)
{
    for (struct chunk **at = &spare; *at; at = &(*at)->next)
        if ((*at)->size >= size) {
            struct chunk *c = *at;
            *at = c->next;
            c->next = chunks;
            chunks = c;
            return (char *)c;
        }
    return 0;
}

/* A chunk with room for so many bytes behind its own head. */
static char *take_chunk(size_t bytes, size_t *size)
{
    size_t want = bytes + sizeof(struct chunk) > CHUNK ? bytes + sizeof(struct chunk) : CHUNK;
    char *p = take_spare(want);

    if (!p) {
        want = (want + 4095) & ~(size_t)4095;
        if (cms_storage_left() < want + KEEP)
            return 0;
        p = heap_permanent(want);
        if (!p)
            return 0;
        struct chunk *c = (struct chunk *)(void *)p;
        c->size = want;
        c->next = chunks;
        chunks = c;
    }
    *size = ((struct chunk *)(void *)p)->size - sizeof(struct chunk);
    return p + sizeof(struct chunk);
}

void *pool_take(size_t bytes)
{
    unsigned c = class_of(bytes + HEAD);

    if (c == CLASSES)
        return 0;
    struct block *b = waiting[c];
    if (b) {
        waiting[c] = b->next;
        return (char *)b + HEAD;
    }
    size_t size = class_size(c);
    if (rest_size < size) {
        size_t got;
        char *p = take_chunk(size, &got);
        if (!p)
            return 0;
        if (got < size + rest_size) { /* a chunk of its own, the rest stays in use */
            b = (struct block *)(void *)p;
            b->class = c;
            return (char *)b + HEAD;
        }
        rest = p;
        rest_size = got;
    }
    b = (struct block *)(void *)rest;
    rest += size;
    rest_size -= size;
    b->class = c;
    return (char *)b + HEAD;
}

void pool_give(void *p)
{
    if (!p)
        return;
    struct block *b = (struct block *)(void *)((char *)p - HEAD);

    b->next = waiting[b->class];
    waiting[b->class] = b;
}

size_t pool_room(const void *p)
{
    const struct block *b = (const struct block *)(const void *)((const char *)p - HEAD);

    return class_size((unsigned)b->class) - HEAD;
}

/* Chunks next to what commands may use go back to it, the others wait for the next session. */
void pool_end(void)
{
    bool again = true;

    while (chunks) {
        struct chunk *c = chunks;
        chunks = c->next;
        c->next = spare;
        spare = c;
    }
    while (again) {
        again = false;
        for (struct chunk **at = &spare; *at; at = &(*at)->next) {
            struct chunk *next = (*at)->next;
            if (heap_give_back(*at, (*at)->size)) {
                *at = next;
                again = true;
                break;
            }
        }
    }
    memset(waiting, 0, sizeof(waiting));
    rest = 0;
    rest_size = 0;
}
