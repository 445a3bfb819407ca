/* SPDX-License-Identifier: MIT */
/* The program stack: lines that PULL, the console read and CMS itself take before what is typed.
 * Lines are chains of small cells, so that every order of PUSH, QUEUE and MAKEBUF costs the
 * same. */
#include "nucleus.h"

enum { CELL_TEXT = 58, BUFFERS = 16, SHARE = 16 };

struct cell {
    uint16_t next_line; /* cell numbers; 0 is none */
    uint16_t more;      /* the line's next cell */
    uint16_t len;       /* of the whole line, in its first cell */
    char text[CELL_TEXT];
};

static struct cell *cells;
static uint16_t free_cells; /* chained by `more` */
static unsigned free_count, lines;
static struct {
    uint16_t first, last;
} buffer[BUFFERS];
static int top;

/* One sixteenth of the machine's storage. */
void stack_init(void)
{
    size_t bytes = cms_storage_left() / SHARE;
    unsigned n = (unsigned)(bytes / sizeof(struct cell));

    if (n > 65535)
        n = 65535;
    cells = heap_permanent(n * sizeof(struct cell));
    if (!cells)
        return;
    free_count = n - 1;
    free_cells = 0;
    top = 0;
    /* Cells never used yet are taken in order: chaining them all here would make IPL longer. */
    cells[0].len = 1;
}

static uint16_t take(void)
{
    uint16_t c = free_cells;

    free_count--;
    if (c) {
        free_cells = cells[c].more;
        return c;
    }
    return cells[0].len++;
}

int cms_stack_put(bool lifo, const char *text, unsigned len)
{
    unsigned need = len <= CELL_TEXT ? 1 : (len + CELL_TEXT - 1) / CELL_TEXT;

    if (!cells || need > free_count || len > 65535)
        return 1;
    uint16_t first = 0, last = 0;
    unsigned at = 0;
    do {
        uint16_t c = take();
        unsigned n = len - at < CELL_TEXT ? len - at : CELL_TEXT;
        memcpy(cells[c].text, text + at, n);
        cells[c].more = 0;
        if (last)
            cells[last].more = c;
        else
            first = c;
        last = c;
        at += n;
    } while (at < len);
    cells[first].len = (uint16_t)len;
    cells[first].next_line = 0;
    if (!buffer[top].first) {
        buffer[top].first = buffer[top].last = first;
    } else if (lifo) {
        cells[first].next_line = buffer[top].first;
        buffer[top].first = first;
    } else {
        cells[buffer[top].last].next_line = first;
        buffer[top].last = first;
    }
    lines++;
    return 0;
}

/* Takes the first line of buffer b; copies at most max bytes. */
static int pop(int b, char *buf, unsigned max)
{
    uint16_t c = buffer[b].first;
    unsigned len = cells[c].len, at = 0;

    buffer[b].first = cells[c].next_line;
    while (c) {
        unsigned n = len - at < CELL_TEXT ? len - at : CELL_TEXT;
        if (at < max)
            memcpy(buf + at, cells[c].text, n < max - at ? n : max - at);
        at += n;
        uint16_t more = cells[c].more;
        cells[c].more = free_cells;
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
