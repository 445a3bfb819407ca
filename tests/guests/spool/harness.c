/* SPDX-License-Identifier: MIT */
/* cp/spool over a volume in storage, with power that fails in the middle of a chosen write. Each
 * IPL is a process of its own: what it leaves is the volume, and what two machines were told.
 *   harness SEED IPLS BLOCKS    -> files verified, files told as closed that were there */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../vol_checksum.h"
#include "spool.h"
#include "dasd.h"
#include "lib.h"
#include "spool_directory.c"

#define FILES 20000
#define RECORD 80
enum { NEVER, CLOSING, CLOSED, PURGING, GONE };

/* What outlives an IPL. */
static struct world {
    uint32_t numbers;        /* of files */
    uint32_t records[FILES];
    uint8_t told[FILES];
    uint64_t verified, kept;
    uint8_t disk[];
} *world;

static uint32_t blocks, writes_left;
static struct dasd_request requests[64], *queue[64];
static bool in_use[64];
static unsigned queued;
static uint8_t storage[2 * SPOOL_PAGE];

static struct user {
    struct vm vm;
    uint32_t now;            /* the number of the file that is written or goes, 0: none */
    uint8_t after;           /* what it is when the machine goes on */
} users[2];
struct vm vms[VM_MAX];
struct account acct_system;

static void fail(const char *why, uint32_t n)
{
    fprintf(stderr, "%s: file %u of %u\n", why, n, world->numbers);
    _exit(1);
}

/* ---- what CP is to cp/spool */

uint8_t *pages_get(uint32_t pages) { return calloc(pages, PAGE_SIZE); }
void pages_free(void *p, uint32_t pages) { (void)pages, free(p); }
uint64_t unix_us(void) { return 1; }
void task_later(struct task *t) { (void)t; }
void console_say(struct vm *vm, const char *f, ...) { (void)vm, (void)f; }
void vm_hold(struct vm *vm, uint32_t why) { vm->wait |= why; }
void vm_release(struct vm *vm, uint32_t why) { vm->wait &= ~why; }
void vm_io_done(struct vm *vm) { vm->wait &= ~(uint32_t)WAIT_IO; }
const void *vm_text(struct vm *vm, uint64_t at, uint64_t n)
{
    (void)vm, (void)at, (void)n;
    return 0;
}

struct spool_device *spool_device(struct vm *vm, uint16_t vaddr)
{
    return &vm->spool[vaddr];
}

/* no user has a limit here */
uint32_t spool_share_left(const struct vm *vm, uint32_t aside)
{
    (void)aside;
    (void)vm;
    return UINT32_MAX;
}

void spool_share_start(void)
{
}

void operator_say(const char *f, ...)
{
    if (strstr(f, "DAMAGED") || strstr(f, "CANNOT"))
        fail(f, 0);
}

struct vm *vm_find(const char *userid)
{
    for (int i = 0; i < 2; i++)
        if (strcmp(users[i].vm.userid, userid) == 0)
            return &users[i].vm;
    return 0;
}

struct dasd_request *dasd_get(void)
{
    for (int i = 0; i < 64; i++)
        if (!in_use[i]) {
            in_use[i] = true;
            return &requests[i];
        }
    return 0;
}

void dasd_start(struct dasd_request *r) { queue[queued++] = r; }

int dasd_read_now(uint8_t v, uint32_t at, uint32_t count, void *to)
{
    (void)v;
    memcpy(to, world->disk + at * 512, count * 512);
    return 0;
}

/* The first request ends. The last write is cut: only some of its bytes come to the volume. */
static void step(void)
{
    struct dasd_request *r = queue[0];
    uint8_t *at = world->disk + r->block * 512;

    if (!queued)
        fail("a machine waits for nothing", 0);
    memmove(queue, queue + 1, --queued * sizeof(*queue));
    if (r->write && writes_left-- == 0) {
        memcpy(at, r->data, (size_t)rand() % (r->count * 512));
        _exit(0);
    }
    if (r->write)
        memcpy(at, r->data, r->count * 512);
    else
        memcpy(r->data, at, r->count * 512);
    r->result = 0;
    r->done(r);
    in_use[r - requests] = false;
}

/* ---- what two machines do */

static void settle(struct user *u)
{
    if (u->vm.wait || !u->after)
        return;
    world->told[u->now] = u->after;
    u->after = NEVER;
    u->now = 0;
}

static void record(char text[RECORD], uint32_t n, uint32_t i)
{
    memset(text, ' ', RECORD);
    snprintf(text, RECORD, "%u.%u", n, i);
}

static void put(struct user *u)
{
    uint8_t buffer[SPOOL_PAGE];
    struct spool_device *d = &u->vm.spool[DEV_PUN];
    uint32_t n = 0, most = (uint32_t)rand() % 40 + 1;

    if (!u->now) {
        if (world->numbers + 1 == FILES)
            return;
        u->now = ++world->numbers;
        world->records[u->now] = 0;
    }
    for (uint32_t i = 0; i < most; i++, n += SPOOL_HEAD + RECORD) {
        buffer[n] = SPOOL_OP_CARD;
        buffer[n + 1] = RECORD;
        record((char *)buffer + n + SPOOL_HEAD, u->now, world->records[u->now] + i);
    }
    long rc = spool_write(&u->vm, d, buffer, n);
    if (rc == 0)
        world->records[u->now] += most;
    else if (rc != DIAG_ELIMIT)
        fail("a write was refused", u->now);
}

static void finish(struct user *u, bool drop)
{
    struct spool_device *d = &u->vm.spool[DEV_PUN];

    if (!d->out) {
        u->now = 0;
        return;
    }
    snprintf(spool_name(d), SPOOL_NAME, "%u", u->now);
    u->after = drop ? GONE : CLOSED;
    world->told[u->now] = drop ? PURGING : CLOSING;
    spool_close(&u->vm, d, drop);
}

static void remove_one(struct user *u)
{
    struct spool_file *f = 0;

    for (int skip = rand() % 8; skip >= 0; skip--) {
        struct spool_file *next = spool_next(u->vm.userid, SPOOL_RDR, f);
        if (!next)
            break;
        f = next;
    }
    if (!f || u->now || f->state != SPOOL_FILED)
        return;
    u->now = (uint32_t)atoi(f->e.name);
    u->after = GONE;
    world->told[u->now] = PURGING;
    spool_purge(f);
    spool_wait(&u->vm);
}

static void act(struct user *u)
{
    int what = rand() % 10;

    if (what < 4)
        put(u);
    else if (what < 6 && u->now)
        finish(u, rand() % 10 == 0);
    else
        remove_one(u);
}

/* ---- what an IPL finds */

static uint32_t verify_records(struct user *u, uint32_t n)
{
    static uint8_t left[512];
    struct spool_device *d = &u->vm.spool[DEV_RDR];
    uint32_t have = 0, count = 0;
    char want[RECORD];
    long got;

    while ((got = spool_read(&u->vm, d, VM_LOW, SPOOL_PAGE)) > 0) {
        while (u->vm.wait)
            step();
        for (long at = 0; at < got; at++) {
            left[have++] = storage[at];
            if (have < SPOOL_HEAD + RECORD)
                continue;
            record(want, n, count++);
            if (left[1] != RECORD || memcmp(left + SPOOL_HEAD, want, RECORD) != 0)
                fail("a record is another", n);
            have = 0;
        }
    }
    spool_reset(&u->vm);
    return have ? UINT32_MAX : count;
}

static void verify(struct user *u, bool seen[FILES])
{
    for (struct spool_file *f = 0; (f = spool_next(u->vm.userid, SPOOL_RDR, f)) != 0;) {
        uint32_t n = (uint32_t)atoi(f->e.name);
        if (n == 0 || n > world->numbers || seen[n])
            fail("a file that was never", n);
        seen[n] = true;
        if (world->told[n] == GONE)
            fail("a file that was purged", n);
        u->vm.spool[DEV_RDR].in = f;
        u->vm.spool[DEV_RDR].page = 0;
        f->state = SPOOL_READ;
        if (verify_records(u, n) != world->records[n])
            fail("too few records", n);
        world->verified++;
    }
}

static void look_around(void)
{
    static bool seen[FILES];

    verify(&users[0], seen);
    verify(&users[1], seen);
    for (uint32_t n = 1; n <= world->numbers; n++) {
        if (world->told[n] == CLOSED && !seen[n])
            fail("a file that was closed is lost", n);
        world->kept += world->told[n] == CLOSED;
        world->told[n] = seen[n] ? CLOSED : GONE;
    }
}

static void ipl(unsigned seed)
{
    struct vol_area area = {.start = 0, .blocks = blocks};

    srand(seed);
    writes_left = (uint32_t)rand() % 200;
    for (int i = 0; i < 2; i++) {
        struct vm *vm = &users[i].vm;
        vm->state = VM_HERE;
        vm->store = storage;
        vm->span = sizeof(storage);
        vm->logon_tod = 1;
        fmt(vm->userid, sizeof(vm->userid), "USER%d", i);
        vm->spool[DEV_PUN] = (struct spool_device){.vaddr = 0xd, .class = 'A', .to_reader = 1};
        fmt(vm->spool[DEV_PUN].to, 9, "USER%d", rand() % 2);
        vm->spool[DEV_RDR] = (struct spool_device){.vaddr = 0xc, .class = '*'};
    }
    spool_start(0, &area);
    look_around();
    for (;;) {
        struct user *u = &users[rand() % 2];
        settle(&users[0]);
        settle(&users[1]);
        if (queued && (u->vm.wait || rand() % 3 == 0))
            step();
        else if (!u->vm.wait)
            act(u);
    }
}

int main(int argc, char **argv)
{
    unsigned seed = (unsigned)atoi(argv[1]), ipls = (unsigned)atoi(argv[2]);
    int status;

    blocks = (uint32_t)atoi(argv[argc - 1]);
    world = mmap(0, sizeof(*world) + blocks * 512, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < ipls; i++) {
        if (fork() == 0)
            ipl(seed * 100000 + i);
        wait(&status);
        if (status != 0)
            return 1;
    }
    printf("%lu %lu\n", (unsigned long)world->verified, (unsigned long)world->kept);
    return 0;
}
