/* SPDX-License-Identifier: MIT */
/* DIAGNOSE X'58': a program paints the whole screen and reads its keys (FULL_ operations of
 * diag.h). */
#include "defs.h"
#include "display.h"
#include "lib.h"
#include "terminal.h"

long full_screen(struct vm *vm, int op, uint64_t buffer, uint64_t len, int erase)
{
    struct display *d = terminal_display(vm->term);

    if (!d)
        return DIAG_ENODEV;
    if (op == FULL_END) {
        display_fs_end(d);
        terminal_display_pump(vm->term);
        console_mode(vm);
        return 0;
    }
    if (op == FULL_WRITE) {
        const uint8_t *data = vm_source(vm, buffer, len);
        if (!data)
            return DIAG_EADDR;
        if (len > DISPLAY_IO_MAX)
            return DIAG_ERANGE;
        int rc = display_fs_write(d, data, len,
                                  erase == FULL_ALTERNATE ? DISPLAY_ERASE_ALTERNATE
                                  : erase                 ? DISPLAY_ERASE
                                                          : DISPLAY_KEEP);
        terminal_display_pump(vm->term);
        return rc == DISPLAY_LOST   ? FULL_LOST
               : rc == DISPLAY_FULL ? DIAG_EBUSY
               : rc < 0             ? DIAG_ERANGE
                                    : 0;
    }
    if (op == FULL_SIZE) {
        unsigned rows, cols;
        bool extended;
        display_size(d, &rows, &cols, &extended);
        return (long)(rows << 16 | cols | (extended ? FULL_EXTENDED : 0));
    }
    if (op == FULL_POLL) {
        uint8_t *to = vm_ptr(vm, buffer, len);
        if (!to)
            return DIAG_EADDR;
        if (display_fs_lost(d) || (!display_fs_active(d) && !display_fs_busy(d)))
            return FULL_LOST; /* or it is another terminal than that which was written to */
        return terminal_full_input(vm->term, to, len);
    }
    return DIAG_EUNKNOWN;
}
