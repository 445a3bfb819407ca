/* SPDX-License-Identifier: MIT */
/* Which channel program comes next, and what its end means. */
#include "display_internal.h"

/* The device signals attention: a key waits to be read. */
void display_attention(struct display *d, uint64_t now)
{
    d->attention = true;
    d->stalled = false;
    d->raced =
        d->wrote_rows > 0 && !d->looks && (d->sent > 0 || now < d->wrote_at + DISPLAY_RACE_US);
}

static void begin_more(struct display *d, uint64_t now)
{
    d->page = PAGE_MORE;
    d->more_at = now;
    d->beeped = d->refused = false;
}

/* Full page: MORE... starts, or the page is cleared at once when TERM MORE is 0 0. */
static void page_full(struct display *d, uint64_t now)
{
    if (d->more_secs + d->hold_secs == 0)
        display_page_seen(d);
    else
        begin_more(d, now);
}

/* Lines or a read break into a full screen: its guest must draw anew. */
static void break_in(struct display *d)
{
    d->screen = SCREEN_LINE;
    display_new_page(d);
    d->paint = d->fs_lost = d->fs_broken = true;
    d->restore |= d->fs_locked;
    d->fs_pending = d->fs_locked = false;
    d->shown_status = STATUS_UNKNOWN;
}

/* The full-screen write may go out only over a page that the user has seen. */
static bool fs_may_start(struct display *d, uint64_t now)
{
    if (!d->fs_pending || d->count > 0 || d->page != PAGE_OPEN || d->mode != DISPLAY_RUNNING)
        return false;
    if (d->fs_broken && d->row > 0) {
        page_full(d, now);
        return d->page == PAGE_OPEN;
    }
    return true;
}

static bool start_write(struct display *d, struct display_io *io, bool erase, size_t len)
{
    bool large = d->rows != DISPLAY_ROWS || d->cols != DISPLAY_COLUMNS;

    io->ccw = !erase ? DISPLAY_CCW_WRITE
              : large ? DISPLAY_CCW_ERASE_ALTERNATE : DISPLAY_CCW_ERASE_WRITE;
    io->data = d->io;
    io->len = len;
    d->busy = true;
    return true;
}

static bool start_read(struct display *d, struct display_io *io)
{
    io->ccw = DISPLAY_CCW_READ_MODIFIED;
    io->data = d->io;
    io->len = sizeof d->io;
    d->attention = d->resting = false;
    d->busy = d->reading = true;
    return true;
}

static bool start_fs(struct display *d, struct display_io *io)
{
    d->screen = SCREEN_FULL;
    d->fs_pending = false;
    d->fs_sent = true;
    d->fs_broken = d->paint = d->mend = d->clear = false;
    d->input_clear = d->input_fill = false;
    d->wrote_rows = 0;
    if (d->fs[0] & 0x02)        /* the guest's own write unlocks the keyboard */
        d->restore = d->locked = d->fs_locked = d->settling = false;
    io->ccw = d->fs_erase == DISPLAY_ERASE_ALTERNATE ? DISPLAY_CCW_ERASE_ALTERNATE
              : d->fs_erase == DISPLAY_ERASE         ? DISPLAY_CCW_ERASE_WRITE
                                                     : DISPLAY_CCW_WRITE;
    io->data = d->fs;
    io->len = d->fs_len;
    d->busy = true;
    return true;
}

static bool next_logo(struct display *d, struct display_io *io)
{
    if (d->paint)
        return start_write(d, io, true, display_build_logo(d));
    if (d->restore)
        return start_write(d, io, false, display_build(d, 0, false));
    return false;
}

/* Does the screen differ from what the device shows, lines apart? */
static bool changed(const struct display *d)
{
    return d->paint || d->mend || d->clear || d->restore || d->alarm || d->input_clear
        || d->input_fill || display_status(d) != d->shown_status
        || d->shown_attr != (d->hidden ? ATTR_HIDDEN : ATTR_INPUT);
}

/* Is there anything to start a write for? */
static bool wanted(const struct display *d)
{
    if (d->screen == SCREEN_OFF)
        return false;
    if (d->screen == SCREEN_LOGO)
        return d->paint || d->restore;
    if (d->screen == SCREEN_FULL)
        return d->count > 0 || d->mode != DISPLAY_RUNNING || d->fs_pending || d->restore
               || d->alarm;
    return changed(d)
        || (d->page == PAGE_OPEN
            && (d->count > 0 || d->logoff || (d->fs_pending && d->mode == DISPLAY_RUNNING)));
}

static bool next_line(struct display *d, uint64_t now, struct display_io *io)
{
    unsigned lines = 0;
    size_t len;
    bool erase;

    if (fs_may_start(d, now))
        return start_fs(d, io);
    if (d->page == PAGE_OPEN && d->count > 0) {
        lines = display_lines_that_fit(d);
        if (lines == 0) {
            page_full(d, now);
            if (d->page == PAGE_OPEN)
                lines = display_lines_that_fit(d);
        }
        if (lines > 0 && lines < d->count && d->more_secs + d->hold_secs > 0)
            begin_more(d, now);
    }
    if (d->logoff && d->page == PAGE_OPEN && d->count == lines) {
        if (d->row + lines > 0)
            begin_more(d, now);
        else
            display_to_logo(d);
        if (d->screen == SCREEN_LOGO)
            return next_logo(d, io);
    }
    if (d->settling && display_status(d) != STATUS_RUNNING
        && (d->page != PAGE_OPEN || d->count == lines))
        display_unlock(d);
    if (lines == 0 && !changed(d))
        return false;
    erase = d->paint;
    len = display_build(d, lines, erase);
    d->sent = (uint16_t)lines;
    if (lines > 0)
        d->wrote_rows = (uint8_t)lines;
    return start_write(d, io, erase, len);
}

static bool next_full(struct display *d, uint64_t now, struct display_io *io)
{
    if (d->count > 0 || d->mode != DISPLAY_RUNNING) {
        break_in(d);
        return next_line(d, now, io);
    }
    if (d->fs_pending)
        return start_fs(d, io);
    if (!d->restore && !d->alarm)
        return false;
    d->io[0] = (uint8_t)(0xC0 | (d->restore ? 0x02 : 0) | (d->alarm ? 0x04 : 0));
    d->restore = d->locked = d->alarm = false;
    return start_write(d, io, false, 1);
}

/*
 * The channel program to start now: true and io filled in, or false when there is none or one
 * is still running. Everything that waits goes into one write, as far as the page takes it.
 * io->data stays valid until display_done() (a read's data: until the next display_next()).
 */
bool display_next(struct display *d, uint64_t now, struct display_io *io)
{
    display_tick(d, now);
    if (d->busy || d->stalled)
        return false;
    if (d->attention)
        return start_read(d, io);
    if (d->asking == ASK_NOW)
        return display_ask(d, io);
    if (d->asking == ASK_SENT)
        return false;
    if (display_rests(d, now, wanted(d)))
        return false;
    switch (d->screen) {
    case SCREEN_LOGO:
        return next_logo(d, io);
    case SCREEN_LINE:
        return next_line(d, now, io);
    case SCREEN_FULL:
        return next_full(d, now, io);
    default:
        return false;
    }
}

/* A failed write: nothing it carried counts as shown; the device rests until it signals. */
static void write_failed(struct display *d)
{
    bool full = d->fs_sent;

    d->fs_sent = false;
    display_refresh(d);
    d->fs_lost |= full;
    d->stalled = true;
}

/*
 * The channel program that display_next() gave has ended; ok: with no unit check or channel
 * error. After a good read call display_input() with the data. After a failed one rows in
 * flight are kept, no I/O is asked for until attention, display_connected() or
 * display_refresh(), and then the screen is rebuilt.
 */
void display_done(struct display *d, bool ok, uint64_t now)
{
    bool reading = d->reading;

    if (!d->busy)
        return;
    d->busy = d->reading = false;
    d->ended_at = now;
    if (d->asking == ASK_SENDING) {
        display_asked(d, ok, now);
        return;
    }
    if (d->forget) {
        d->forget = d->fs_sent = false;
        return;
    }
    if (!ok && reading) {
        d->restore = true;      /* a key that cannot be read must not lock the keyboard */
        return;
    }
    if (!ok) {
        write_failed(d);
        return;
    }
    d->fs_sent = false;
    if (d->sent > 0) {
        d->wrote_at = now;
        d->more_at = now;       /* if the page is full: its time begins when it can be read */
        d->head = (d->head + d->sent) & (DISPLAY_QUEUE - 1);
        d->count -= d->sent;
        d->sent = 0;
    }
}
