/* SPDX-License-Identifier: MIT */
/* What is done to values all the time, in a few instructions each. rx.h includes it. */
#ifndef VMKB_RX_VALUE_H
#define VMKB_RX_VALUE_H

enum {
    RX_MARGIN = 64, /* bytes that stay free between heap and temporaries */
    RX_STEP = 16,   /* small blocks of the heap are multiples of it */
    RX_SMALL = 512
};

/* The class of a block of at most RX_SMALL bytes. */
static inline int rx_small_class(size_t n)
{
    return n ? (int)((n - 1) / RX_STEP) : 0;
}

/* Returns a block of at least n bytes, 16-byte aligned; raises Error 5 when there is none. */
static inline void *rx_heap(struct rx *rx, size_t n)
{
    if (n > RX_SMALL)
        return rx_heap_large(rx, n);
    int c = rx_small_class(n);
    size_t size = (size_t)(c + 1) * RX_STEP;
    void **block = rx->free[c];
    if (block) {
        rx->free[c] = *block;
        return block;
    }
    if ((size_t)(rx->top - rx->lo) <= size + RX_MARGIN)
        return rx_heap_large(rx, n);
    rx->lo += size;
    return rx->lo - size;
}

/* Gives back a block of which n bytes were asked for; p may be NULL. */
static inline void rx_heap_free(struct rx *rx, void *p, size_t n)
{
    if (!p)
        return;
    if (n > RX_SMALL) {
        rx_heap_free_large(rx, p, n);
        return;
    }
    *(void **)p = rx->free[rx_small_class(n)];
    rx->free[rx_small_class(n)] = p;
}

/* Bytes that a block asked for with n really has. */
static inline size_t rx_heap_room(size_t n)
{
    return n <= RX_SMALL ? (size_t)(rx_small_class(n) + 1) * RX_STEP : rx_heap_room_large(n);
}

static inline rx_val rx_text(const char *s, size_t n)
{
    return (rx_val){.kind = V_STR, .len = (uint32_t)n, .s = s};
}

static inline rx_val rx_int(int64_t i)
{
    return (rx_val){.kind = V_INT, .i = i};
}

/* Returns n bytes, not aligned, that last until the clause's temporaries are dropped. */
static inline char *rx_temp(struct rx *rx, size_t n)
{
    if (n + RX_MARGIN > (size_t)(rx->top - rx->lo))
        return rx_temp_tidied(rx, n);
    return rx->top -= n;
}

/* The value as text; a number is written into the temporaries. */
static inline rx_val rx_as_text(struct rx *rx, rx_val v)
{
    if (v.kind == V_STR)
        return v;
    return v.kind == V_INT ? rx_digits_text(rx, v.i) : rx_text("", 0);
}

/* Text without its leading and trailing blanks. */
static inline rx_val rx_strip(rx_val v)
{
    const char *from = v.s, *to = from + v.len;
    if (v.kind != V_STR)
        return v;
    while (from < to && *from == ' ')
        from++;
    while (from < to && to[-1] == ' ')
        to--;
    return rx_text(from, (size_t)(to - from));
}

/* Where c is from p on; end when it is not there. */
static inline const char *rx_find(const char *p, const char *end, char c)
{
    return (const char *)find_byte((const uint8_t *)p, (const uint8_t *)end, (uint8_t)c);
}

/* The length of the word that begins at p. */
static inline uint32_t rx_word_length(const char *p, const char *end)
{
    return (uint32_t)(rx_find(p, end, ' ') - p);
}

static inline uint32_t rx_place(const struct rx *rx, const void *p)
{
    return (uint32_t)(((const char *)p - (const char *)rx) >> 3);
}

static inline void *rx_at(struct rx *rx, uint32_t place)
{
    return (char *)rx + ((size_t)place << 3);
}

/* Whether ref's value is known to lie at ref->at. */
static inline bool rx_found(const struct rx *rx, const struct rx_ref *ref)
{
    return ref->pool == rx->pool_id;
}

/* The value of an operand; raises NOVALUE when that is trapped. */
static inline rx_val rx_value(struct rx *rx, struct rx_ref *ref)
{
    return rx_found(rx, ref) && ref->at->kind != V_OMIT ? *ref->at : rx_get(rx, ref);
}

static inline void rx_push(struct rx *rx, rx_val v)
{
    if (rx->sp >= rx->stack_end)
        rx_raise(rx, 39);
    *rx->sp++ = v;
}

static inline rx_val rx_pop(struct rx *rx)
{
    return *--rx->sp;
}

/* The truth of a value that must be exactly 0 or 1; Error 34 otherwise. */
static inline bool rx_logical(struct rx *rx, rx_val v)
{
    if (v.kind == V_INT && (v.i == 0 || v.i == 1))
        return v.i;
    return rx_logical_text(rx, v);
}

/* a & b, a | b or a && b; Error 34. */
static inline bool rx_logic(struct rx *rx, int op, const rx_val *a, const rx_val *b)
{
    bool x = rx_logical(rx, *a), y = rx_logical(rx, *b);
    return op == OP_AND ? x && y : op == OP_OR ? x || y : x != y;
}

/* Whether i and j are so short that their sum, or their order, needs no look at DIGITS. */
static inline bool rx_small(int64_t i, int64_t j, int64_t small)
{
    return ((i < 0 ? -i : i) | (j < 0 ? -j : j)) < small;
}

#endif
