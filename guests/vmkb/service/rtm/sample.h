/* SPDX-License-Identifier: MIT */
#ifndef VMKB_RTM_SAMPLE_H
#define VMKB_RTM_SAMPLE_H
#include "rtm.h"

/* All that CP tells of now (DIAG_MONITOR): 0, or its error. */
long sample_take(struct rtm_snapshot *s);
#endif
