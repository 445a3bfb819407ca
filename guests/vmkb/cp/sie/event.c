/* SPDX-License-Identifier: MIT */
/* What happens to a guest: its interruptions, by which its PSWs change places in its prefix area
 * (Principles of Operation, "Interruptions"), and the end of its wait. */
#include "sie.h"
#include "lib.h"

#define EXECUTED 0x01        /* status: the instruction is the target of an EXECUTE */

/* Bytes of the instruction behind which the PSW stands. */
static unsigned length(const struct sie *s)
{
    unsigned op = s->sd.ipa >> 8;

    if (s->sd.status & EXECUTED)
        return 4;
    return op < 0x40 ? 2 : op < 0xc0 ? 4 : 6;
}

void sie_swap_psw(struct sie *s, unsigned old, unsigned new)
{
    uint8_t *low = guest_real(s, 0, PAGE_SIZE);

    memcpy(low + old, &s->sd.psw, sizeof(struct psw));
    memcpy(&s->sd.psw, low + new, sizeof(struct psw));
}

void sie_program(struct sie *s, int code)
{
    uint8_t *low = guest_real(s, 0, PAGE_SIZE);

    *(uint16_t *)(low + PSA_PGM_ILC) = (uint16_t)length(s);
    *(uint16_t *)(low + PSA_PGM_CODE) = (uint16_t)code;
    if (code == 0x10 || code == 0x11 || code >= 0x38) /* nullified: it is done again */
        s->sd.psw.addr -= length(s);
    sie_swap_psw(s, PSA_PGM_OLD, PSA_PGM_NEW);
}

void sie_wake(struct sie *s)
{
    s->pending = 1;
    if (s->waits) {
        s->waits = 0;
        timer_cancel(&s->clock);
        vm_release(s->vm, WAIT_EVENT);
    }
}
