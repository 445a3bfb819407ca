/* SPDX-License-Identifier: QPL-1.0 */
/* vmkb's counting emulator with a profile: each instruction is counted once more by its real
 * address, in the table of the account that it is for. Whose instructions follow is asked of the
 * guest at each DIAGNOSE X'F08', by which its control program reads its clocks; so the sum of an
 * account's table is what the guest charges to it, to the instruction. A guest whose control
 * program does not register has two tables, by the state of the CPU, and its programs read the
 * counter. docs/reference/profile.md has the guest's side and the file. Only the CPU thread comes
 * here.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "profile.h"
#include <sys/mman.h>

#define PAGE     4096
#define IN_PAGE  (PAGE / 2)        /* counters: instructions begin at even addresses */
#define ACCOUNTS 256
#define FILE_NAME "profile.counts"
#define START    1 /* what a request asks: the guest's first words and the sample of an account */
#define SAMPLE   2
#define RECORD_START  1
#define RECORD_SAMPLE 2
#define KERNEL   0  /* the accounts of a guest that does not register: by REGS.problem */
#define PROGRAMS 1
#define BY (PROFILE_SIE | PROFILE_PROBLEM)

struct table {
    U64 account;                   /* its real address in the guest; 0: nobody yet */
    U64 *counts; /* one for each halfword of main storage; pages that are touched exist */
    U64 *touched;                  /* one for each page: PROFILE_TOUCH */
    int sie;                       /* a guest under SIE has executed for it */
};

/* KERNEL and PROGRAMS as a guest writes them. */
static const BYTE kernel[] = "\xd2\xc5\xd9\xd5\xc5\xd3\x40\x40";
static const BYTE programs[] = "\xd7\xd9\xd6\xc7\xd9\xc1\xd4\xe2";
static struct table tables[ACCOUNTS], *now;
static struct table *machine;      /* that the guest's control program is leaving for */
/* where the guest keeps whom it works for; its two special accounts */
static U64 current_at, idle, system_work;
static int out;                    /* the last reading was the one on the way to a machine */
static FILE *file;
int vmkb_profile_leaving;
BYTE *vmkb_profile_fetched;

static void fail(const char *why)
{
    logmsg("HHCVM001S Profile: %s\n", why);
    exit(1);
}

static void *zeros(size_t size)
{
    void *p =
        mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        fail("there is no storage for its counters");
    return p;
}

static struct table *table_of(U64 account)
{
    unsigned i = account / 8 % ACCOUNTS, tried = 0;

    for (; tables[i].counts && tables[i].account != account; i = (i + 1) % ACCOUNTS)
        if (++tried == ACCOUNTS)
            fail("the guest has more accounts than it can keep");
    if (!tables[i].counts)
        tables[i] = (struct table){account, zeros(sysblk.mainsize * 4),
                                   zeros(sysblk.mainsize / PAGE * 8), 0};
    return &tables[i];
}

/* Counting goes on in another table, on the page where instructions are taken from now. */
static void go_on_in(REGS *regs, struct table *t)
{
    U64 page = (U64)(regs->aip - regs->mainstor) / PAGE;

    now = t;
    regs->profile = (BYTE *)t->counts - 4 * (uintptr_t)regs->mainstor;
    regs->touched = t->touched;
    if (page < sysblk.mainsize / PAGE)
        PROFILE_TOUCH(regs, regs->aip, regs->AIV_G);
}

/* The CPU has gone into problem state, or out of it. */
void vmkb_profile_state(REGS *regs)
{
    if (!current_at)
        go_on_in(regs, table_of(regs->problem ? PROGRAMS : KERNEL));
}

void vmkb_profile_begin(REGS *regs)
{
    if (now)
        go_on_in(regs, now);
    vmkb_profile_state(regs);
}

static U64 doubleword(U64 address)
{
    if (address + 8 > sysblk.mainsize)
        fail("the guest names a place outside its storage");
    return fetch_dw(sysblk.mainstor + address);
}

static void put(U64 value, int bytes)
{
    for (; bytes; bytes--, value >>= 8)
        putc((int)(value & 0xff), file);
}

static void put_head(int kind, U32 entries, U64 account, const BYTE *name, U64 count)
{
    put(kind, 4);
    put(entries, 4);
    put(account, 8);
    fwrite(name, 1, 8, file);
    put(count, 8);
}

static void put_page(const U64 *counts, U64 address)
{
    for (int i = 0; i < IN_PAGE; i++)
        if (counts[i]) {
            put(address + 2 * i, 8);
            put(counts[i], 8);
        }
}

static U32 nonzero(const U64 *counts)
{
    U32 n = 0;

    for (int i = 0; i < IN_PAGE; i++)
        n += counts[i] != 0;
    return n;
}

static void open_file(void)
{
    if (file)
        return;
    file = fopen(FILE_NAME, "wb");
    if (!file)
        fail("its file cannot be made");
    fwrite("VMKBPROF", 1, 8, file);
    put(2, 4);
    put(sysblk.mainsize >> 20, 4);
}

/* A sample: what was counted in T since the last one, on pages that were touched BY such
 * instructions, behind what is in the file. */
static void part(const REGS *regs, struct table *t, const BYTE *name, unsigned by, int is_virtual)
{
    U64 pages = sysblk.mainsize / PAGE;
    U32 entries = 0;

    for (U64 page = 0; page < pages; page++)
        if (t->touched[page] && (t->touched[page] & BY) == by)
            entries += nonzero(t->counts + page * IN_PAGE);
    put_head(RECORD_SAMPLE, entries, t->account, name, regs->exactcount);
    for (U64 page = 0; page < pages; page++)
        if (t->touched[page] && (t->touched[page] & BY) == by) {
            put_page(t->counts + page * IN_PAGE,
                     is_virtual ? t->touched[page] & -(U64)PAGE : page * PAGE);
            memset(t->counts + page * IN_PAGE, 0, IN_PAGE * sizeof(U64));
            t->touched[page] = 0;
        }
}

/* What was counted for an account; of one with a guest under SIE, then the guest's in supervisor
 * state and in problem state. A kernel's addresses are virtual: its modules are anywhere in real
 * storage. */
static void sample(const REGS *regs, U64 account, const BYTE *name)
{
    struct table *t = table_of(account);

    open_file();
    for (U64 page = 0; page < sysblk.mainsize / PAGE && !t->sie; page++)
        t->sie = (t->touched[page] & PROFILE_SIE) != 0;
    part(regs, t, name, 0, !current_at && account == KERNEL);
    if (t->sie) {
        part(regs, t, kernel, PROFILE_SIE, 1);
        part(regs, t, programs, BY, 0);
    }
    if (fflush(file) != 0)
        fail("its file cannot be written: is the disk full?");
}

/* The guest is IPLed: what was counted before is nobody's. */
static void start(U64 request)
{
    for (int i = 0; i < ACCOUNTS; i++)
        if (tables[i].counts) {
            munmap(tables[i].counts, sysblk.mainsize * 4);
            munmap(tables[i].touched, sysblk.mainsize / PAGE * 8);
            tables[i] = (struct table){0, 0, 0, 0};
        }
    vmkb_profile_leaving = out = 0;
    current_at = doubleword(request + 8);
    idle = doubleword(request + 16);
    system_work = doubleword(request + 24);
    open_file();
    put_head(RECORD_START, 0, 0, (const BYTE *)"        ", 0);
    fflush(file);
}

/* The machine's first instruction: until here CP was on its way out, on behalf of whom it worked
 * for before. */
void vmkb_profile_run(REGS *regs)
{
    vmkb_profile_leaving = 0;
    go_on_in(regs, machine);
}

static void move_one(const REGS *regs, struct table *to, const BYTE *instruction)
{
    U64 at = instruction - regs->mainstor;

    if (at >= sysblk.mainsize || !now->counts[at / 2])
        return;
    now->counts[at / 2]--;
    to->counts[at / 2]++;
    to->touched[at / PAGE] = 1;
}

/* CP is back. What it has executed until it could read, the reading itself and the instruction that
 * was fetched first, is of whom it works for now. */
static void entered(REGS *regs, struct table *by)
{
    const BYTE *reading = regs->ip - 4;

    vmkb_profile_leaving = 0;
    if (by == now)
        return;
    move_one(regs, by, reading);
    if (vmkb_profile_fetched != reading)
        move_one(regs, by, vmkb_profile_fetched);
}

/* A reading of the instruction counter by DIAGNOSE with this R1 and R3. After it the counts are of
 * whom the guest works for; the wait executes nothing, so what is counted there is CP's own. On the
 * way to a machine (R3 is 0) that is the machine, when it has begun; a reading with R3 0 on the way
 * back says that it was interrupted, so that CP goes on for itself. */
void vmkb_profile_read(REGS *regs, int r1, int r3)
{
    U64 request = r3 && r3 != r1 && r3 != r1 + 1 ? regs->GR_L(r3) : 0, account;
    struct table *next;
    int back = out;

    if (regs->hostregs != regs)
        return;
    if (request && doubleword(request) == START)
        start(request);
    else if (request && doubleword(request) == SAMPLE && current_at)
        sample(regs, doubleword(request + 8), sysblk.mainstor + request + 16);
    if (!current_at && PROBSTATE(&regs->psw)) {
        sample(regs, KERNEL, kernel);
        sample(regs, PROGRAMS, programs);
        go_on_in(regs, now);
    }
    if (!current_at)
        return;
    out = !back && r3 == 0;
    account = doubleword(current_at);
    next = table_of(account == idle || (back && r3 == 0) ? system_work : account);
    if (back)
        entered(regs, next);
    if (out && account != idle) {
        machine = next;
        vmkb_profile_leaving = 1;
        next = now;
    }
    go_on_in(regs, next);
}
