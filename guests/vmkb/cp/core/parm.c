/* SPDX-License-Identifier: MIT */
/* What was given to IPL: words and NAME=VALUE in the parameter file. */
#include "ctype.h"
#include "defs.h"
#include "lib.h"

const char *ipl_parm;

static char parm_text[IPL_PARM_MAX + 1];

/* The parameter file is ASCII or EBCDIC text, as the person who wrote the .ins had it. */
void ipl_parm_read(void)
{
    static const char ascii[] =
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";
    const uint8_t *p = (const uint8_t *)IPL_PARM_ADDR;
    size_t n = 0;
    int is_ascii = p[0] >= 0x20 && p[0] < 0x7f && p[0] != 0x40 && p[0] != 0x4b;

    for (size_t i = 0; i < IPL_PARM_MAX && p[i]; i++) {
        uint8_t c = p[i];
        if (is_ascii && c >= 0x61 && c <= 0x7a)
            c -= 0x20;       /* ASCII lower case: its letters are in one run */
        if (is_ascii)
            c = c >= 0x20 && c < 0x60 ? (uint8_t)ascii[c - 0x20] : (uint8_t)' ';
        parm_text[n++] = c < 0x40 ? ' ' : (char)to_upper((char)c);
    }
    parm_text[n] = 0;
    ipl_parm = parm_text;
}

bool ipl_parm_value(const char *name, char *value, size_t max)
{
    size_t n = strlen(name);

    for (const char *p = parm_text; *p; p++) {
        if ((p == parm_text || p[-1] == ' ') && strncmp(p, name, n) == 0 && p[n] == '=') {
            size_t k = 0;
            for (p += n + 1; *p && *p != ' ' && k + 1 < max; p++)
                value[k++] = *p;
            value[k] = 0;
            return true;
        }
    }
    return false;
}
