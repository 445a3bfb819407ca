/* SPDX-License-Identifier: MIT */
/* Functions that CMS gives REXX, as IBM's REXX/VM Reference has them: CHANGESTR, CMSFLAG, COUNTSTR
 * and STORAGE. The interpreter's own table is not made longer for them: each look-up in it would
 * cost more. A function returns 0 and its result, or 40 for wrong arguments. */
#include "nucleus.h"
#include "rexx.h"

static bool given(const struct rexx_str *args, int nargs, int wanted)
{
    int n = 0;

    while (n < nargs && args[n].p)
        n++;
    return n == wanted && nargs == wanted;
}

static bool is_on(const char *name, bool *on)
{
    const struct {
        const char *name;
        bool on;
    } flags[] = {
        {"ABBREV", cms_state.abbrev}, {"CMSTYPE", !cms_state.muted}, {"IMPCP", cms_state.impcp},
        {"IMPEX", cms_state.impex},   {"SUBSET", false},
    };
    const char *fixed = fixed_value(name);

    if (fixed && (strcmp(fixed, "ON") == 0 || strcmp(fixed, "OFF") == 0)) {
        *on = fixed[1] == 'N';
        return true;
    }
    for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        if (strcmp(name, flags[i].name) == 0) {
            *on = flags[i].on;
            return true;
        }
    return false;
}

/* A word in upper case, without blanks around it; empty if it is none of less than 16 bytes. */
static const char *word_of(const struct rexx_str *text, char word[16])
{
    uint32_t from = 0, n = 0;

    while (from < text->n && text->p[from] == ' ')
        from++;
    for (uint32_t end = (uint32_t)blank_trim(text->p, text->n); from < end && n < 15; from++)
        word[n++] = (char)to_upper(text->p[from]);
    word[n] = 0;
    return word;
}

/* CMSFLAG(flag): 1 if the flag of SET is on, else 0. */
static int flag(const struct rexx_str *args, int nargs, struct rexx_str *result)
{
    char word[16];
    bool on;

    if (!given(args, nargs, 1) || !is_on(word_of(args, word), &on))
        return 40;
    *result = (struct rexx_str){on ? "1" : "0", 1};
    return 0;
}

/* STORAGE(): the machine's size, STORAGE(address, length, data): what is there, which data then
 * takes the place of. Bytes that are not the machine's are neither returned nor changed. */
static int storage(const struct rexx_str *args, int nargs, struct rexx_str *result)
{
    struct diag_space space;
    char word[16];
    uint32_t at, length = 1;

    diag_space(&space);
    if (nargs == 0) {
        char *size = cms_alloc(16);
        if (!size)
            return 40;
        *result = (struct rexx_str){size, (uint32_t)fmt(size, 16, "%08X", (unsigned)space.size)};
        return 0;
    }
    if (nargs > 3 || !args[0].p || !cms_hex(word_of(&args[0], word), &at)
        || (nargs > 1 && args[1].p && !cms_number(word_of(&args[1], word), &length)))
        return 40;
    bool ours = at >= space.low && at < space.size;
    uint32_t room = ours ? (uint32_t)space.size - at : 0;
    const struct rexx_str *data = nargs == 3 ? &args[2] : 0;
    char *place = (char *)(uintptr_t)at, *old = cms_alloc(length < room ? length : room);
    if (!old)
        return 40;
    *result = (struct rexx_str){old, length < room ? length : room};
    memcpy(old, place, result->n);
    if (data && data->p)
        memcpy(place, data->p, data->n < room ? data->n : room);
    return 0;
}

/* Where WHAT is in a text from a place on; its length if it is not. */
static uint32_t position(const struct rexx_str *what, const struct rexx_str *in, uint32_t from)
{
    for (; what->n && from + what->n <= in->n; from++)
        if (memcmp(in->p + from, what->p, what->n) == 0)
            return from;
    return in->n;
}

static uint32_t occurrences(const struct rexx_str *what, const struct rexx_str *in)
{
    uint32_t n = 0;

    for (uint32_t at = 0; (at = position(what, in, at)) < in->n; at += what->n)
        n++;
    return n;
}

/* COUNTSTR(string, text): how often the text has it. */
static int countstr(const struct rexx_str *args, int nargs, struct rexx_str *result)
{
    char *digits = cms_alloc(16);

    if (!given(args, nargs, 2) || !digits)
        return 40;
    uint32_t n = occurrences(&args[0], &args[1]);
    *result = (struct rexx_str){digits, (uint32_t)fmt(digits, 16, "%u", n)};
    return 0;
}

/* CHANGESTR(string, text, new): the text with the new string for each of the old. */
static int changestr(const struct rexx_str *args, int nargs, struct rexx_str *result)
{
    if (!given(args, nargs, 3))
        return 40;
    const struct rexx_str *what = &args[0], *in = &args[1], *new = &args[2];
    size_t n = occurrences(what, in), size = in->n + n * new->n - n * what->n, to = 0;
    char *made = cms_alloc(size);
    if (!made)
        return 40;
    uint32_t from = 0;
    for (uint32_t at; n && (at = position(what, in, from)) < in->n; from = at + what->n) {
        memcpy(made + to, in->p + from, at - from);
        to += at - from;
        memcpy(made + to, new->p, new->n);
        to += new->n;
    }
    memcpy(made + to, in->p + from, in->n - from);
    *result = (struct rexx_str){made, (uint32_t)size};
    return 0;
}

int function_call(const char *name, const struct rexx_str *args, int nargs,
                  struct rexx_str *result)
{
    static const struct {
        const char *name;
        int (*run)(const struct rexx_str *args, int nargs, struct rexx_str *result);
    } functions[] = {
        {"CHANGESTR", changestr}, {"CMSFLAG", flag}, {"COUNTSTR", countstr}, {"STORAGE", storage},
    };

    for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].run(args, nargs, result);
    return -1;
}
