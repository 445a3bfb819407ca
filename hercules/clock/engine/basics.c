/* SPDX-License-Identifier: MIT */
/* Sequences, heaps, frames, draws. */
#include "engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must(void *storage)
{
    if (!storage) {
        fputs("vmkb: there is no storage for a world\n", stderr);
        abort();
    }
    return storage;
}

void words_add(struct words *w, union word x)
{
    if (w->first + w->count == w->room) {
        if (w->first > w->room / 2) {
            memmove(w->at, w->at + w->first, w->count * sizeof(*w->at));
            w->first = 0;
        } else {
            w->room = 2 * w->room + 16;
            w->at = must(realloc(w->at, w->room * sizeof(*w->at)));
        }
    }
    w->at[w->first + w->count++] = x;
}

union word words_take(struct words *w)
{
    union word x = w->at[w->first++];

    if (!--w->count)
        w->first = 0;
    return x;
}

union word *words_at(const struct words *w, size_t i)
{
    return &w->at[w->first + i];
}

void words_clear(struct words *w)
{
    w->first = w->count = 0;
}

static char *heap_at(const struct heap *h, size_t i)
{
    return h->at + i * h->size;
}

void heap_push(struct heap *h, const void *thing)
{
    size_t i = h->count++;

    if (i == h->room) {
        h->room = 2 * h->room + 64;
        h->at = must(realloc(h->at, h->room * h->size));
    }
    for (size_t up; i && h->before(thing, heap_at(h, up = (i - 1) / 2)); i = up)
        memcpy(heap_at(h, i), heap_at(h, up), h->size);
    memcpy(heap_at(h, i), thing, h->size);
}

void heap_pop(struct heap *h, void *thing)
{
    size_t i = 0, n = --h->count;
    const char *last = heap_at(h, n);

    memcpy(thing, h->at, h->size);
    for (size_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && h->before(heap_at(h, k + 1), heap_at(h, k)))
            k++;
        if (!h->before(heap_at(h, k), last))
            break;
        memcpy(heap_at(h, i), heap_at(h, k), h->size);
    }
    if (n)
        memmove(heap_at(h, i), last, h->size);
}

struct frame *frame_of(uint32_t length)
{
    struct frame *f = must(malloc(sizeof(*f) + length));

    f->users = 1;
    f->length = length;
    return f;
}

struct frame *frame_new(const void *data, uint32_t length)
{
    struct frame *f = frame_of(length);

    memcpy(f->data, data, length);
    return f;
}

struct frame *frame_share(struct frame *f)
{
    f->users++;
    return f;
}

void frame_drop(struct frame *f)
{
    if (!--f->users)
        free(f);
}

int frame_is(const struct frame *f, uint16_t type)
{
    return f->length >= 14 && f->data[12] == type >> 8 && f->data[13] == (type & 0xff);
}

static void refill(struct chance *c)
{
    uint32_t *s = c->state;

    for (int i = 0; i < 624; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % 624] & 0x7fffffffu);
        s[i] = s[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    c->at = 0;
}

static uint32_t draw32(struct chance *c)
{
    uint32_t y;

    if (c->at >= 624)
        refill(c);
    y = c->state[c->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

double chance_draw(struct chance *c)
{
    uint32_t a = draw32(c) >> 5, b = draw32(c) >> 6;

    return (a * 67108864.0 + b) / 9007199254740992.0;
}
