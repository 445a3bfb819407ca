/* SPDX-License-Identifier: MIT */
/* Merge sort: what is equal keeps its order. */
#include "cms.h"

const void **cms_sorted(const void **v, const void **other, uint32_t n, cms_compared *compared,
                        const void *how)
{
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t at = 0; at < n; at += 2 * run) {
            uint32_t i = at, middle = n - at > run ? at + run : n, k = middle;
            uint32_t end = n - at > 2 * run ? at + 2 * run : n;
            for (uint32_t to = at; to < end; to++) {
                bool first = k >= end || (i < middle && compared(v[i], v[k], how) <= 0);
                other[to] = first ? v[i++] : v[k++];
            }
        }
        const void **done = other;
        other = v;
        v = done;
    }
    return v;
}
