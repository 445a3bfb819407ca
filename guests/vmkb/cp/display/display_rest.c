/* SPDX-License-Identifier: MIT */
/*
 * Keeping keys and writes apart on a device that may lose a key while a program is being started
 * (Hercules 3.13: it takes the key's data from the line, and then drops the attention when it
 * finds the device busy; nothing tells the program, and the keyboard stays locked).
 *
 * - A line typed leaves the keyboard locked until its machine reads again and its answers are out.
 *   No key can meet those writes. After DISPLAY_SETTLE_US the keyboard is unlocked anyhow: a
 *   program that goes on must stay within reach.
 * - Until then the answers are gathered: they go out when the machine reads, draws its own screen
 *   or
 *   fills half the queue, not when some write before has happened to end. So the same answers are
 *   the same writes each time, and cost the same.
 * - With the keyboard unlocked, writes keep DISPLAY_REST_US from each other, in which a key that
 *   waited for the end of the one before gets through; and what a running machine writes is
 *   gathered for as long, so that its last line and the status behind it are one write.
 */
#include "display_internal.h"

/* Who waits for the keyboard finds the answer on the screen then, as scripts of clients do. */
void display_set_settles(struct display *d)
{
    d->settles = true;
}

/* The device may lose keys, from now on. */
void display_set_lossy(struct display *d)
{
    d->lossy = d->settles = true;
}

void display_unlock(struct display *d)
{
    d->restore = true;
    d->settling = false;
}

/* A line was handed out: its machine answers now. */
void display_settle(struct display *d, uint64_t now)
{
    d->restore = false;
    d->settling = true;
    d->settle_at = now + DISPLAY_SETTLE_US;
}

/* Are more answers to a line to come, and is there room for them? */
static bool gathers(const struct display *d)
{
    return d->settling && display_status(d) == STATUS_RUNNING && d->count < DISPLAY_QUEUE / 2
        && !d->fs_pending && !d->restore;
}

/* Must a write that is wanted wait? Then display_deadline() tells until when. */
bool display_rests(struct display *d, uint64_t now, bool wanted)
{
    bool locked = d->restore || d->settling || d->fs_locked;
    uint64_t at = d->ended_at + DISPLAY_REST_US;

    if (!d->lossy || !wanted || locked) {
        d->resting = false;
        return wanted && gathers(d);
    }
    if (!d->resting) {
        d->resting = true;
        d->asked_at = now;
    }
    if (display_status(d) == STATUS_RUNNING && d->asked_at + DISPLAY_REST_US > at)
        at = d->asked_at + DISPLAY_REST_US;
    d->rest_until = at;
    d->resting = now < at;
    return d->resting;
}
