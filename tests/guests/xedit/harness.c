/* SPDX-License-Identifier: MIT */
/* XEDIT's lines and their storage from a pipe, a line for each call:
 *   insert AFTER TEXT | remove K | at K     -> the line's text, or "full"
 *   find FROM TO LINE STRING                -> place and length, or "no" (arbitrary character $)
 *   size                                    -> lines
 *   room                                    -> bytes that are left to CMS
 *   again                                   -> all goes back; then bytes that are left */
#include <stdio.h>
#include <stdlib.h>

#include "nucleus.h"
#include "xedit.h"

enum { STORAGE = 1 << 20 };
static char storage[STORAGE] __attribute__((aligned(4096)));
static char *high = storage + STORAGE;
static struct xfile file = {.arb_on = true, .arb1 = '$'};
static struct xedit session = {.file = &file};
struct xedit *x = &session;

size_t cms_storage_left(void) { return (size_t)(high - storage); }
void *heap_permanent(size_t size)
{
    size = (size + 4095) & ~(size_t)4095;
    return size > cms_storage_left() ? 0 : (high -= size);
}
bool heap_give_back(void *p, size_t size)
{
    if (p != high)
        return false;
    high += size;
    return true;
}

static void show(const struct xline *l) { printf("=%.*s\n", (int)l->len, l->text); }

static void find(const char *words)
{
    char line[512], string[256];
    unsigned from, to;
    struct xpattern p;
    struct xfound found;

    if (sscanf(words, "%u %u %511s %255s", &from, &to, line, string) != 4
        || !pattern_make(&p, string, (uint32_t)strlen(string)))
        abort();
    if (pattern_find(&p, line, (uint32_t)strlen(line), from, to, &found))
        printf("%u %u\n", found.at, found.len);
    else
        printf("no\n");
}

int main(void)
{
    char line[66000], word[16];
    unsigned k;
    int at;

    if (!text_start(&file.text))
        return 1;
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        k = 0;
        at = 0;
        sscanf(line, "%15s %n%u", word, &at, &k);
        if (!strcmp(word, "insert")) {
            const char *text = strchr(line + at, ' ');
            struct xline *l = line_new(text + 1, (uint32_t)strlen(text + 1));
            if (!l || !text_insert(&file.text, k, l)) {
                pool_give(l);
                printf("full\n");
            } else {
                show(l);
            }
        } else if (!strcmp(word, "remove")) {
            struct xline *l = text_remove(&file.text, k);
            show(l);
            pool_give(l);
        } else if (!strcmp(word, "at")) {
            show(*text_at(&file.text, k));
        } else if (!strcmp(word, "find")) {
            find(line + at);
        } else if (!strcmp(word, "size")) {
            printf("%u\n", file.text.size);
        } else {
            if (!strcmp(word, "again")) {
                text_free(&file.text);
                pool_end();
                printf("%zu\n", cms_storage_left());
                if (!text_start(&file.text))
                    return 1;
            } else {
                printf("%zu\n", cms_storage_left());
            }
        }
        fflush(stdout);
    }
    text_free(&file.text);
    return 0;
}
