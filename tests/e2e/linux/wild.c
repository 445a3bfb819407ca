/* SPDX-License-Identifier: MIT */
/* A system for a machine under SIE that means no good: privileged instructions with random operands
 * and forged channel programs, as many as TRIES. What it writes lies between SCRATCH and its end.
 * It ends in a disabled wait whose address is its mark. Linked at X'10000', where IPL begins. */
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned char u8;

#define SCRATCH 0x1000000UL
#define SCRATCH_SIZE 0x100000UL
#define CCWS    64
#define MARK    0xd1ab10UL

__asm__(".section .head,\"ax\"\n"
        "    larl %r15,stack_end\n    aghi %r15,-160\n"
        "    sam64\n    brasl %r14,main\n"
        "resume_program: lpswe 0x150\n"
        "resume_external: lpswe 0x130\n"
        "resume_io: lpswe 0x170\n"
        /* void attempt(const u64 *gr, const void *instruction): %r0-%r13 are gr's for that one */
        "    .globl attempt\n"
        "attempt: stmg %r6,%r15,48(%r15)\n"
        "    larl %r1,slot\n    mvc 0(6,%r1),0(%r3)\n    lmg %r0,%r13,0(%r2)\n"
        "    brcl 15,slot\n"
        "    .globl tried\n"
        "tried: lmg %r6,%r15,48(%r15)\n    br %r14\n"
        "    .balign 8\n"
        "slot: .skip 6\n    brcl 15,tried\n"
        "    .text\n");
extern const char resume_program[], resume_external[], resume_io[];
void attempt(const u64 *gr, const void *instruction);
void main(void);

static u8 stack[8192] __attribute__((aligned(16), used));
__asm__(".globl stack_end\n.set stack_end,stack+8192\n");
static u64 state = 88172645463325252UL;

static u64 drawn(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Of no machine, or in the scratch storage. */
static u64 address(void)
{
    u64 x = drawn();

    switch (x & 3) {
    case 0: return drawn() | 0x80000000;
    case 1: return 0x10000000 + (drawn() & 0xffffff);
    default: return SCRATCH + (drawn() & (SCRATCH_SIZE - 1) & ~(x & 4 ? 0xfffUL : 7UL));
    }
}

static void low_core(u32 at, const void *to)
{
    u64 *psw = (u64 *)(u64)at;

    __asm__("" : "+a"(psw));
    psw[0] = 0x0000000180000000UL;
    psw[1] = (u64)to;
}

/* CCWs that look like some, and an ORB that names them. */
static void forge(void)
{
    static const u8 codes[] = {0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0b, 0xe4,
                               0x41, 0x42, 0x43, 0x63, 0x64, 0x63, 0x43, 0x41};
    u8 *at = (u8 *)SCRATCH + (drawn() & 0xffff8);
    u32 *orb = (u32 *)SCRATCH;

    for (int i = 0; i < CCWS; i++, at += 8) {
        at[0] = drawn() & 7 ? codes[drawn() & 15] : (u8)drawn();
        at[1] = (u8)(drawn() & 0xf4);
        *(unsigned short *)(at + 2) = drawn() & 15 ? (drawn() & 31) : (unsigned short)drawn();
        *(u32 *)(at + 4) = (u32)address();
    }
    orb[0] = (u32)drawn();
    orb[1] = 0x0080ff00 ^ (drawn() & 7 ? 0 : (u32)drawn());
    orb[2] = drawn() & 7 ? (u32)(u64)(at - CCWS * 8) : (u32)address();
}

/* Instructions of form RRE and S by the second byte: with operands in registers, or at base 2. */
static const u8 rre[] = {0x20, 0x5f}, s_form[] = {0x30, 0x31, 0x32, 0x33, 0x33, 0x33, 0x34, 0x35,
                                                  0x35, 0x36, 0x38, 0x39, 0x3b, 0x76, 0x7d, 0x11,
                                                  0x12, 0x02};

static void one(void)
{
    u64 gr[14];
    u8 insn[6] = {0};

    for (int i = 0; i < 14; i++)
        gr[i] = drawn() & 1 ? address() : drawn();
    gr[1] = drawn() & 7 ? 0x10000 + (drawn() & 1 ? 0 : drawn() & 15) : drawn();
    gr[2] = drawn() & 1 ? SCRATCH : address();
    switch (drawn() & 7) {
    case 0:
    case 1:                  /* DIAGNOSE; 1 as base would be the subchannel */
        insn[0] = 0x83;
        insn[1] = (u8)((drawn() % 14) << 4 | drawn() % 14);
        insn[2] = (u8)(drawn() & 1 ? (drawn() & 15) : 0x20 | (drawn() & 15));
        insn[3] = (u8)drawn();
        break;
    case 2:                  /* SIGP, but for those that stop */
        insn[0] = 0xae;
        insn[1] = (u8)((drawn() % 14) << 4 | 3);
        gr[3] = drawn() & 1 ? 0 : drawn();
        insn[3] = (u8)(drawn() & 0x1f);
        if (insn[3] == 5 || insn[3] == 9)
            return;
        break;
    case 3:
        insn[0] = 0xb2;
        insn[1] = rre[drawn() % sizeof(rre)];
        insn[3] = 0x42;
        gr[4] = drawn() & 1 ? SCRATCH : drawn() & 1 ? 0x00020001 : drawn();
        gr[2] = SCRATCH;     /* both may write where this says */
        break;
    default:
        forge();
        insn[0] = 0xb2;
        insn[1] = s_form[drawn() % sizeof(s_form)];
        insn[2] = 0x20;
        if (insn[1] == 0x7d)
            gr[0] = (drawn() & 3) << 28 | (drawn() & 3);
        break;
    }
    insn[4] = 0x07;          /* all have 4 bytes; a no-operation follows */
    attempt(gr, insn);
}

void main(void)
{
    struct {
        u64 mask, address;
    } __attribute__((aligned(8))) end = {0x0002000180000000UL, MARK};

    low_core(0x1d0, resume_program);
    low_core(0x1b0, resume_external);
    low_core(0x1f0, resume_io);
    for (u32 i = 0; i < TRIES; i++)
        one();
    __asm__ volatile("lpswe %0" : : "Q"(end) : "memory");
}
