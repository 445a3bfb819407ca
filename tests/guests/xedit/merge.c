/* SPDX-License-Identifier: MIT */
/* XEDIT's MERGE and RENUM from a pipe, a line for each call:
 *   type FILETYPE           -> "0"; the file is empty then
 *   add TEXT                -> "0"
 *   merge LINE OPERANDS     -> return code; LINE is current
 *   renum LINE OPERANDS     -> return code
 *   show                    -> the lines, then the current line alone, then "." */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nucleus.h"
#include "subcommands.h"

int x_merge(const char *operands);
int x_renum(const char *operands);

enum { STORAGE = 1 << 21 };
static char storage[STORAGE] __attribute__((aligned(4096)));
static char *high = storage + STORAGE;
static char work[X_WORK];
static struct xfile file = {.trunc = 20, .zone1 = 1, .zone2 = 20, .scope_all = true};
static struct xedit session = {.file = &file, .work = work, .cols = 80};
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
bool cms_number(const char *word, uint32_t *value)
{
    char *end;

    *value = (uint32_t)strtoul(word, &end, 10);
    return is_digit(*word) && !*end;
}
int say_x(int rc, const char *f, ...)
{
    (void)f;
    return rc;
}
int bad_operand(const char *operand)
{
    (void)operand;
    return 5;
}

static int told(const char *word, const char *rest)
{
    unsigned line = 0;
    int at = 0;

    if (!strcmp(word, "type")) {
        text_free(&file.text);
        file.recover = 0;
        fmt(file.id.ft, sizeof(file.id.ft), "%s", rest);
        return !text_start(&file.text);
    }
    if (!strcmp(word, "add"))
        return line_insert(size_of(), rest, (uint32_t)strlen(rest));
    sscanf(rest, "%u %n", &line, &at);
    file.line = line;
    return !strcmp(word, "merge") ? x_merge(rest + at) : x_renum(rest + at);
}

int main(void)
{
    char line[512];

    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line + strcspn(line, " ");
        if (*rest)
            *rest++ = 0;
        if (strcmp(line, "show") != 0) {
            printf("%d\n", told(line, rest));
        } else {
            for (uint32_t k = 1; k <= size_of(); k++)
                printf("=%.*s\n", (int)line_at(k)->len, line_at(k)->text);
            printf("%u\n.\n", file.line);
        }
        fflush(stdout);
    }
    return 0;
}
