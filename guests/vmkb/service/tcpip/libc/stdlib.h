/* SPDX-License-Identifier: MIT */
/* lwIP includes it for its heap (heap.h), and for atoi, which it calls in netif_find alone: nothing
 * here does, so it is declared and never linked. */
#include "../heap.h"
#define malloc heap_malloc
#define free   heap_free
#define calloc heap_calloc
int atoi(const char *text);
