/* SPDX-License-Identifier: MIT */
/* VMFCLEAR: an empty screen, as EXECs want before they say something. */
#include "commands.h"
#include "nucleus.h"

CMS_COMMAND("VMFCLEAR", 8, cmd_vmfclear);
int cmd_vmfclear(struct cms_arg *arg)
{
    static const unsigned char unlock[] = {0xc2}; /* a write control character */

    if (arg->n || arg->options)
        return cms_error(24, "DMSCLR070E Invalid parameter %s", arg->n ? arg->word[0] : "(");
    if (!cms_state.muted && diag_full(FULL_SIZE, 0, 0, 0) >= 0) {
        diag_full(FULL_WRITE, (void *)(uintptr_t)unlock, sizeof(unlock), 1);
        diag_full(FULL_END, 0, 0, 0);
    }
    return 0;
}
