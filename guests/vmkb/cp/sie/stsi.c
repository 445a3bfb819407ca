/* SPDX-License-Identifier: MIT */
/* STORE SYSTEM INFORMATION: levels 1 and 2 are the real machine's, level 3 is CP and this
 * machine. */
#include "sie.h"
#include "lib.h"

#define LEVEL_VM 3

struct level3 {
    uint8_t r00[31], count;
    uint8_t r20[4];
    uint16_t cpus, configured, standby, reserved;
    char name[8];            /* 02C: of the machine */
    uint32_t capability;
    char control_program[16];
};
_Static_assert(offsetof(struct level3, name) == 0x2c, "SYSIB 3.2.2");

static int real_stsi(uint64_t gr0, uint64_t gr1, void *to)
{
    register uint64_t r0 __asm__("0") = gr0;
    register uint64_t r1 __asm__("1") = gr1;
    int cc;
    __asm__ volatile("stsi 0(%3)\n\tipm %0\n\tsrl %0,28"
                     : "=d"(cc), "+d"(r0)
                     : "d"(r1), "a"(to)
                     : "cc", "memory");
    return cc;
}

static void level3(const struct sie *s, struct level3 *to)
{
    memset(to, 0, PAGE_SIZE);
    to->count = 1;
    to->cpus = to->configured = 1;
    memset(to->name, ' ', sizeof(to->name));
    memcpy(to->name, s->vm->userid, strlen(s->vm->userid));
    memset(to->control_program, ' ', sizeof(to->control_program));
    memcpy(to->control_program, cp_level, 5); /* VM/KB */
}

void sie_stsi(struct sie *s)
{
    static uint8_t block[PAGE_SIZE] __attribute__((aligned(4096)));
    uint64_t gr0 = guest_gr(s, 0), gr1 = guest_gr(s, 1), at = guest_operand(s);
    unsigned level = gr0 >> 28 & 15;

    if ((gr0 & 0x0fffff00) || (gr1 & 0xffff0000)) {
        sie_program(s, PGM_SPECIFICATION);
        return;
    }
    if (level == 0) {
        guest_set_gr(s, 0, (gr0 & ~0xffffffffUL) | (uint64_t)LEVEL_VM << 28);
        guest_cc(s, 0);
        return;
    }
    if (at & (PAGE_SIZE - 1)) {
        sie_program(s, PGM_SPECIFICATION);
        return;
    }
    memset(block, 0, PAGE_SIZE);
    if (level == LEVEL_VM && (gr0 & 0xff) == 2 && (gr1 & 0xffff) == 2)
        level3(s, (struct level3 *)block);
    else if (level >= LEVEL_VM || real_stsi(gr0 & 0xf00000ff, gr1 & 0xffff, block) != 0) {
        guest_cc(s, 3);
        return;
    }
    if (guest_write(s, at, block, PAGE_SIZE))
        guest_cc(s, 0);
}
