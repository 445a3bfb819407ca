/* SPDX-License-Identifier: MIT */
/* lwIP's view of this computer, in place of service/tcpip/port/arch/cc.h: the order of bytes. */
#ifndef VMKB_HOST_ARCH_CC_H
#define VMKB_HOST_ARCH_CC_H
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#define LWIP_NO_CTYPE_H 1
void tcpip_stop(const char *why);
#ifndef SSIZE_MAX
#define SSIZE_MAX  INT64_MAX
#endif
#define LWIP_PLATFORM_DIAG(x) do { } while (0)
#define LWIP_PLATFORM_ASSERT(x) tcpip_stop(x)

uint32_t tcpip_random(void);
#define LWIP_RAND() tcpip_random()
#endif
