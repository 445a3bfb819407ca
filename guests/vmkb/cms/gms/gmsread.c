/* SPDX-License-Identifier: MIT */
/* GMSREAD node file bytes ahead: reads a file of so many bytes from the pages that a node has
 * (GMSSERVE FILE), in order, where they lie in the window, with 0 to 15 pages asked for ahead of
 * the one that is read. Return codes: 0; 24; 100. */
#include "gms_cms.h"

static const void *slot_at(uint32_t slot)
{
    return (const void *)(VM_WINDOW + (uint64_t)slot * GMS_FRAME);
}

/* A page is asked for into the slot that was read last. */
static long ask(struct gms_parm *p, uint32_t page, uint32_t slots)
{
    p->page = page;
    p->slot = (uint16_t)(page % slots);
    return diag_gms(GMS_START, D_(p), 0, 0, 0);
}

static long read_file(struct gms_parm *p, uint32_t bytes, uint32_t slots, uint32_t *sum)
{
    uint32_t pages = (bytes + GMS_FRAME - 1) / GMS_FRAME, asked = 0;
    long rc = 0;

    for (uint32_t page = 0; page < pages && rc == 0; page++) {
        while (rc == 0 && asked < pages && asked < page + slots)
            rc = ask(p, asked++, slots);
        if (rc == 0)
            rc = diag_gms(GMS_AWAIT, page % slots, 0, 0, 0);
        if (rc == 0)
            *sum = gms_sum(slot_at(page % slots), GMS_FRAME, *sum);
    }
    return rc;
}

CMS_COMMAND("GMSREAD", 7, cmd_gmsread);
int cmd_gmsread(struct cms_arg *arg)
{
    struct gms_parm p = {.pages = 2, .span = 1};
    uint32_t bytes, ahead, sum = 0;

    if (arg->n != 4 || arg->options || !cms_number(arg->word[1], &p.file)
        || !cms_number(arg->word[2], &bytes) || !bytes || !cms_number(arg->word[3], &ahead)
        || ahead >= GMS_SOLICITED)
        return cms_error(24, "DMSGMS029E Use GMSREAD node file bytes ahead, with 0 to %u pages"
                         " asked for ahead", GMS_SOLICITED - 1);
    gms_node(p.node, arg->word[0]);
    p.receive = GMS_TO_SLOT;
    long rc = diag_gms(GMS_OPEN, 0, 0, 0, 0);
    uint64_t begun = gms_now_us();
    if (rc == 0)
        rc = read_file(&p, bytes, ahead + 1, &sum);
    if (rc != 0) {
        gms_settle(ahead + 1);
        return cms_error(100, "DMSGMS111E %s (code %ld)", gms_why(rc), rc);
    }
    cms_say("GMS READ %u BYTES %u AHEAD IN %lu US SUM %08X", bytes, ahead, gms_now_us() - begun,
            sum);
    return 0;
}
