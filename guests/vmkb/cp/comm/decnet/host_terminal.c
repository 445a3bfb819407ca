/* SPDX-License-Identifier: MIT */
/* Terminals of other nodes: each is a logical terminal of CP's, served by a CTERM session. A read
 * is asked for when the machine reads or is to be given a password, or when it has been running for
 * a while, for HX and what is typed ahead: what is typed for a password is so never met by a read
 * that echoes. */
#include "decnet_cp.h"
#include "command.h"
#include "lan.h"
#include "lib.h"
#include "terminal.h"
#include "translate.h"

/* lines written within it go together, also when the host stops for a moment */
#define GATHER_US  25000
#define RUNNING_US 500000    /* running for so long: what is typed is asked for */
#define FULL       500       /* characters that make a message */
#define LINE_CELLS 82        /* of a line on the wire */

struct host {
    struct cterm_host h;
    struct terminal *term;
    struct timer gather, running;
    uint8_t mode, hidden, holding;
    uint16_t held_len;
    char held[CTERM_LINE];   /* a line that its machine had no room for */
};

static struct host *hosts;

bool host_init(void)
{
    hosts =
        (struct host *)pages_get((DECNET_HOSTS * sizeof(struct host) + PAGE_SIZE - 1) / PAGE_SIZE);
    return hosts != 0;
}

struct account *host_account(const struct cterm_host *c)
{
    const struct host *h = c->arg;

    return h->term && h->term->vm ? &h->term->vm->acct : 0;
}

const struct terminal *host_terminal(const struct dn_link *l)
{
    return l->user == &cterm_host_user ? ((struct host *)((struct cterm_host *)l->arg)->arg)->term
                                       : 0;
}

static void work_for(const struct host *h)
{
    struct account *who = host_account(&h->h);

    acct_change(who ? who : &acct_system);
}

static void flush(struct host *h)
{
    timer_cancel(&h->gather);
    decnet_now();
    cterm_host_flush(&h->h);
    decnet_settle();
}

static void gathered(void *arg)
{
    work_for(arg);
    flush(arg);
}

static void runs_long(void *arg)
{
    struct host *h = arg;

    work_for(h);
    cterm_host_read(&h->h, false);
    flush(h);
}

/* Ask for a line if there is somebody to read it. True: it is to be sent. */
static bool want_read(struct host *h)
{
    timer_cancel(&h->running);
    if (h->holding)
        return false;
    if (h->mode == TMODE_RUNNING && !h->hidden) {
        timer_set(&h->running, us_now() + RUNNING_US, runs_long, h);
        return false;
    }
    cterm_host_read(&h->h, h->hidden);
    return true;
}

static void op_write(struct terminal *t, const char *text, size_t len, int flags)
{
    struct host *h = t->driver;
    uint8_t line[LINE_MAX + 3];

    if (len > LINE_MAX)
        len = LINE_MAX;
    if (cterm_host_room(&h->h) < len + 3) {
        t->not_shown++;
        return;
    }
    memcpy(line, text, len);
    translate(line, len, latin1_of_ebcdic);
    if (flags & LINE_ALARM)
        line[len++] = 0x07;
    line[len++] = 0x0d;
    line[len++] = 0x0a;
    cterm_host_write(&h->h, line, len);
    if (h->h.count >= FULL && h->h.link && dn_room(h->h.link))
        flush(h);
    else if (!h->gather.due)
        timer_set(&h->gather, us_now() + GATHER_US, gathered, h);
}

static bool op_room(struct terminal *t, unsigned lines)
{
    const struct host *h = t->driver;
    size_t want = (size_t)lines * LINE_CELLS;

    return cterm_host_room(&h->h) >= (want < CTERM_OUT / 2 ? want : CTERM_OUT / 2);
}

static void op_mode(struct terminal *t, int mode, bool hidden)
{
    struct host *h = t->driver;

    h->mode = (uint8_t)mode;
    h->hidden = hidden;
    if (want_read(h))
        flush(h);
}

static void op_reset(struct terminal *t)
{
    struct host *h = t->driver;

    timer_cancel(&h->running);
    decnet_now();
    cterm_host_close(&h->h);
    decnet_settle();
}

static void line(struct host *h, const char *text, size_t len)
{
    if (terminal_line(h->term, text, len)) {
        h->holding = 0;
        want_read(h);
    } else if (!h->holding) {
        h->holding = 1;
        h->held_len = (uint16_t)len;
        memcpy(h->held, text, len);
    }
}

static void op_accept(struct terminal *t)
{
    struct host *h = t->driver;

    if (!h->holding)
        return;
    h->holding = 0;
    line(h, h->held, h->held_len);
    flush(h);
}

static const struct terminal_ops terminal_ops = {op_write, op_room, op_mode, op_reset, op_accept};

static void started(struct cterm_host *c)
{
    struct host *h = c->arg;
    struct terminal *t = terminal_new(TERM_LOGICAL);

    if (!t) {
        cterm_host_close(c);
        return;
    }
    h->term = t;
    h->mode = TMODE_CPREAD;
    t->driver = h;
    t->ops = &terminal_ops;
    fmt(t->name, sizeof(t->name), "H%03u", (unsigned)(h - hosts));
    terminal_connected(t);
    terminal_say(t, "VM/KB NODE %s ONLINE--%s", lan_node(), t->name);
    cterm_host_read(c, false);
}

static void typed(struct cterm_host *c, const uint8_t *text, size_t n)
{
    char ebcdic[CTERM_LINE];

    memcpy(ebcdic, text, n);
    translate(ebcdic, n, ebcdic_of_latin1);
    line(c->arg, ebcdic, n);
}

static void attention(struct cterm_host *c)
{
    struct host *h = c->arg;

    if (h->term)
        terminal_attention(h->term);
}

static void room(struct cterm_host *c)
{
    struct host *h = c->arg;

    if (h->term && cterm_host_room(c) >= CTERM_OUT / 2)
        terminal_roomy(h->term);
}

static void down(struct cterm_host *c)
{
    struct host *h = c->arg;

    if (h->term)
        terminal_gone(h->term);
    timer_cancel(&h->gather);
    timer_cancel(&h->running);
    h->term = 0;
}

static const struct cterm_host_ops host_ops = {started, typed, attention, room, down};

int host_accept(struct dn_link *l)
{
    for (unsigned i = 0; i < DECNET_HOSTS; i++) {
        struct host *h = &hosts[i];
        if (h->h.link)
            continue;
        memset(h, 0, sizeof(*h));
        h->h.ops = &host_ops;
        h->h.counts = &cterm_counts;
        h->h.arg = h;
        h->h.link = l;
        l->user = &cterm_host_user;
        l->arg = &h->h;
        return -1;
    }
    return DN_BUSY;
}
