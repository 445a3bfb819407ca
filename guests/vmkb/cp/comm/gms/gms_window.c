/* SPDX-License-Identifier: MIT */
/* The windows of machines: a payload comes into one without a copy, as the page of the block in
 * which the adapter put it takes its place in the page table. The block is the machine's until the
 * frame is given back. */
#include "gms_cp.h"
#include "defs.h"
#include "lan.h"
#include "s390.h"

#define ENTRIES 256              /* of a page table */

static struct gms_user users[GMS_USERS];

struct gms_user *gms_user_open(struct vm *vm)
{
    for (struct gms_user *u = users; u < users + GMS_USERS; u++) {
        if (u->vm)
            continue;
        uint64_t *table = (uint64_t *)pages_get(1);
        if (!table)
            return 0;
        for (unsigned i = 0; i < ENTRIES; i++)
            table[i] = PAGE_INVALID;
        *u = (struct gms_user){.vm = vm, .page_table = table, .last = GMS_NOWHERE,
                               .awaited = GMS_NOWHERE,
                               .first_token = (uint16_t)((u - users) * GMS_SLOTS)};
        vm->gms = u;
        space_window(vm, table);
        return u;
    }
    return 0;
}

void gms_user_close(struct gms_user *u)
{
    for (unsigned i = 0; i < GMS_SLOTS; i++)
        gms_slot_free(u, i);
    space_window(u->vm, 0);
    pages_free(u->page_table, 1);
    u->vm->gms = 0;
    u->vm = 0;
}

unsigned gms_token(const struct gms_user *u, unsigned slot)
{
    return u->first_token + slot;
}

void gms_slot_free(struct gms_user *u, unsigned slot)
{
    struct gms_slot *s = &u->slot[slot];
    uint64_t at = VM_WINDOW + slot * GMS_FRAME;

    if (!s->of)
        return;
    invalidate_page(u->page_table, at);
    invalidate_page(u->page_table, at + GMS_PAGE);
    counted_let(s->of);
    s->of = 0;
}

const uint8_t *gms_slot_at(const struct gms_user *u, unsigned slot)
{
    return (const uint8_t *)u->page_table[slot * GMS_PAGES];
}

/* One that is free, for what comes unasked. */
static unsigned any(struct gms_user *u)
{
    for (unsigned n = GMS_SOLICITED; n < GMS_SLOTS; n++) {
        unsigned i = u->next;
        u->next = i + 1 < GMS_SLOTS && i >= GMS_SOLICITED ? (uint8_t)(i + 1) : GMS_SOLICITED;
        if (i >= GMS_SOLICITED && !u->slot[i].of)
            return i;
    }
    return GMS_NOWHERE;
}

ONE_PIECE unsigned gms_land(struct gms_call *c, unsigned token, unsigned place, unsigned pages)
{
    struct gms_user *u = ((struct vm *)c->owner)->gms;
    const uint8_t *at = lan_payload(place, pages);
    unsigned i = token == GMS_NOWHERE ? u ? any(u) : GMS_NOWHERE : token % GMS_SLOTS;
    struct counted *of = u && at && i != GMS_NOWHERE ? ctca_keep() : 0;

    if (!of)
        return GMS_NOWHERE;
    gms_slot_free(u, i);
    u->slot[i].of = of;
    uint64_t *entry = u->page_table + i * GMS_PAGES;
    entry[0] = (uintptr_t)at;
    if (pages > 1)
        entry[1] = (uintptr_t)at + GMS_PAGE;
    return i;
}
