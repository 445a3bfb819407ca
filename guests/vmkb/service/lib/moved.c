/* SPDX-License-Identifier: MIT */
#include "say.h"
#include "diag.h"

#define LEAST (1U << 20)

void say_moved(void)
{
    if (lib_bytes_moved < LEAST)
        return;
    diag_moved(lib_bytes_moved, 0);
    lib_bytes_moved = 0;
}
