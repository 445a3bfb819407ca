/* SPDX-License-Identifier: MIT */
/* Runs CMS's pure parts on the host: one request a line on stdin, its answer on stdout, ended by a
 * line ".". */
#include <stdio.h>
#include <stdlib.h>
#include "listing.h"
#include "nucleus.h"

struct cms_state cms_state;

/* A sixteenth is kept from the program stack: it may take 4096 bytes twice, 128 cells. */
static size_t storage = 10240;

size_t cms_storage_left(void)
{
    return storage;
}

void *heap_permanent(size_t size)
{
    if (size > storage)
        return 0;
    storage -= size;
    return malloc(size);
}

static void parse(const char *line)
{
    struct cms_arg arg;
    size_t n = strlen(line);
    char *exact =
        malloc(n ? n : 1); /* no zero byte behind it: the sanitizer sees a byte too many */

    memcpy(exact, line, n);
    int rc = cms_arg_parse(&arg, "NAME", exact, (unsigned)n);
    printf("rc %d\n", rc);
    for (int i = 0; rc == 0 && i < arg.n; i++)
        printf("word %s\n", arg.word[i]);
    for (int i = 0; rc == 0 && i < arg.options; i++)
        printf("option %s\n", arg.option[i]);
    free(exact);
}

static void list(char *p)
{
    struct fs_stat st = {0};
    char line[LISTING_LINE];
    unsigned long detail = strtoul(p, &p, 10);

    memcpy(st.name.fn, "FILENAME", 8);
    memcpy(st.name.ft, "TYPE    ", 8);
    st.recfm = strtoul(p, &p, 10) ? FS_FIXED : FS_VARIABLE;
    st.mode = 1;
    st.lrecl = (uint32_t)strtoul(p, &p, 10);
    st.records = (uint32_t)strtoul(p, &p, 10);
    st.blocks = (uint32_t)strtoul(p, &p, 10);
    st.written = strtoull(p, &p, 10);
    unsigned n = listing_line(line, (enum listing)detail, &st, 'A', (const uint8_t *)"LABEL   ");
    printf("%s\n%.*s\n", listing_heading((enum listing)detail), (int)n, line);
}

static void stack(char op, const char *text)
{
    char buf[600];

    switch (op) {
    case 'q':
    case 'p':
        printf("%d\n", cms_stack_put(op == 'p', text, (unsigned)strlen(text)));
        break;
    case 'g': {
        int n = cms_stack_get(buf, (unsigned)atoi(text));
        printf("%d\n", n);
        if (n >= 0)
            printf("%.*s\n", n, buf);
        break;
    }
    case 'm':
        printf("%d\n", stack_make_buffer());
        break;
    case 'd':
        printf("%d\n", stack_drop_buffer(atoi(text)));
        break;
    case 'c':
        stack_clear();
        break;
    default:
        break;
    }
    printf("%u\n", cms_stack_count());
}

int main(void)
{
    char line[1024];

    stack_init();
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        switch (line[0]) {
        case 'a':
            parse(line + 1);
            break;
        case 'l':
            list(line + 1);
            break;
        case 's':
            stack(line[1], line + 2);
            break;
        default:
            return 2;
        }
        printf(".\n");
        fflush(stdout);
    }
    return 0;
}
