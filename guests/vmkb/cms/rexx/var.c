/* SPDX-License-Identifier: MIT */
/*
 * Variables: one pool per PROCEDURE level, hashed by symbol; each stem has its own table of
 * tails (tails.c). A symbol remembers where it was last found, so most look-ups are one comparison.
 */
#include "rx.h"

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

/* The room of a variable's text, which is its own. */
static char *text_of(const struct rx_var *v)
{
    return (char *)(uintptr_t)v->value.s;
}

static void clear_value(struct rx *rx, struct rx_var *v)
{
    if (v->value.kind == V_STR)
        rx_heap_free(rx, text_of(v), v->cap);
    v->value = (rx_val){.kind = V_OMIT};
    v->cap = 0;
}

static void set_value(struct rx *rx, struct rx_var *v, const rx_val *val)
{
    if (val->kind == V_STR && v->value.kind == V_STR && v->cap >= val->len) {
        memmove(text_of(v), val->s, val->len); /* the new text may be a part of the old one */
        v->value.len = val->len;
    } else if (val->kind == V_INT) {
        clear_value(rx, v);
        v->value = *val;
    } else {
        size_t cap = rx_heap_room(val->len);
        char *p = rx_heap(rx, cap);
        memcpy(p, val->s, val->len);
        clear_value(rx, v);
        v->value = rx_text(p, val->len);
        v->cap = (uint32_t)cap;
    }
}

/* For rx_tails_each: a variable of a stem gets a value, or none. One that is EXPOSEd stays. */
static bool changed(struct rx *rx, struct rx_var *v, const rx_val *value)
{
    if (!v->alias || value->kind == V_OMIT)
        clear_value(rx, target(v));
    else
        set_value(rx, target(v), value);
    return v->alias;
}

static bool freed(struct rx *rx, struct rx_var *v, const rx_val *value)
{
    (void)value;
    clear_value(rx, v);
    return false;
}

void rx_pool_free(struct rx *rx, struct rx_pool *pool)
{
    for (int b = 0; pool->count; b++)
        for (struct rx_named *v = pool->at[b], *next; v; v = next) {
            next = v->next;
            pool->count--;
            if (v->tails)
                rx_tails_free(rx, v->tails, freed);
            clear_value(rx, &v->var);
            rx_heap_free(rx, v, sizeof *v);
        }
    rx_heap_free(rx, pool, sizeof *pool);
}

static struct rx_named *find(struct rx_pool *pool, const struct rx_sym *sym)
{
    struct rx_named *v = pool->at[sym->hash % RX_POOL_BUCKETS];
    while (v && v->sym != sym)
        v = v->next;
    return v;
}

static struct rx_named *add(struct rx *rx, struct rx_pool *pool, struct rx_sym *sym)
{
    struct rx_named *v = rx_heap(rx, sizeof *v);
    memset(v, 0, sizeof *v);
    v->sym = sym;
    struct rx_named **at = &pool->at[sym->hash % RX_POOL_BUCKETS];
    v->next = *at;
    *at = v;
    pool->count++;
    return v;
}

static struct rx_named *named(struct rx_var *v)
{
    return (struct rx_named *)(void *)v;
}

static struct rx_named *remember(const struct rx *rx, struct rx_sym *sym, struct rx_named *v)
{
    v = named(target(&v->var));
    sym->ref.at = &v->var.value;
    sym->ref.pool = rx->pool_id;
    return v;
}

/* The simple variable or stem of the current pool; NULL when it never had a value. */
static inline struct rx_named *lookup(struct rx *rx, struct rx_sym *sym)
{
    if (rx_found(rx, &sym->ref))
        return (struct rx_named *)(void *)sym->ref.at;
    struct rx_named *v = find(rx->lv.pool, sym);
    return v ? remember(rx, sym, v) : NULL;
}

static inline struct rx_named *lookup_or_add(struct rx *rx, struct rx_sym *sym)
{
    struct rx_named *v = lookup(rx, sym);
    return v ? v : remember(rx, sym, add(rx, rx->lv.pool, sym));
}

/* Puts a piece of a tail into the key at n; returns where it ends. */
static uint32_t put_piece(struct rx *rx, rx_val v, struct rx_key *k, uint32_t n, uint32_t room)
{
    char digits[24];
    if (v.kind == V_INT)
        v = rx_text(digits, (size_t)rx_int_text(v.i, digits));
    if (n + v.len > room)
        rx_raise(rx, 30);
    if (v.len)
        memcpy(k->s + n, v.s, v.len);
    return n + v.len;
}

/* The value of a piece of a tail. NOVALUE is for the whole name. */
static rx_val piece(struct rx *rx, struct rx_sym *sym)
{
    if (rx_found(rx, &sym->ref) && sym->ref.at->kind != V_OMIT)
        return *sym->ref.at;
    rx_val v = rx_text(sym->name, sym->len);
    if (sym->ref.kind == S_SIMPLE)
        rx_get_if(rx, sym, &v);
    return v;
}

/* The tail of a compound symbol whose pieces make a text. */
static void derive(struct rx *rx, const struct rx_compound *c, struct rx_key *k)
{
    uint32_t room = REXX_NAME - c->stem->len;
    uint32_t n = put_piece(rx, piece(rx, c->piece[0]), k, 0, room);
    for (uint32_t i = 1; i < c->n; i++) {
        if (n >= room)
            rx_raise(rx, 30);
        k->s[n++] = '.';
        n = put_piece(rx, piece(rx, c->piece[i]), k, n, room);
    }
    rx_key_set(k, k->s, n);
}

/* The tail of a compound symbol, variables replaced. */
static inline void key_of(struct rx *rx, const struct rx_compound *c, struct rx_key *k)
{
    const struct rx_ref *first = &c->piece[0]->ref;
    if (c->n == 1 && rx_found(rx, first) && first->at->kind == V_INT &&
        (uint64_t)first->at->i < RX_NUMBERED && c->stem->len <= REXX_NAME - RX_NUMBER_LENGTH)
        k->number = first->at->i;
    else
        derive(rx, c, k);
}

static inline struct rx_tail *tail_at(const struct rx_tails *t, struct rx_key *k)
{
    bool in_row = t && k->number >= 0 && k->number < t->places;
    return in_row ? t->row[k->number] : rx_tail_find(t, k);
}

/* The name of a variable of a stem, in the temporaries. */
static rx_val full_name(struct rx *rx, const struct rx_sym *stem, struct rx_key *k)
{
    rx_key_text(k);
    char *p = rx_temp(rx, stem->len + k->n);
    memcpy(p, stem->name, stem->len);
    memcpy(p + stem->len, k->s, k->n);
    return rx_text(p, stem->len + k->n);
}

/* The name of a compound variable with its tail's values. */
rx_val rx_compound_name(struct rx *rx, struct rx_sym *sym)
{
    struct rx_key k;
    key_of(rx, sym->tail, &k);
    return full_name(rx, sym->tail->stem, &k);
}

/* The variable of a tail, or the stem, whose value holds for all without their own; or NULL. */
static struct rx_var *of_stem(struct rx_named *stem, struct rx_key *k)
{
    if (!stem)
        return NULL;
    struct rx_tail *v = tail_at(stem->tails, k);
    return v ? target(&v->var) : &stem->var;
}

static bool compound_if(struct rx *rx, struct rx_sym *sym, rx_val *v)
{
    struct rx_key k;
    key_of(rx, sym->tail, &k);
    const struct rx_var *var = of_stem(lookup(rx, sym->tail->stem), &k);
    if (var && var->value.kind != V_OMIT) {
        *v = var->value;
        return true;
    }
    *v = full_name(rx, sym->tail->stem, &k);
    return false;
}

/* The value of a variable, false when it has none; then *v is its name. */
bool rx_get_if(struct rx *rx, struct rx_sym *sym, rx_val *v)
{
    if (sym->ref.kind == S_COMPOUND)
        return compound_if(rx, sym, v);
    *v = sym->value;
    if (sym->ref.kind == S_CONST)
        return true;
    const struct rx_named *found = lookup(rx, sym);
    if (!found || found->var.value.kind == V_OMIT)
        return false;
    *v = found->var.value;
    return true;
}

/* rx_value when it is not at hand: the value, or the name. */
rx_val rx_get(struct rx *rx, struct rx_ref *ref)
{
    rx_val v;
    struct rx_sym *sym = (struct rx_sym *)(void *)ref;
    if (ref->kind == S_CONST) {
        ref->pool = rx->pool_id;
        return *ref->at;
    }
    if (!rx_get_if(rx, sym, &v) && rx->lv.trap[COND_NOVALUE]) {
        rx->about = v;
        rx_raise(rx, -COND_NOVALUE);
    }
    return v;
}

/* Gives every variable of a stem one value, or none (V_OMIT). */
static void set_stem(struct rx *rx, struct rx_named *stem, rx_val val)
{
    if (val.kind == V_STR)
        val = rx_keep(rx, val); /* it may be the value of one of those that go */
    if (stem->tails)
        rx_tails_each(rx, stem->tails, &val, changed);
    if (val.kind == V_OMIT)
        clear_value(rx, &stem->var);
    else
        set_value(rx, &stem->var, &val);
}

static struct rx_var *tail_var(struct rx *rx, struct rx_sym *stem, struct rx_key *k)
{
    struct rx_named *base = lookup_or_add(rx, stem);
    struct rx_tail *v = tail_at(base->tails, k);
    return v ? target(&v->var) : &rx_tail_add(rx, &base->tails, k)->var;
}

static struct rx_var *compound_var(struct rx *rx, struct rx_sym *sym)
{
    struct rx_key k;
    key_of(rx, sym->tail, &k);
    return tail_var(rx, sym->tail->stem, &k);
}

/* A tail as it is given: no variable of its name is replaced. */
void rx_set_tail(struct rx *rx, struct rx_sym *stem, struct rx_key *k, rx_val v)
{
    set_value(rx, tail_var(rx, stem, k), &v);
}

bool rx_get_tail(struct rx *rx, struct rx_sym *stem, struct rx_key *k, rx_val *v)
{
    const struct rx_var *var = of_stem(lookup(rx, stem), k);
    if (!var || var->value.kind == V_OMIT)
        return false;
    *v = var->value;
    return true;
}

void rx_set(struct rx *rx, struct rx_sym *sym, rx_val v)
{
    if (sym->ref.kind == S_SIMPLE)
        set_value(rx, &lookup_or_add(rx, sym)->var, &v);
    else if (sym->ref.kind == S_COMPOUND)
        set_value(rx, compound_var(rx, sym), &v);
    else
        set_stem(rx, lookup_or_add(rx, sym), v);
}

void rx_drop(struct rx *rx, struct rx_sym *sym)
{
    if (sym->ref.kind == S_COMPOUND) {
        clear_value(rx, compound_var(rx, sym));
        return;
    }
    struct rx_named *v = lookup(rx, sym);
    if (v && sym->ref.kind == S_STEM)
        set_stem(rx, v, (rx_val){.kind = V_OMIT});
    else if (v)
        clear_value(rx, &v->var);
}

/* One variable of a stem; its tail's variables are looked up in the new pool, as exposed so far. */
static void expose_compound(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    struct rx_key k;
    key_of(rx, sym->tail, &k);
    struct rx_named *stem = lookup_or_add(rx, sym->tail->stem);
    struct rx_named *base = find(from, sym->tail->stem);
    base = base ? named(target(&base->var)) : add(rx, from, sym->tail->stem);
    if (base == stem || rx_tail_find(stem->tails, &k))
        return;
    struct rx_tail *theirs = rx_tail_find(base->tails, &k);
    if (!theirs) {
        theirs = rx_tail_add(rx, &base->tails, &k);
        if (base->var.value.kind != V_OMIT)
            set_value(rx, &theirs->var, &base->var.value);
    }
    rx_tail_add(rx, &stem->tails, &k)->var.alias = &theirs->var;
}

/* Makes the variable of pool from visible in the current pool, as PROCEDURE EXPOSE does. */
void rx_expose(struct rx *rx, struct rx_pool *from, struct rx_sym *sym)
{
    if (sym->ref.kind == S_COMPOUND) {
        expose_compound(rx, from, sym);
        return;
    }
    struct rx_named *v = find(rx->lv.pool, sym);
    if (v && (v->var.alias || !v->tails))
        return;
    struct rx_named *theirs = find(from, sym);
    if (!theirs)
        theirs = add(rx, from, sym);
    if (v) { /* single variables of this stem were exposed before: now all are */
        rx_tails_free(rx, v->tails, freed);
        v->tails = NULL;
    } else {
        v = add(rx, rx->lv.pool, sym);
    }
    v->var.alias = target(&theirs->var);
    remember(rx, sym, v);
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
        rx_val v = rx_keep(rx, rx_as_text(rx, rx_value(rx, &sym->ref)));
        for (uint32_t i = 0; i < v.len;) {
            uint32_t to = i;
            while (to < v.len && v.s[to] != ' ')
                to++;
            for (uint32_t c = i; c < to; c++)
                if (!rx_symbol_char(v.s[c]))
                    rx_raise(rx, 20);
            if (to > i) {
                struct rx_sym *name = rx_intern(rx, v.s + i, to - i, true);
                if (name->ref.kind == S_CONST)
                    rx_raise(rx, is_digit(v.s[i]) || v.s[i] == '.' ? 31 : 20);
                action(rx, from, name);
            }
            i = to + 1;
        }
    }
}
