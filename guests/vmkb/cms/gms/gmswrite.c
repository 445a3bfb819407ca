/* SPDX-License-Identifier: MIT */
/* GMSWRITE node file bytes ahead: writes a file of so many bytes to the pages that a node has
 * (GMSSERVE PATTERN), in order, with 0 to 15 pages under way beside the one that is waited for. The
 * first word of each page is its number. Return codes: 0; 24; 100; 104. */
#include "gms_cms.h"

static long put_page(struct gms_parm *p, uint32_t page, uint32_t slots, uint32_t *sum)
{
    *(uint32_t *)(uintptr_t)p->buffer = page;
    *sum = gms_sum((const void *)(uintptr_t)p->buffer, GMS_FRAME, *sum);
    p->page = page;
    p->slot = (uint16_t)(page % slots);
    return diag_gms(GMS_WRITE, D_(p), 0, 0, 0);
}

static long write_file(struct gms_parm *p, uint32_t bytes, uint32_t slots, uint32_t *sum)
{
    uint32_t pages = (bytes + GMS_FRAME - 1) / GMS_FRAME, put = 0;
    long rc = 0;

    for (uint32_t page = 0; page < pages && rc == 0; page++) {
        while (rc == 0 && put < pages && put < page + slots)
            rc = put_page(p, put++, slots, sum);
        if (rc == 0)
            rc = diag_gms(GMS_AWAIT, page % slots, 0, 0, 0);
    }
    return rc;
}

CMS_COMMAND("GMSWRITE", 8, cmd_gmswrite);
int cmd_gmswrite(struct cms_arg *arg)
{
    struct gms_parm p = {.pages = 2, .span = 1};
    uint32_t bytes, ahead, sum = 0;

    if (arg->n != 4 || arg->options || !cms_number(arg->word[1], &p.file)
        || !cms_number(arg->word[2], &bytes) || !bytes || !cms_number(arg->word[3], &ahead)
        || ahead >= GMS_SOLICITED)
        return cms_error(24, "DMSGMS029E Use GMSWRITE node file bytes ahead, with 0 to %u pages"
                         " ahead", GMS_SOLICITED - 1);
    uint8_t *page = cms_alloc(GMS_FRAME);
    if (!page)
        return cms_error(104, "DMSGMS109S Virtual storage capacity exceeded");
    memset(page, 0, GMS_FRAME);
    p.buffer = (uintptr_t)page;
    gms_node(p.node, arg->word[0]);
    long rc = diag_gms(GMS_OPEN, 0, 0, 0, 0);
    uint64_t begun = gms_now_us();
    if (rc == 0)
        rc = write_file(&p, bytes, ahead + 1, &sum);
    if (rc != 0) {
        gms_settle(ahead + 1);
        return cms_error(100, "DMSGMS111E %s (code %ld)", gms_why(rc), rc);
    }
    cms_say("GMS WRITE %u BYTES %u AHEAD IN %lu US SUM %08X", bytes, ahead, gms_now_us() - begun,
            sum);
    return 0;
}
