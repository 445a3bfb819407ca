/* SPDX-License-Identifier: MIT */
/* Logical line-mode terminals (lterm.h): output lines to a ring of characters, characters typed to
 * lines. */
#include "lterm.h"
#include "ctype.h"
#include "lib.h"
#include "translate.h"

#define LTERMS 80
#define BS  0x08
#define LF  0x0a
#define CR  0x0d
#define NAK 0x15             /* Ctrl-U: the line is typed anew */
#define ETX 0x03             /* Ctrl-C: attention */
#define DEL 0x7f
#define BELL 0x07
/* how long a line may wait for more of them: no person notices, and a host that stops for a moment
 * does not part them */
#define GATHER_US 25000

struct lterm {
    struct terminal *term;   /* 0: slot free */
    const struct lterm_driver *driver;
    void *arg;
    uint8_t flags, hidden, told, closed, after_cr;
    uint8_t held, ended;     /* a line that was not accepted; its end was echoed */
    uint16_t head, count;    /* ring of characters to show */
    uint16_t typed;          /* characters of the line being typed */
    struct timer gather;     /* lines are told of when it fires, if not before */
    uint8_t line[CMD_MAX];   /* ISO 8859-1 */
    uint8_t out[LTERM_OUT];
};

static struct lterm lterms[LTERMS];

static void tell(struct lterm *l)
{
    if (!l->told && l->count) {
        l->told = 1;
        l->driver->output(l->arg);
    }
}

static void gathered(void *arg)
{
    struct lterm *l = arg;

    acct_change(l->term->vm ? &l->term->vm->acct : &acct_system);
    tell(l);
}

/* A program that writes line after line: its driver is not woken for each of them, but when it has
 * written half of what it may write ahead, when it reads, or soon. */
static void tell_of_lines(struct lterm *l)
{
    const struct vm *vm = l->term->vm;

    if (!vm || vm->wait || l->count >= LTERM_OUT / 2 || l->flags & LTERM_RECORDS)
        tell(l);
    else if (!l->told && !l->gather.due)
        timer_set(&l->gather, us_now() + GATHER_US, gathered, l);
}

static void put(struct lterm *l, const uint8_t *text, size_t n)
{
    if (n > (size_t)(LTERM_OUT - l->count))
        n = LTERM_OUT - l->count;
    size_t at = (l->head + l->count) % LTERM_OUT, first = LTERM_OUT - at;
    if (first > n)
        first = n;
    memcpy(l->out + at, text, first);
    memcpy(l->out, text + first, n - first);
    l->count = (uint16_t)(l->count + n);
}

static void put_text(struct lterm *l, const char *text, size_t n)
{
    uint8_t ascii[LINE_MAX];
    static const uint8_t crlf[2] = {CR, LF};

    while (n) {
        size_t k = n < sizeof(ascii) ? n : sizeof(ascii);
        memcpy(ascii, text, k);
        translate(ascii, k, latin1_of_ebcdic);
        put(l, ascii, k);
        text += k;
        n -= k;
    }
    put(l, crlf, 2);
}

static void op_write(struct terminal *t, const char *text, size_t len, int flags)
{
    struct lterm *l = t->driver;

    if ((size_t)(LTERM_OUT - l->count) < len + 3) {
        t->not_shown++;
        return;
    }
    put_text(l, text, len);
    if (flags & LINE_ALARM)
        put(l, (const uint8_t[]){BELL}, 1);
    tell_of_lines(l);
}

static bool op_room(struct terminal *t, unsigned lines)
{
    const struct lterm *l = t->driver;
    size_t want = (size_t)lines * 82;

    return (size_t)(LTERM_OUT - l->count) >= (want < LTERM_OUT / 2 ? want : LTERM_OUT / 2);
}

static void op_mode(struct terminal *t, int mode, bool hidden)
{
    struct lterm *l = t->driver;
    l->hidden = hidden;
    if (mode != TMODE_RUNNING)
        tell(l);
}

static void op_reset(struct terminal *t)
{
    struct lterm *l = t->driver;

    l->closed = 1;
    l->driver->closed(l->arg);
}

static void op_accept(struct terminal *t)
{
    struct lterm *l = t->driver;

    if (!l->held)
        return;
    l->held = 0;
    lterm_input(l, (const uint8_t[]){CR}, 1);
    if (l->term && !l->held)
        l->driver->output(l->arg); /* what was typed behind the line can follow */
}

static const struct terminal_ops ops = {op_write, op_room, op_mode, op_reset, op_accept};

struct lterm *lterm_open(char kind, unsigned flags, const struct lterm_driver *driver, void *arg)
{
    unsigned i = 0;

    while (i < LTERMS && lterms[i].term)
        i++;
    struct terminal *t = i < LTERMS ? terminal_new(TERM_LOGICAL) : 0;
    if (!t)
        return 0;
    struct lterm *l = &lterms[i];
    *l = (struct lterm){.term = t, .driver = driver, .arg = arg, .flags = (uint8_t)flags};
    t->driver = l;
    t->ops = &ops;
    fmt(t->name, sizeof(t->name), "%c%03u", kind, i);
    terminal_connected(t);
    terminal_say(t, "VM/KB ONLINE--%s", t->name);
    return l;
}

static void ignore(void *arg)
{
    (void)arg;
}

void lterm_close(struct lterm *l)
{
    struct terminal *t = l->term;

    if (!t)
        return;
    static const struct lterm_driver nobody = {ignore, ignore};
    l->driver = &nobody;
    terminal_gone(t);
    timer_cancel(&l->gather);
    l->term = 0;
}

void lterm_set_flags(struct lterm *l, unsigned flags)
{
    l->flags = (uint8_t)flags;
}

static void echo(struct lterm *l, const uint8_t *text, size_t n)
{
    if ((l->flags & LTERM_ECHO) && !l->hidden)
        put(l, text, n);
}

static bool end_of_line(struct lterm *l)
{
    char text[CMD_MAX];
    static const uint8_t crlf[2] = {CR, LF};

    if ((l->flags & LTERM_ECHO) && !l->ended)
        put(l, crlf, 2);
    l->ended = 1;
    memcpy(text, l->line, l->typed);
    translate(text, l->typed, ebcdic_of_latin1);
    if (!terminal_line(l->term, text, l->typed)) {
        l->held = 1;         /* op_accept takes it up again */
        return false;
    }
    l->ended = 0;
    l->typed = 0;
    return true;
}

static bool character(struct lterm *l, uint8_t c)
{
    static const uint8_t rub[3] = {BS, 0x20, BS};

    switch (c) {
    case CR:
        l->after_cr = 1;
        return end_of_line(l);
    case LF:
    case 0:
        if (l->after_cr) {   /* CR LF and CR NUL are one end (RFC 854) */
            l->after_cr = 0;
            return true;
        }
        return c == 0 || end_of_line(l);
    case BS:
    case DEL:
        if (l->typed) {
            l->typed--;
            echo(l, rub, sizeof(rub));
        }
        break;
    case NAK:
        for (; l->typed; l->typed--)
            echo(l, rub, sizeof(rub));
        break;
    case ETX:
        lterm_attention(l);
        break;
    default:
        if (c < 0x20)
            break;
        if (l->typed == CMD_MAX) {
            put(l, (const uint8_t[]){BELL}, 1);
            break;
        }
        l->line[l->typed++] = c;
        echo(l, &c, 1);
        break;
    }
    l->after_cr = 0;
    return true;
}

size_t lterm_input(struct lterm *l, const uint8_t *text, size_t len)
{
    size_t n = 0;

    while (n < len && l->term && !l->closed && !l->held)
        if (character(l, text[n++]) && l->held)
            break;
    if (l->term)
        tell(l);
    return n;
}

/* Characters up to the end of the first line, or all. */
static size_t record(const struct lterm *l)
{
    size_t n = 0;

    while (n < l->count && l->out[(l->head + n) % LTERM_OUT] != LF)
        n++;
    return n < l->count ? n + 1 : n;
}

size_t lterm_output(struct lterm *l, uint8_t *to, size_t max)
{
    size_t n = 0;

    if (l->flags & LTERM_RECORDS && max > record(l))
        max = record(l);
    while (n < max && l->count) {
        size_t k = LTERM_OUT - l->head;
        if (k > l->count)
            k = l->count;
        if (k > max - n)
            k = max - n;
        memcpy(to + n, l->out + l->head, k);
        l->head = (uint16_t)((l->head + k) % LTERM_OUT);
        l->count = (uint16_t)(l->count - k);
        n += k;
    }
    l->told = l->count != 0 && l->told;
    if (n && LTERM_OUT - l->count >= LTERM_OUT / 2)
        terminal_roomy(l->term);
    return n;
}

size_t lterm_waiting(const struct lterm *l)
{
    return l->count;
}

void lterm_attention(struct lterm *l)
{
    l->typed = 0;
    if (l->flags & LTERM_ECHO)
        put(l, (const uint8_t[]){0x21, CR, LF}, 3);
    terminal_attention(l->term);
    if (l->term)
        tell(l);
}

const struct vm *lterm_vm(const struct lterm *l)
{
    return l->term ? l->term->vm : 0;
}

const char *lterm_name(const struct lterm *l)
{
    return l->term ? l->term->name : "";
}

bool lterm_hidden(const struct lterm *l)
{
    return l->hidden;
}
