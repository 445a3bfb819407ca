/* SPDX-License-Identifier: MIT */
/* DIAGNOSE X'08': a machine gives a CP command. Rx has where it is (real), Ry its length, behind
 * flags in the high byte of the low word. With REPLY, Rx+1 and Ry+1 are a buffer for the answer and
 * its length; Ry+1 has afterwards what is in it. Ry has the return code. */
#include "sie.h"
#include "command.h"

#define REPLY     0x40000000U
#define LENGTH    0x00ffffffU
#define REPLY_MAX 8192U

static bool pair(unsigned r)
{
    return r < 15;
}

void sie_command(struct sie *s)
{
    struct vm *vm = s->vm;
    unsigned rx = s->sd.ipa >> 4 & 15, ry = s->sd.ipa & 15;
    uint32_t asked = (uint32_t)guest_gr(s, ry), len = asked & LENGTH, max = 0;
    uint64_t number = s->number;
    const char *text = guest_real(s, (uint32_t)guest_gr(s, rx), len);
    char *reply = 0;
    long got = 0;

    if (asked & REPLY) {
        max = pair(rx) && pair(ry) ? (uint32_t)guest_gr(s, ry + 1) : 0;
        reply = max && max <= REPLY_MAX ? guest_real(s, (uint32_t)guest_gr(s, rx + 1), max) : 0;
    }
    if (!len || len > CMD_MAX || !text || ((asked & REPLY) && !reply)) {
        sie_program(s, !text ? PGM_ADDRESSING : PGM_SPECIFICATION);
        return;
    }
    long rc = command_diag(vm, text, len, reply, max, &got);
    if (!vm->sie || vm->sie->number != number)
        return;              /* it was IPL, SYSTEM RESET or LOGOFF */
    guest_set_gr(s, ry, (uint64_t)rc);
    if (reply)
        guest_set_gr(s, ry + 1, (uint64_t)got);
    guest_cc(s, 0);
}
