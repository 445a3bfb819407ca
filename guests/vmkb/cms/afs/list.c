/* SPDX-License-Identifier: MIT */
/* AFS LS and STAT. */
#include "afs_client.h"
#include "translate.h"

#define PAGE   2048u
#define ENTRY  32u
#define HASHES 128u

struct directory {
    uint8_t *bytes;
    uint32_t len;
};

static int take(void *to, uint8_t *bytes, uint32_t len)
{
    struct directory *d = to;

    if (len > DIRECTORY_MAX - d->len)
        return 1;
    memcpy(d->bytes + d->len, bytes, len);
    d->len += len;
    return 0;
}

static int fetch(struct afs_client *c, const struct afs_fid *fid, struct directory *d)
{
    uint8_t request[64];
    struct xdr_out x = {request, sizeof(request), false};

    xdr_put(&x, AFS_FETCH_DATA);
    afs_put_fid(&x, fid);
    xdr_put(&x, 0);
    xdr_put(&x, DIRECTORY_MAX);
    c->fetching = true;
    c->take = take;
    c->to = d;
    int rc = afs_call(c, c->files, &x, request);
    c->fetching = false;
    return rc;
}

static const char *const types[] = {"?   ", "FILE", "DIR ", "LINK"};

/* yyyy-mm-dd hh:mm */
static void when(uint32_t seconds, char *to, size_t size)
{
    uint32_t minutes = seconds / 60, days = minutes / 1440, year = 1970, month = 0;
    static const uint8_t long_ones[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    for (;; year++) {
        uint32_t n = year % 4 ? 365 : 366;
        if (days < n)
            break;
        days -= n;
    }
    for (;; month++) {
        uint32_t n = long_ones[month] + (month == 1 && year % 4 == 0);
        if (days < n)
            break;
        days -= n;
    }
    fmt(to, size, "%04u-%02u-%02u %02u:%02u", year, month + 1, days + 1, minutes / 60 % 24,
        minutes % 60);
}

/* A mode as four octal digits. */
static void octal(uint32_t mode, char *to, size_t size)
{
    fmt(to, size, "%u%u%u%u", mode >> 9 & 7, mode >> 6 & 7, mode >> 3 & 7, mode & 7);
}

static void line(const struct afs_stat *st, const char *name)
{
    char time[24], mode[8];

    when(st->time, time, sizeof(time));
    octal(st->mode, mode, sizeof(mode));
    cms_say("%s %10u %s %s %s", types[st->type < 4 ? st->type : 0], st->length, mode, time, name);
}

/* The names of one call, and what each is. */
struct page {
    struct afs_fid fids[AFS_BULK_MAX];
    char names[AFS_BULK_MAX][AFS_NAME_MAX + 1];
    unsigned count;
};

static int show(struct afs_client *c, struct page *p)
{
    uint8_t request[8 + 12 * AFS_BULK_MAX];
    struct xdr_out x = {request, sizeof(request), false};
    struct afs_stat st;

    if (!p->count)
        return 0;
    xdr_put(&x, AFS_INLINE_BULK_STATUS);
    xdr_put(&x, p->count);
    for (unsigned i = 0; i < p->count; i++)
        afs_put_fid(&x, &p->fids[i]);
    int rc = afs_call(c, c->files, &x, request);
    struct xdr_in in = {c->reply, c->reply_len, false};
    xdr_get(&in);
    for (unsigned i = 0; i < p->count && rc == 0 && !cms_halted(); i++) {
        afs_get_stat(&in, &st);
        line(&st, p->names[i]);
    }
    p->count = 0;
    return rc;
}

/* The name at an entry, as a string. False: there is none. */
static bool name_at(const struct directory *d, uint32_t entry, char name[AFS_NAME_MAX + 1])
{
    uint32_t at = entry * ENTRY + 12, n = 0;

    while (at + n < d->len && n <= AFS_NAME_MAX && d->bytes[at + n])
        n++;
    if (n == 0 || n > AFS_NAME_MAX || at + n >= d->len)
        return false;
    memcpy(name, d->bytes + at, n);
    translate(name, n, ebcdic_of_latin1);
    name[n] = 0;
    return true;
}

static int list(struct afs_client *c, uint32_t volume, const struct directory *d, struct page *p)
{
    uint32_t most = d->len / ENTRY;
    int rc = 0;

    /* entries in the order in which they lie: as they were made */
    for (uint32_t page = 0; page < d->len / PAGE && rc == 0; page++)
        for (uint32_t i = page ? 1 : 13; i < PAGE / ENTRY && rc == 0; i++) {
            uint32_t e = page * (PAGE / ENTRY) + i;
            const uint8_t *bytes = d->bytes + e * ENTRY;
            char *name = p->names[p->count];
            if (!(d->bytes[page * PAGE + 5 + i / 8] >> i % 8 & 1))
                continue;
            if (e >= most || bytes[0] != 1 || !name_at(d, e, name))
                return cms_error(100, "DMSAFS110E What came is no directory");
            i += ((uint32_t)strlen(name) + 16) / ENTRY;
            if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                continue;
            p->fids[p->count++] =
                (struct afs_fid){volume, rx_get32(bytes + 4), rx_get32(bytes + 8)};
            if (p->count == AFS_BULK_MAX)
                rc = show(c, p);
        }
    return rc ? rc : show(c, p);
}

int afs_list(struct afs_client *c, const char *path)
{
    struct afs_fid fid;
    struct afs_stat st;
    int rc = afs_find(c, path, &fid, &st, 0, 0);

    if (rc)
        return rc == 1 ? afs_said(c, path) : rc;
    if (st.type != AFS_DIRECTORY) {
        line(&st, path);
        return 0;
    }
    struct directory d = {cms_alloc(DIRECTORY_MAX), 0};
    struct page *p = cms_alloc(sizeof(*p));
    if (!d.bytes || !p)
        return cms_error(104, "DMSAFS109S Virtual storage capacity exceeded");
    p->count = 0;
    rc = fetch(c, &fid, &d);
    if (rc == 0)
        rc = list(c, fid.volume, &d, p);
    return rc == 1 ? afs_said(c, path) : rc;
}

int afs_stat(struct afs_client *c, const char *path)
{
    struct afs_fid fid;
    struct afs_stat st;
    char time[24], mode[8];
    int rc = afs_find(c, path, &fid, &st, 0, 0);

    if (rc)
        return rc == 1 ? afs_said(c, path) : rc;
    when(st.time, time, sizeof(time));
    octal(st.mode, mode, sizeof(mode));
    cms_say("AFS: %s is %u.%u.%u, %s", path, fid.volume, fid.vnode, fid.unique,
            types[st.type < 4 ? st.type : 0]);
    cms_say("AFS: %u bytes, version %u, mode %s, owner %u, changed %s UTC", st.length,
            st.version, mode, st.owner, time);
    return 0;
}
