/* SPDX-License-Identifier: MIT */
/* The lines of a file in order. Leaves of up to X_LEAF pointers are found by adding up their
 * counts, from the leaf used last on: going through a file looks at each leaf once. */
#include "xedit.h"

enum { LEAVES = 32 };

struct xline *line_new(const char *text, uint32_t len)
{
    struct xline *l = pool_take(sizeof(*l) + len);

    if (!l)
        return 0;
    l->len = (uint16_t)len;
    l->select = 0;
    memcpy(l->text, text, len);
    return l;
}

static struct xleaf *leaf_new(void)
{
    struct xleaf *leaf = pool_take(sizeof(*leaf));

    if (leaf)
        leaf->n = 0;
    return leaf;
}

bool text_start(struct xtext *t)
{
    *t = (struct xtext){.room = LEAVES, .first = 1};
    t->leaf = pool_take(LEAVES * sizeof(*t->leaf));
    if (!t->leaf)
        return false;
    t->leaf[0] = leaf_new();
    t->leaves = 1;
    if (t->leaf[0])
        return true;
    pool_give(t->leaf);
    t->leaf = 0;
    return false;
}

void text_free(struct xtext *t)
{
    if (!t->leaf)
        return;
    for (uint32_t i = 0; i < t->leaves; i++) {
        for (uint32_t k = 0; k < t->leaf[i]->n; k++)
            pool_give(t->leaf[i]->line[k]);
        pool_give(t->leaf[i]);
    }
    pool_give(t->leaf);
    t->leaf = 0;
}

/* Makes the leaf of line k the one used last. k may be one behind the last line of a leaf, if no
 * leaf follows. */
static void find(struct xtext *t, uint32_t k)
{
    if (k < t->first / 2) {
        t->at = 0;
        t->first = 1;
    }
    while (k < t->first)
        t->first -= t->leaf[--t->at]->n;
    while (k >= t->first + t->leaf[t->at]->n && t->at + 1 < t->leaves)
        t->first += t->leaf[t->at++]->n;
}

struct xline **text_at(struct xtext *t, uint32_t k)
{
    if (k - t->first >= t->leaf[t->at]->n)
        find(t, k);
    return &t->leaf[t->at]->line[k - t->first];
}

static bool grow(struct xtext *t)
{
    if (t->leaves < t->room)
        return true;
    struct xleaf **more = pool_take(2 * t->room * sizeof(*more));
    if (!more)
        return false;
    memcpy(more, t->leaf, t->leaves * sizeof(*more));
    pool_give(t->leaf);
    t->leaf = more;
    t->room *= 2;
    return true;
}

/* A leaf behind the one used last, with its upper half; at the end of the text it begins empty. */
static bool split(struct xtext *t, bool at_end)
{
    if (!grow(t))
        return false;
    struct xleaf *leaf = t->leaf[t->at], *upper = leaf_new();
    if (!upper)
        return false;
    memmove(t->leaf + t->at + 2, t->leaf + t->at + 1,
            (t->leaves - t->at - 1) * sizeof(*t->leaf));
    t->leaf[t->at + 1] = upper;
    t->leaves++;
    if (at_end)
        return true;
    upper->n = leaf->n / 2;
    leaf->n -= upper->n;
    memcpy(upper->line, leaf->line + leaf->n, upper->n * sizeof(*upper->line));
    return true;
}

bool text_insert(struct xtext *t, uint32_t after, struct xline *line)
{
    uint32_t k = after + 1;
    struct xleaf *last = t->leaf[t->at];

    if (after == t->size && t->at + 1 == t->leaves && last->n < X_LEAF) {
        last->line[last->n++] = line;
        t->size++;
        return true;
    }
    find(t, after ? after : 1);
    if (t->leaf[t->at]->n == X_LEAF) {
        if (!split(t, after == t->size))
            return false;
        if (k - t->first > t->leaf[t->at]->n || (after == t->size && k > t->first))
            t->first += t->leaf[t->at++]->n;
    }
    struct xleaf *leaf = t->leaf[t->at];
    uint32_t i = k - t->first;
    if (i < leaf->n)
        memmove(leaf->line + i + 1, leaf->line + i, (leaf->n - i) * sizeof(*leaf->line));
    leaf->line[i] = line;
    leaf->n++;
    t->size++;
    return true;
}

struct xline *text_remove(struct xtext *t, uint32_t k)
{
    struct xline *line = *text_at(t, k);
    struct xleaf *leaf = t->leaf[t->at];
    uint32_t i = k - t->first;

    leaf->n--;
    t->size--;
    if (i < leaf->n)
        memmove(leaf->line + i, leaf->line + i + 1, (leaf->n - i) * sizeof(*leaf->line));
    if (!leaf->n && t->leaves > 1) {
        t->leaves--;
        if (t->at < t->leaves)
            memmove(t->leaf + t->at, t->leaf + t->at + 1,
                    (t->leaves - t->at) * sizeof(*t->leaf));
        else
            t->first -= t->leaf[--t->at]->n;
        pool_give(leaf);
    }
    return line;
}
