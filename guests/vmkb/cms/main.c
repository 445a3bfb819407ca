/* SPDX-License-Identifier: MIT */
#include "diag.h"
#include "lib.h"
void vm_main(void);
void vm_main(void)
{
    char line[160];
    diag_write("VM/KB CMS", 9, 0);
    for (;;) {
        diag_write("Ready;", 6, 0);
        long n = diag_read(line, sizeof(line), 0);
        if (n > 0)
            diag_cp(line, n, 0, 0, 0);
    }
}
