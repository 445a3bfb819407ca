/* SPDX-License-Identifier: MIT */
/* The console screen's life: session, mode and timers. */
#include "display_internal.h"

#define US_PER_SECOND 1000000u

/*
 * Back to what a new user finds: TERMINAL settings and PF keys of the configuration, nothing
 * held, nothing to recall (the next user must not retrieve this one's lines).
 */
static void reset_user(struct display *d)
{
    d->more_secs = d->config->more_secs;
    d->hold_secs = d->config->hold_secs;
    d->hilight = d->config->hilight;
    d->mode = DISPLAY_RUNNING;
    d->hidden = d->line_held = d->refused = d->logoff = d->input_fill = false;
    d->fs_pending = d->fs_lost = d->fs_broken = d->fs_locked = false;
    d->restore |= d->settling;
    d->settling = false;
    d->recall_count = d->recall_next = d->recall_back = 0;
    memset(d->recall, 0, sizeof d->recall);
    memset(d->line, 0, sizeof d->line);
    display_default_pf(d);
}

/* A display that nobody has switched on: no I/O until display_connected(). */
void display_init(struct display *d, const struct display_config *config)
{
    memset(d, 0, sizeof *d);
    d->config = config;
    d->most_rows = DISPLAY_ROWS;
    d->most_cols = DISPLAY_COLUMNS;
    display_small(d);
    d->shown_status = STATUS_UNKNOWN;
    reset_user(d);
}

/*
 * A terminal appeared (device end): forgets whoever was here and their waiting output, shows
 * the logo and unlocks the keyboard. A caller that wants to keep a logged-on user on a terminal
 * that came back calls display_refresh() instead.
 */
void display_connected(struct display *d)
{
    reset_user(d);
    d->most_rows = DISPLAY_ROWS;
    d->most_cols = DISPLAY_COLUMNS;
    d->extended = false;
    d->asks = d->can_ask;
    d->asking = ASK_NOT;
    d->head = (d->head + d->count) & (DISPLAY_QUEUE - 1);
    d->count = d->sent = 0;
    d->stalled = d->alarm = d->locked = d->looks = false;
    d->forget = d->busy;
    display_to_logo(d);
    d->restore = true;
}

/* Rebuilds the screen after the device lost it, keeping session and waiting output. */
void display_refresh(struct display *d)
{
    d->stalled = d->locked = d->looks = false;
    d->forget = d->busy;
    d->sent = 0;
    if (d->screen == SCREEN_OFF)
        return;
    if (d->screen == SCREEN_FULL) {
        d->screen = SCREEN_LINE;
        d->fs_lost = true;
        d->fs_pending = d->fs_locked = false;
    }
    display_new_page(d);
    d->mend = d->clear = d->input_fill = false;
    d->paint = true;
    display_unlock(d);
    d->shown_status = STATUS_UNKNOWN;
}

/*
 * The user left. Waiting output is still shown; then the screen stays in MORE... until a key or
 * the configured time, and the logo follows. Settings return to the configuration at once.
 */
void display_logoff(struct display *d)
{
    if (d->screen == SCREEN_OFF || d->screen == SCREEN_LOGO)
        return;
    if (d->screen == SCREEN_FULL)
        display_fs_end(d);
    reset_user(d);
    d->input_clear = true;
    d->logoff = true;
}

/* The status wanted when nothing more urgent is on; hidden: the input field shows nothing. */
void display_mode(struct display *d, enum display_mode mode, bool hidden)
{
    if (d->mode != mode)
        d->refused = false;
    d->mode = mode;
    d->hidden = hidden;
}

/* The line of the last DISPLAY_IN_LINE was taken: the next one is accepted. */
void display_consumed(struct display *d)
{
    d->line_held = false;
    d->refused = false;
}

/* TERMINAL MORE, seconds. 0 0: a full page is cleared at once, without MORE... */
void display_set_more(struct display *d, unsigned more_secs, unsigned hold_secs)
{
    d->more_secs = more_secs;
    d->hold_secs = hold_secs;
}

/* TERMINAL HILIGHT: echo input at high intensity. */
void display_set_hilight(struct display *d, bool on)
{
    d->hilight = on;
}

static uint64_t more_alarm_at(const struct display *d)
{
    return d->more_at + (uint64_t)d->more_secs * US_PER_SECOND;
}

static uint64_t more_clear_at(const struct display *d)
{
    return more_alarm_at(d) + (uint64_t)d->hold_secs * US_PER_SECOND;
}

/* Runs what is due: the keyboard is unlocked, NOT ACCEPTED goes away, MORE... beeps, then
 * clears. */
void display_tick(struct display *d, uint64_t now)
{
    if (d->asking == ASK_SENT && now >= d->ask_until)
        d->asking = ASK_NOT;
    if (d->settling && now >= d->settle_at)
        display_unlock(d);
    if (d->refused && now >= d->refused_until)
        d->refused = false;
    if (d->page != PAGE_MORE || d->sent > 0)
        return;
    if (!d->beeped && now >= more_alarm_at(d)) {
        d->beeped = true;
        d->alarm = d->more_secs + d->hold_secs > 0;
    }
    if (now >= more_clear_at(d))
        display_page_seen(d);
}

/* When display_tick() has something to do next, or DISPLAY_NEVER. */
uint64_t display_deadline(const struct display *d)
{
    uint64_t at = DISPLAY_NEVER;

    if (d->page == PAGE_MORE && d->sent == 0)
        at = d->beeped ? more_clear_at(d) : more_alarm_at(d);
    if (d->refused && d->refused_until < at)
        at = d->refused_until;
    if (d->asking == ASK_SENT && d->ask_until < at)
        at = d->ask_until;
    if (d->settling && d->settle_at < at)
        at = d->settle_at;
    if (d->resting && d->rest_until < at)
        at = d->rest_until;
    return at;
}
