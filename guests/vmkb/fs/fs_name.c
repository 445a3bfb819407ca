// SPDX-License-Identifier: MIT
// Names and patterns, in EBCDIC whatever the compiler's character set is.
#include "fs_internal.h"

static inline int fs_name_char(uint8_t c)
{
    static const uint8_t good[256] = {
        [0xC1 ... 0xC9] = 1, [0xD1 ... 0xD9] = 1, [0xE2 ... 0xE9] = 1, // A-Z
        [0x81 ... 0x89] = 1, [0x91 ... 0x99] = 1, [0xA2 ... 0xA9] = 1, // a-z
        [0xF0 ... 0xF9] = 1,                                           // 0-9
        [0x5B] = 1, [0x7B] = 1, [0x7C] = 1, [0x4E] = 1,                // $ # @ +
        [0x60] = 1, [0x7A] = 1, [0x6D] = 1,                            // - : _
    };
    return good[c];
}

static int fs_name_put(uint8_t field[8], const char *text)
{
    uint32_t n = 0;
    for (; text[n] != 0; n++) {
        if (n == 8 || !fs_name_char((uint8_t)text[n]))
            return FS_E_NAME;
        field[n] = (uint8_t)text[n];
    }
    if (n == 0)
        return FS_E_NAME;
    for (; n < 8; n++)
        field[n] = FS_EBCDIC_BLANK;
    return FS_OK;
}

int fs_name_set(struct fs_name *name, const char *fn, const char *ft)
{
    int rc = fs_name_put(name->fn, fn);
    return rc == FS_OK ? fs_name_put(name->ft, ft) : rc;
}

// 1 if the field is a name as fs_name_set makes them.
int fs_name_ok(const uint8_t field[8])
{
    uint32_t n = 0;
    while (n < 8 && fs_name_char(field[n]))
        n++;
    if (n == 0)
        return 0;
    while (n < 8 && field[n] == FS_EBCDIC_BLANK)
        n++;
    return n == 8;
}

// Backtracks to the last * only: time is at most the product of the two lengths.
int fs_match(const uint8_t field[8], const char *pattern)
{
    uint32_t n = 8, i = 0, p = 0, star = 0, retry = 0;
    int starred = 0;
    while (n > 0 && field[n - 1] == FS_EBCDIC_BLANK)
        n--;
    while (i < n) {
        uint8_t c = (uint8_t)pattern[p];
        if (c == FS_EBCDIC_STAR) {
            starred = 1;
            star = p++;
            retry = i;
        } else if (c != 0 && (c == FS_EBCDIC_PERCENT || c == field[i])) {
            p++;
            i++;
        } else if (starred) {
            p = star + 1;
            i = ++retry;
        } else {
            return 0;
        }
    }
    while ((uint8_t)pattern[p] == FS_EBCDIC_STAR)
        p++;
    return pattern[p] == 0;
}
