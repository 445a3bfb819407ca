/* SPDX-License-Identifier: MIT */
/* Screens: the data streams that cp/display/display*.c asks for, and what the keys mean to CP. */
#include "station.h"
#include "lib.h"

static const char *const logo[] = {
    "", "", "", "", "",
    "                   V   V  M   M    /  K   K  BBBB",
    "                   V   V  MM MM   /   K  K   B   B",
    "                   V   V  M M M  /    KKK    BBBB",
    "                    V V   M   M /     K  K   B   B",
    "                     V    M   M/      K   K  BBBB",
    "", "",
    "                   What does a kilobyte cost?",
    "", "",
    "                   VM/KB ONLINE",
    "                   Press ENTER, then LOGON USERID",
};
static const struct display_config config = {
    .sysname = "VMKB", .logo = logo, .logo_lines = sizeof(logo) / sizeof(*logo),
    .more_secs = 50, .hold_secs = 10, .hilight = false,
};

static struct account *owner(const struct station *s)
{
    return s->term->vm ? &s->term->vm->acct : &acct_system;
}

static void tick(void *arg)
{
    struct station *s = arg;

    acct_change(owner(s));
    display_tick(&s->display, us_now());
    station_pump(s);
}

/* A full screen that CP's lines broke into: its program draws it anew. */
static void tell_lost(struct station *s)
{
    bool lost = display_fs_lost(&s->display);

    if (lost && !s->told_lost && s->term->vm)
        vm_event(s->term->vm, EV_SCREEN);
    s->told_lost = lost;
}

/* Start what the display wants, as long as its carrier is free; then see when it wants to be
 * called. */
void station_pump(struct station *s)
{
    uint64_t now, due;

    if (s->in_pump || !s->connected)
        return;
    s->in_pump = 1;
    now = us_now();
    if (s->greeted_by <= now && !s->busy(s) && display_next(&s->display, now, &s->io)) {
        s->fresh = 0;
        if (s->start(s) != 0)
            display_done(&s->display, false, now);
        tell_lost(s);
    }
    due = s->greeted_by > now ? s->greeted_by : display_deadline(&s->display);
    if (due == DISPLAY_NEVER)
        timer_cancel(&s->timer);
    else if (due != s->timer.due)
        timer_set(&s->timer, due, tick, s);
    s->in_pump = 0;
}

/* The display keeps the line until it is taken. */
static void line_in(struct station *s, const uint8_t *text, size_t len)
{
    s->held = 0;
    if (terminal_line(s->term, (const char *)text, len)) {
        display_consumed(&s->display);
    } else {
        s->held = text;
        s->held_len = len;
    }
}

static void full_in(struct station *s, const struct display_input *in)
{
    s->fs_len = (uint16_t)(in->len < sizeof(s->fs_data) ? in->len : sizeof(s->fs_data));
    memcpy(s->fs_data, in->text, s->fs_len);
    s->fs_len_set = 1;
    if (s->term->vm)
        vm_event(s->term->vm, EV_SCREEN);
}

static void input(struct station *s, size_t len)
{
    struct display_input in;

    display_input(&s->display, s->io.data, len, us_now(), &in);
    switch (in.kind) {
    case DISPLAY_IN_BEGIN:
        terminal_connected(s->term);
        break;
    case DISPLAY_IN_LINE:
        if (!s->term->vm && !s->term->connected_tod)
            terminal_connected(s->term); /* typed on the logo */
        line_in(s, in.text, in.len);
        break;
    case DISPLAY_IN_ATTENTION:
        terminal_attention(s->term);
        break;
    case DISPLAY_IN_FULLSCREEN:
        full_in(s, &in);
        break;
    case DISPLAY_IN_GONE:
        station_connected(s); /* the logo, which also tells the carrier that this was seen */
        break;
    case DISPLAY_IN_NONE:
        break;
    }
}

void station_ended(struct station *s, bool ok, size_t got)
{
    uint8_t was = s->in_pump; /* this may be called from within a start that met pending status */

    s->in_pump = 1;          /* what the handlers write waits for the one pump behind them */
    if (!ok && !s->term->vm && !s->fresh && s->io.ccw != DISPLAY_CCW_STRUCTURED)
        s->connected = 0;    /* nobody is there: see display3270_paint */
    display_done(&s->display, ok, us_now());
    if (ok && s->io.ccw == DISPLAY_CCW_READ_MODIFIED)
        input(s, got);
    if (s->term->vm && display_room(&s->display) >= DISPLAY_QUEUE / 2)
        terminal_roomy(s->term);
    s->in_pump = was;
}

void station_connected(struct station *s)
{
    uint8_t was = s->in_pump;

    s->in_pump = 1;
    s->connected = s->fresh = 1;
    s->greeted_by = 0;
    s->held = 0;
    /* who sat here is gone, with the line: nobody gets that session by sitting down */
    if (s->term->vm)
        vm_hung_up(s->term->vm);
    display_connected(&s->display);
    s->in_pump = was;
}

void station_replaced(struct station *s)
{
    station_connected(s);
    s->greeted_by = us_now() + STATION_GREET_US;
}

void station_attention(struct station *s)
{
    s->greeted_by = 0;
    display_attention(&s->display, us_now());
}

static void write_line(struct terminal *t, const char *text, size_t len, int flags)
{
    struct station *s = t->driver;
    unsigned f = (flags & LINE_HIGH ? DISPLAY_HIGH : 0) | (flags & LINE_ALARM ? DISPLAY_ALARM : 0);

    if (display_write(&s->display, (const uint8_t *)text, len, f) < 0)
        t->not_shown++;
    station_pump(s);
}

static bool room(struct terminal *t, unsigned lines)
{
    struct station *s = t->driver;

    return display_room(&s->display) >= (int)lines;
}

static void mode(struct terminal *t, int m, bool hidden)
{
    struct station *s = t->driver;
    static const enum display_mode modes[] = {DISPLAY_RUNNING, DISPLAY_VM_READ, DISPLAY_CP_READ};

    s->charge(s, owner(s));
    display_mode(&s->display, modes[m], hidden);
    station_pump(s);
}

static void reset(struct terminal *t)
{
    struct station *s = t->driver;

    s->charge(s, &acct_system);
    s->held = 0;
    s->fs_len_set = 0;
    t->connected_tod = 0;
    if (display_fs_active(&s->display))
        display_fs_end(&s->display);
    display_consumed(&s->display);
    display_logoff(&s->display);
    station_pump(s);
}

static void accept(struct terminal *t)
{
    struct station *s = t->driver;

    if (s->held) {
        line_in(s, s->held, s->held_len);
        station_pump(s);
    }
}

static const struct terminal_ops ops = {write_line, room, mode, reset, accept};

struct display *terminal_display(struct terminal *t)
{
    return t && t->kind == TERM_3270 ? &((struct station *)t->driver)->display : 0;
}

void terminal_display_pump(struct terminal *t)
{
    station_pump(t->driver);
}

/* The last full-screen input, once; bytes stored, or DIAG_EBUSY when there is none. */
long terminal_full_input(struct terminal *t, uint8_t *to, size_t max)
{
    struct station *s = t->driver;

    if (!s->fs_len_set)
        return DIAG_EBUSY;
    size_t n = s->fs_len < max ? s->fs_len : max;
    memcpy(to, s->fs_data, n);
    s->fs_len_set = 0;
    return (long)n;
}

bool station_init(struct station *s, uint16_t devno, const char *name)
{
    s->term = terminal_new(TERM_3270);
    if (!s->term)
        return false;
    s->term->driver = s;
    s->term->ops = &ops;
    s->term->devno = devno;
    fmt(s->term->name, sizeof(s->term->name), "%s", name);
    display_init(&s->display, &config);
    return true;
}
