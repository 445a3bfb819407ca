/* SPDX-License-Identifier: MIT */
/* The two clocks of acct.c: the real ones here; the host test supplies its own. */
#ifndef VMKB_ACCT_CLOCK_H
#define VMKB_ACCT_CLOCK_H
#include <stdint.h>
#ifdef __s390x__
#include "s390.h"
#define clock_count() instruction_count()
#define clock_timer() cpu_timer()
#else
uint32_t clock_count(void);
int64_t clock_timer(void);
#endif
#endif
