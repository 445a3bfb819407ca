/* SPDX-License-Identifier: MIT */
/* CTERM's Initiate, which both sides send. */
#include "cterm_wire.h"

#define PARM_MESSAGE   1
#define PARM_INPUT     2
#define PARM_SUPPORTED 3
#define HEADER 13            /* code, 0, three of version, eight of revision */
#define INPUT_BUFFER 0x03f4

uint8_t *cterm_put_initiate(uint8_t *p)
{
    static const uint8_t revision[8] = {0x56, 0x4d, 0x2f, 0x4b, 0x42, 0x20, 0x20, 0x20}; /* VM/KB */

    *p++ = CT_INITIATE;
    *p++ = 0;
    *p++ = 1;
    *p++ = 4;
    *p++ = 0;
    memcpy(p, revision, sizeof(revision));
    p += sizeof(revision);
    *p++ = PARM_MESSAGE;
    *p++ = 2;
    p = put16(p, CTERM_MAX);
    *p++ = PARM_INPUT;
    *p++ = 2;
    p = put16(p, INPUT_BUFFER);
    *p++ = PARM_SUPPORTED;
    *p++ = 4;
    p = put16(p, 0x7ffe);
    return put16(p, 0);
}

unsigned cterm_initiate_max(const uint8_t *m, size_t n)
{
    unsigned max = CTERM_MAX;

    if (n < HEADER)
        return 0;
    for (size_t i = HEADER; i < n; i += 2 + m[i + 1]) {
        if (n - i < 2 || n - i - 2 < m[i + 1])
            return 0;
        if (m[i] == PARM_MESSAGE && m[i + 1] == 2)
            max = le16(m + i + 2);
    }
    return max < 64 ? 64 : max > CTERM_MAX ? CTERM_MAX : max;
}
