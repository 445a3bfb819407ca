/* SPDX-License-Identifier: MIT */
/* SORT target A|D column column ...: lines in the order of some of their columns. */
#include "subcommands.h"

enum { SORT_KEYS = 8 };

struct sort_keys {
    uint32_t n, from[SORT_KEYS], to[SORT_KEYS];
    bool down, ignore;
};

static int compared(const void *one, const void *next, const void *asked)
{
    const struct xline *a = one, *b = next;
    const struct sort_keys *how = asked;

    for (unsigned k = 0; k < how->n; k++)
        for (uint32_t at = how->from[k] - 1; at < how->to[k]; at++) {
            uint8_t p = at < a->len ? (uint8_t)a->text[at] : ' ';
            uint8_t q = at < b->len ? (uint8_t)b->text[at] : ' ';
            if (at >= a->len && at >= b->len)
                break;
            if (how->ignore) {
                p = (uint8_t)to_upper(p);
                q = (uint8_t)to_upper(q);
            }
            if (p != q)
                return (p < q) == how->down ? 1 : -1;
        }
    return 0;
}

int x_sort(const char *operands)
{
    struct xfile *f = x->file;
    struct sort_keys how = {.ignore = f->ignore};
    uint32_t first, last;
    char word[12];
    bool directed = false; /* one direction for all columns */
    int rc = target_range(&operands, &first, &last);

    if (rc != 0)
        return rc;
    while (*operands) {
        next_word(&operands, word, sizeof(word));
        if (!directed && !how.n
            && (cms_is(word, "ASCENDING", 1) || cms_is(word, "DESCENDING", 1))) {
            directed = true;
            how.down = *word == 'D';
        } else if (how.n < SORT_KEYS && cms_number(word, &how.from[how.n]) && how.from[how.n]) {
            next_word(&operands, word, sizeof(word));
            if (!cms_number(word, &how.to[how.n]) || how.to[how.n] < how.from[how.n])
                return bad_operand(word);
            how.n++;
        } else {
            return bad_operand(word);
        }
    }
    if (!how.n) {
        how.from[0] = f->zone1;
        how.to[0] = f->zone2;
        how.n = 1;
    }
    uint32_t n = last - first + 1;
    const void **v = pool_take(2 * n * sizeof(*v));
    if (!v)
        return say_x(4, "DMSXSR557S No more storage to sort lines");
    for (uint32_t i = 0; i < n; i++)
        v[i] = line_at(first + i);
    const void **sorted = cms_sorted(v, v + n, n, compared, &how);
    for (uint32_t i = 0; i < n; i++)
        *text_at(&f->text, first + i) = (struct xline *)sorted[i];
    pool_give(v);
    altered();
    f->line = first;
    return 0;
}
