/* SPDX-License-Identifier: MIT */
/* EXECs: reads the procedure and gives it to the REXX interpreter; what REXX asks of its host is
 * below. */
#include "exec1.h"
#include "nucleus.h"
#include "rexx.h"

enum { TYPED_LINE = 160, SMALL = 65536 };

static struct rexx_env env;
static int running; /* EXECs within EXECs; they share env and its arena */
static const char *other_address = EXEC_NO_ADDRESS;
static exec_address_run *other_run;

void exec_address(const char *name, exec_address_run *run)
{
    other_address = name;
    other_run = run;
}

static void say(struct rexx_env *e, const char *line, uint32_t len)
{
    (void)e;
    cms_say_text(line, len);
}

static int pull_terminal(struct rexx_env *e, char *buf, uint32_t size)
{
    char line[TYPED_LINE + 1];
    int n = cms_read_console(line, sizeof(line));

    (void)e;
    if (n > (int)size)
        n = (int)size;
    memcpy(buf, line, (size_t)n);
    return n;
}

static int terminal_lines(struct rexx_env *e)
{
    (void)e;
    return (int)diag_stacked();
}

static int stack_put(struct rexx_env *e, bool lifo, const char *line, uint32_t len)
{
    (void)e;
    return cms_stack_put(lifo, line, len);
}

static int stack_get(struct rexx_env *e, char *buf, uint32_t size)
{
    (void)e;
    return cms_stack_get(buf, size);
}

static uint32_t stack_count(struct rexx_env *e)
{
    (void)e;
    return cms_stack_count();
}

static int command(struct rexx_env *e, const char *address, const char *text, uint32_t len)
{
    (void)e;
    if (strcmp(address, "CMS") == 0)
        return cms_command(text, len, CMS_ADDRESS_CMS);
    if (strcmp(address, "COMMAND") == 0)
        return cms_command(text, len, CMS_ADDRESS_COMMAND);
    if (strcmp(address, "CP") == 0)
        return cms_cp(text, len, 0, 0, 0);
    if (strcmp(address, other_address) == 0)
        return other_run(text, len);
    return -3;
}

static uint32_t diag8(struct rexx_env *e, const char *text, uint32_t len, char *buf, uint32_t size,
                      int *rc)
{
    unsigned got = 0;

    (void)e;
    *rc = cms_cp(text, len, buf, size, &got);
    return got;
}

static int two(const char *p)
{
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static void now(struct rexx_env *e, struct rexx_time *t)
{
    struct diag_time d;

    (void)e;
    diag_time(&d);
    t->month = two(d.date);
    t->day = two(d.date + 3);
    t->year = 2000 + two(d.date + 6);
    t->hour = two(d.time);
    t->minute = two(d.time + 3);
    t->second = two(d.time + 6);
    t->micro = (int)(d.now_us % 1000000);
}

static uint64_t micros(struct rexx_env *e)
{
    struct diag_time d;

    (void)e;
    diag_time(&d);
    return d.now_us;
}

static unsigned poll(struct rexx_env *e)
{
    (void)e;
    if (cms_halted())
        return REXX_KILL;
    bool interrupted = cms_state.interrupted;
    cms_state.interrupted = false;
    return interrupted ? REXX_HALT : 0;
}

/* The records of a procedure, in this command's storage. V records are taken where they lie, F
 * records without the blanks at their end. */
struct program {
    char name[24];
    struct rexx_str *lines;
    uint32_t count;
};

static uint32_t cut_v(const uint8_t *data, uint32_t size, struct rexx_str *lines, uint32_t max)
{
    uint32_t at = 0, n = 0;

    while (at + 2 <= size && n < max) {
        uint32_t len = (uint32_t)data[at] << 8 | data[at + 1];
        if (at + 2 + len > size)
            break;
        lines[n++] = (struct rexx_str){(const char *)data + at + 2, len};
        at += 2 + len;
    }
    return n;
}

static uint32_t cut_f(const char *data, uint32_t size, uint32_t lrecl, struct rexx_str *lines,
                      uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t at = 0; at < size && n < max; at += lrecl) {
        uint32_t len = size - at < lrecl ? size - at : lrecl;
        while (len && data[at + len - 1] == ' ')
            len--;
        lines[n++] = (struct rexx_str){data + at, len};
    }
    return n;
}

/* Returns 0, or CMS's code when the file cannot be read (it has been said). */
static int load(const char *fn, const char *ft, struct program *p)
{
    struct cms_fileid id;
    struct fs_stat st;
    int code;

    if (cms_fileid(&id, fn, ft, 0, '*') != 0)
        return cms_error(20, "DMSEXC062E Invalid character in fileid %s %s", fn, ft);
    struct cms_file *f = cms_open(&id, &code);
    if (!f)
        return cms_file_error("EXC", code, &id);
    fs_file_stat(&f->fs, &st);
    uint32_t room = (st.size + FS_BLOCK_SIZE - 1) & ~(FS_BLOCK_SIZE - 1);
    uint8_t *data = cms_alloc(room);
    p->lines = cms_alloc((size_t)st.records * sizeof(struct rexx_str));
    if (!data || !p->lines) {
        cms_close(f);
        return cms_file_error("EXC", CMS_E_STORAGE, &id);
    }
    code = fs_read(&f->fs, data, room);
    cms_close(f);
    if (code < 0)
        return cms_file_error("EXC", code, &id);
    if (st.recfm == FS_VARIABLE)
        p->count = cut_v(data, (uint32_t)code, p->lines, st.records);
    else
        p->count = cut_f((const char *)data, (uint32_t)code, st.lrecl, p->lines, st.records);
    fmt(p->name, sizeof(p->name), "%s %s %c%d", id.fn, id.ft, id.letter, st.mode);
    return 0;
}

static int external(struct rexx_env *e, const char *name, const struct rexx_str *args, int nargs,
                    struct rexx_str *result)
{
    struct program p;
    void *mark = heap_mark();
    char letter;
    int code = -1;

    if (running < REXX_NEST && command_exec_exists(name, &letter) && load(name, "EXEC", &p) == 0) {
        running++;
        code = rexx_call(e, p.name, p.lines, p.count, args, nargs, result);
        running--;
        if (code == -1)
            code = REXX_KILLED;
    }
    if (code == -1) /* an EXEC of that name goes first: it was there before CMS had the function */
        code = function_call(name, args, nargs, result);
    heap_release(mark);
    return code;
}

/* The arena is half of what is left: commands of the EXEC live on the other half. It has whole
 * pages: where in a page its end and theirs lie must not follow from how long CMS is. A machine of
 * 512K has no page to spare. */
static bool prepare(void)
{
    size_t half = cms_storage_left() / 2, unit = half < SMALL ? 8 : 4096, size = half & ~(unit - 1);

    env = (struct rexx_env){.arena_size = size,
                            .userid = cms_userid(),
                            .address = "CMS",
                            .say = say,
                            .pull_terminal = pull_terminal,
                            .terminal_lines = terminal_lines,
                            .stack_put = stack_put,
                            .stack_get = stack_get,
                            .stack_count = stack_count,
                            .command = command,
                            .diag8 = diag8,
                            .lines_read = lines_read,
                            .lines_left = lines_left,
                            .chars_left = lines_chars,
                            .lines_write = lines_write,
                            .lines_close = lines_close,
                            .now = now,
                            .micros = micros,
                            .poll = poll,
                            .external = external};
    env.arena = cms_alloc(size);
    return env.arena != 0 && size >= REXX_ARENA_MIN;
}

int exec_set(const char *name, unsigned n, const char *text, unsigned len)
{
    struct rexx_str called = {name, n}, value = {text, len};

    return running ? rexx_set(&env, &called, &value) : 1;
}

int exec_set_nth(const char *stem, uint32_t n, const char *text, unsigned len)
{
    struct rexx_str called = {stem, (uint32_t)strlen(stem)}, value = {text, len};

    return running ? rexx_set_nth(&env, &called, n, &value) : 1;
}

int exec_get_nth(const char *stem, uint32_t n, const char **text)
{
    struct rexx_str called = {stem, (uint32_t)strlen(stem)}, value;

    if (!running || !rexx_get_nth(&env, &called, n, &value))
        return -1;
    *text = value.p;
    return (int)value.n;
}

int exec_get(const char *name, unsigned n, const char **text)
{
    struct rexx_str called = {name, n}, value;

    if (!running || !rexx_get(&env, &called, &value))
        return -1;
    *text = value.p;
    return (int)value.n;
}

static int run(const char *fn, const char *ft, const char *args, const char *address)
{
    struct program p;
    void *mark = heap_mark();
    const char *outer = env.address;
    int rc = load(fn, ft, &p);

    if (rc == 0 && exec1_is(p.lines, p.count)) {
        rc = exec1_run(p.lines, p.count, args);
        heap_release(mark);
        return rc;
    }
    if (rc == 0 && !running && !prepare())
        rc = cms_error(104, "DMSEXC109S Virtual storage capacity exceeded");
    if (rc == 0) {
        running++;
        env.address = address;
        rexx_run(&env, p.name, p.lines, p.count, args, &rc);
        env.address = outer;
        running--;
    }
    heap_release(mark);
    return rc;
}

int exec_run(const char *fn, const char *args)
{
    return run(fn, "EXEC", args, "CMS");
}

int exec_macro(const char *fn, const char *ft, const char *args)
{
    return run(fn, ft, args, ft);
}
