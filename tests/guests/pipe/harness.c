/* SPDX-License-Identifier: MIT */
/* PIPE's stages on the host. A line "+text" is stacked, a line "|pipeline" is run: what it types
 * follows, then "." and its return code. There are no files, and EXECs' variables are in a list. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nucleus.h"
#include "pipe.h"

enum { LINES = 4096, STORAGE = 1 << 20 };

struct cms_state cms_state;
static char *stacked[LINES];
static unsigned first, last;
static char storage[STORAGE] __attribute__((aligned(8)));
static struct variable {
    char name[64], text[256];
} variable[64];
static int variables;

void cms_say_text(const char *text, unsigned len) { printf("=%.*s\n", (int)len, text); }
void cms_say(const char *f, ...)
{
    va_list ap;

    va_start(ap, f);
    putchar('=');
    vprintf(f, ap);
    putchar('\n');
    va_end(ap);
}
int cms_error(int rc, const char *f, ...) { (void)f; return rc; }
int cms_file_error(const char *m, int code, const struct cms_fileid *id)
{
    (void)m; (void)code; (void)id;
    return 28;
}
int cms_fileid(struct cms_fileid *id, const char *fn, const char *ft, const char *fm, char other)
{
    (void)fm;
    memset(id, 0, sizeof(*id));
    snprintf(id->fn, 9, "%s", fn);
    snprintf(id->ft, 9, "%s", ft);
    id->letter = other;
    return 0;
}
struct cms_file *cms_open(struct cms_fileid *id, int *code)
{
    (void)id;
    *code = FS_E_NOTFOUND;
    return 0;
}
struct cms_file *cms_create(const struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code)
{
    (void)id; (void)recfm; (void)lrecl;
    *code = FS_E_READONLY;
    return 0;
}
struct cms_file *lines_writer(struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code)
{
    return cms_create(id, recfm, lrecl, code);
}
struct cms_file *file_kept(const struct cms_fileid *id, bool writing)
{
    (void)id; (void)writing;
    return 0;
}
int cms_close(struct cms_file *f) { (void)f; return 0; }
int cms_commit(struct cms_file *f) { (void)f; return 0; }
int fs_next(struct fs_file *f, const uint8_t **record, uint32_t *len)
{
    (void)f; (void)record; (void)len;
    return FS_EOF;
}
int fs_write_record(struct fs_file *f, const void *record, uint32_t len)
{
    (void)f; (void)record; (void)len;
    return FS_OK;
}
void *cms_alloc(size_t size) { return size > STORAGE ? 0 : storage; }
size_t cms_storage_left(void) { return STORAGE; }
bool cms_halted(void) { return false; }
int cms_readline(char *buf, unsigned max) { (void)max; *buf = 0; return 0; }
int cms_cp(const char *text, unsigned len, char *buf, unsigned max, unsigned *got)
{
    int n = snprintf(buf, max, "CP %.*s\x15" "DONE\x15", (int)len, text);

    *got = (unsigned)n;
    return 7;
}
int cms_command(const char *text, unsigned len, int how)
{
    cms_state.capture(text, len);
    return how == CMS_ADDRESS_COMMAND ? -3 : 4;
}
int cms_stack_put(bool lifo, const char *text, unsigned len)
{
    if (last == LINES)
        return 1;
    if (lifo && first) {
        stacked[--first] = strndup(text, len);
        return 0;
    }
    stacked[last++] = strndup(text, len);
    return 0;
}
int cms_stack_get(char *buf, unsigned max)
{
    if (first == last)
        return -1;
    int n = snprintf(buf, max, "%s", stacked[first]);
    free(stacked[first++]);
    if (first == last)
        first = last = 0;
    return n;
}
unsigned cms_stack_count(void) { return last - first; }

static struct variable *find(const char *name, unsigned n)
{
    for (int i = 0; i < variables; i++)
        if (strlen(variable[i].name) == n && memcmp(variable[i].name, name, n) == 0)
            return &variable[i];
    return 0;
}
int exec_set(const char *name, unsigned n, const char *text, unsigned len)
{
    struct variable *v = find(name, n);

    if (!v && variables == 64)
        return 2;
    v = v ? v : &variable[variables++];
    snprintf(v->name, sizeof(v->name), "%.*s", (int)n, name);
    snprintf(v->text, sizeof(v->text), "%.*s", (int)len, text);
    return 0;
}
int exec_get(const char *name, unsigned n, const char **text)
{
    struct variable *v = find(name, n);

    if (!v)
        return -1;
    *text = v->text;
    return (int)strlen(v->text);
}

static int run(const char *text)
{
    static struct pipe p;
    size_t n = strlen(text);
    char *exact = malloc(n ? n : 1); /* no byte behind it: the sanitizer sees one too many */

    memcpy(exact, text, n);
    p.low = storage;
    p.high = storage + STORAGE;
    int rc = pipe_run(&p, exact, (unsigned)n);
    free(exact);
    while (first < last)
        free(stacked[first++]);
    first = last = 0;
    return rc;
}

int main(void)
{
    static char line[70000];

    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '+') {
            cms_stack_put(false, line + 1, (unsigned)strlen(line + 1));
            continue;
        }
        printf(".%d\n", run(line + 1));
        fflush(stdout);
    }
    return 0;
}
