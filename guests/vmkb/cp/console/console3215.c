/* SPDX-License-Identifier: MIT */
/* The operator's console, a 3215 that Hercules integrates with its own: output is written line by
 * line, a line typed there is announced by attention and read with READ INQUIRY. */
#include <stdarg.h>
#include "channel.h"
#include "defs.h"
#include "lib.h"
#include "terminal.h"

#define QUEUE 128            /* lines waiting to be written */
#define CMD_WRITE 0x09       /* write, carriage return */
#define CMD_READ  0x0a

static struct line queue[QUEUE];
static unsigned head, count, dropped;
static struct ccw chain __attribute__((aligned(8)));
static char input[LINE_MAX];
static int reading, attention;
static struct device *dev;
static struct terminal *term;

static void start(void)
{
    if (!dev || dev->busy)
        return;
    if (attention) {
        attention = 0;
        reading = 1;
        chain = (struct ccw){CMD_READ, CCW_SLI, sizeof(input), (uint32_t)(uintptr_t)input};
        device_start(dev, &chain);
    } else if (count) {
        struct line *l = &queue[head];
        reading = 0;
        chain = (struct ccw){CMD_WRITE, CCW_SLI, l->len ? l->len : 1, (uint32_t)(uintptr_t)l->text};
        device_start(dev, &chain);
    }
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    (void)d;
    if (irb->dstat & DSTAT_ATTENTION)
        attention = 1;
    if (ended && reading) {
        size_t n = sizeof(input) - irb->residual;
        reading = 0;
        if (!(irb->dstat & DSTAT_UNIT_CHECK))
            if (!terminal_line(term, input, n))
                terminal_say(term, "NOT ACCEPTED");
    } else if (ended && count) {
        head = (head + 1) % QUEUE;
        count--;
        if (dropped && count < QUEUE / 2) {
            unsigned n = dropped;
            dropped = 0;
            operator_say("DMKQCN916I %u LINES LOST, CONSOLE QUEUE FULL", n);
        }
        terminal_roomy(term);
    }
    start();
}

static void write_line(struct terminal *t, const char *text, size_t len, int flags)
{
    (void)t;
    (void)flags;
    if (!dev)
        return;
    if (count == QUEUE) {
        dropped++;
        return;
    }
    struct line *l = &queue[(head + count++) % QUEUE];
    if (len > LINE_MAX)
        len = LINE_MAX;
    memcpy(l->text, text, len);
    if (!len)
        l->text[len++] = ' ';
    l->len = (uint16_t)len;
    start();
}

static bool room(struct terminal *t, unsigned lines)
{
    (void)t;
    return count + lines < QUEUE;
}

static void no_mode(struct terminal *t, int mode, bool hidden)
{
    (void)t;
    (void)mode;
    (void)hidden;
}

static void no_reset(struct terminal *t)
{
    (void)t;
}

static const struct terminal_ops ops = {write_line, room, no_mode, no_reset, 0};

/* A line for the operator, with the time in front as CP's console has it. */
void operator_say(const char *f, ...)
{
    char text[LINE_MAX];
    uint64_t s = unix_us() / 1000000 % 86400;
    va_list ap;

    int n = fmt(text, sizeof(text), "%02lu:%02lu:%02lu ", s / 3600, s / 60 % 60, s % 60);
    va_start(ap, f);
    int m = vfmt(text + n, sizeof(text) - (size_t)n, f, ap);
    va_end(ap);
    size_t len = (size_t)(n + m);
    write_line(0, text, len < sizeof(text) ? len : sizeof(text) - 1, 0);
}

void console3215_flush(void)
{
    for (uint64_t until = us_now() + 1000000; count && us_now() < until;) {
        while (!dev->busy && count)
            start();
        wait_for_io(until);
    }
}

void console3215_init(void)
{
    dev = device_find(0x0009);
    if (!dev)
        return;
    term = terminal_new(TERM_3215);
    term->devno = dev->devno;
    term->ops = &ops;
    fmt(term->name, sizeof(term->name), "%04X", dev->devno);
    dev->interrupt = interrupt;
    terminal_connected(term);
}
