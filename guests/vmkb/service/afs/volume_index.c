/* SPDX-License-Identifier: MIT */
/* The index: read once and checked as a whole, written as a whole. */
#include "volume.h"
#include "xdr.h"

#define MAGIC_1  0x564d4b42u     /* VMKBAFS1 in ISO 8859-1 */
#define MAGIC_2  0x41465331u
#define HEADER   96u
#define VNODE    48u
#define CHECKSUM 8u              /* where it is */
#define FROM_1900 2208988800u    /* seconds from there to 1970 */

static const struct fs_name index_name = {/* VOLUME INDEX */
                                          {0xE5, 0xD6, 0xD3, 0xE4, 0xD4, 0xC5, 0x40, 0x40},
                                          {0xC9, 0xD5, 0xC4, 0xC5, 0xE7, 0x40, 0x40, 0x40}};
/* AFSDATA */
static const uint8_t content_type[8] = {0xC1, 0xC6, 0xE2, 0xC4, 0xC1, 0xE3, 0xC1, 0x40};

static uint8_t image[HEADER + VOLUME_SLOTS * VNODE + VOLUME_NAMES + 4]
    __attribute__((aligned(8)));
static uint8_t buffer[FS_BLOCK_SIZE] __attribute__((aligned(8)));
static struct fs_file file;
static uint16_t seen[VOLUME_SLOTS]; /* names that were found of each slot */

bool volume_content_name(struct fs_name *name, uint32_t content)
{
    bool none = content == 0;

    memcpy(name->ft, content_type, 8);
    name->fn[0] = 0xC3;          /* C and seven hexadecimal digits */
    for (unsigned i = 7; i > 0; i--, content >>= 4)
        name->fn[i] =
            (uint8_t)((content & 15) < 10 ? 0xF0 + (content & 15) : 0xC1 + (content & 15) - 10);
    return none;
}

static bool content_number(const struct fs_name *name, uint32_t *content)
{
    *content = 0;
    if (memcmp(name->ft, content_type, 8) != 0 || name->fn[0] != 0xC3)
        return false;
    for (unsigned i = 1; i < 8; i++) {
        uint8_t c = name->fn[i];
        uint32_t digit = c >= 0xF0 && c <= 0xF9   ? c - 0xF0u
                         : c >= 0xC1 && c <= 0xC6 ? c - 0xC1u + 10
                                                  : 16;
        if (digit == 16)
            return false;
        *content = *content << 4 | digit;
    }
    return true;
}

static uint32_t image_length(const struct volume *v)
{
    return HEADER + v->slots * VNODE + v->names_len;
}

uint32_t volume_index_blocks(const struct volume *v)
{
    return (image_length(v) + FS_BLOCK_SIZE - 1) / FS_BLOCK_SIZE;
}

/* FNV-1a by words; the checksum's own is taken as zero, and zeros fill the last. */
static uint32_t checksum(uint32_t len)
{
    uint32_t h = 2166136261u;

    memset(image + len, 0, -len & 3u);
    for (uint32_t i = 0; i < len; i += 4)
        h = (h ^ (i == CHECKSUM ? 0 : rx_get32(image + i))) * 16777619u;
    return h ^ h >> 15;
}

/* ---- reading */

static bool read_header(struct volume *v, struct xdr_in *x, uint32_t len)
{
    bool right = xdr_get(x) == MAGIC_1 && xdr_get(x) == MAGIC_2 && xdr_get(x) == checksum(len);

    v->id = xdr_get(x);
    v->created = xdr_get(x);
    v->next_unique = xdr_get(x);
    v->next_content = xdr_get(x);
    v->slots = xdr_get(x);
    v->names_len = xdr_get(x);
    v->name_len = xdr_get(x);
    if (!right || v->slots == 0 || v->slots > VOLUME_SLOTS || v->names_len > VOLUME_NAMES
        || v->name_len > VOLUME_NAME || len != image_length(v) || v->next_content >= 1u << 28)
        return false;
    memcpy(v->name, x->at, VOLUME_NAME);
    *x = (struct xdr_in){image + HEADER, len - HEADER, false};
    return true;
}

static void read_vnode(struct vnode *n, struct xdr_in *x)
{
    n->unique = xdr_get(x);
    n->content = xdr_get(x);
    n->length = xdr_get(x);
    n->version = xdr_get(x);
    n->author = xdr_get(x);
    n->owner = xdr_get(x);
    n->group = xdr_get(x);
    n->mode = xdr_get(x);
    n->client_time = xdr_get(x);
    n->server_time = xdr_get(x);
    uint32_t both = xdr_get(x);
    n->parent = (uint16_t)(both >> 16);
    n->links = (uint16_t)both;
    n->type = (uint8_t)xdr_get(x);
}

/* Its bytes are there, as many as it says. */
static bool has_content(struct volume *v, const struct vnode *n)
{
    struct fs_name name;
    struct fs_stat st;

    if (n->content == 0)
        return n->type != AFS_FILE || n->length == 0;
    return n->type == AFS_FILE && n->content < v->next_content
           && !volume_content_name(&name, n->content) && fs_stat(&v->fs, &name, &st) == FS_OK
           && st.size == n->length && st.recfm == FS_FIXED;
}

static bool sane(struct volume *v)
{
    struct volume_name n;
    uint32_t at = 0;

    memset(seen, 0, sizeof(seen));
    for (uint32_t s = 0; s < v->slots; s++) {
        struct vnode *k = &v->vnodes[s];
        if (!k->unique)
            continue;
        if (k->type < AFS_FILE || k->type > AFS_SYMBOLIC || k->unique >= v->next_unique
            || k->parent >= v->slots || v->vnodes[k->parent].type != AFS_DIRECTORY
            || !v->vnodes[k->parent].unique || !has_content(v, k))
            return false;
        if (k->type == AFS_DIRECTORY)
            seen[k->parent] += s != 0;
    }
    for (; volume_next_name(v, &at, &n);) {
        if (n.of >= v->slots || !v->vnodes[n.of].unique)
            return false;
        if (n.slot == VOLUME_TEXT) {
            if (v->vnodes[n.of].type != AFS_SYMBOLIC || v->vnodes[n.of].length != n.len)
                return false;
            continue;
        }
        if (n.slot == 0 || n.slot >= v->slots || !v->vnodes[n.slot].unique || n.len == 0
            || n.len > AFS_NAME_MAX || v->vnodes[n.of].type != AFS_DIRECTORY
            || v->vnodes[n.slot].parent != n.of)
            return false;
        seen[n.slot]++;
    }
    for (uint32_t s = 0; s < v->slots; s++) {
        struct vnode *k = &v->vnodes[s];
        uint32_t names = k->type == AFS_DIRECTORY ? 1u + (s == 0) : 0; /* . and, of the root, .. */
        if (k->unique && k->links != seen[s] + names)
            return false;
    }
    return at == v->names_len && v->vnodes[0].unique == 1 && v->vnodes[0].type == AFS_DIRECTORY;
}

static int load(struct volume *v)
{
    int rc = fs_open(&v->fs, &file, &index_name, buffer, sizeof(buffer));

    if (rc != FS_OK)
        return rc;
    int len = fs_read(&file, image, sizeof(image));
    fs_close(&file);
    if (len < 0)
        return len;
    struct xdr_in x = {image, (uint32_t)len, false};
    if ((uint32_t)len < HEADER || !read_header(v, &x, (uint32_t)len))
        return FS_E_DAMAGED;
    memset(v->vnodes, 0, sizeof(v->vnodes));
    for (uint32_t s = 0; s < v->slots; s++)
        read_vnode(&v->vnodes[s], &x);
    memcpy(v->names, x.at, v->names_len);
    return sane(v) ? FS_OK : FS_E_DAMAGED;
}

/* ---- writing */

static void write_image(const struct volume *v)
{
    struct xdr_out x = {image, sizeof(image), false};
    const uint32_t head[] = {MAGIC_1,        MAGIC_2,         0,        v->id,        v->created,
                             v->next_unique, v->next_content, v->slots, v->names_len, v->name_len};

    memset(image, 0, HEADER);
    for (unsigned i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        xdr_put(&x, head[i]);
    memcpy(x.at, v->name, VOLUME_NAME);
    x.at = image + HEADER;
    for (uint32_t s = 0; s < v->slots; s++) {
        const struct vnode *n = &v->vnodes[s];
        const uint32_t words[] = {n->unique,
                                  n->content,
                                  n->length,
                                  n->version,
                                  n->author,
                                  n->owner,
                                  n->group,
                                  n->mode,
                                  n->client_time,
                                  n->server_time,
                                  (uint32_t)n->parent << 16 | n->links,
                                  n->type};
        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            xdr_put(&x, words[i]);
    }
    memcpy(x.at, v->names, v->names_len);
    rx_put32(image + CHECKSUM, checksum(image_length(v)));
}

static int store(struct volume *v, uint32_t need, uint32_t now)
{
    struct fs_usage usage;

    fs_usage(&v->fs, &usage);
    if (usage.free < volume_index_blocks(v) + need)
        return FS_E_FULL;
    write_image(v);
    int rc =
        fs_create(&v->fs, &file, &index_name, 1, FS_FIXED, FS_BLOCK_SIZE, buffer, sizeof(buffer));
    if (rc != FS_OK)
        return rc;
    fs_write(&file, image, image_length(v));
    return fs_commit(&file, (uint64_t)now + FROM_1900);
}

void volume_revert(struct volume *v)
{
    if (load(v) != FS_OK)
        v->online = false;
}

int volume_save(struct volume *v, uint32_t need, uint32_t now)
{
    int rc = store(v, need, now);

    if (rc != FS_OK)
        volume_revert(v);
    return volume_error(rc);
}

int volume_error(int fs_code)
{
    switch (fs_code) {
    case FS_OK:
        return 0;
    case FS_E_FULL:
    case FS_E_DIRFULL:
        return AFS_VDISKFULL;
    case FS_E_READONLY:
        return AFS_EROFS;
    default:
        return AFS_EIO;
    }
}

/* ---- opening */

/* What a crash left: bytes that no index names. */
static int sweep(struct volume *v)
{
    static const char any[] = {0x5C, 0};
    struct fs_stat st;
    uint32_t cursor = 0, content, s;

    while (fs_list(&v->fs, any, any, -1, &cursor, &st) == FS_OK) {
        if (!content_number(&st.name, &content))
            continue;
        for (s = 0; s < v->slots && !(v->vnodes[s].unique && v->vnodes[s].content == content); s++)
            ;
        int rc = s < v->slots ? FS_OK : fs_erase(&v->fs, &st.name);
        if (rc != FS_OK)
            return rc;
    }
    return FS_OK;
}

static bool any_content(struct volume *v)
{
    static const char any[] = {0x5C, 0};
    struct fs_stat st;
    uint32_t cursor = 0, content;

    while (fs_list(&v->fs, any, any, -1, &cursor, &st) == FS_OK)
        if (content_number(&st.name, &content))
            return true;
    return false;
}

static int make(struct volume *v, uint32_t id, const uint8_t *name, uint32_t name_len, uint32_t now)
{
    v->id = id;
    v->created = now;
    v->next_unique = 2;
    v->next_content = 1;
    v->slots = 1;
    v->names_len = 0;
    memset(v->vnodes, 0, sizeof(v->vnodes));
    memset(v->name, 0, sizeof(v->name));
    memcpy(v->name, name, name_len);
    v->name_len = name_len;
    v->vnodes[0] = (struct vnode){.unique = 1,
                                  .type = AFS_DIRECTORY,
                                  .mode = 0755,
                                  .links = 2,
                                  .version = 1,
                                  .client_time = now,
                                  .server_time = now};
    v->vnodes[0].length = volume_dir_length(v, 0);
    return store(v, VOLUME_SPARE, now);
}

int volume_open(struct volume *v, const struct fs_device *dev, uint32_t id, const uint8_t *name,
                uint32_t name_len, uint32_t now)
{
    v->online = false;
    memset(v->storing, 0, sizeof(v->storing));
    int rc = fs_mount(&v->fs, dev, FS_READWRITE);
    if (rc != FS_OK)
        return rc;
    rc = load(v);
    if (rc == FS_E_NOTFOUND)
        rc = any_content(v) ? FS_E_DAMAGED : make(v, id, name, name_len, now);
    if (rc == FS_OK
        && (v->id != id || v->name_len != name_len || memcmp(v->name, name, name_len) != 0)) {
        v->id = id;              /* the list of volumes gives it another name */
        memset(v->name, 0, sizeof(v->name));
        memcpy(v->name, name, name_len);
        v->name_len = name_len;
        rc = store(v, 0, now);
    }
    if (rc == FS_OK)
        rc = sweep(v);
    v->online = rc == FS_OK;
    return rc;
}
