/* SPDX-License-Identifier: MIT */
/* Reads lines of the console. To "count WORD" it says what the emulator's instruction counter was
 * before and after it looked how many events of some kinds there have been, so that what looking
 * costs is outside of what lies between two readings; "go" lets the client of root/loopback go and
 * says when that has ended, "end" ends it, "meter", which may be typed again where no answer came
 * in time, is answered as at first, and any other line is a shell's. It is a program of its own,
 * without a library, that stays: what is left of a reading is small and always the same. */
#include "call.h"

enum { EXIT = 1, FORK = 2, READ = 3, WRITE = 4, OPEN = 5, CLOSE = 6, EXECVE = 11, WAIT4 = 114 };

/* What the kernel counts: the clock's interruptions, those of the channel to the wire, switches
 * from one process to another, interruptions' work that was put off, what was handed to IP to be
 * sent (one packet, or several that are one until the device has them), what IP handed on of what
 * came, and how many segments of that TCP put together, while a program had the connection, before
 * it looked at them. A number is behind the line's first word, at a place or under a name. */
static const struct {
    const char *file, *word;
    int place;
    const char *name;
} events[] = {
    {"/proc/interrupts", "CLK:", 1, 0},
    {"/proc/interrupts", "CTC:", 1, 0},
    {"/proc/stat", "ctxt", 1, 0},
    {"/proc/stat", "softirq", 1, 0},
    {"/proc/net/snmp", "Ip:", 0, "OutRequests"},
    {"/proc/net/snmp", "Ip:", 0, "InDelivers"},
    {"/proc/net/netstat", "TcpExt:", 0, "TCPBacklogCoalesce"},
};

static char text[16384];

/* DIAGNOSE X'F08': the low 32 bits; in the high half of the register, if the emulator knows it,
 * how many of them were begun in problem state. It may be given there. */
static unsigned long counter(void)
{
    register unsigned long r1 __asm__("1") = 0;

    __asm__ volatile(".insn rs,0x83000000,%0,0,0xf08(0)" : "+d"(r1) : : "cc");
    return r1;
}

/* The kernel's text PATH; of one that cannot be read, nothing. */
static void get(const char *path)
{
    long file = call(OPEN, (long)path, 0, 0, 0), length = 0, got;

    while ((got = call(READ, file, (long)text + length, (long)sizeof text - 1 - length, 0)) > 0)
        length += got;
    text[length] = 0;
    call(CLOSE, file, 0, 0, 0);
}

/* Whether the word at P is WORD. */
static int is(const char *p, const char *word)
{
    while (*word && *p == *word)
        p++, word++;
    return !*word && (*p == ' ' || *p == '\n');
}

/* The number that is the PLACE-th word behind a line's first WORD in the text, or, without a PLACE,
 * that has the place which NAME has in an earlier line of that first WORD; 0 if no line has it. */
static unsigned long behind(const char *word, int place, const char *name)
{
    unsigned long number = 0;
    const char *p = text;

    while (*p) {
        while (*p == ' ')
            p++;
        for (int n = 0, mine = is(p, word); mine && *p && *p != '\n'; n++) {
            if (!place && is(p, name)) {
                place = n;
            } else if (n && n == place && *p >= '0' && *p <= '9') {
                while (*p >= '0' && *p <= '9')
                    number = number * 10 + (unsigned long)(*p++ - '0');
                return number;
            }
            while (*p > ' ')
                p++;
            while (*p == ' ')
                p++;
        }
        while (*p && *p++ != '\n')
            ;
    }
    return number;
}

static long put(char *out, long at, unsigned long number)
{
    char digits[20];
    long n = 0;

    out[at++] = ' ';
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        out[at++] = digits[--n];
    return at;
}

static long put_count(char *out, long at, unsigned long count)
{
    return put(out, put(out, at, count & 0xFFFFFFFF), count >> 32);
}

#ifdef BYTES
/* Bytes that were moved and summed, the low 32 bits of each. */
static long put_bytes(char *out, long at)
{
    register unsigned long r4 __asm__("4") = 0;
    register unsigned long r5 __asm__("5") = 0;

    __asm__ volatile(".insn rs,0x83000000,%0,0,0xf08(0)" : "+d"(r4), "+d"(r5) : : "cc");
    return put(out, put(out, at, r5 >> 32), r5 & 0xFFFFFFFF);
}
#endif

/* The answer to the line: COUNT, the line's own word, the events, the counter as it was when the
 * line came, COUNT, and as it is when all is read; of each also the problem state's. */
static long answer(const char *line, long length, unsigned long count, char *out)
{
    static const char said[] = "COUNT ";
    const char *file = "";
    long at = 0;

    for (const char *p = said; *p; p++)
        out[at++] = *p;
    for (long i = 0; i < length && i < 32 && line[i] > ' '; i++)
        out[at++] = line[i];
    for (unsigned long i = 0; i < sizeof events / sizeof *events; i++) {
        if (file != events[i].file)
            get(file = events[i].file);
        at = put(out, at, behind(events[i].word, events[i].place, events[i].name));
    }
#ifdef BYTES
    at = put_bytes(out, at);
#endif
    at = put_count(out, at, count);
    at = put_count(out, at, counter());
    out[at++] = '\n';
    return at;
}

/* A byte into the pipe that the client waits at, if one does, and one out of that which says that
 * it has ended. */
static void let_go(void)
{
    enum { TO_A_READER = 04001 }; /* O_WRONLY and O_NONBLOCK */
    static const char goes[] = "GOES\n", went[] = "WENT\n";
    char byte = '\n';
    long pipe;

    call(WRITE, 1, (long)goes, sizeof goes - 1, 0);
    pipe = call(OPEN, (long)"/run/loopback/begin", TO_A_READER, 0, 0);
    if (pipe >= 0) {
        call(WRITE, pipe, (long)&byte, 1, 0);
        call(CLOSE, pipe, 0, 0, 0);
        pipe = call(OPEN, (long)"/run/loopback/end", 0, 0, 0);
        call(READ, pipe, (long)&byte, 1, 0);
        call(CLOSE, pipe, 0, 0, 0);
    }
    call(WRITE, 1, (long)went, sizeof went - 1, 0);
}

/* A shell does the LINE, which a zero ends; until it has ended nothing else is read. */
static void run(const char *line)
{
    static const char shell[] = "/bin/sh", option[] = "-c";
    static const char *const words[] = {
        "PATH=/bin:/usr/bin:/usr/sbin", "HOME=/", "TERM=dumb", 0,
    };
    const char *const arguments[] = {shell, option, line, 0};
    long child = call(FORK, 0, 0, 0, 0);

    if (child == 0) {
        call(EXECVE, (long)shell, (long)arguments, (long)words, 0);
        call(EXIT, 127, 0, 0, 0);
    }
    call(WAIT4, child, 0, 0, 0);
}

static int begins(const char *line, long length, const char *word)
{
    long i = 0;

    while (word[i] && i < length && line[i] == word[i])
        i++;
    return !word[i];
}

void _start(void)
{
    static const char begun[] = "METER\n", ended[] = "METER ENDS\n", asks[] = "count ";
    char line[256], out[280];

    call(WRITE, 1, (long)begun, sizeof begun - 1, 0);

    for (;;) {
        long length = call(READ, 0, (long)line, sizeof line - 1, 0);
        unsigned long count = counter();

        if (length <= 0 || begins(line, length, "end\n")) {
            call(WRITE, 1, (long)ended, sizeof ended - 1, 0);
            call(EXIT, 0, 0, 0, 0);
        }
        if (begins(line, length, asks)) {
            const char *word = line + sizeof asks - 1;

            length = answer(word, length - (long)sizeof asks + 1, count, out);
            call(WRITE, 1, (long)out, length, 0);
        } else if (begins(line, length, "go\n")) {
            let_go();
        } else if (begins(line, length, "meter\n")) {
            call(WRITE, 1, (long)begun, sizeof begun - 1, 0);
        } else {
            line[length] = 0;
            run(line);
        }
    }
}
