/* SPDX-License-Identifier: MIT */
/* Every DIAGNOSE with operands drawn by a seed, and a machine that watches whether any of that gets
 * into its storage. */
#include "exercise.h"
#include "lib.h"

#define CALLS 20000
#define ARENA 65536
#define CODES 0x1000U

static uint8_t arena[ARENA] __attribute__((aligned(4096)));
static uint64_t state;

static uint64_t drawn(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Ends of ranges are drawn more often than what lies between them. */
static long operand(void)
{
    static const uint64_t edges[] = {
        0, 1, 2, 7, 8, 0x191, 0x00c, 0x00d, 0x00e, 255, 4095, 4096, 4097, 65535, 65536,
        0xffff, 0x10000 - 8, 0x00800000, 0x10000000, 0x10000ff8, 0x7fffffff, 0x80000000,
        0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0UL, ~7UL,
        1UL << 20, (1UL << 20) - 1, 1UL << 21, (1UL << 21) - 8,
    };
    uint64_t v = drawn();

    switch (v % 5) {
    case 0:  return (long)edges[v / 5 % (sizeof(edges) / sizeof(*edges))];
    case 1:  return (long)(v / 5 % 24);
    case 2:  return (long)(v >> v / 5 % 64);
    default: return (long)(uintptr_t)&arena[v / 5 % ARENA & (v & 64 ? ~7UL : ~0UL)];
    }
}

/* Those that CP serves, others now and then; not those that stop the program for good. */
static uint32_t code(void)
{
    static const uint16_t served[] = {
        DIAG_ID, DIAG_CPCMD, DIAG_TIME, DIAG_ACCOUNT, DIAG_FULL, DIAG_LTERM, DIAG_BLOCK,
        DIAG_WRITE, DIAG_READ, DIAG_WAIT, DIAG_SPACE, DIAG_IUCV, DIAG_IUCV, DIAG_IUCV, DIAG_CTC,
        DIAG_DISKINFO, DIAG_ATTN, DIAG_MONITOR, DIAG_STACKED, DIAG_NULL, DIAG_AUTHENT,
        DIAG_RIGHTS, DIAG_SPOOL, DIAG_VCTC, DIAG_GMS,
    };
    uint64_t v = drawn();
    uint32_t c = v % 8 ? served[v / 8 % (sizeof(served) / sizeof(*served))]
                       : (uint32_t)(v / 8 % CODES);

    return c == DIAG_END ? DIAG_NULL : c;
}

static void one(void)
{
    /* diag 2,2,code; br 14 */
    static uint32_t program[2];
    long a[5];
    uint32_t c = code();

    program[0] = 0x83220000 | c;
    program[1] = 0x07fe0000;
    for (int i = 0; i < 5; i++)
        a[i] = operand();
    for (int i = 0; i < 16; i++) /* a parameter list or a structure here and there */
        *(uint64_t *)(void *)&arena[drawn() % (ARENA / 8) * 8] = (uint64_t)operand();
    if (c == DIAG_READ)
        a[2] |= READ_NOWAIT;
    if (c == DIAG_WAIT)
        a[2] = 1 + (long)(drawn() % 200);
    if (c == DIAG_IUCV) {
        a[0] %= 20;
        a[2] = drawn() % 4 ? 0 : a[2];
        a[4] = 1 + (long)(drawn() % 200);
        memcpy(((struct iucv_parm *)(void *)arena)->userid, "MAINT   ", 8);
    }
    if (c == DIAG_GMS)
        return;              /* some of its calls wait for another system */
    ((long (*)(long, long, long, long, long))(void *)program)(a[0], a[1], a[2], a[3], a[4]);
}

static void tell(const char *f, unsigned n)
{
    char text[64];
    long got;
    int len = fmt(text, sizeof(text), f, n);

    diag_cp(text, len, 0, 0, &got);
}

void exercise_random(unsigned n)
{
    state = 0x9e3779b97f4a7c15UL * (n + 1);
    for (unsigned i = 0; i < CALLS; i++)
        one();
    tell("MSG MAINT RANDOM %u HAS ENDED", n);
}

/* Says so if its storage changes. */
void exercise_guard(unsigned n)
{
    struct event e;

    (void)n;
    for (unsigned i = 0; i < ARENA; i++)
        arena[i] = (uint8_t)(i * 7);
    for (;;) {
        diag_wait(EV_ATTN, &e, 10000);
        for (unsigned i = 0; i < ARENA; i++)
            if (arena[i] != (uint8_t)(i * 7)) {
                tell("MSG MAINT BYTE %u OF ANOTHER MACHINE HAS CHANGED", i);
                return;
            }
    }
}
