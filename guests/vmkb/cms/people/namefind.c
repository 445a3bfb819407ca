/* SPDX-License-Identifier: MIT */
/* NAMEFIND :tag value ... [:tag ...] [(TYPE|STACK|FIFO|LIFO FILE fn START n]: the first entry of
 * the file userid NAMES that has these values; of it the values of the tags that have none here, or
 * all of it. */
#include "commands.h"
#include "people.h"

struct wanted {
    const char *tag[CMS_WORDS], *value[CMS_WORDS]; /* value 0: it is asked for */
    int n, asked;
    char values[2 * CMS_LINE];
    bool stack, lifo;
    uint32_t start;
    const char *file;
};

static int options(const struct cms_arg *arg, struct wanted *w)
{
    for (int i = 0; i < arg->options; i++) {
        const char *o = arg->option[i];
        if (cms_is(o, "STACK", 2) || cms_is(o, "FIFO", 2) || cms_is(o, "LIFO", 2)) {
            w->stack = true;
            w->lifo = o[0] == 'L';
        } else if (cms_is(o, "FILE", 4)) {
            w->file = arg->option[++i];
        } else if (cms_is(o, "START", 4)) {
            if (!cms_number(arg->option[++i], &w->start) || w->start == 0)
                return cms_error(24, "DMSNAM029E Invalid parameter %s in the option START",
                                 arg->option[i]);
        } else if (!cms_is(o, "TYPE", 1)) {
            return cms_bad_option("NAM", o);
        }
    }
    return 0;
}

/* :tag, and the words up to the next one. */
static int operands(const struct cms_arg *arg, struct wanted *w)
{
    char *to = w->values;

    for (int i = 0; i < arg->n; i++) {
        const char *word = arg->word[i];
        if (*word == ':') {
            w->tag[w->n] = word + 1;
            w->value[w->n++] = 0;
            w->asked++;
            continue;
        }
        if (!w->n)
            return cms_error(24, "DMSNAM070E Invalid parameter %s", word);
        bool first = !w->value[w->n - 1];
        if (first)
            w->value[w->n - 1] = to;
        else
            to[-1] = ' ';
        w->asked -= first;
        size_t n = strlen(word) + 1;
        memcpy(to, word, n);
        to += n;
    }
    return w->n ? 0 : cms_error(24, "DMSNAM386E Missing operand: NAMEFIND :tag value");
}

static bool has(const char *entry, unsigned len, const struct wanted *w)
{
    char value[NAMES_VALUE];

    for (int i = 0; i < w->n; i++) {
        if (!w->value[i])
            continue;
        if (!names_tag(entry, len, w->tag[i], value))
            return false;
        for (char *p = value; *p; p++)
            *p = (char)to_upper(*p);
        if (strcmp(value, w->value[i]) != 0)
            return false;
    }
    return true;
}

static int out(const struct wanted *w, const char *text)
{
    if (!w->stack) {
        cms_say("%s", text);
        return 0;
    }
    return cms_stack_put(w->lifo, text, (unsigned)strlen(text))
               ? cms_error(104, "DMSNAM109S Virtual storage capacity exceeded")
               : 0;
}

static int whole(const struct wanted *w, const char *entry, unsigned len)
{
    char line[CMS_LINE];
    unsigned at = 0;

    while (at < len) {
        unsigned n = 1;
        while (at + n < len && !(entry[at + n] == ':' && entry[at + n - 1] == ' '))
            n++;
        fmt(line, sizeof(line), "%.*s", (int)blank_trim(entry + at, n), entry + at);
        int rc = out(w, line);
        if (rc != 0)
            return rc;
        at += n;
    }
    return 0;
}

CMS_COMMAND("NAMEFIND", 5, cmd_namefind);
int cmd_namefind(struct cms_arg *arg)
{
    struct wanted w = {.start = 1, .file = cms_userid()};
    struct names names;
    char value[NAMES_VALUE];
    const char *entry;
    unsigned at = 0, len;
    int rc = options(arg, &w);

    if (rc == 0)
        rc = operands(arg, &w);
    if (rc == 0)
        rc = names_read(&names, "NAM", w.file);
    if (rc != 0)
        return rc;
    if (!names.text)
        return cms_error(28, "DMSNAM002E File %s NAMES * not found", w.file);
    do {
        if (!names_next(&names, &at, &entry, &len))
            return cms_error(32, "DMSNAM634E No entry matches");
    } while (!has(entry, len, &w) || --w.start);
    if (!w.asked)
        return whole(&w, entry, len);
    for (int i = 0; i < w.n && rc == 0; i++)
        if (!w.value[i])
            rc = out(&w, names_tag(entry, len, w.tag[i], value) ? value : "");
    return rc;
}
