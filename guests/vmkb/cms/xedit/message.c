/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include "xedit.h"

void message_text(const char *text, size_t len)
{
    if (x->file && !x->file->msgmode)
        return;
    if (!x->screen) {
        cms_say_text(text, (unsigned)len);
        return;
    }
    if (x->messages == X_MESSAGES)
        return;
    size_t n = len < X_COLUMNS ? len : X_COLUMNS;
    memcpy(x->message[x->messages], text, n);
    x->message[x->messages++][n] = 0;
}

int say_x(int rc, const char *f, ...)
{
    char text[X_COLUMNS + 1];
    va_list ap;

    if (x->quiet)
        return rc;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    x->alarm |= rc != 0;
    message_text(text, n);
    return rc;
}

int bad_operand(const char *operand)
{
    return say_x(5, "DMSXDC520E Invalid operand : %s", operand);
}
