/* SPDX-License-Identifier: MIT */
/* What a stack takes from <limits.h>. The compiler's own file falls through to a C library's, which
 * a guest must not see. */
#ifndef VMKB_LIMITS_H
#define VMKB_LIMITS_H
#define CHAR_BIT  __CHAR_BIT__
#define SCHAR_MAX __SCHAR_MAX__
#define SHRT_MAX  __SHRT_MAX__
#define INT_MAX   __INT_MAX__
#define INT_MIN   (-INT_MAX - 1)
#define UINT_MAX  (INT_MAX * 2U + 1U)
#define LONG_MAX  __LONG_MAX__
#define LONG_MIN  (-LONG_MAX - 1L)
#define ULONG_MAX (LONG_MAX * 2UL + 1UL)
#endif
