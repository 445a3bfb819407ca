/* SPDX-License-Identifier: MIT */
/*
 * Variables: one pool per PROCEDURE level, hashed by symbol; each stem has its own table of
 * tails. A symbol remembers where it was last found, so most look-ups are one comparison.
 */
#include "rx.h"

enum { FIRST_TAILS = 8 };

static struct rx_var *target(struct rx_var *v)
{
    while (v->alias)
        v = v->alias;
    return v;
}

struct rx_pool *rx_pool_new(struct rx *rx)
{
    struct rx_pool *pool = rx_heap(rx, sizeof *pool);
    memset(pool, 0, sizeof *pool);
    pool->id = ++rx->pools;
    return pool;
}

static void clear_value(struct rx *rx, struct rx_var *v)
{
    if (v->kind == V_STR)
        rx_heap_free(rx, v->p, v->cap);
    v->kind = V_OMIT;
    v->cap = 0;
}

static void free_var(struct rx *rx, struct rx_var *v)
{
    clear_value(rx, v);
    rx_heap_free(rx, v, sizeof *v + v->keylen);
}

static void free_tails(struct rx *rx, struct rx_tails *t)
{
    for (uint32_t b = 0; b < t->buckets; b++)
        for (struct rx_var *v = t->at[b], *next; v; v = next) {
            next = v->next;
            free_var(rx, v);
        }
    rx_heap_free(rx, t->at, t->buckets * sizeof t->at[0]);
    rx_heap_free(rx, t, sizeof *t);
}

void rx_pool_free(struct rx *rx, struct rx_pool *pool)
{
    for (int b = 0; b < RX_POOL_BUCKETS; b++)
        for (struct rx_var *v = pool->at[b], *next; v; v = next) {
            next = v->next;
            if (v->tails)
                free_tails(rx, v->tails);
            free_var(rx, v);
        }
    rx_heap_free(rx, pool, sizeof *pool);
}

static struct rx_var *find(struct rx_pool *pool, const struct rx_sym *sym)
{
    struct rx_var *v = pool->at[sym->hash % RX_POOL_BUCKETS];
    while (v && v->sym != sym)
        v = v->next;
    return v;
}

static struct rx_var *add(struct rx *rx, struct rx_pool *pool, struct rx_sym *sym)
{
    struct rx_var *v = rx_heap(rx, sizeof *v);
    memset(v, 0, sizeof *v);
    v->sym = sym;
    struct rx_var **at = &pool->at[sym->hash % RX_POOL_BUCKETS];
    v->next = *at;
    *at = v;
    return v;
}

/* The simple variable or stem of the current pool; NULL when it never had a value. */
static struct rx_var *lookup(struct rx *rx, struct rx_sym *sym)
{
    struct rx_pool *pool = rx->lv.pool;
    if (sym->pool == pool->id)
        return sym->var;
    struct rx_var *v = find(pool, sym);
    if (!v)
        return NULL;
    sym->var = target(v);
    sym->pool = pool->id;
    return sym->var;
}

static struct rx_var *lookup_or_add(struct rx *rx, struct rx_sym *sym)
{
    struct rx_var *v = lookup(rx, sym);
    if (v)
        return v;
    v = add(rx, rx->lv.pool, sym);
    sym->var = v;
    sym->pool = rx->lv.pool->id;
    return v;
}

static void grow_tails(struct rx *rx, struct rx_tails *t)
{
    uint32_t buckets = t->buckets * 2;
    struct rx_var **at = rx_heap(rx, buckets * sizeof at[0]);
    memset(at, 0, buckets * sizeof at[0]);
    for (uint32_t b = 0; b < t->buckets; b++)
        for (struct rx_var *v = t->at[b], *next; v; v = next) {
            next = v->next;
            v->next = at[v->hash & (buckets - 1)];
            at[v->hash & (buckets - 1)] = v;
        }
    rx_heap_free(rx, t->at, t->buckets * sizeof t->at[0]);
    t->at = at;
    t->buckets = buckets;
}

static struct rx_var *find_tail(struct rx_var *stem, const char *key, uint32_t n, uint32_t hash)
{
    struct rx_tails *t = stem->tails;
    if (!t)
        return NULL;
    for (struct rx_var *v = t->at[hash & (t->buckets - 1)]; v; v = v->next)
        if (v->hash == hash && v->keylen == n && memcmp(v->key, key, n) == 0)
            return v;
    return NULL;
}

static struct rx_var *add_tail(struct rx *rx, struct rx_var *stem, const char *key, uint32_t n,
                               uint32_t hash)
{
    struct rx_tails *t = stem->tails;
    if (!t) {
        t = rx_heap(rx, sizeof *t);
        t->count = 0;
        t->buckets = 0;
        t->at = NULL;
        stem->tails = t;
    }
    if (!t->buckets) {
        t->at = rx_heap(rx, FIRST_TAILS * sizeof t->at[0]);
        memset(t->at, 0, FIRST_TAILS * sizeof t->at[0]);
        t->buckets = FIRST_TAILS;
    }
    if (t->count >= t->buckets * 2)
        grow_tails(rx, t);
    struct rx_var *v = rx_heap(rx, sizeof *v + n);
    memset(v, 0, sizeof *v);
    memcpy(v->key, key, n);
    v->keylen = (uint16_t)n;
    v->hash = hash;
    v->next = t->at[hash & (t->buckets - 1)];
    t->at[hash & (t->buckets - 1)] = v;
    t->count++;
    return v;
}

/* Writes the tail of a compound symbol into key (REXX_NAME bytes), variables replaced. */
static uint32_t derive(struct rx *rx, const struct rx_compound *c, char *key)
{
    uint32_t n = 0, room = REXX_NAME - c->stem->len;
    for (uint32_t i = 0; i < c->n; i++) {
        struct rx_sym *sym = c->piece[i];
        rx_val v = rx_text(sym->name, sym->len);
        if (sym->kind == S_SIMPLE)
            rx_get_if(rx, sym, &v); /* NOVALUE is for the whole name */
        if (i) {
            if (n >= room)
                rx_raise(rx, 30);
            key[n++] = '.';
        }
        if (v.kind == V_INT) {
            char digits[24];
            v = rx_text(digits, (size_t)rx_int_text(v.i, digits));
            if (n + v.len > room)
                rx_raise(rx, 30);
            memcpy(key + n, digits, v.len);
        } else {
            if (n + v.len > room)
                rx_raise(rx, 30);
            memcpy(key + n, v.s, v.len);
        }
        n += v.len;
    }
    return n;
}

/* The name of a compound variable with its tail's values. */
rx_val rx_compound_name(struct rx *rx, struct rx_sym *sym)
{
    char key[REXX_NAME];
    struct rx_sym *stem = sym->tail->stem;
    uint32_t n = derive(rx, sym->tail, key);
    char *p = rx_temp(rx, stem->len + n);
    memcpy(p, stem->name, stem->len);
    memcpy(p + stem->len, key, n);
    return rx_text(p, stem->len + n);
}

static rx_val value_of(const struct rx_var *v)
{
    return v->kind == V_INT ? rx_int(v->i) : rx_text(v->p, v->len);
}

/* The value of a variable, false when it has none; then *v is its name. */
bool rx_get_if(struct rx *rx, struct rx_sym *sym, rx_val *v)
{
    if (sym->kind == S_CONST) {
        *v = sym->value;
        return true;
    }
    if (sym->kind != S_COMPOUND) {
        struct rx_var *var = lookup(rx, sym);
        if (var && var->kind != V_OMIT) {
            *v = value_of(var);
            return true;
        }
        *v = rx_text(sym->name, sym->len);
        return false;
    }
    char key[REXX_NAME];
    struct rx_sym *stem = sym->tail->stem;
    uint32_t n = derive(rx, sym->tail, key);
    struct rx_var *base = lookup(rx, stem);
    if (base) {
        struct rx_var *var = find_tail(base, key, n, rx_hash(key, n));
        if (var) {
            var = target(var);
            if (var->kind != V_OMIT) {
                *v = value_of(var);
                return true;
            }
        } else if (base->kind != V_OMIT) {
            *v = value_of(base);
            return true;
        }
    }
    char *p = rx_temp(rx, stem->len + n);
    memcpy(p, stem->name, stem->len);
    memcpy(p + stem->len, key, n);
    *v = rx_text(p, stem->len + n);
    return false;
}

/* The value of a variable, or its name; raises NOVALUE when that is trapped. */
rx_val rx_get(struct rx *rx, struct rx_sym *sym)
{
    rx_val v;
    if (!rx_get_if(rx, sym, &v) && rx->lv.trap[COND_NOVALUE]) {
        rx->about = v;
        rx_raise(rx, -COND_NOVALUE);
    }
    return v;
}

static void set_value(struct rx *rx, struct rx_var *v, rx_val val)
{
    if (val.kind == V_INT) {
        clear_value(rx, v);
        v->kind = V_INT;
        v->i = val.i;
        return;
    }
    if (v->kind == V_STR && v->cap >= val.len) {
        memmove(v->p, val.s, val.len); /* the new text may be a part of the old one */
        v->len = val.len;
        return;
    }
    size_t cap = rx_heap_room(val.len);
    char *p = rx_heap(rx, cap);
    memcpy(p, val.s, val.len);
    clear_value(rx, v);
    v->kind = V_STR;
    v->p = p;
    v->len = val.len;
    v->cap = (uint32_t)cap;
}

/* Gives every variable of a stem one value, or none (V_OMIT). */
static void set_stem(struct rx *rx, struct rx_var *stem, rx_val val)
{
    if (val.kind == V_STR)
        val = rx_keep(rx, val); /* it may be the value of one of those that go */
    struct rx_tails *t = stem->tails;
    for (uint32_t b = 0; t && b < t->buckets; b++) {
        struct rx_var **at = &t->at[b];
        while (*at) {
            struct rx_var *v = *at;
            if (v->alias) { /* belongs to a caller: it changes, it does not go */
                if (val.kind == V_OMIT)
                    clear_value(rx, target(v));
                else
                    set_value(rx, target(v), val);
                at = &v->next;
            } else {
                *at = v->next;
                t->count--;
                free_var(rx, v);
            }
        }
    }
    if (val.kind == V_OMIT)
        clear_value(rx, stem);
    else
        set_value(rx, stem, val);
}

static struct rx_var *compound_var(struct rx *rx, struct rx_sym *sym)
{
    char key[REXX_NAME];
    uint32_t n = derive(rx, sym->tail, key);
    struct rx_var *base = lookup_or_add(rx, sym->tail->stem);
    uint32_t hash = rx_hash(key, n);
    struct rx_var *v = find_tail(base, key, n, hash);
    if (!v)
        v = add_tail(rx, base, key, n, hash);
    return v;
}

/* A tail as it is given: no variable of its name is replaced. */
void rx_set_tail(struct rx *rx, struct rx_sym *stem, const char *key, uint32_t n, rx_val v)
{
    struct rx_var *base = lookup_or_add(rx, stem);
    uint32_t hash = rx_hash(key, n);
    struct rx_var *var = find_tail(base, key, n, hash);

    set_value(rx, target(var ? var : add_tail(rx, base, key, n, hash)), v);
}

bool rx_get_tail(struct rx *rx, struct rx_sym *stem, const char *key, uint32_t n, rx_val *v)
{
    struct rx_var *base = lookup(rx, stem);
    struct rx_var *var = base ? find_tail(base, key, n, rx_hash(key, n)) : NULL;

    var = var ? target(var) : base;
    if (!var || var->kind == V_OMIT)
        return false;
    *v = value_of(var);
    return true;
}

void rx_set(struct rx *rx, struct rx_sym *sym, rx_val v)
{
    if (sym->kind == S_COMPOUND)
        set_value(rx, target(compound_var(rx, sym)), v);
    else if (sym->kind == S_STEM)
        set_stem(rx, lookup_or_add(rx, sym), v);
    else
        set_value(rx, lookup_or_add(rx, sym), v);
}

void rx_drop(struct rx *rx, struct rx_sym *sym)
{
    if (sym->kind == S_COMPOUND) {
        clear_value(rx, target(compound_var(rx, sym)));
        return;
    }
    struct rx_var *v = lookup(rx, sym);
    if (v && sym->kind == S_STEM)
        set_stem(rx, v, (rx_val){.kind = V_OMIT});
    else if (v)
        clear_value(rx, v);
}

/* Makes the variable of pool from visible in the current pool, as PROCEDURE EXPOSE does. */
void rx_expose(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    struct rx_pool *mine = rx->lv.pool;
    struct rx_var *theirs;
    if (sym->kind == S_COMPOUND) {
        /* the tail's variables are looked up in the new pool, as exposed so far */
        char key[REXX_NAME];
        uint32_t n = derive(rx, sym->tail, key);
        uint32_t hash = rx_hash(key, n);
        struct rx_var *stem = lookup_or_add(rx, sym->tail->stem);
        struct rx_var *base = find(from, sym->tail->stem);
        base = base ? target(base) : add(rx, from, sym->tail->stem);
        if (base == stem || find_tail(stem, key, n, hash))
            return;
        theirs = find_tail(base, key, n, hash);
        if (!theirs) {
            theirs = add_tail(rx, base, key, n, hash);
            if (base->kind != V_OMIT)
                set_value(rx, theirs, value_of(base));
        }
        add_tail(rx, stem, key, n, hash)->alias = theirs;
        return;
    }
    struct rx_var *v = find(mine, sym);
    if (v && (v->alias || !v->tails))
        return;
    theirs = find(from, sym);
    if (!theirs)
        theirs = add(rx, from, sym);
    if (v) { /* single variables of this stem were exposed before: now all are */
        free_tails(rx, v->tails);
        v->tails = NULL;
    } else {
        v = add(rx, mine, sym);
    }
    v->alias = target(theirs);
    sym->pool = mine->id;
    sym->var = v->alias;
}

/*
 * Does something with each name of a list; (name) stands for the names in its value, and when
 * itself is set for that variable too, which then comes first.
 */
void rx_each_name(struct rx *rx, const struct rx_names *list, bool itself, struct rx_pool *from,
                  void (*action)(struct rx *, struct rx_pool *, struct rx_sym *))
{
    for (uint32_t k = 0; k < list->n; k++) {
        struct rx_sym *sym = list->at[k].sym;
        if (itself || !list->at[k].indirect)
            action(rx, from, sym);
        if (!list->at[k].indirect)
            continue;
        rx_val v = rx_keep(rx, rx_as_text(rx, rx_get(rx, sym)));
        for (uint32_t i = 0; i < v.len;) {
            uint32_t to = i;
            while (to < v.len && v.s[to] != ' ')
                to++;
            for (uint32_t c = i; c < to; c++)
                if (!rx_symbol_char(v.s[c]))
                    rx_raise(rx, 20);
            if (to > i) {
                struct rx_sym *name = rx_intern(rx, v.s + i, to - i, true);
                if (name->kind == S_CONST)
                    rx_raise(rx, is_digit(v.s[i]) || v.s[i] == '.' ? 31 : 20);
                action(rx, from, name);
            }
            i = to + 1;
        }
    }
}
