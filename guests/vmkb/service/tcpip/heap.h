/* SPDX-License-Identifier: MIT */
/* A stack's heap. What lwIP takes from one is nearly always the header of a segment: those have
 * cells of their own, of which one is taken or given back in a few instructions. Lengths are in
 * bytes. */
#ifndef VMKB_HEAP_H
#define VMKB_HEAP_H
#include <stddef.h>

#define HEAP_CELL  128
#define HEAP_CELLS 4096              /* as many as lwIP may have segments */
#ifndef HEAP_REST                    /* for what is longer, or has no cell */
#define HEAP_REST  (1024 * 1024)
#endif

void *heap_malloc(size_t size);      /* a multiple of 8; NULL: no room */
void heap_free(void *p);
void *heap_calloc(size_t count, size_t size);
#endif
