/* SPDX-License-Identifier: MIT */
#include "globals.h"

enum { CHUNK = 4096, STEP = 16, HEAD = 8 };

static struct global *first, **last = &first;
static char *free_at;
static size_t free_bytes;
static bool started;
static const char *const kept_in[] = {"", "SESSION", "LASTING"};

struct global *globals_next(struct global *after)
{
    struct global *g = after ? after->next : first;

    while (g && !g->group[0])
        g = g->next;
    return g;
}

struct global *globals_find(const char *group, const char *name, unsigned n)
{
    for (struct global *g = first; g; g = g->next)
        if (g->name_len == n && strcmp(g->group, group) == 0 && memcmp(g->text, name, n) == 0)
            return g;
    return 0;
}

void globals_drop(const char *group)
{
    for (struct global *g = first; g; g = g->next)
        if (!group || strcmp(g->group, group) == 0)
            g->group[0] = 0;
}

/* One that is free and large enough, or a new one; 0: no storage. */
static struct global *room_for(size_t bytes)
{
    struct global *g = first;

    while (g && (g->group[0] || g->room < bytes))
        g = g->next;
    if (g)
        return g;
    bytes = (bytes + STEP - 1) / STEP * STEP;
    size_t size = (sizeof(*g) + bytes + 7) / 8 * 8;
    if (free_bytes < size) {
        free_at = heap_permanent(CHUNK);
        free_bytes = free_at ? CHUNK : 0;
        if (!free_at)
            return 0;
    }
    g = (struct global *)(void *)free_at;
    free_at += size;
    free_bytes -= size;
    g->next = 0;
    g->room = (uint16_t)bytes;
    *last = g;
    last = &g->next;
    return g;
}

static bool put(const char *group, const char *name, unsigned n, const char *value, unsigned len)
{
    struct global *g = globals_find(group, name, n);

    if (g && g->room < n + len) {
        g->group[0] = 0;
        g = 0;
    }
    if (!g)
        g = room_for(n + len);
    if (!g)
        return false;
    fmt(g->group, sizeof(g->group), "%s", group);
    g->name_len = (uint8_t)n;
    g->len = (uint16_t)len;
    memcpy(g->text, name, n);
    memcpy(g->text + n, value, len);
    return true;
}

/* Records are a group of eight characters, and name and value with the length of each before it. */
static void take(const uint8_t *record, uint32_t len)
{
    char group[9];

    if (len < HEAD + 2 || HEAD + 2 + (uint32_t)record[HEAD] > len)
        return;
    unsigned n = record[HEAD], value = record[HEAD + 1 + n];
    if (HEAD + 2 + n + value > len)
        return;
    name_string(group, record);
    if (n && group[0])
        put(group, (const char *)record + HEAD + 1, n, (const char *)record + HEAD + 2 + n, value);
}

/* Seconds since 1900 before which this session had not begun, by what CP says: CONNECT= hh:mm:ss.
 * Neither that nor our clock has parts of a second, so it may have begun in the next one. */
static uint64_t session_began(void)
{
    char reply[200];
    unsigned got = 0, at = 0, s = 0;

    cms_cp("QUERY TIME", 10, reply, sizeof(reply), &got);
    while (at + 18 < got && memcmp(reply + at, "CONNECT= ", 9) != 0)
        at++;
    for (unsigned i = 9; at + 18 < got && i < 17; i += 3)
        s = s * 60 + (unsigned)(reply[at + i] - '0') * 10 + (unsigned)(reply[at + i + 1] - '0');
    return cms_now_1900() - s - 1;
}

static void read(int how_long)
{
    struct cms_fileid id;
    struct fs_stat st;
    const uint8_t *record;
    uint32_t len;
    int code;

    cms_fileid(&id, kept_in[how_long], "GLOBALV", "A", 'A');
    if (cms_find(&id, &st, 0) != FS_OK
        || (how_long == FOR_SESSION && st.written < session_began()))
        return;
    struct cms_file *f = cms_open(&id, &code);
    while (f && fs_next(&f->fs, &record, &len) == FS_OK)
        take(record, len);
    if (f)
        cms_close(f);
}

void globals_start(void)
{
    if (started)
        return;
    started = true;
    read(FOR_EVER);
    read(FOR_SESSION);
}

/* An older session's file is not added to: it begins anew. */
static struct cms_file *opened(struct cms_fileid *id, int how_long, int *code)
{
    struct fs_stat st;

    cms_fileid(id, kept_in[how_long], "GLOBALV", "A", 'A');
    if (how_long == FOR_SESSION && cms_find(id, &st, 0) == FS_OK && st.written < session_began())
        return cms_create(id, FS_VARIABLE, 0, code);
    return lines_writer(id, FS_VARIABLE, 0, code);
}

static int keep(const struct global *g, int how_long)
{
    uint8_t record[HEAD + 2 + GLOBALS_NAME + GLOBALS_VALUE];
    struct cms_fileid id;
    int code;
    struct cms_file *f = opened(&id, how_long, &code);

    if (!f)
        return cms_file_error("GLB", code, &id);
    memset(record, ' ', HEAD);
    memcpy(record, g->group, strlen(g->group));
    record[HEAD] = g->name_len;
    memcpy(record + HEAD + 1, g->text, g->name_len);
    record[HEAD + 1 + g->name_len] = (uint8_t)g->len;
    memcpy(record + HEAD + 2 + g->name_len, g->text + g->name_len, g->len);
    code = fs_write_record(&f->fs, record, HEAD + 2 + (uint32_t)g->name_len + g->len);
    if (code == FS_OK)
        code = cms_commit(f);
    else
        cms_close(f);
    return code == FS_OK ? 0 : cms_file_error("GLB", code, &id);
}

int globals_set(const char *group, const char *name, unsigned n, const char *value, unsigned len,
                int how_long)
{
    if (len > GLOBALS_VALUE)
        return cms_error(13, "DMSGLB618E The value of %.*s is longer than %d", (int)n, name,
                         GLOBALS_VALUE);
    if (!put(group, name, n, value, len))
        return cms_error(104, "DMSGLB109S Virtual storage capacity exceeded");
    return how_long == FOR_NOW ? 0 : keep(globals_find(group, name, n), how_long);
}
