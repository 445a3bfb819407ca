/* SPDX-License-Identifier: MIT */
/* CP's calls that sockets.c plays: in the guest they are instructions (iucv.h, diag.h). */
#ifndef VMKB_HOST_CP_H
#define VMKB_HOST_CP_H
struct iucv_parm;
struct diag_space;
long iucv(int function, struct iucv_parm *p);
long diag_space(struct diag_space *p);
#endif
