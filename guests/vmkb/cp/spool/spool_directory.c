/* SPDX-License-Identifier: MIT */
/* The directory of the spool files. Four entries share a block of the volume, and each block has
 * two places: it is written to the one that has the older copy, so that a write that power ends
 * leaves the other. The blocks with changes are written one after another; what waits for them
 * stands in the same line (spool_then). */
#include "spool.h"
#include "dasd.h"
#include "lib.h"

#define MAGIC    0xE5D4D2C2E2D7D3F1UL /* VMKBSPL1 */
#define ENTRIES  4
#define CHUNK    60          /* pairs that IPL reads at one time */
#define PER_PAGE (PAGE_SIZE / sizeof(struct pair))

struct block {
    uint64_t magic;
    uint32_t checksum, generation;
    uint32_t pair;
    uint32_t reserved[3];
    struct spool_entry entry[ENTRIES];
};
_Static_assert(sizeof(struct block) == 512, "one block of the volume");

struct pair {
    struct spool_work work;
    uint32_t number, generation;
    bool queued;
    struct spool_file file[ENTRIES];
};

/* A page of CP's, made when it is first needed. */
struct group {
    struct pair pair[PER_PAGE];
};

static struct group **groups; /* of pairs, by number */
static uint32_t pairs;       /* that there is room for on the volume */
static uint32_t made;        /* that CP has: the first so many */
static uint32_t start, data; /* first block of the directory, of the data pages */
static uint8_t volume;
static struct spool_work *head, *tail;
static struct block out;
static bool writing;
static unsigned failures;

static struct pair *pair_at(uint32_t i)
{
    return &groups[i / PER_PAGE]->pair[i % PER_PAGE];
}

/* One more pair that CP has; false: no room on the volume or in storage. */
static bool make_pair(void)
{
    if (made == pairs)
        return false;
    struct group **g = &groups[made / PER_PAGE];
    if (!*g)
        *g = (struct group *)pages_get(1);
    if (!*g)
        return false;
    struct pair *p = pair_at(made);
    p->number = made++;
    for (int i = 0; i < ENTRIES; i++)
        p->file[i].pair = p;
    return true;
}

void spool_ids(uint64_t owner, uint8_t *taken, size_t size)
{
    memset(taken, 0, size);
    for (uint32_t i = 0; i < made; i++) {
        const struct spool_file *f = pair_at(i)->file;
        for (int k = 0; k < ENTRIES; k++)
            if (f[k].state != SPOOL_FREE && f[k].e.owner == owner)
                taken[f[k].e.id / 8] |= (uint8_t)(1 << f[k].e.id % 8);
    }
}

uint32_t spool_files_total(void)
{
    return pairs * ENTRIES;
}

uint32_t spool_files_made(void)
{
    return made * ENTRIES;
}

void spool_made_by(uint64_t origin, uint32_t *files, uint32_t *pages)
{
    *files = *pages = 0;
    for (uint32_t i = 0; i < made; i++) {
        const struct spool_file *f = pair_at(i)->file;
        for (int k = 0; k < ENTRIES; k++)
            if (f[k].state != SPOOL_FREE && f[k].e.origin == origin) {
                ++*files;
                *pages += f[k].e.pages;
            }
    }
}

static struct spool_file *free_file(struct pair *p)
{
    for (int k = 0; k < ENTRIES; k++)
        if (p->file[k].state == SPOOL_FREE) {
            p->file[k].state = SPOOL_WRITTEN;
            return &p->file[k];
        }
    return 0;
}

struct spool_file *spool_new(void)
{
    static uint32_t look_at;
    struct spool_file *f = 0;

    for (uint32_t i = 0; i < made && !f; i++) {
        f = free_file(pair_at(look_at));
        if (!f)
            look_at = look_at + 1 < made ? look_at + 1 : 0;
    }
    return f ? f : make_pair() ? free_file(pair_at(look_at = made - 1)) : 0;
}

static const struct spool_extent *spool_extents(const struct spool_file *f)
{
    return f->map ? f->map : f->e.extent;
}

uint32_t spool_page(const struct spool_file *f, uint32_t n)
{
    const struct spool_extent *x = spool_extents(f);

    for (; n >= x->pages; x++)
        n -= x->pages;
    return x->first + n;
}

void spool_free_pages(struct spool_file *f)
{
    const struct spool_extent *x = spool_extents(f);

    for (uint32_t i = 0; i < f->e.extents; i++)
        space_give(x[i].first, x[i].pages);
    if (f->map) {
        space_give(f->e.map, 1);
        pages_free(f->map, 1);
    }
    f->map = 0;
    f->state = SPOOL_FREE;
    memset(&f->e, 0, sizeof(f->e));
}

static bool request(bool write, uint32_t block, uint32_t count, void *at,
                    void (*done)(struct dasd_request *r), struct vm *vm, void *arg)
{
    struct dasd_request *r = dasd_get();

    if (!r)
        return false;
    *r = (struct dasd_request){.volume = volume, .write = write, .block = block, .count = count,
                               .data = at, .owner = vm ? &vm->acct : &acct_system, .done = done,
                               .vm = vm, .arg = arg};
    dasd_start(r);
    return true;
}

bool spool_io(bool write, uint32_t page, uint8_t *at, void (*done)(struct dasd_request *r),
              struct vm *vm, void *arg)
{
    return request(write, data + page * SPOOL_BLOCKS, SPOOL_BLOCKS, at, done, vm, arg);
}

static void snapshot(struct pair *p)
{
    memset(&out, 0, sizeof(out));
    out.magic = MAGIC;
    out.generation = p->generation + 1;
    out.pair = p->number;
    for (int i = 0; i < ENTRIES; i++) {
        struct spool_file *f = &p->file[i];
        if (f->state == SPOOL_GOING)
            f->state = SPOOL_GONE;
        else if (f->state >= SPOOL_FILING && f->state <= SPOOL_READ)
            out.entry[i] = f->e;
    }
    out.checksum = vol_checksum(&out, sizeof(out));
}

static void written(struct dasd_request *r);

/* The head of the line: a pair is written, who waits is called. */
static void next(void)
{
    while (head && !writing) {
        struct spool_work *w = head;
        head = w->next;
        if (w->done) {
            w->done(w, failures == w->failures);
            continue;
        }
        struct pair *p = (struct pair *)w;
        p->queued = false;
        snapshot(p);
        uint32_t place = start + 2 * p->number + (out.generation & 1);
        writing = request(true, place, 1, &out, written, 0, p);
        failures += !writing;
    }
}

static void written(struct dasd_request *r)
{
    struct pair *p = r->arg;

    writing = false;
    if (r->result == 0) {
        p->generation++;
        for (int i = 0; i < ENTRIES; i++)
            if (p->file[i].state == SPOOL_GONE)
                spool_free_pages(&p->file[i]);
    } else {
        failures++;
        operator_say("DMKSPL430E SPOOL DIRECTORY CANNOT BE WRITTEN, BLOCK %u", r->block);
    }
    next();
}

static void join(struct spool_work *w)
{
    w->next = 0;
    if (head)
        tail->next = w;
    else
        head = w;
    tail = w;
}

void spool_changed(struct spool_file *f)
{
    struct pair *p = f->pair;

    if (!p->queued)
        join(&p->work);
    p->queued = true;
    next();
}

void spool_then(struct spool_work *w)
{
    w->failures = failures;
    join(w);
    next();
}

/* ---- IPL */

static bool right(struct block *b, uint32_t pair)
{
    uint32_t sum = b->checksum;

    b->checksum = 0;
    bool good = b->magic == MAGIC && b->pair == pair && vol_checksum(b, sizeof(*b)) == sum;
    b->checksum = sum;
    return good;
}

static bool mark(struct spool_file *f)
{
    const struct spool_extent *x = spool_extents(f);

    if (f->map && !space_mark(f->e.map, 1))
        return false;
    for (uint32_t i = 0; i < f->e.extents; i++)
        if (!space_mark(x[i].first, x[i].pages))
            return false;
    return true;
}

/* A file with many extents: the page that has them stays in storage. */
static bool read_map(struct spool_file *f)
{
    if (f->e.extents <= SPOOL_EXTENTS)
        return true;
    f->map = f->e.extents <= SPOOL_MAPPED ? (struct spool_extent *)pages_get(1) : 0;
    return f->map
           && dasd_read_now(volume, data + f->e.map * SPOOL_BLOCKS, SPOOL_BLOCKS, f->map) == 0;
}

static void take_in(struct pair *p, const struct block *b)
{
    p->generation = b->generation;
    for (int i = 0; i < ENTRIES; i++) {
        struct spool_file *f = &p->file[i];
        if (!b->entry[i].queue)
            continue;
        f->e = b->entry[i];
        f->state = SPOOL_FILED;
        if (!read_map(f) || !mark(f)) {
            operator_say("DMKCKS915E SPOOL FILE %04u OF %.8s IS DAMAGED", f->e.id,
                         (const char *)&f->e.owner);
            f->state = SPOOL_GONE;
            continue;
        }
        spool_link(f);
    }
}

/* A pair as it was read: the copy that is right and newer. False: neither was ever written. */
static bool pair_read(struct block b[2], uint32_t number)
{
    bool good[2] = {right(&b[0], number), right(&b[1], number)};

    if (!b[0].magic && !b[1].magic)
        return false;
    while (made <= number)
        if (!make_pair())
            return false;
    if (!good[0] && !good[1] && (!b[0].magic || !b[1].magic))
        return true;         /* power ended its first write: nothing was told as closed */
    if (!good[0] && !good[1])
        operator_say("DMKCKS916E SPOOL DIRECTORY IS DAMAGED: UP TO FOUR FILES ARE LOST");
    else if (good[0] && (!good[1] || (int32_t)(b[0].generation - b[1].generation) > 0))
        take_in(pair_at(number), &b[0]);
    else
        take_in(pair_at(number), &b[1]);
    return true;
}

/* Pairs come into use in their order, but for those of files that are written at one time: behind
 * CHUNK that never were there is none. */
static void read_all(struct block *b)
{
    for (uint32_t from = 0; from < pairs; from += CHUNK) {
        uint32_t n = pairs - from < CHUNK ? pairs - from : CHUNK;
        bool any = false;
        if (dasd_read_now(volume, start + 2 * from, 2 * n, b) != 0) {
            operator_say("DMKCKS917E SPOOL DIRECTORY CANNOT BE READ");
            return;
        }
        for (uint32_t i = 0; i < n; i++)
            any |= pair_read(&b[2 * i], from + i);
        if (!any)
            return;
    }
}

void spool_start(uint8_t on, const struct vol_area *area)
{
    uint32_t buffer = (2 * CHUNK * 512 + PAGE_SIZE - 1) / PAGE_SIZE;

    if (!area->blocks)
        return;
    pairs = area->blocks / 32;
    uint32_t table = (pairs / PER_PAGE + 1) * sizeof(*groups);
    groups = (struct group **)pages_get((table + PAGE_SIZE - 1) / PAGE_SIZE);
    void *b = pages_get(buffer);
    volume = on;
    start = area->start;
    data = start + 2 * pairs;
    if (!groups || !b || !space_start((area->blocks - 2 * pairs) / SPOOL_BLOCKS))
        pairs = 0;
    else
        read_all(b);
    pages_free(b, buffer);
}
