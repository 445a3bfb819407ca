/* SPDX-License-Identifier: MIT */
/* The page that output goes on, and the logo behind the last one. */
#include "display_internal.h"

/* Output goes on at row 1 of a page that holds nothing. */
void display_new_page(struct display *d)
{
    d->page = PAGE_OPEN;
    d->row = d->wrote_rows = 0;
    d->last_full = false;
}

/* Shows the logo at the next display_next(); the page and its timer are gone. */
void display_to_logo(struct display *d)
{
    d->screen = SCREEN_LOGO;
    display_small(d);
    display_new_page(d);
    d->logoff = false;
    d->paint = true;
    d->mend = d->clear = d->input_clear = d->input_fill = false;
    d->shown_status = STATUS_UNKNOWN;
}

/* What the status area should say now. */
enum display_status display_status(const struct display *d)
{
    if (d->refused)
        return STATUS_REFUSED;
    if (d->page == PAGE_MORE)
        return STATUS_MORE;
    if (d->page == PAGE_HOLDING)
        return STATUS_HOLDING;
    return (enum display_status)d->mode;
}

/* The page was read: output goes on at row 1, or the logo follows a logoff. */
void display_page_seen(struct display *d)
{
    display_new_page(d);
    d->fs_broken = false;
    if (d->logoff && d->count == 0)
        display_to_logo(d);
    else
        d->clear = true;
}
