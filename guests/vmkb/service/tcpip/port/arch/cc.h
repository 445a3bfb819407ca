/* SPDX-License-Identifier: MIT */
/* lwIP's view of the machine it runs in: s390x, big-endian, freestanding. */
#ifndef VMKB_ARCH_CC_H
#define VMKB_ARCH_CC_H
#include <stddef.h>
#include <stdint.h>

#define BYTE_ORDER BIG_ENDIAN
#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_CTYPE_H    1
#define LWIP_NO_UNISTD_H   1
typedef long ssize_t;
#define SSIZE_MAX INT64_MAX
#define X8_F  "x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "lu"

void tcpip_stop(const char *why);
#define LWIP_PLATFORM_DIAG(x) do { } while (0)
#define LWIP_PLATFORM_ASSERT(x) tcpip_stop(x)

/* lwIP asks for randomness for initial sequence numbers and port numbers only. */
uint32_t tcpip_random(void);
#define LWIP_RAND() tcpip_random()
#endif
