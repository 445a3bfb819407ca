/* SPDX-License-Identifier: MIT */
/* EXECs in the language before REXX, as far as LISTFILE (EXEC makes them (exec1.c). */
#ifndef VMKB_EXEC1_H
#define VMKB_EXEC1_H
#include <stdbool.h>
#include <stdint.h>
#include "rexx.h"

bool exec1_is(const struct rexx_str *lines, uint32_t count); /* the first line begins with & */
/* Returns the EXEC's code. */
int exec1_run(const struct rexx_str *lines, uint32_t count, const char *args);
#endif
