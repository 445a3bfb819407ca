/* SPDX-License-Identifier: MIT */
/*
 * The variables of a stem. Most programs number them: those are found by their number in a row,
 * without a text of it. Any other tail is found by a hash of its text.
 */
#include "rx.h"

enum { FIRST_BUCKETS = 8, FIRST_PLACES = 8 };

/* The key for a tail that is given as text: the text of a number is that number. */
void rx_key_set(struct rx_key *k, const char *s, uint32_t n)
{
    bool digits = n && n <= RX_NUMBER_LENGTH && is_digit(s[0]);
    if (digits && rx_plain_int(s, n, &k->number) && k->number < RX_NUMBERED)
        return;
    if (n && s != k->s)
        memcpy(k->s, s, n);
    k->number = -1;
    k->n = n;
    k->hash = rx_hash(s, n);
}

/* Gives a key that is a number its text too. */
void rx_key_text(struct rx_key *k)
{
    if (k->number < 0)
        return;
    k->n = (uint32_t)rx_int_text(k->number, k->s);
    k->hash = rx_hash(k->s, k->n);
}

static struct rx_tail **bucket(const struct rx_tails *t, uint32_t hash)
{
    return &t->at[hash & (t->buckets - 1)];
}

/* The variable, NULL when there is none. */
struct rx_tail *rx_tail_find(const struct rx_tails *t, struct rx_key *k)
{
    if (!t)
        return NULL;
    if (k->number >= 0) {
        if (k->number < t->places)
            return t->row[k->number];
        if (!t->count)
            return NULL;
        rx_key_text(k);
    }
    if (!t->count)
        return NULL;
    for (struct rx_tail *v = *bucket(t, k->hash); v; v = v->next)
        if (v->hash == k->hash && v->keylen == k->n && memcmp(v->key, k->s, k->n) == 0)
            return v;
    return NULL;
}

static void rehash(struct rx *rx, struct rx_tails *t, uint32_t buckets)
{
    struct rx_tails new = {.buckets = buckets};
    new.at = rx_heap(rx, buckets * sizeof new.at[0]);
    memset(new.at, 0, buckets * sizeof new.at[0]);
    for (uint32_t b = 0; b < t->buckets; b++)
        for (struct rx_tail *v = t->at[b], *next; v; v = next) {
            next = v->next;
            v->next = *bucket(&new, v->hash);
            *bucket(&new, v->hash) = v;
        }
    rx_heap_free(rx, t->at, t->buckets * sizeof t->at[0]);
    t->at = new.at;
    t->buckets = buckets;
}

/* Moves the hashed tails that have a place in the row now. */
static void into_row(struct rx_tails *t)
{
    for (uint32_t b = 0; t->count && b < t->buckets; b++)
        for (struct rx_tail **at = &t->at[b]; *at;) {
            struct rx_tail *v = *at;
            struct rx_key k;
            rx_key_set(&k, v->key, v->keylen);
            if (k.number < 0 || k.number >= t->places) {
                at = &v->next;
                continue;
            }
            *at = v->next;
            t->count--;
            t->row[k.number] = v;
            t->used++;
        }
}

static void lengthen(struct rx *rx, struct rx_tails *t, int64_t number)
{
    uint32_t places = t->places ? t->places * 2 : FIRST_PLACES;
    while (places <= number)
        places *= 2;
    struct rx_tail **row = rx_heap(rx, places * sizeof row[0]);
    memset(row, 0, places * sizeof row[0]);
    if (t->places)
        memcpy(row, t->row, t->places * sizeof row[0]);
    rx_heap_free(rx, t->row, t->places * sizeof row[0]);
    t->row = row;
    t->places = places;
    into_row(t);
}

static struct rx_tail *new_tail(struct rx *rx, uint32_t n)
{
    size_t size = offsetof(struct rx_tail, key) + n;
    struct rx_tail *v = rx_heap(rx, size);
    memset(v, 0, size);
    v->keylen = (uint16_t)n;
    return v;
}

/* Adds a variable, without a value, that is not there. */
struct rx_tail *rx_tail_add(struct rx *rx, struct rx_tails **tails, struct rx_key *k)
{
    struct rx_tails *t = *tails;
    if (!t) {
        t = rx_heap(rx, sizeof *t);
        memset(t, 0, sizeof *t);
        *tails = t;
    }
    /* the row grows while at least about a quarter of it is in use */
    if (k->number >= t->places && k->number < 2 * (int64_t)t->used + FIRST_PLACES)
        lengthen(rx, t, k->number);
    if (k->number >= 0 && k->number < t->places) {
        t->row[k->number] = new_tail(rx, 0);
        t->used++;
        return t->row[k->number];
    }
    rx_key_text(k);
    if (t->count >= t->buckets * 2)
        rehash(rx, t, t->buckets ? t->buckets * 2 : FIRST_BUCKETS);
    struct rx_tail *v = new_tail(rx, k->n);
    memcpy(v->key, k->s, k->n);
    v->hash = k->hash;
    v->next = *bucket(t, v->hash);
    *bucket(t, v->hash) = v;
    t->count++;
    return v;
}

static void free_tail(struct rx *rx, struct rx_tail *v)
{
    rx_heap_free(rx, v, offsetof(struct rx_tail, key) + v->keylen);
}

/* Asks for each variable whether it stays; the tables go when nothing is left in them. */
void rx_tails_each(struct rx *rx, struct rx_tails *t, const rx_val *value,
                   bool (*stays)(struct rx *, struct rx_var *, const rx_val *))
{
    for (uint32_t k = 0; t->used && k < t->places; k++)
        if (t->row[k] && !stays(rx, &t->row[k]->var, value)) {
            free_tail(rx, t->row[k]);
            t->row[k] = NULL;
            t->used--;
        }
    for (uint32_t b = 0; t->count && b < t->buckets; b++)
        for (struct rx_tail **at = &t->at[b]; *at;) {
            struct rx_tail *v = *at;
            if (stays(rx, &v->var, value)) {
                at = &v->next;
                continue;
            }
            *at = v->next;
            t->count--;
            free_tail(rx, v);
        }
    if (!t->used) {
        rx_heap_free(rx, t->row, t->places * sizeof t->row[0]);
        t->row = NULL;
        t->places = 0;
    }
    if (!t->count) {
        rx_heap_free(rx, t->at, t->buckets * sizeof t->at[0]);
        t->at = NULL;
        t->buckets = 0;
    }
}

/* Frees the tables, and with them the variables, which do not stay. */
void rx_tails_free(struct rx *rx, struct rx_tails *t,
                   bool (*stays)(struct rx *, struct rx_var *, const rx_val *))
{
    rx_tails_each(rx, t, NULL, stays);
    rx_heap_free(rx, t, sizeof *t);
}
