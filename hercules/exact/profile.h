/* SPDX-License-Identifier: QPL-1.0 */
/* Counting by real address (profile.c), in the files that are compiled with VMKB_PROFILE; nothing
 * in the others. */
#ifndef VMKB_PROFILE_H
#define VMKB_PROFILE_H

void vmkb_profile_begin(REGS *regs);
void vmkb_profile_read(REGS *regs, int r1, int r3);
void vmkb_profile_run(REGS *regs);
void vmkb_profile_state(REGS *regs);
extern int vmkb_profile_leaving;   /* CP is on its way to a machine */
extern BYTE *vmkb_profile_fetched; /* the last instruction that was not taken from a page's run */

#if defined(VMKB_PROFILE)
#define PROFILE_BEGIN(_regs) vmkb_profile_begin(_regs)
#define PROFILE_READ(_regs, _r1, _r3) vmkb_profile_read((_regs), (_r1), (_r3))
#define PROFILE_STATE(_regs) vmkb_profile_state(_regs)
/* That a page is touched: the virtual address by which it was, and 1; by a guest under SIE, 2, and
 * 4 if that was in problem state. */
#define PROFILE_TOUCH(_regs, _at, _virtual) \
    ((_regs)->touched[(U64)((_at) - (_regs)->mainstor) >> 12] = (_virtual) | 1)
#define PROFILE_SIE     2
#define PROFILE_PROBLEM 4
/* A counter of 8 bytes for each 2 of main storage: 4 times as far as the instruction. */
#define PROFILE_COUNT(_regs, _ip) (++*(U64 *)((_regs)->profile + 4 * (uintptr_t)(_ip)))
/* The first instruction of a page's run: the page is marked, so that a sample need not look at all
 * of storage. One that crosses into the next page was copied; it counts where it begins. The table
 * is _regs', who are the host's if _own, whose instruction it is, are a guest's under SIE. */
#define PROFILE_FIRST(_regs, _own, _begins, _by, _ip) \
do { \
    BYTE *_at = (_ip); \
    if (vmkb_profile_leaving && (_begins)) \
        vmkb_profile_run(_regs); \
    if (_at == (_own)->inst) { \
        _at = (_own)->crossing; \
        PROFILE_TOUCH((_regs), _at, ((_own)->AIV_G - 4096) | (_by)); \
    } \
    PROFILE_TOUCH((_regs), (_own)->aip, (_own)->AIV_G | (_by)); \
    PROFILE_COUNT((_regs), _at); \
    vmkb_profile_fetched = _at; \
} while (0)
#define PROFILE_FETCHED(_regs, _ip) \
    PROFILE_FIRST(_regs, _regs, PROBSTATE(&(_regs)->psw), 0, _ip)
#define PROFILE_GUEST(_regs, _ip) \
    PROFILE_FIRST(_regs, (_regs)->guestregs, 1, \
                  PROBSTATE(&(_regs)->guestregs->psw) ? PROFILE_SIE | PROFILE_PROBLEM \
                                                      : PROFILE_SIE, _ip)
#else
#define PROFILE_BEGIN(_regs)
#define PROFILE_READ(_regs, _r1, _r3)
#define PROFILE_STATE(_regs)
#define PROFILE_COUNT(_regs, _ip)
#define PROFILE_FETCHED(_regs, _ip)
#define PROFILE_GUEST(_regs, _ip)
#endif
#endif
