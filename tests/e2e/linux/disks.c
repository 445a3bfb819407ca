/* SPDX-License-Identifier: MIT */
/* A system for a machine under SIE that uses its minidisks as a driver does, and as none should:
 * 200, of 64 blocks, and 201, which it may only read. It ends in a disabled wait whose address is
 * its mark and the number of the first step that went wrong; 0: none did. Linked at X'10000', where
 * IPL begins. */
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

#define MARK    0xd15c000UL
#define BLOCKS  64
#define DATA    0x200000     /* what is written and read */
#define LONG    96           /* blocks of a program of dasd_fba, which has a LOCATE for each */
#define OUTSIDE 0x7f000000   /* no storage of the machine's */
#define CC      0x40
#define IDA     0x04
#define WELL    0x0c00       /* status: channel end, device end */
#define REJECTED 0x0e00      /* and unit check */
#define BAD_PROGRAM 0x0020

__asm__(".section .head,\"ax\"\n"
        "    larl %r15,stack_end\n    aghi %r15,-160\n"
        "    sam64\n    brasl %r14,main\n"
        "    .text\n");
void main(void);
static char stack[8192] __attribute__((aligned(16), used));
__asm__(".globl stack_end\n.set stack_end,stack+8192\n");

static struct {
    u8 code, flags;
    u16 count;
    u32 data;
} __attribute__((aligned(8))) ccws[1 + 2 * LONG];
static struct {
    u8 mask, zero[3];
    u32 origin, first, last;
} extent = {.mask = 0xc0, .last = BLOCKS - 1};
static struct {
    u8 operation, replication;
    u16 count;
    u32 block;
} place;
static u64 pages[4] __attribute__((aligned(8)));
static u64 step, disk;
static u8 *const data = (u8 *)DATA;

static void end(u64 mark)
{
    struct {
        u64 mask, address;
    } __attribute__((aligned(8))) psw = {0x0002000180000000UL, MARK + mark};

    __asm__ volatile("lpswe %0" : : "Q"(psw) : "memory");
}

static void must(int well)
{
    step++;
    if (!well)
        end(step);
}

static void ccw(unsigned i, u8 code, u8 flags, u16 count, const void *at)
{
    ccws[i].code = code;
    ccws[i].flags = flags;
    ccws[i].count = count;
    ccws[i].data = (u32)(u64)at;
}

static void start(void)
{
    u32 orb[8] = {0, 0x0082ff00, (u32)(u64)ccws};
    register u64 r1 __asm__("1") = disk;

    __asm__ volatile("ssch %0" : : "Q"(orb), "d"(r1) : "cc", "memory");
}

/* Device and subchannel status of the end. */
static u32 ended(void)
{
    u32 irb[24];
    register u64 r1 __asm__("1") = disk;
    int cc;

    do
        __asm__ volatile("tsch %1\n\tipm %0\n\tsrl %0,28"
                         : "=d"(cc), "=Q"(irb) : "d"(r1) : "cc", "memory");
    while (cc);
    return irb[2] >> 16;
}

static u32 run(void)
{
    start();
    return ended();
}

static u8 sense(void)
{
    static u8 bytes[24];

    ccw(0, 0x04, 0, sizeof(bytes), bytes);
    return run() == WELL ? bytes[0] : 0xff;
}

/* DEFINE EXTENT as it stands, LOCATE, and CODE for so many bytes. */
static u32 transfer(u8 operation, u8 code, u32 block, u16 count, u16 bytes)
{
    place.operation = operation;
    place.block = block;
    place.count = count;
    ccw(0, 0x63, CC, sizeof(extent), &extent);
    ccw(1, 0x43, CC, sizeof(place), &place);
    ccw(2, code, 0, bytes, data);
    return run();
}

static u32 put(u32 block, u16 count)
{
    return transfer(0x01, 0x41, block, count, (u16)(count * 512));
}

static u32 get(u32 block, u16 count)
{
    return transfer(0x06, 0x42, block, count, (u16)(count * 512));
}

static void fill(u8 with, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        data[i] = with;
}

static int holds(u8 with, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (data[i] != with)
            return 0;
    return 1;
}

static void find(u16 devno)
{
    for (disk = 0x10000; disk < 0x10008; disk++) {
        u16 schib[26];
        register u64 r1 __asm__("1") = disk;
        int cc;
        __asm__ volatile("stsch %1\n\tipm %0\n\tsrl %0,28"
                         : "=d"(cc), "=Q"(schib) : "d"(r1) : "cc", "memory");
        if (cc || schib[3] != devno)
            continue;
        schib[2] |= 0x80;
        __asm__ volatile("msch %0" : : "Q"(schib), "d"(r1) : "cc", "memory");
        return;
    }
    end(0xfff);
}

static u64 drawn(void)
{
    static u64 state = 0x9e3779b97f4a7c15UL;

    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* A number of a block or of blocks: mostly near the ends of what there is. */
static u32 near(void)
{
    static const u32 ends[] = {0, BLOCKS, BLOCKS - 1, 0x7fffffff, 0xffffffff, 8192, 65536};
    u64 v = drawn();

    return v % 4 ? ends[v / 4 % 7] + (u32)(v >> 32) % 5 - 2 : (u32)(v >> 8) % (BLOCKS + 8);
}

/* Writes by programs whose extents, places and lists of pages are drawn: what happens is that some
 * of them write to its own disk, and whoever looks at the volume afterwards sees that. */
static void wild(unsigned tries)
{
    for (unsigned i = 0; i < tries; i++) {
        u16 count = (u16)(drawn() % 4 ? drawn() % 4 : near());
        extent.mask = (u8)(drawn() % 4 ? 0xc0 : drawn());
        extent.origin = drawn() % 2 ? 0 : near();
        extent.first = drawn() % 2 ? 0 : near();
        extent.last = drawn() % 2 ? BLOCKS - 1 : near();
        for (unsigned k = 0; k < 4; k++)
            pages[k] = drawn() % 4 ? DATA + drawn() % 16 * 2048 : drawn() >> drawn() % 64;
        place.operation = drawn() % 8 ? 0x01 : (u8)drawn();
        place.block = near();
        place.count = count;
        ccw(0, 0x63, CC, sizeof(extent), &extent);
        ccw(1, 0x43, CC, sizeof(place), &place);
        u8 listed = drawn() % 4 ? 0 : IDA;
        ccw(2, 0x41, listed, (u16)(drawn() % 8 ? count * 512 : drawn()),
            listed ? (u8 *)pages : data);
        run();
        sense();
    }
}

void main(void)
{
    static u8 id[7], has[32];

    find(0x200);
    ccw(0, 0xe4, 0, sizeof(id), id);
    must(run() == WELL && *(u16 *)(id + 1) == 0x3880 && *(u16 *)(id + 4) == 0x3370);
    ccw(0, 0x64, 0, sizeof(has), has);
    must(run() == WELL && *(u16 *)(has + 4) == 512 && has[17] == BLOCKS);
    fill(0xa5, 1024);
    must(put(40, 2) == WELL); /* 3 */
    fill(0, 1024);
    must(get(40, 2) == WELL && holds(0xa5, 1024));
    must(put(63, 1) == WELL);
    must(put(63, 2) == REJECTED && sense() == 0x80); /* 6: beyond the extent */
    must(put(BLOCKS, 1) == REJECTED && sense() == 0x80 && sense() == 0);
    must(put(0xffffffff, 1) == REJECTED);
    must(get(40, 0) == REJECTED);
    extent.last = BLOCKS;
    must(put(BLOCKS, 1) == REJECTED); /* 10: beyond the minidisk */
    ccw(0, 0x63, 0, sizeof(extent), &extent);
    must(run() == REJECTED);
    extent.last = 0xffffffff;
    must(put(BLOCKS, 1) == REJECTED);
    extent.origin = BLOCKS;
    extent.last = 0;
    must(put(0, 1) == REJECTED);
    extent.origin = 40;
    extent.first = 100;
    extent.last = 101;
    fill(0, 512);
    must(get(101, 1) == WELL && holds(0xa5, 512));
    must(get(99, 1) == REJECTED && get(102, 1) == REJECTED && get(101, 2) == REJECTED);
    extent.origin = extent.first = 0;
    extent.last = BLOCKS - 1;
    extent.mask = 0x40;
    must(put(40, 1) == REJECTED); /* 16: no writes, as it said itself */
    must(get(40, 1) == WELL);
    extent.mask = 0xc0;
    must(transfer(0x06, 0x41, 40, 1, 512) == REJECTED);
    must(transfer(0x01, 0x42, 40, 1, 512) == REJECTED);
    must(transfer(0x06, 0x42, 40, 2, 512) == REJECTED);
    must(transfer(0x06, 0x14, 40, 1, 512) == REJECTED); /* 21: no such command */
    ccw(0, 0x42, 0, 512, data);
    must(run() == REJECTED);
    ccw(0, 0x43, 0, sizeof(place), &place);
    must(run() == REJECTED);
    ccw(0, 0x63, CC, sizeof(extent), &extent);
    ccw(1, 0x43, CC, sizeof(place), &place);
    ccw(2, 0x42, 0, 512, (const void *)OUTSIDE);
    must(run() == BAD_PROGRAM);
    fill(0, 1024);
    pages[0] = DATA + 0xe00; /* a block in one page, one in another */
    pages[1] = DATA + 0x8000;
    place.operation = 0x06;
    place.block = 40;
    place.count = 2;
    ccw(2, 0x42, IDA, 1024, pages);
    must(run() == WELL && data[0xe00] == 0xa5 && data[0x81ff] == 0xa5 && data[0x8200] == 0);
    start();
    register u64 r1 __asm__("1") = disk;
    __asm__ volatile("csch" : : "d"(r1) : "cc", "memory");
    must(ended() == 0); /* 26 */
    must(get(0, 64) == WELL);
    place.operation = 0x06;
    place.block = 40;
    place.count = 1;
    ccw(0, 0x63, CC, sizeof(extent), &extent);
    for (unsigned i = 0; i < LONG; i++) {
        ccw(1 + 2 * i, 0x43, CC, sizeof(place), &place);
        ccw(2 + 2 * i, 0x42, i < LONG - 1 ? CC : 0, 512, data + 512 * i);
    }
    fill(0, 512 * LONG);
    must(run() == WELL && holds(0xa5, 512 * LONG));
    find(0x201);
    must(get(40, 2) == WELL && holds(0xa5, 1024));
    must(put(40, 1) == REJECTED && sense() == 0x80);
#ifdef TRIES
    fill(0x5a, 0x10000);
    wild(TRIES);
    find(0x200);
    wild(TRIES);
#endif
    end(0);
}
