/* SPDX-License-Identifier: MIT */
/* The guest's options, with lwIP's assertions and the C library's heap, which sanitizers know. */
#ifndef VMKB_HOST_LWIPOPTS_H
#define VMKB_HOST_LWIPOPTS_H
#include "../../../../guests/vmkb/service/tcpip/port/lwipopts.h"
#undef LWIP_NOASSERT
#define ETHARP_SUPPORT_STATIC_ENTRIES 1
#endif
