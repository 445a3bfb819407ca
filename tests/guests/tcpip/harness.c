/* SPDX-License-Identifier: MIT */
/* The port's heap: `take SIZE` answers a number, -1 when there is no room; `give NUMBER` answers
 * "same" when its bytes are as they were left. */
#include <stdio.h>
#include <stdlib.h>
#include "heap.h"
#include "lib.h"

#define MOST 8192

static struct {
    unsigned char *at;
    size_t size;
} taken[MOST];
static unsigned count;

static int take(size_t size)
{
    unsigned char *p = heap_malloc(size);

    if (!p)
        return -1;
    if ((uintptr_t)p % 8)
        abort();
    memset(p, (int)(count % 251), size);
    taken[count].at = p;
    taken[count].size = size;
    return (int)count++;
}

static const char *give(unsigned n)
{
    const char *said = "same";

    for (size_t i = 0; i < taken[n].size; i++)
        if (taken[n].at[i] != n % 251)
            said = "changed";
    heap_free(taken[n].at);
    return said;
}

int main(void)
{
    char verb[16];
    unsigned long n;

    while (scanf("%15s %lu", verb, &n) == 2) {
        if (strcmp(verb, "take") == 0)
            printf("%d\n", count < MOST ? take(n) : -2);
        else
            puts(give((unsigned)n));
        fflush(stdout);
    }
}
