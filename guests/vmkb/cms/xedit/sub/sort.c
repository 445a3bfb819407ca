/* SPDX-License-Identifier: MIT */
/* Lines in the order of some of their columns: a merge sort, so that equal lines keep theirs. */
#include "subcommands.h"

static int compare(const struct xline *a, const struct xline *b, const struct sort_keys *how)
{
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

struct xline **lines_sort(struct xline **v, struct xline **other, uint32_t n,
                          const struct sort_keys *how)
{
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t at = 0; at < n; at += 2 * run) {
            uint32_t i = at, middle = n - at > run ? at + run : n, j = middle;
            uint32_t end = n - at > 2 * run ? at + 2 * run : n;
            for (uint32_t k = at; k < end; k++)
                other[k] = j >= end || (i < middle && compare(v[i], v[j], how) <= 0) ? v[i++]
                                                                                     : v[j++];
        }
        struct xline **sorted = other;
        other = v;
        v = sorted;
    }
    return v;
}
