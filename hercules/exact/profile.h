/* SPDX-License-Identifier: QPL-1.0 */
/* Counting by real address (profile.c), in the files that are compiled with VMKB_PROFILE; nothing in the others. */
#ifndef VMKB_PROFILE_H
#define VMKB_PROFILE_H

void vmkb_profile_begin(REGS *regs);
void vmkb_profile_read(REGS *regs, U64 request);

#if defined(VMKB_PROFILE)
#define PROFILE_BEGIN(_regs) vmkb_profile_begin(_regs)
#define PROFILE_READ(_regs, _request) vmkb_profile_read((_regs), (_request))
/* A counter of 8 bytes for each 2 of main storage: 4 times as far as the instruction. */
#define PROFILE_COUNT(_regs, _ip) (++*(U64 *)((_regs)->profile + 4 * (uintptr_t)(_ip)))
/* The first instruction of a page's run: the page is marked, so that a sample need not look at all of storage. One
 * that crosses into the next page was copied; it counts where it begins. */
#define PROFILE_FETCHED(_regs, _ip) \
do { \
    BYTE *_at = (_ip); \
    if (_at == (_regs)->inst) { \
        _at = (_regs)->crossing; \
        (_regs)->touched[(U64)(_at - (_regs)->mainstor) >> 12] = 1; \
    } \
    (_regs)->touched[(U64)((_regs)->aip - (_regs)->mainstor) >> 12] = 1; \
    PROFILE_COUNT((_regs), _at); \
} while (0)
#else
#define PROFILE_BEGIN(_regs)
#define PROFILE_READ(_regs, _request)
#define PROFILE_COUNT(_regs, _ip)
#define PROFILE_FETCHED(_regs, _ip)
#endif
#endif
