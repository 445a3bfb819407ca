/* SPDX-License-Identifier: MIT */
/* Paths for calibrate.c, made as machine code, each with the number of its instructions counted by
 * hand. Encodings: z/Architecture Principles of Operation, appendix B. A path is entered by BASR
 * %r14 and may use %r1 to %r7 and %r13; %r7 counts the turns of an operation that ends early. */
#include "calibrate.h"
#include "lib.h"

#define PAGES     16         /* 64 KB, which BRC and BRASL reach from end to end */
#define PAGE      (PAGE_SIZE / 2)
#define NOP       0x0700     /* BCR 0,0 */
#define RETURN    0x07fe     /* BR %r14 */
#define RETURN_13 0x07fd
#define LA_7      0x41707001 /* LA %r7,1(%r7) */
#define OPERAND_STEP 160     /* bytes of a storage operand for each unit of length */

static uint16_t arena[PAGES * PAGE] __attribute__((aligned(PAGE_SIZE)));
static uint16_t *const operand = arena + PAGES / 2 * PAGE;
static uint16_t *at;

static void e2(uint16_t op)
{
    *at++ = op;
}

static void e4(uint32_t op)
{
    e2((uint16_t)(op >> 16));
    e2((uint16_t)op);
}

static void e6(uint16_t op, uint32_t operand)
{
    e2(op);
    e4(operand);
}

static unsigned nops(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        e2(NOP);
    return n;
}

/* J, BRASL %r13 */
static void go(const uint16_t *to)
{
    e4(0xa7f40000U | (uint16_t)(to - at));
}

static void call(uint16_t *to)
{
    e6(0xc0d5, (uint32_t)(to - at));
}

/* LGFI: all storage is below 2 GB */
static void load(unsigned reg, uint32_t value)
{
    e6((uint16_t)(0xc001 | reg << 4), value);
}

static unsigned straight(unsigned n)
{
    return nops(n - 1);
}

/* Half of it in another page. */
static unsigned page(unsigned n)
{
    nops(n / 2);
    go(arena + 2 * PAGE);
    at = arena + 2 * PAGE;
    nops(n - n / 2);
    return n + 1;
}

/* The last but one instruction begins in one page and ends in the next: of 4 bytes, or of 6 divided
 * in two ways. */
static unsigned across(unsigned n, uint16_t **entry)
{
    unsigned before = n % 3 == 2 ? 2 : 1;

    *entry = at = arena + PAGE - before - (n - 1);
    nops(n - 1);
    if (n % 3 == 0)
        e4(0xa7590001);      /* LGHI %r5,1 */
    else
        load(5, 1);
    return n;
}

static unsigned calls(unsigned n)
{
    uint16_t *to = arena + 3 * PAGE, *here;

    call(to);
    here = at;
    at = to;
    nops(n);
    e2(RETURN_13);
    at = here;
    return n + 2;
}

static unsigned executes(unsigned n, int relative)
{
    uint16_t *target = arena + 256;

    *target = NOP;
    if (!relative)
        e6(0xc050, (uint32_t)(target - at));   /* LARL %r5 */
    for (unsigned i = 0; i < n; i++)
        if (relative)
            e6(0xc600, (uint32_t)(target - at));
        else
            e4(0x44005000);
    return n + !relative;
}

/* Operands: storage in the upper half of the arena, and an empty one that zeros fill. */
static unsigned operands(unsigned n)
{
    load(2, (uint32_t)(uintptr_t)operand);
    load(3, n * OPERAND_STEP);
    load(4, (uint32_t)(uintptr_t)operand);
    load(5, 0);
    return 4;
}

/* Hercules 3.13 ends CLCL as if interrupted, and begins it again, where a page of the first operand
 * ends with more than 255 bytes to come. */
static unsigned begun_again(unsigned bytes)
{
    return bytes < 256 ? 0 : (bytes - 256) / PAGE_SIZE;
}

/* As long as it ends with condition code 3; LA counts and leaves the code alone. */
static unsigned until_done(uint32_t op)
{
    uint16_t *again = at;

    e4(op);
    e4(LA_7);
    e4(0xa7140000U | (uint16_t)(again - at));  /* BRC 1 */
    return 3;
}

struct path_made path_make(int kind, unsigned n)
{
    struct path_made p = {0, 0, 0};
    uint16_t *entry = at = arena;

    switch (kind) {
    case PATH_STRAIGHT: p.truth = straight(n); break;
    case PATH_PAGE:     p.truth = page(n); break;
    case PATH_ACROSS:   p.truth = across(n, &entry); break;
    case PATH_CALL:     p.truth = calls(n); break;
    case PATH_EX:       p.truth = executes(n, 0); break;
    case PATH_EXRL:     p.truth = executes(n, 1); break;
    case PATH_F08:
        for (p.truth = 0; p.truth < n; p.truth++)
            e4(0x83550f08);
        break;
    case PATH_MVCL:
        p.truth = operands(n) + 1;
        e2(0x0e24);
        break;
    case PATH_CLCL:
        p.truth = operands(n) + 1 + begun_again(n * OPERAND_STEP);
        e2(0x0f24);
        break;
    case PATH_CKSM:
        load(4, (uint32_t)(uintptr_t)operand);
        load(5, n * OPERAND_STEP);
        p.truth = 2;
        p.repeated = until_done(0xb2410024);
        break;
    case PATH_MVCLE:
    case PATH_CLCLE:
        p.truth = operands(n);
        p.repeated = until_done(kind == PATH_MVCLE ? 0xa8240000 : 0xa9240000);
        break;
    }
    e2(RETURN);
    p.truth++;
    p.entry = entry;
    return p;
}

/* A layout: PIECES of 1 to MOST NOPs that go from one to the next, every third by way of a call of
 * another piece. What they do is the same in each layout; where they stand, a slot and a halfword
 * in it, is drawn anew. */
#define PIECES  24
#define MOST    16
#define SLOT    32 /* halfwords: a piece, its call and its branch, at any of SHIFTS places */
#define SHIFTS  8
#define SLOTS   (PAGES * PAGE / SLOT)
_Static_assert(MOST + 5 + SHIFTS <= SLOT, "a piece fits its slot");

static uint32_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525U + 1013904223U;
    return (drawn >> 8) % below;
}

static uint16_t *place(uint8_t taken[SLOTS])
{
    uint32_t slot;

    do
        slot = draw(SLOTS);
    while (taken[slot]);
    taken[slot] = 1;
    return arena + slot * SLOT + draw(SHIFTS);
}

struct path_made path_layout(unsigned layout)
{
    static const uint8_t length[PIECES + 1] = {5, 12, 3, 8, 16, 1, 7, 4, 10, 2, 14, 6, 9,
                                               3, 11, 5, 1, 13, 8, 2, 6, 15, 4, 7,  1};
    uint8_t taken[SLOTS];
    uint16_t *next;
    struct path_made p = {0, 0, 0};

    memset(taken, 0, sizeof(taken));
    drawn = layout;
    p.entry = next = place(taken);
    for (unsigned i = 0; i < PIECES; i++) {
        at = next;
        p.truth += nops(length[i]);
        if (i % 3 == 2) {
            uint16_t *called = place(taken), *here;
            call(called);
            here = at;
            at = called;
            p.truth += nops(length[i + 1]) + 2;
            e2(RETURN_13);
            at = here;
        }
        next = place(taken);
        go(next);
        p.truth++;
    }
    at = next;
    e2(RETURN);
    p.truth++;
    return p;
}

uint16_t *path_program(unsigned n, uint32_t leave, unsigned size)
{
    at = arena;
    nops(n);
    if (size == 4)
        e4(leave);
    else
        e2((uint16_t)leave);

    uint16_t *end = at;
    go(arena);
    return end;
}

struct path_wait path_wait(unsigned n, uint8_t enable)
{
    struct path_wait w = {arena, 0};

    at = arena;
    nops(n - 1);
    e4(0xad005000U | (uint32_t)enable << 16);  /* STOSM 0(%r5) */
    w.loop = at;
    e4(LA_7);
    go(w.loop);
    return w;
}
