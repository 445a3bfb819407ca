/* SPDX-License-Identifier: MIT */
#include "say.h"
#include "diag.h"

void say(const char *f, ...)
{
    char text[SAY_MAX];
    va_list ap;

    va_start(ap, f);
    size_t n = vfmt_kept(text, sizeof(text), f, ap);
    va_end(ap);
    diag_write(text, (long)n, 0);
}
