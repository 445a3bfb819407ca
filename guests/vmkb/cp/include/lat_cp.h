/* SPDX-License-Identifier: MIT */
/* LAT as CP knows it (cp/comm/lat/lat_cp.c). */
#ifndef VMKB_LAT_CP_H
#define VMKB_LAT_CP_H
#include "lat.h"

extern struct lat lat;       /* ops 0: there is no LAN */
void lat_cp_init(void);      /* after lan_init */
void lat_cp_shutdown(void);  /* the servers are told */
#endif
