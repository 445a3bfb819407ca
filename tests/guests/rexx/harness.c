/* SPDX-License-Identifier: MIT */
/*
 * Runs EXECs for the tests. Requests come on standard input, answers go to standard output, both
 * as a line of numbers followed by bytes, in the execution character set:
 *   request:  program-bytes terminal-bytes args-bytes arena-bytes halt-after-polls; the bytes
 *   answer:   error rc output-bytes; the bytes
 * The program may hold several EXECs, each after a line "%% NAME"; the first one is run. Output
 * has what was said, and "<ENV> text" for each command. Commands that do something: RC n;
 * STACK text; CLOCK y m d h m s us; EXEC name args. DIAG 8 answers with the command itself, but
 * QUERY TIME with the lines of VM. Streams are files in storage, empty at first; of a name that
 * has "FULL" in it nothing can be written.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "lib.h"
#include "rexx.h"

enum { PROGRAMS = 16, LINES = 20000, OUT = 4 << 20, STACK = 200, STACK_LINE = 256 };

static struct {
    char name[16];
    const struct rexx_str *lines;
    uint32_t n;
} programs[PROGRAMS];
static int nprograms;
static struct rexx_str lines[LINES];
static char in[4 << 20], out[OUT], terminal[65536];
static uint32_t out_len, terminal_len, terminal_at;
static char stack_line[STACK][STACK_LINE];
static uint32_t stack_len[STACK], stack_count_now;
static struct rexx_time clock_now;
static uint64_t micros_now;
static long polls_left;
static char arena[8 << 20] __attribute__((aligned(16)));

static void put(const char *s, size_t n)
{
    for (size_t k = 0; k < n && out_len < OUT; k++)
        out[out_len++] = s[k];
}

static void say(struct rexx_env *env, const char *line, uint32_t n)
{
    (void)env;
    put(line, n);
    put("\n", 1);
}

static int pull_terminal(struct rexx_env *env, char *buf, uint32_t size)
{
    (void)env;
    uint32_t n = 0;
    if (terminal_at >= terminal_len)
        return -1;
    while (terminal_at < terminal_len && terminal[terminal_at] != '\n') {
        if (n < size)
            buf[n++] = terminal[terminal_at];
        terminal_at++;
    }
    terminal_at++;
    return (int)n;
}

static int stack_put(struct rexx_env *env, bool lifo, const char *line, uint32_t n)
{
    (void)env;
    if (stack_count_now == STACK || n > STACK_LINE)
        return 1;
    uint32_t at = stack_count_now++;
    if (!lifo && at) { /* the end of the array is what is pulled first */
        memmove(stack_line[1], stack_line[0], at * sizeof stack_line[0]);
        memmove(&stack_len[1], &stack_len[0], at * sizeof stack_len[0]);
        at = 0;
    }
    if (!lifo)
        at = 0;
    memcpy(stack_line[at], line, n);
    stack_len[at] = n;
    return 0;
}

static int stack_get(struct rexx_env *env, char *buf, uint32_t size)
{
    (void)env;
    if (!stack_count_now)
        return -1;
    uint32_t n = stack_len[--stack_count_now];
    memcpy(buf, stack_line[stack_count_now], n < size ? n : size);
    return (int)n;
}

/* Lines of a file are what stands before each NEWLINE. */
enum { FILES = 8, FILE_NAME = 32, FILE_ROOM = 1 << 16, NEWLINE = 1 };

static struct {
    char name[FILE_NAME], text[FILE_ROOM];
    uint32_t name_len, len, at;
} files[FILES];
static int nfiles;

static int file_of(const struct rexx_str *name, bool make)
{
    for (int k = 0; k < nfiles; k++)
        if (files[k].name_len == name->n && memcmp(files[k].name, name->p, name->n) == 0)
            return k;
    if (!make || nfiles == FILES || name->n > FILE_NAME)
        return -1;
    memcpy(files[nfiles].name, name->p, name->n);
    files[nfiles].name_len = name->n;
    files[nfiles].len = files[nfiles].at = 0;
    return nfiles++;
}

static int lines_read(struct rexx_env *env, const struct rexx_str *name, uint32_t line,
                      const char **text)
{
    (void)env;
    int k = file_of(name, false);
    if (k < 0)
        return -1;
    if (line)
        for (files[k].at = 0; line > 1 && files[k].at < files[k].len; files[k].at++)
            line -= files[k].text[files[k].at] == NEWLINE;
    if (files[k].at == files[k].len)
        return -1;
    uint32_t from = files[k].at;
    *text = files[k].text + from;
    while (files[k].text[files[k].at] != NEWLINE)
        files[k].at++;
    return (int)(files[k].at++ - from);
}

static uint32_t chars_left(struct rexx_env *env, const struct rexx_str *name)
{
    (void)env;
    int k = file_of(name, false);
    return k < 0 ? 0 : files[k].len - files[k].at;
}

static uint32_t lines_left(struct rexx_env *env, const struct rexx_str *name)
{
    (void)env;
    uint32_t n = 0;
    int k = file_of(name, false);
    for (uint32_t at = k < 0 ? 0 : files[k].at; k >= 0 && at < files[k].len; at++)
        n += files[k].text[at] == NEWLINE;
    return n;
}

static int lines_write(struct rexx_env *env, const struct rexx_str *name,
                       const struct rexx_str *text)
{
    (void)env;
    int k = file_of(name, true);
    if (k < 0 || memmem(name->p, name->n, "FULL", 4) || files[k].len + text->n >= FILE_ROOM)
        return 1;
    if (text->n)
        memcpy(files[k].text + files[k].len, text->p, text->n);
    files[k].len += text->n;
    files[k].text[files[k].len++] = NEWLINE;
    return 0;
}

static int lines_close(struct rexx_env *env, const struct rexx_str *name)
{
    (void)env;
    int k = file_of(name, false);
    if (k >= 0)
        files[k].at = 0;
    return 0;
}

static int terminal_lines(struct rexx_env *env)
{
    (void)env;
    int n = 0;
    for (uint32_t at = terminal_at; at < terminal_len; at++)
        n += terminal[at] == '\n';
    return n;
}

static uint32_t stack_count(struct rexx_env *env)
{
    (void)env;
    return stack_count_now;
}

static long number(const char **p)
{
    long v = 0, sign = 1;
    while (**p == ' ')
        (*p)++;
    if (**p == '-') {
        sign = -1;
        (*p)++;
    }
    while (**p >= '0' && **p <= '9')
        v = v * 10 + (*(*p)++ - '0');
    return v * sign;
}

static int find(const char *name, size_t n)
{
    for (int k = 0; k < nprograms; k++)
        if (strlen(programs[k].name) == n && memcmp(programs[k].name, name, n) == 0)
            return k;
    return -1;
}

static int command(struct rexx_env *env, const char *address, const char *text, uint32_t n)
{
    char copy[512];
    int rc;
    n = n < sizeof copy - 1 ? n : sizeof copy - 1;
    memcpy(copy, text, n);
    copy[n] = 0;
    const char *p = copy;
    put("<", 1);
    put(address, strlen(address));
    put("> ", 2);
    put(copy, n);
    put("\n", 1);
    if (strncmp(copy, "RC ", 3) == 0) {
        p += 3;
        return (int)number(&p);
    }
    if (strncmp(copy, "STACK ", 6) == 0)
        return stack_put(env, false, copy + 6, n - 6);
    if (strncmp(copy, "CLOCK ", 6) == 0) {
        p += 6;
        clock_now.year = (int)number(&p);
        clock_now.month = (int)number(&p);
        clock_now.day = (int)number(&p);
        clock_now.hour = (int)number(&p);
        clock_now.minute = (int)number(&p);
        clock_now.second = (int)number(&p);
        clock_now.micro = (int)number(&p);
        return 0;
    }
    if (strncmp(copy, "EXEC ", 5) == 0) {
        p += 5;
        size_t k = 0;
        while (p[k] && p[k] != ' ')
            k++;
        int which = find(p, k);
        if (which < 0)
            return 28;
        rexx_run(env, programs[which].name, programs[which].lines, programs[which].n,
                 p[k] ? p + k + 1 : "", &rc);
        return rc;
    }
    return -3;
}

static uint32_t diag8(struct rexx_env *env, const char *text, uint32_t n, char *buf, uint32_t size,
                      int *cp_rc)
{
    (void)env;
    uint32_t k = 0;
    if (n == 10 && memcmp(text, "QUERY TIME", 10) == 0) {
        text = "TIME IS 13:05:09 EST SATURDAY 11/21/26\x15"
               "CONNECT= 00:05:11 VIRTCPU= 001:01.23 TOTCPU= 002:03.45";
        n = (uint32_t)strlen(text);
    }
    for (; k < n && k < size; k++)
        buf[k] = text[k];
    if (k < size)
        buf[k++] = 0x15;
    *cp_rc = 7;
    return k;
}

static void now(struct rexx_env *env, struct rexx_time *t)
{
    (void)env;
    *t = clock_now;
}

static uint64_t micros(struct rexx_env *env)
{
    (void)env;
    return micros_now += 1500000;
}

static unsigned poll(struct rexx_env *env)
{
    (void)env;
    return polls_left && --polls_left == 0 ? REXX_HALT : 0;
}

static int external(struct rexx_env *env, const char *name, const struct rexx_str *args, int nargs,
                    struct rexx_str *result)
{
    int which = find(name, strlen(name));
    if (which < 0)
        return -1;
    return rexx_call(env, programs[which].name, programs[which].lines, programs[which].n, args,
                     nargs, result);
}

/* Splits the request's program into records and EXECs. */
static void split(const char *p, size_t n)
{
    uint32_t count = 0;
    strcpy(programs[0].name, "TEST EXEC A1");
    programs[0].lines = lines;
    programs[0].n = 0;
    nprograms = 1;
    for (size_t from = 0; from < n && count < LINES;) {
        size_t to = from;
        while (to < n && p[to] != '\n')
            to++;
        if (to - from > 3 && to - from < 16 && memcmp(p + from, "%% ", 3) == 0 &&
            nprograms < PROGRAMS) {
            memcpy(programs[nprograms].name, p + from + 3, to - from - 3);
            programs[nprograms].name[to - from - 3] = 0;
            programs[nprograms].lines = &lines[count];
            programs[nprograms++].n = 0;
        } else {
            lines[count++] = (struct rexx_str){p + from, (uint32_t)(to - from)};
            programs[nprograms - 1].n++;
        }
        from = to + 1;
    }
}

static bool read_all(char *buf, size_t n)
{
    while (n) {
        ssize_t k = read(0, buf, n);
        if (k <= 0)
            return false;
        buf += k;
        n -= (size_t)k;
    }
    return true;
}

static void write_all(const char *buf, size_t n)
{
    while (n) {
        ssize_t k = write(1, buf, n);
        if (k <= 0)
            _exit(3);
        buf += k;
        n -= (size_t)k;
    }
}

int main(void)
{
    static char args[65536];
    for (;;) {
        char head[128];
        size_t h = 0;
        do {
            if (h == sizeof head || !read_all(head + h, 1))
                return 0;
        } while (head[h++] != '\n');
        head[h - 1] = 0;
        const char *p = head;
        long n = number(&p), t = number(&p), a = number(&p), size = number(&p);
        polls_left = number(&p);
        if (n > (long)sizeof in || t > (long)sizeof terminal || a >= (long)sizeof args ||
            size > (long)sizeof arena)
            return 2;
        if (!read_all(in, (size_t)n) || !read_all(terminal, (size_t)t) ||
            !read_all(args, (size_t)a))
            return 2;
        args[a] = 0;
        terminal_len = (uint32_t)t;
        terminal_at = out_len = stack_count_now = 0;
        nfiles = 0;
        clock_now = (struct rexx_time){2026, 11, 21, 13, 5, 9, 123};
        micros_now = 0;
        split(in, (size_t)n);
        struct rexx_env env = {
            .arena = arena, .arena_size = (size_t)size, .userid = "MAINT", .say = say,
            .pull_terminal = pull_terminal, .stack_put = stack_put, .stack_get = stack_get,
            .stack_count = stack_count, .command = command, .diag8 = diag8, .now = now,
            .micros = micros, .poll = poll, .external = external, .terminal_lines = terminal_lines,
            .lines_read = lines_read, .lines_left = lines_left, .chars_left = chars_left,
            .lines_write = lines_write, .lines_close = lines_close};
        int rc = 0;
        int error = rexx_run(&env, programs[0].name, programs[0].lines, programs[0].n, args, &rc);
        h = (size_t)fmt(head, sizeof head, "%d %d %u\n", error, rc, out_len);
        write_all(head, h);
        write_all(out, out_len);
    }
}
