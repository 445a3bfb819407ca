/* SPDX-License-Identifier: MIT */
#include "people.h"
#include "nucleus.h"

enum { DEPTH = 8 };

int names_read(struct names *names, const char *module, const char *fn)
{
    struct cms_fileid id;
    struct fs_stat st;
    const uint8_t *record;
    uint32_t len;
    int code;

    *names = (struct names){0};
    if (cms_fileid(&id, fn, "NAMES", 0, '*') != 0 || cms_find(&id, &st, 0) != FS_OK)
        return 0;
    struct cms_file *f = cms_open(&id, &code);
    if (!f)
        return cms_file_error(module, code, &id);
    names->text = cms_alloc(st.size + st.records + 1);
    if (!names->text)
        return cms_file_error(module, CMS_E_STORAGE, &id);
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK) {
        memcpy(names->text + names->len, record, len);
        names->len += len;
        names->text[names->len++] = ' ';
    }
    cms_close(f);
    return code == FS_EOF ? 0 : cms_file_error(module, code, &id);
}

/* Does a tag of that name begin here? Its length with the colon and the dot, or 0. */
static unsigned tag_at(const char *p, unsigned left, const char *tag)
{
    unsigned n = (unsigned)strlen(tag);

    if (left < n + 2 || p[0] != ':' || p[n + 1] != '.')
        return 0;
    for (unsigned i = 0; i < n; i++)
        if (to_upper(p[1 + i]) != tag[i])
            return 0;
    return n + 2;
}

static bool a_tag(const char *p, unsigned left)
{
    unsigned n = 1;

    while (n < left && is_alnum(p[n]))
        n++;
    return *p == ':' && n > 1 && n < left && p[n] == '.';
}

bool names_next(const struct names *names, unsigned *at, const char **entry, unsigned *len)
{
    unsigned from = *at, to;

    while (from < names->len && !tag_at(names->text + from, names->len - from, "NICK"))
        from++;
    for (to = from + 1; to < names->len; to++)
        if (tag_at(names->text + to, names->len - to, "NICK"))
            break;
    if (from >= names->len)
        return false;
    *at = to;
    *entry = names->text + from;
    *len = to - from;
    return true;
}

bool names_tag(const char *entry, unsigned len, const char *tag, char value[NAMES_VALUE])
{
    unsigned at = 0, n = 0, skip = 0;

    while (at < len && !(skip = tag_at(entry + at, len - at, tag)))
        at++;
    if (at >= len)
        return false;
    for (at += skip; at < len && entry[at] == ' '; at++)
        ;
    for (; at < len && !(a_tag(entry + at, len - at) && (at == 0 || entry[at - 1] == ' ')); at++)
        if (n < NAMES_VALUE - 1)
            value[n++] = entry[at];
    value[blank_trim(value, n)] = 0;
    return true;
}

static bool same(const char *a, const char *b)
{
    for (; *a && to_upper(*a) == to_upper(*b); a++, b++)
        ;
    return !*a && !*b;
}

static bool entry_of(const struct names *names, const char *nick, const char **entry, unsigned *len)
{
    char value[NAMES_VALUE];
    unsigned at = 0;

    while (names_next(names, &at, entry, len))
        if (names_tag(*entry, *len, "NICK", value) && same(value, nick))
            return true;
    return false;
}

static int add(const char *module, const char *userid, struct names_users *users)
{
    if (strlen(userid) > 8)
        return cms_error(24, "DMS%s646E %s is no userid", module, userid);
    for (int i = 0; i < users->n; i++)
        if (same(users->user[i], userid))
            return 0;
    if (users->n == NAMES_USERS)
        return cms_error(24, "DMS%s649E More than %d users are meant", module, NAMES_USERS);
    char *to = users->user[users->n++];
    for (; *userid; userid++)
        *to++ = (char)to_upper(*userid);
    *to = 0;
    return 0;
}

int names_node(const char *module, const char *node)
{
    char here[9];

    name_string(here, cms_state.id.node);
    if (same(here, node))
        return 0;
    return cms_error(24, "DMS%s650E Node %s cannot be reached: this is %s, and it has no RSCS",
                     module, node, here);
}

static int resolve(const struct names *names, const char *module, const char *name,
                   struct names_users *users, int depth);

static int list(const struct names *names, const char *module, char *names_of,
                struct names_users *users, int depth)
{
    char *p = names_of;
    int rc = 0;

    while (rc == 0 && *p) {
        char *end = p;
        while (*end && *end != ' ' && *end != ',')
            end++;
        char stop = *end;
        *end = 0;
        if (end > p)
            rc = resolve(names, module, p, users, depth + 1);
        p = stop ? end + 1 : end;
    }
    return rc;
}

/* A list that has itself, however far down, would never end: names are DEPTH deep at most. */
static int resolve(const struct names *names, const char *module, const char *name,
                   struct names_users *users, int depth)
{
    char value[NAMES_VALUE];
    const char *entry;
    unsigned len;

    if (depth == DEPTH)
        return cms_error(24, "DMS%s648E The list of %s leads back to itself, or on over %d lists",
                         module, name, DEPTH);
    if (!entry_of(names, name, &entry, &len))
        return add(module, name, users);
    if (names_tag(entry, len, "LIST", value))
        return list(names, module, value, users, depth);
    if (names_tag(entry, len, "NODE", value) && *value) {
        int rc = names_node(module, value);
        if (rc != 0)
            return rc;
    }
    return add(module, names_tag(entry, len, "USERID", value) ? value : name, users);
}

int names_users(const struct names *names, const char *module, const char *name,
                struct names_users *users)
{
    return resolve(names, module, name, users, 0);
}
