/* SPDX-License-Identifier: MIT */
/* Full-screen guests: the guest builds the data stream, CP only decides when it goes out. */
#include "display_internal.h"

/*
 * Takes one guest data stream (WCC, then orders and data) for an Erase/Write or a Write.
 * Lines that wait are shown first, and lines that broke into the guest's screen stay in MORE...
 * until seen. Returns 0; DISPLAY_FULL while the one before is not on the screen;
 * DISPLAY_LOST when the guest must start with erase; DISPLAY_TOO_LONG above DISPLAY_IO_MAX;
 * DISPLAY_INVALID without a WCC.
 */
int display_fs_write(struct display *d, const uint8_t *data, size_t len,
                     enum display_erase erase)
{
    if (len == 0)
        return DISPLAY_INVALID;
    if (len > DISPLAY_IO_MAX)
        return DISPLAY_TOO_LONG;
    if (display_fs_busy(d))
        return DISPLAY_FULL;
    if (d->screen < SCREEN_LINE || d->logoff || (!erase && d->screen != SCREEN_FULL))
        return DISPLAY_LOST;
    memcpy(d->fs, data, len);
    d->fs_len = (uint16_t)len;
    d->fs_erase = (uint8_t)erase;
    d->fs_pending = true;
    if (erase)
        d->fs_lost = false;
    return 0;
}

/* A guest data stream waits or is being sent. */
bool display_fs_busy(const struct display *d)
{
    return d->fs_pending || d->fs_sent;
}

/* The device shows the guest's screen: input is handed over as DISPLAY_IN_FULLSCREEN. */
bool display_fs_active(const struct display *d)
{
    return d->screen == SCREEN_FULL;
}

/* CP broke in (status 8E of DIAGNOSE X'58'): only an erasing write helps, and ends this. */
bool display_fs_lost(const struct display *d)
{
    return d->fs_lost;
}

/* The guest is done with the full screen: the console comes back with an empty page. */
void display_fs_end(struct display *d)
{
    d->fs_pending = false;
    if (d->screen == SCREEN_FULL) {
        d->screen = SCREEN_LINE;
        display_new_page(d);
        d->paint = true;
        d->restore |= d->fs_locked;
        d->shown_status = STATUS_UNKNOWN;
    }
    d->fs_lost = d->fs_broken = d->fs_locked = false;
}
