/* SPDX-License-Identifier: MIT */
/* A guest's channel programs as CP reads them: commands of either format, and the storage that they
 * name, which may be a list of pages. */
#include "sie.h"
#include "lib.h"

#define CMD_TIC     0x08
#define ORB_IDAW_8  0x00020000U /* indirect addresses of 8 bytes, */
#define ORB_IDAW_2K 0x00010000U /* of 2 KB each */

bool fetch_command(struct sie *s, uint32_t orb_flags, uint32_t at, struct guest_ccw *to)
{
    const uint8_t *ccw = at & 7 ? 0 : guest_absolute(s, at, 8);

    if (!ccw)
        return false;
    if (orb_flags & ORB_FORMAT_1)
        memcpy(to, ccw, 8);
    else
        *to = (struct guest_ccw){ccw[0], ccw[4], *(const uint16_t *)(ccw + 6),
                                 *(const uint32_t *)ccw & 0xffffff};
    return true;
}

bool list_readable(uint32_t orb_flags)
{
    return (orb_flags & (ORB_IDAW_8 | ORB_IDAW_2K)) == ORB_IDAW_8;
}

const uint64_t *list_of(struct sie *s, uint32_t at, uint16_t count, unsigned *n)
{
    const uint64_t *list = at & 7 ? 0 : guest_absolute(s, at, 8);

    if (!list)
        return 0;
    *n = (unsigned)(((list[0] & (PAGE_SIZE - 1)) + count + PAGE_SIZE - 1) / PAGE_SIZE);
    *n += *n == 0;
    return guest_absolute(s, at, 8UL * *n);
}

void *ccw_data(struct sie *s, const struct guest_ccw *ccw, uint32_t done, uint32_t *len)
{
    unsigned n;

    *len = ccw->count - done;
    if (!(ccw->flags & CCW_IDA))
        return guest_absolute(s, ccw->data + done, *len);
    const uint64_t *list = list_of(s, ccw->data, ccw->count, &n);
    if (!list)
        return 0;
    uint64_t in = (list[0] & (PAGE_SIZE - 1)) + done, page = in / PAGE_SIZE;
    uint64_t room = PAGE_SIZE - (in & (PAGE_SIZE - 1));
    if (*len > room)
        *len = (uint32_t)room;
    return *len ? guest_absolute(s, (list[page] & ~(PAGE_SIZE - 1)) + (in & (PAGE_SIZE - 1)), *len)
                : 0;
}

bool command_reachable(struct subchannel *c)
{
    uint32_t n;

    if ((c->ccw.flags & (CCW_CD | CCW_SKIP))
        || ((c->ccw.flags & CCW_IDA) && !list_readable(c->orb_flags)))
        return false;
    for (uint32_t done = 0; done < c->ccw.count; done += n)
        if (!ccw_data(c->sie, &c->ccw, done, &n))
            return false;
    return true;
}

bool command_ended(struct subchannel *c, uint16_t left)
{
    bool wrong = left && !(c->ccw.flags & CCW_SLI);

    c->at += 8;
    if ((c->ccw.flags & CCW_CC) && !wrong)
        return true;
    io_end(c->sie, c, c->at, ENDED, wrong ? CSTAT_LENGTH : 0, left);
    return false;
}

uint16_t command_answer(struct subchannel *c, const uint8_t *bytes, uint16_t size)
{
    uint16_t n = c->ccw.count < size ? c->ccw.count : size;
    uint8_t *to = c->ccw.flags & CCW_IDA ? 0 : guest_absolute(c->sie, c->ccw.data, n);

    if (to)
        memcpy(to, bytes, n);
    return (uint16_t)(c->ccw.count - n);
}

void program_run(struct subchannel *c, bool (*command)(struct subchannel *c))
{
    while (c->steps++ < SIE_STEPS && fetch_command(c->sie, c->orb_flags, c->at, &c->ccw)) {
        if (c->ccw.code == CMD_TIC)
            c->at = c->ccw.data;
        else if (!command(c))
            return;
    }
    io_end(c->sie, c, c->at + 8, 0, CSTAT_PROGRAM, 0);
}
