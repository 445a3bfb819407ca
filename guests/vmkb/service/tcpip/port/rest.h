/* SPDX-License-Identifier: MIT */
/* Sleep without connections: rest.c. */
#ifndef VMKB_REST_H
#define VMKB_REST_H
#include "lib.h"
#include "lwip/opt.h"

#if LWIP_IPV4
uint32_t rest_for(uint32_t ms);
void rest_made_up(void);
#else
#define rest_for(ms)   (ms)
#define rest_made_up() ((void)0)
#endif
#endif
