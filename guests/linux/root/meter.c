/* SPDX-License-Identifier: MIT */
/* Reads a line of the console, says what the emulator's instruction counter is, and so on until a
 * line "end". It is a program of its own, without a library, that stays: what a reading costs is
 * small and always the same. */

static long call(long number, long a, long b, long c)
{
    register long r1 __asm__("1") = number;
    register long r2 __asm__("2") = a;
    register long r3 __asm__("3") = b;
    register long r4 __asm__("4") = c;

    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory", "cc");
    return r2;
}

enum { EXIT = 1, READ = 3, WRITE = 4 };

/* DIAGNOSE X'F08': the low 32 bits. It may be given in problem state. */
static unsigned counter(void)
{
    register unsigned long r1 __asm__("1") = 0;

    __asm__ volatile(".insn rs,0x83000000,%0,0,0xf08(0)" : "+d"(r1) : : "cc");
    return (unsigned)r1;
}

/* The answer to the line: COUNT, the line's own word, the counter. */
static long answer(const char *line, long length, unsigned count, char *out)
{
    static const char said[] = "COUNT ";
    char digits[10];
    long at = 0, n = 0;

    for (const char *p = said; *p; p++)
        out[at++] = *p;
    for (long i = 0; i < length && i < 32 && line[i] > ' '; i++)
        out[at++] = line[i];
    out[at++] = ' ';
    do
        digits[n++] = (char)('0' + count % 10);
    while (count /= 10);
    while (n)
        out[at++] = digits[--n];
    out[at++] = '\n';
    return at;
}

void _start(void)
{
    static const char begun[] = "METER\n", ended[] = "METER ENDS\n";
    char line[256], out[80];

    call(WRITE, 1, (long)begun, sizeof begun - 1);

    for (;;) {
        long length = call(READ, 0, (long)line, sizeof line);
        unsigned count = counter();

        if (length <= 0 || (length >= 3 && line[0] == 'e' && line[1] == 'n' && line[2] == 'd')) {
            call(WRITE, 1, (long)ended, sizeof ended - 1);
            call(EXIT, 0, 0, 0);
        }
        call(WRITE, 1, (long)out, answer(line, length, count, out));
    }
}
