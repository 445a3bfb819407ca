/* SPDX-License-Identifier: MIT */
/* What a service machine says on its console. */
#ifndef VMKB_SAY_H
#define VMKB_SAY_H
#include "lib.h"

#define SAY_MAX 320          /* bytes of a line and a zero; a longer one is cut */

void say(const char *f, ...) LIB_FORMAT(1, 2);
/* CP is told of bytes that long copies moved, when they are enough to be worth the call. */
void say_moved(void);
#endif
