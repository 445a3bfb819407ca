/* SPDX-License-Identifier: MIT */
/* DIAGNOSE X'7C': logical terminals that a service machine carries for somebody at the end of a
 * connection, in line mode (lterm.h) or as 3270 screens (station.h). One event tells the machine
 * which terminal has news. */
#include "directory.h"
#include "lib.h"
#include "lterm.h"
#include "station.h"

#define SCREEN_PAGES ((uint32_t)((sizeof(struct station) + PAGE_SIZE - 1) / PAGE_SIZE))

static struct served {
    struct vm *vm;           /* who carries it; 0: free */
    struct lterm *line;
    struct station *screen;
    uint8_t news, ended, writing; /* writing: io of the screen waits to be taken */
    uint8_t used;            /* somebody was logged on at the screen */
} served[LTERM_SERVED];

static void news(struct served *v)
{
    v->news = 1;
    vm_event(v->vm, EV_LTERM);
}

static void line_output(void *arg)
{
    news(arg);
}

static void line_closed(void *arg)
{
    ((struct served *)arg)->ended = 1;
    news(arg);
}

static const struct lterm_driver driver = {line_output, line_closed};

static int screen_start(struct station *s)
{
    struct served *v = s->carrier;

    v->used |= s->term->vm != 0;
    if (s->io.ccw == DISPLAY_CCW_READ_MODIFIED)
        return -1;           /* what comes is given to it: screen_input */
    v->writing = 1;
    news(v);
    return 0;
}

static bool screen_busy(struct station *s)
{
    return ((struct served *)s->carrier)->writing;
}

static void screen_charge(struct station *s, struct account *owner)
{
    (void)s;
    (void)owner;
}

/* Most of a screen's storage is what waits for it: only who is there takes some. */
static long open_screen(struct served *v, unsigned n, bool asks)
{
    char name[5];
    struct station *s = (struct station *)pages_get(SCREEN_PAGES);

    if (!s)
        return DIAG_ELIMIT;
    s->start = screen_start;
    s->busy = screen_busy;
    s->charge = screen_charge;
    s->carrier = v;
    fmt(name, sizeof(name), "T%03u", n % 1000);
    if (!station_init(s, 0, name)) {
        pages_free(s, SCREEN_PAGES);
        return DIAG_ELIMIT;
    }
    display_set_settles(&s->display);
    if (asks)
        display_set_asks(&s->display);
    v->screen = s;
    station_connected(s);
    station_pump(s);
    return 0;
}

static unsigned line_flags(unsigned kind)
{
    return (kind & LT_ECHO ? LTERM_ECHO : 0) | (kind & LT_RECORDS ? LTERM_RECORDS : 0);
}

static long open_terminal(struct vm *vm, unsigned kind)
{
    unsigned n = 0;

    while (n < LTERM_SERVED && served[n].vm)
        n++;
    if (n == LTERM_SERVED)
        return DIAG_ELIMIT;
    struct served *v = &served[n];
    *v = (struct served){.vm = vm};
    long rc = 0;
    if (kind & LT_3270)
        rc = open_screen(v, n, (kind & LT_ASKS) != 0);
    else if (!(v->line = lterm_open('T', line_flags(kind), &driver, v)))
        rc = DIAG_ELIMIT;
    if (rc != 0) {
        v->vm = 0;
        return rc;
    }
    return (long)n + 1;
}

/* One input stream of the 3270: as if the attention had come and the read had brought it. */
static long screen_input(struct served *v, const uint8_t *from, uint64_t len)
{
    struct station *s = v->screen;

    if (v->writing)
        return DIAG_EBUSY;   /* LT_OUTPUT first */
    station_attention(s);
    s->in_pump = 1;
    if (!display_next(&s->display, us_now(), &s->io)) {
        s->in_pump = 0;      /* a key that means nothing now */
        return (long)len;
    }
    if (s->io.ccw != DISPLAY_CCW_READ_MODIFIED) {
        s->in_pump = 0;
        v->writing = 1;
        return DIAG_EBUSY;
    }
    size_t n = len < s->io.len ? len : s->io.len;
    memcpy(s->io.data, from, n);
    station_ended(s, true, n);
    s->in_pump = 0;
    station_pump(s);
    return (long)len;
}

static void screen_attention(struct station *s)
{
    terminal_attention(s->term);
    station_pump(s);
}

/* A channel command as TN3270 has it (RFC 1205, SNA codes). */
static uint8_t remote(uint8_t ccw)
{
    switch (ccw) {
    case DISPLAY_CCW_ERASE_WRITE:     return 0xf5;
    case DISPLAY_CCW_ERASE_ALTERNATE: return 0x7e;
    case DISPLAY_CCW_STRUCTURED:      return 0xf3;
    default:                          return 0xf1;
    }
}

static long screen_output(struct served *v, uint8_t *to, uint64_t max)
{
    struct station *s = v->screen;

    if (!v->writing)
        return 0;
    if (max < s->io.len + 1)
        return DIAG_ERANGE;
    to[0] = remote(s->io.ccw);
    memcpy(to + 1, s->io.data, s->io.len);
    long n = (long)s->io.len + 1;
    v->writing = 0;
    station_ended(s, true, 0);
    station_pump(s);
    if (v->used && !s->term->vm && !v->writing) {
        v->ended = 1;        /* LOGOFF's last words are out: nobody is asked to clear them */
        news(v);
    }
    return n;
}

static void close_terminal(struct served *v)
{
    if (v->line) {
        lterm_close(v->line);
    } else {
        struct station *s = v->screen;
        terminal_gone(s->term);
        timer_cancel(&s->timer);
        pages_free(s, SCREEN_PAGES);
    }
    *v = (struct served){0};
}

static long state(const struct served *v)
{
    bool out = v->line ? lterm_waiting(v->line) != 0 : v->writing;

    return (out ? LT_HAS_OUTPUT : 0) | (v->ended ? LT_ENDED : 0)
           | (v->line && lterm_hidden(v->line) ? LT_HIDDEN : 0);
}

static long put_in(struct vm *vm, struct served *v, uint64_t buffer, uint64_t len)
{
    const uint8_t *from = vm_source(vm, buffer, len);

    if (!from || len > DISPLAY_IO_MAX)
        return DIAG_EADDR;
    struct account *who = acct_current();
    const struct terminal *t = v->screen ? v->screen->term : 0;
    if (t && t->vm)
        acct_change(&t->vm->acct);
    long rc = v->line ? (long)lterm_input(v->line, from, len) : screen_input(v, from, len);
    acct_change(who);
    return rc;
}

static long take_out(struct vm *vm, struct served *v, uint64_t buffer, uint64_t len)
{
    uint8_t *to = vm_ptr(vm, buffer, len);

    if (!to)
        return DIAG_EADDR;
    return v->line ? (long)lterm_output(v->line, to, len) : screen_output(v, to, len);
}

long diag_lterm_service(struct vm *vm, int op, long id, uint64_t buffer, uint64_t len)
{
    struct served *v = id >= 1 && id <= LTERM_SERVED ? &served[id - 1] : 0;

    if (!(vm->dir_flags & DIR_COMSRV))
        return DIAG_EPRIV;
    if (op == LT_OPEN)
        return open_terminal(vm, (unsigned)len);
    if (!v || v->vm != vm)
        return DIAG_ENODEV;
    switch (op) {
    case LT_INPUT:  return put_in(vm, v, buffer, len);
    case LT_OUTPUT: return take_out(vm, v, buffer, len);
    case LT_CLOSE:  close_terminal(v); return 0;
    case LT_ATTN:
        if (v->line)
            lterm_attention(v->line);
        else
            screen_attention(v->screen);
        return 0;
    case LT_FLAGS:
        if (v->line)
            lterm_set_flags(v->line, line_flags((unsigned)len));
        return state(v);
    case LT_STATE:  return state(v);
    default:        return DIAG_EUNKNOWN;
    }
}

uint32_t diag_lterm_next(struct vm *vm)
{
    for (uint32_t i = 0; i < LTERM_SERVED; i++)
        if (served[i].vm == vm && served[i].news) {
            served[i].news = 0;
            return i + 1;
        }
    return 0;
}

void diag_lterm_gone(struct vm *vm)
{
    for (unsigned i = 0; i < LTERM_SERVED; i++)
        if (served[i].vm == vm)
            close_terminal(&served[i]);
}
