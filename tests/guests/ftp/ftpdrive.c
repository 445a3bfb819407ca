/* SPDX-License-Identifier: MIT */
/* Runs FTP's pure parts (text.c, paths.c, replies.c, names.c, passive.c, address.c) on lines from
 * standard input; files are lists of records. */
#include "../words.h"
#include "ctype.h"
#include "names.h"
#include "null_file.h"
#include "paths.h"
#include "address.h"
#include "passive.h"
#include "replies.h"
#include "text.h"

enum { MOST = 1 << 20 };


static struct { uint32_t at, len; } records[65536];
/* old_count: if not 0, what is read ends there and the rest was written */
static uint32_t count, next, old_count;
static uint8_t bytes[MOST], given[MOST];
static uint32_t used;

int fs_next(struct fs_file *file, const uint8_t **record, uint32_t *length)
{
    (void)file;
    if (next == (old_count ? old_count - 1 : count))
        return FS_EOF;
    free(*(void **)file);    /* a record is good until the next call only */
    uint8_t *copy = malloc(records[next].len + 1);
    memcpy(copy, bytes + records[next].at, records[next].len);
    *(void **)file = copy;
    *record = copy;
    *length = records[next++].len;
    return FS_OK;
}

int fs_read(struct fs_file *file, void *buf, uint32_t size)
{
    uint32_t n = used - next < size ? used - next : size;
    (void)file;
    memcpy(buf, bytes + next, n);
    next += n;
    return (int)n;
}

int fs_seek(struct fs_file *file, uint32_t position)
{
    (void)file;
    if (position > used)
        return FS_E_STATE;
    next = position;
    return FS_OK;
}

int fs_write_record(struct fs_file *file, const void *record, uint32_t length)
{
    (void)file;
    if (used + length > MOST || count == 65536)
        return FS_E_FULL;
    memcpy(bytes + used, record, length);
    records[count].at = used;
    records[count++].len = length;
    used += length;
    return FS_OK;
}

/* What lies whole in a file's buffer now and then, and ends anywhere: every fifth record is not
 * there. */
uint32_t fs_next_lines(struct fs_file *file, uint8_t *to, uint32_t size, const uint8_t end[2])
{
    uint32_t n = 0;

    (void)file;
    for (; next < count && next % 5 != 4 && records[next].len + 2 <= size - n; next++) {
        memcpy(to + n, bytes + records[next].at, records[next].len);
        n += records[next].len;
        memcpy(to + n, end, 2);
        n += 2;
    }
    return n;
}

uint32_t fs_write_lines(struct fs_file *file, const uint8_t *from, uint32_t size, uint32_t most,
                        const uint8_t end[2])
{
    uint32_t at = 0;

    while (count % 5 != 4) {
        const uint8_t *last = memchr(from + at, end[1], size - at);
        if (!last || last == from + at || last[-1] != end[0]
            || (uint32_t)(last - from) - 1 - at > most
            || fs_write_record(file, from + at, (uint32_t)(last - from) - 1 - at) != FS_OK)
            break;
        at = (uint32_t)(last - from) + 1;
    }
    return at;
}

int fs_write(struct fs_file *file, const void *data, uint32_t size)
{
    (void)file;
    if (used + size > MOST)
        return FS_E_FULL;
    memcpy(bytes + used, data, size);
    used += size;
    return FS_OK;
}

/* Hexadecimal digits up to a character that is none. */
static uint32_t hex(const char **p, uint8_t *to)
{
    size_t n = unhex(*p, to, MOST);

    *p += 2 * n;
    return (uint32_t)n;
}

static const char *load(const char *p)
{
    count = used = next = old_count = 0;
    while (*p == '/') {
        p++;
        records[count].at = used;
        records[count].len = hex(&p, bytes + used);
        used += records[count++].len;
    }
    return p;
}

static void outgoing(int ascii, int recfm, uint32_t piece, uint64_t skip, const char *p)
{
    struct text_out t;
    void *held = 0;
    long n;

    load(p);
    text_out_start(&t, (struct fs_file *)&held, ascii, (uint8_t)recfm);
    uint8_t *space = malloc(piece);
    n = text_out_skip(&t, skip, space, piece);
    free(space);
    if (n == FS_OK)
        do {
            uint8_t *to = malloc(piece);
            n = text_out(&t, to, piece);
            if (n > 0)
                put_hex(to, (uint32_t)n);
            free(to);
        } while (n > 0);
    free(held);
    printf(" %ld\n", n);
}

static int take(struct text_in *t, const char *p)
{
    int rc = FS_OK;

    while (*p == '/' && rc == FS_OK) {
        p++;
        uint32_t n = hex(&p, given);
        uint8_t *piece = malloc(n);
        memcpy(piece, given, n);
        rc = text_in(t, piece, n);
        free(piece);
    }
    return rc == FS_OK ? text_in_end(t) : rc;
}

/* The records of an old file, a colon, and pieces from the wire that come behind the first n bytes
 * of it. */
static void keeping(int ascii, int recfm, uint32_t lrecl, uint64_t n, const char *p)
{
    static uint8_t record[200];
    struct text_in t;
    void *held = 0;

    p = load(p);
    uint32_t first = count, from = used;
    old_count = count + 1;
    text_in_start(&t, 0, ascii, (uint8_t)recfm, lrecl, record, sizeof(record));
    int rc = text_in_keep(&t, (struct fs_file *)&held, n);
    free(held);
    if (rc == FS_OK)
        rc = take(&t, p + 1);
    printf("%d ", rc);
    if (!ascii && recfm == FS_FIXED)
        put_hex(bytes + from, used - from);
    else
        for (uint32_t i = first; i < count; i++) {
            putchar('/');
            put_hex(bytes + records[i].at, records[i].len);
        }
    putchar('\n');
}

static void incoming(int ascii, int recfm, uint32_t lrecl, uint32_t limit, const char *p)
{
    struct text_in t;
    uint8_t *record = malloc(limit);

    load("");
    text_in_start(&t, 0, ascii, (uint8_t)recfm, lrecl, record, limit);
    int rc = take(&t, p);
    free(record);
    printf("%d ", rc);
    if (!count)
        put_hex(bytes, used);
    for (uint32_t i = 0; i < count; i++) {
        putchar('/');
        put_hex(bytes + records[i].at, records[i].len);
    }
    putchar('\n');
}

static void replies(const char *p)
{
    struct reply_reader r;

    reply_init(&r);
    while (*p == '/') {
        p++;
        uint32_t n = hex(&p, given), at = 0;
        uint8_t *piece = malloc(n);
        memcpy(piece, given, n);
        while (at < n) {
            at += reply_feed(&r, piece + at, n - at);
            if (!r.whole)
                continue;
            printf("%d%c", r.code, r.bad ? '?' : r.final ? '.' : '-');
            put_hex(r.line, r.len);
            putchar(' ');
        }
        free(piece);
    }
    putchar('\n');
}

static void texts(const char *p)
{
    uint32_t ip = 0;
    uint16_t passive = 0, extended = 0;
    uint64_t size = 0;
    uint32_t n = hex(&p, given);
    char *text = malloc(n + 1);

    memcpy(text, given, n);
    text[n] = 0;
    int a = reply_passive(text, &ip, &passive), b = reply_extended_passive(text, &extended),
        c = reply_size(text, &size);
    printf("%d %u %u %d %u %d %lu\n", a, a ? ip : 0, a ? passive : 0, b, b ? extended : 0, c,
           c ? size : 0);
    free(text);
}

static void words(const char *p)
{
    struct words w;
    struct local_name name;
    uint32_t n = hex(&p, given);
    char *text = malloc(n + 1);
    int taken = 0;

    memcpy(text, given, n);
    text[n] = 0;
    if (!words_cut(&w, text)) {
        printf("too many\n");
    } else {
        printf("%d %d %d %s|", w.n, w.replace, w.bad_option != 0, w.rest);
        const char *why = w.n > 1 ? name_local(&w, 1, false, &name, &taken) : "none";
        if (why)
            printf("%s|", why);
        else
            printf("%s %s %s %d|", name.fn, name.ft, name.fm, taken);
        why = name_from_foreign(w.w[1], &name);
        if (why)
            printf("%s\n", why);
        else
            printf("%s %s\n", name.fn, name.ft);
    }
    free(text);
}

static void paths(int kind, const char *p)
{
    static const char *(*const read[])(const char *, const char *,
                                       struct path *) = {path_disk, path_file, path_pattern};
    struct path path = {.fn = "", .ft = ""};
    uint32_t n = hex(&p, given);
    char *text = malloc(n + 1);

    memcpy(text, given, n);
    text[n] = 0;
    const char *why = read[kind](text, "ME", &path);
    if (why)
        printf("%s\n", why);
    else if (path.named)
        printf("%s.%03X %s %s\n", path.owner, path.vaddr, path.fn, path.ft);
    else
        printf("- %s %s\n", path.fn, path.ft);
    free(text);
}

/* A name, a slash and a pattern. */
static void match(const char *p)
{
    uint32_t n = hex(&p, given);
    char *name = malloc(n + 1);

    memcpy(name, given, n);
    name[n] = 0;
    p++;
    n = hex(&p, given);
    char *pattern = malloc(n + 1);
    memcpy(pattern, given, n);
    pattern[n] = 0;
    printf("%d\n", name_matches(name, pattern));
    free(name);
    free(pattern);
}

/* hex of an IPL parameter; then the next `ports` ports, and what peer is told and believed. */
static void passive(unsigned ports, uint32_t peer, uint32_t ip, const char *text_hex)
{
    struct passive p = {0, 0, 0, 0, 0};
    uint32_t n = hex(&text_hex, given);
    char *text = malloc(n + 1);

    memcpy(text, given, n);
    text[n] = 0;
    printf("%d", passive_options(&p, text));
    printf(" %u %x %x", passive_count(&p), passive_announced(&p, peer, ip),
           passive_client(&p, peer, ip));
    for (unsigned i = 0; i < ports; i++)
        printf(" %u", passive_next(&p));
    puts("");
    free(text);
}

/* hex of an address of IPv6: whether it is one, what it stands for, and characters behind it. */
static void address(const char *text_hex)
{
    uint32_t n = hex(&text_hex, given), ip = 0;
    char *text = malloc(n + 1);
    const char *p = text;

    memcpy(text, given, n);
    text[n] = 0;
    int good = ip6_read(&p, &ip);
    printf("%d %x %zu\n", good, good ? ip : 0, good ? strlen(p) : 0);
    free(text);
}

/* Pieces in hexadecimal, with a colon between them. */
static void null_pieces(const char *p)
{
    struct null_file f = {0};

    for (;; p++) {
        null_file_add(&f, given, hex(&p, given));
        if (*p != ':')
            break;
    }
    printf("%lu %08X\n", (unsigned long)f.bytes, f.sum);
}

int main(void)
{
    static char line[4 * MOST];
    char text[200];

    while (fgets(line, sizeof(line), stdin)) {
        unsigned long a = 0, b = 0, c = 0, d = 0;
        char kind = line[0];
        const char *data = strchr(line, ';');
        sscanf(line + 1, "%lu %lu %lu %lu", &a, &b, &c, &d);
        switch (kind) {
        case 'O': outgoing((int)a, (int)b, (uint32_t)c, d, data + 1); break;
        case 'I': incoming((int)a, (int)b, (uint32_t)c, (uint32_t)d, data + 1); break;
        case 'K': keeping((int)a, (int)b, (uint32_t)c, d, data + 1); break;
        case 'G': match(data + 1); break;
        case 'D': paths((int)a, data + 1); break;
        case 'R': replies(data + 1); break;
        case 'T': texts(data + 1); break;
        case 'W': words(data + 1); break;
        case 'P': passive((unsigned)a, (uint32_t)b, (uint32_t)c, data + 1); break;
        case 'A': address(data + 1); break;
        case 'N': null_pieces(data + 1); break;
        case 'M':
            transfer_message(text, sizeof(text), a, b);
            puts(text);
            break;
        }
        fflush(stdout);
    }
    return 0;
}
