/* SPDX-License-Identifier: MIT */
/* alike FILE ..: for each file that can be read a line with its name and that of the first of them
 * that is the same, byte for byte. It compares 256 bytes with one instruction: of files of
 * megabytes on an emulator that is a thousandth of what their checksums take. */

enum { EXIT = 1, WRITE = 4, OPEN = 5, CLOSE = 6, LSEEK = 19, MMAP = 90 };
enum { SEEK_END = 2, PROT_READ = 1, MAP_PRIVATE = 2, FILES = 1024, PIECE = 256 };

static long call(long number, long a, long b, long c)
{
    register long r1 __asm__("1") = number;
    register long r2 __asm__("2") = a;
    register long r3 __asm__("3") = b;
    register long r4 __asm__("4") = c;

    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory", "cc");
    return r2;
}

static struct {
    const char *name, *at;
    long size;
} seen[FILES];

/* The file's bytes; 0 if they cannot be had. */
static const char *content(const char *name, long *size)
{
    long file = call(OPEN, (long)name, 0, 0);

    if (file < 0)
        return 0;
    *size = call(LSEEK, file, 0, SEEK_END);
    long words[] = {0, *size ? *size : 1, PROT_READ, MAP_PRIVATE, file, 0};
    long at = call(MMAP, (long)words, 0, 0);
    call(CLOSE, file, 0, 0);
    return at < 0 && at > -4096 ? 0 : (const char *)at;
}

static int same(const char *a, const char *b, long size)
{
    for (; size >= PIECE; a += PIECE, b += PIECE, size -= PIECE)
        if (__builtin_memcmp(a, b, PIECE) != 0)
            return 0;
    while (size > 0 && *a == *b)
        a++, b++, size--;
    return size <= 0;
}

static void say(const char *text, char end)
{
    long length = 0;

    while (text[length])
        length++;
    call(WRITE, 1, (long)text, length);
    call(WRITE, 1, (long)&end, 1);
}

__attribute__((used)) static void begin(long *stack)
{
    long firsts = 0;
    char **name = (char **)stack + 1;

    for (long n = 1; n < stack[0]; n++) {
        long size, k = 0;
        const char *at = content(name[n], &size);

        if (!at)
            continue;
        while (k < firsts && (seen[k].size != size || !same(seen[k].at, at, size)))
            k++;
        if (k == firsts && firsts < FILES) {
            seen[firsts].name = name[n];
            seen[firsts].at = at;
            seen[firsts++].size = size;
        }
        say(name[n], ' ');
        say(k < firsts ? seen[k].name : name[n], '\n');
    }
    call(EXIT, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n\tlgr %r2,%r15\n\taghi %r15,-160\n\tjg begin\n");
