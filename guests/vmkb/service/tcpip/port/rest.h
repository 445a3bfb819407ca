/* SPDX-License-Identifier: MIT */
/* Sleep without connections: rest.c. */
#ifndef VMKB_REST_H
#define VMKB_REST_H
#include "lib.h"

uint32_t rest_for(uint32_t ms);
void rest_made_up(void);
#endif
