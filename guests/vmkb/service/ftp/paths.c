/* SPDX-License-Identifier: MIT */
#include "paths.h"
#include "ctype.h"
#include "lib.h"

const char path_no_levels[] = "minidisks have no levels; CD owner.vaddr goes to another one";

static bool quote(char c)
{
    return c == '\'' || c == '"';
}

static bool apart(char c)
{
    return c == '.' || c == ' ';
}

/* One of fn and ft, up to what ends it. */
static const char *part(const char **text, const char *end, bool pattern, char to[9])
{
    const char *t = *text;
    unsigned n = 0;

    for (; t < end && !apart(*t); t++) {
        char c = *t;
        if (n == 8)
            return "a file name and type have up to 8 characters each";
        if (!is_alnum(c)) {
            c = pattern && c == '?' ? '%' : c;
            if (!strchr(pattern ? "$#@+-:_*%" : "$#@+-:_", c))
                return "a name is made of letters, digits and $ # @ + - : _";
        }
        to[n++] = (char)to_upper(c);
    }
    to[n] = 0;
    *text = t;
    return 0;
}

/* One period, or blanks. */
static void pass(const char **text, const char *end)
{
    if (*text < end && **text == '.')
        ++*text;
    else
        while (*text < end && **text == ' ')
            ++*text;
}

/* fn, ft and what may stand for the file mode. The working minidisk is filemode A, and there is no
 * other: were any letter taken, MAIN.C.O and MAIN.C.D would be one file. */
static const char *file(const char *t, const char *end, bool pattern, struct path *p)
{
    const char *why = part(&t, end, pattern, p->fn);

    if (why)
        return why;
    pass(&t, end);
    why = part(&t, end, pattern, p->ft);
    if (why)
        return why;
    if (!p->fn[0] || !p->ft[0])
        return "a file is named filename.filetype";
    if (t == end)
        return 0;
    pass(&t, end);
    if (t < end && to_upper(*t) == 'A' && (++t == end || (*t >= '0' && *t <= '6' && ++t == end)))
        return 0;
    return "behind filename and filetype there may be filemode A, or A0 to A6, and nothing else";
}

/* One name of a minidisk. */
static const char *disk(const char *t, const char *end, const char *user, struct path *p)
{
    unsigned n = 0, digits = 0, v = 0;

    if (end - t == 1 && *t == '.')
        return 0;
    if (end - t == 2 && t[0] == '.' && t[1] == '.')
        return path_no_levels;
    p->named = true;
    p->vaddr = 0x191;
    if (t < end && (memchr(t, '.', (size_t)(end - t)) || !is_digit(*t))) {
        for (; t < end && !apart(*t); t++) {
            if (n == 8)
                return "a userid has up to 8 characters; CD owner.vaddr, as in MAINT.19E";
            p->owner[n++] = (char)to_upper(*t);
        }
        pass(&t, end);
    }
    p->owner[n] = 0;
    if (!n)
        fmt(p->owner, sizeof(p->owner), "%s", user);
    for (; t < end; t++, digits++) {
        int digit = hex_value((unsigned char)*t);
        if (digit < 0 || digits == 4)
            return "CD owner.vaddr, as in MAINT.19E";
        v = v << 4 | (unsigned)digit;
    }
    if (digits)
        p->vaddr = (uint16_t)v;
    return 0;
}

static const char *disks(const char *t, const char *end, const char *user, struct path *p)
{
    const char *why = 0;

    p->named = false;
    if (t < end && *t == '/')
        why = disk(t, t, user, p);
    while (!why && t < end) {
        const char *slash = memchr(t, '/', (size_t)(end - t));
        const char *stop = slash ? slash : end;
        if (stop > t)
            why = disk(t, stop, user, p);
        t = stop + (slash != 0);
    }
    return why;
}

static void unquote(const char **t, const char **end)
{
    *end = *t + strlen(*t);
    if (*end - *t >= 2 && quote(**t) && (*end)[-1] == **t) {
        ++*t;
        --*end;
    }
}

const char *path_disk(const char *t, const char *user, struct path *p)
{
    const char *end;

    unquote(&t, &end);
    return disks(t, end, user, p);
}

/* Behind the last /, before which the minidisk is. */
static const char *cut(const char **t, const char *end, const char *user, struct path *p)
{
    const char *name = end;

    p->named = false;
    while (name > *t && name[-1] != '/')
        name--;
    const char *why = name == *t ? 0 : disks(*t, name, user, p);
    *t = name;
    return why;
}

const char *path_file(const char *t, const char *user, struct path *p)
{
    const char *end;

    unquote(&t, &end);
    const char *why = cut(&t, end, user, p);
    if (why)
        return why;
    return t == end ? "a file name is needed" : file(t, end, false, p);
}

const char *path_pattern(const char *t, const char *user, struct path *p)
{
    const char *end;

    unquote(&t, &end);
    const char *why = cut(&t, end, user, p);
    fmt(p->fn, sizeof(p->fn), "*");
    fmt(p->ft, sizeof(p->ft), "*");
    if (why || t == end || (end - t == 1 && *t == '.'))
        return why;
    if (memchr(t, '.', (size_t)(end - t)) || memchr(t, ' ', (size_t)(end - t)))
        return file(t, end, true, p);
    return part(&t, end, true, p->fn);
}
