/* SPDX-License-Identifier: MIT */
/* What a service machine says on its console. */
#ifndef VMKB_SAY_H
#define VMKB_SAY_H
#include "lib.h"

#define SAY_MAX 320          /* bytes of a line and a zero; a longer one is cut */

void say(const char *f, ...) LIB_FORMAT(1, 2);
#endif
