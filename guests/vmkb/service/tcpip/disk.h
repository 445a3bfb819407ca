/* SPDX-License-Identifier: MIT */
#ifndef VMKB_TCPIP_DISK_H
#define VMKB_TCPIP_DISK_H
/* Give each record of fn ft to line(), numbered from 1. Returns 1, or 0 when no disk has the
 * file. */
int disk_read(const char *fn, const char *ft,
              void (*line)(const char *text, unsigned len, unsigned number));
#endif
