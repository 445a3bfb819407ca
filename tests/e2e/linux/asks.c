/* SPDX-License-Identifier: MIT */
/* A system for a machine under SIE that gives CP commands by DIAGNOSE X'08': what QUERY CPLEVEL
 * answers it sends to OPERATOR. Then it waits, enabled, with 42 in GR5. With a word at ORDER that
 * is not 0 it resets its machine instead. Linked at X'10000', where IPL begins; text is EBCDIC. */
typedef unsigned long u64;
typedef unsigned int u32;

#define ORDER 0x200000UL
#define REPLY 0x40000000UL

__asm__(".section .head,\"ax\"\n"
        "    larl %r15,stack_end\n    aghi %r15,-160\n"
        "    sam64\n    brasl %r14,main\n"
        "    .text\n");
void main(void);
static char stack[8192] __attribute__((aligned(16), used));
__asm__(".globl stack_end\n.set stack_end,stack+8192\n");

static u64 command(const char *text, u64 length, char *reply, u64 *room)
{
    register u64 r2 __asm__("2") = (u64)text;
    register u64 r3 __asm__("3") = (u64)reply;
    register u64 r4 __asm__("4") = length | (reply ? REPLY : 0);
    register u64 r5 __asm__("5") = *room;

    __asm__ volatile("diag %%r2,%%r4,8(0)"
                     : "+d"(r4), "+d"(r5) : "d"(r2), "d"(r3) : "memory", "cc");
    *room = r5;
    return r4;
}

void main(void)
{
    static const char query[] = "QUERY CPLEVEL", reset[] = "SYSTEM RESET";
    static char message[140] = "MSG OPERATOR ";
    static struct {
        u64 mask, address;
    } __attribute__((aligned(8))) rest = {0x0102000180000000UL, 0};
    u64 room = 100;

    if (*(volatile u32 *)ORDER)
        command(reset, sizeof(reset) - 1, 0, &room);
    if (command(query, sizeof(query) - 1, message + 13, &room) == 0 && room < 100)
        command(message, 13 + room - 1, 0, &(u64){0});
    __asm__ volatile("lghi %%r5,42\n\tlpswe %0" : : "Q"(rest) : "memory");
}
