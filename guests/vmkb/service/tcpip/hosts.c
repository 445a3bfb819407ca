/* SPDX-License-Identifier: MIT */
/* HOSTS LOCAL: lines `HOST : address : name[, name...] :` as RFC 952 has them; `;` begins a
 * comment. */
#include "ctype.h"
#include "disk.h"
#include "tcpip.h"
#include "words.h"

static const char *wanted;
static uint32_t found;

static bool same(const char *name, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        if (to_upper(name[i]) != to_upper(wanted[i]) || !wanted[i])
            return false;
    return wanted[len] == 0;
}

static void line(const char *text, unsigned len, unsigned number)
{
    char address[16];
    unsigned field = 0, from = 0;
    uint32_t ip = 0;
    (void)number;
    for (unsigned i = 0; i <= len && !found; i++) {
        char c = i < len ? text[i] : ':';
        if (c == ';')
            return;
        if (c != ':' && c != ',')
            continue;
        while (from < i && text[from] == ' ')
            from++;
        unsigned to = i;
        while (to > from && text[to - 1] == ' ')
            to--;
        if (field == 0 && !(to - from == 4 && strncmp(text + from, "HOST", 4) == 0))
            return;
        if (field == 1) {
            fmt(address, sizeof(address), "%.*s", (int)(to - from), text + from);
            if (!words_ip(address, &ip))
                return;
        }
        if (field == 2 && to > from && same(text + from, to - from))
            found = ip;
        if (c == ':')
            field++;
        from = i + 1;
    }
}

/* Dotted numbers, or a name in HOSTS LOCAL. Returns 1 and *ip (big-endian number), or 0. */
int hosts_find(const char *name, uint32_t *ip)
{
    if (words_ip(name, ip))
        return 1;
    wanted = name;
    found = 0;
    disk_read("HOSTS", "LOCAL", line);
    *ip = found;
    return found != 0;
}
