/* SPDX-License-Identifier: MIT */
/* The program stack: lines that PULL, the console read and CMS itself take before what is typed.
 * Lines are chains of small cells, so that every order of PUSH, QUEUE and MAKEBUF costs the
 * same. */
#include "nucleus.h"

enum { CELL_TEXT = 46, CHUNK = 4096, BUFFERS = 16, SHARE = 16 };

struct cell {
    struct cell *next_line; /* of the buffer; in a line's first cell */
    struct cell *more;      /* the line's next cell, or the next free one */
    uint16_t len;           /* of the whole line, in its first cell */
    char text[CELL_TEXT];
};

static struct cell *free_cells;
static size_t kept; /* storage left to commands, however full the stack */
static unsigned free_count, lines;
static struct {
    struct cell *first, *last;
} buffer[BUFFERS];
static int top;

void stack_init(void)
{
    kept = cms_storage_left() / SHARE;
    free_count = 0;
    free_cells = 0;
    top = 0;
}

/* More cells from the machine's storage, where they stay; false when no more can be spared. */
static bool grow(void)
{
    struct cell *c = cms_storage_left() > kept + CHUNK ? heap_permanent(CHUNK) : 0;

    if (!c)
        return false;
    for (unsigned n = CHUNK / sizeof(*c); n; n--, c++) {
        c->more = free_cells;
        free_cells = c;
        free_count++;
    }
    return true;
}

static struct cell *take(void)
{
    struct cell *c = free_cells;

    free_cells = c->more;
    free_count--;
    return c;
}

int cms_stack_put(bool lifo, const char *text, unsigned len)
{
    unsigned need = len <= CELL_TEXT ? 1 : (len + CELL_TEXT - 1) / CELL_TEXT;

    if (len > 65535)
        return 1;
    while (need > free_count)
        if (!grow())
            return 1;
    struct cell *first = 0, *last = 0;
    unsigned at = 0;
    do {
        struct cell *c = take();
        unsigned n = len - at < CELL_TEXT ? len - at : CELL_TEXT;
        memcpy(c->text, text + at, n);
        c->more = 0;
        if (last)
            last->more = c;
        else
            first = c;
        last = c;
        at += n;
    } while (at < len);
    first->len = (uint16_t)len;
    first->next_line = 0;
    if (!buffer[top].first) {
        buffer[top].first = buffer[top].last = first;
    } else if (lifo) {
        first->next_line = buffer[top].first;
        buffer[top].first = first;
    } else {
        buffer[top].last->next_line = first;
        buffer[top].last = first;
    }
    lines++;
    return 0;
}

/* Takes the first line of buffer b; copies at most max bytes. */
static int pop(int b, char *buf, unsigned max)
{
    struct cell *c = buffer[b].first;
    unsigned len = c->len, at = 0;

    buffer[b].first = c->next_line;
    while (c) {
        unsigned n = len - at < CELL_TEXT ? len - at : CELL_TEXT;
        if (at < max)
            memcpy(buf + at, c->text, n < max - at ? n : max - at);
        at += n;
        struct cell *more = c->more;
        c->more = free_cells;
        free_cells = c;
        free_count++;
        c = more;
    }
    lines--;
    return (int)(len < max ? len : max);
}

int cms_stack_get(char *buf, unsigned max)
{
    for (int b = top; lines && b >= 0; b--)
        if (buffer[b].first)
            return pop(b, buf, max);
    return -1;
}

unsigned cms_stack_count(void)
{
    return lines;
}

int stack_make_buffer(void)
{
    if (top + 1 == BUFFERS)
        return 0;
    buffer[++top].first = 0;
    return top;
}

bool stack_drop_buffer(int number)
{
    if (number == 0)
        number = top;
    if (number < 1 || number > top)
        return false;
    for (; top >= number; top--)
        while (buffer[top].first)
            pop(top, 0, 0);
    return true;
}

void stack_clear(void)
{
    for (; top > 0; top--)
        while (buffer[top].first)
            pop(top, 0, 0);
    while (buffer[0].first)
        pop(0, 0, 0);
}
