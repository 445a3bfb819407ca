/* SPDX-License-Identifier: MIT */
/* A command line: an EXEC of that name, a CMS command, or else CP's. */
#include "nucleus.h"


/* Cuts the command's name off, in upper case, eight characters at most as CMS looks at no more. */
static unsigned name_of(const char *text, unsigned len, char name[9])
{
    unsigned n = 0, k = 0;

    for (; n < len && text[n] != ' ' && text[n] != '('; n++)
        if (k < 8)
            name[k++] = (char)to_upper(text[n]);
    name[k] = 0;
    return n;
}

bool command_exec_exists(const char *fn, char *letter)
{
    struct cms_fileid id;

    if (cms_fileid(&id, fn, "EXEC", 0, '*') != 0 || cms_find(&id, 0, 0) != FS_OK)
        return false;
    *letter = id.letter;
    return true;
}

/* It takes the same instructions whatever other commands there are, so that none of them can change
 * what a command costs. */
static const struct cms_command *find(const char *name, bool abbreviated)
{
    union {
        char text[8];
        uint64_t key;
    } word = {.key = 0};

    for (unsigned k = 0; k < sizeof(word.text) && name[k]; k++)
        word.text[k] = name[k];
    uint64_t product = word.key * cms_word_factor;
    const struct cms_word *w =
        &cms_words[((product >> 32) + cms_word_moved[product >> 56]) % 1024];
    return w->key == word.key && (abbreviated || w->whole) ? w->command : 0;
}

static int run(const struct cms_command *c, const char *text, unsigned len)
{
    struct cms_arg arg;
    void *mark = heap_mark();
    int rc;

    cms_state.depth++;
    if (cms_arg_parse(&arg, c->name, text, len) != 0 && strcmp(c->name, "PIPE") != 0)
        rc = cms_error(24, "DMSINT070E Too many operands: %s", c->name);
    else
        rc = c->run(&arg);
    file_end_command(cms_state.depth);
    cms_state.depth--;
    heap_release(mark);
    return rc;
}

int cms_cp(const char *text, unsigned len, char *buf, unsigned max, unsigned *got)
{
    long bytes = 0;
    long rc = diag_cp(text, (long)len, buf, max, &bytes);

    if (got)
        *got = (unsigned)bytes;
    return (int)rc;
}

/* A command that CMS does not have. CP answers into a buffer, so that what CP does not know either
 * gets one message only, and a long answer waits for the screen as CMS's own lines do. -3: CP does
 * not know it. */
int command_implied_cp(const char *text, unsigned len)
{
    void *mark = heap_mark();
    unsigned got = 0;
    unsigned room = cms_reply_room();
    char *reply = cms_alloc(room);
    int rc = cms_cp(text, len, reply, reply ? room : 0, &got);

    if (rc == 1) {
        rc = -3;
    } else {
        unsigned at = 0;
        while (at < got) {
            unsigned n = 0;
            while (at + n < got && reply[at + n] != '\x15')
                n++;
            cms_say_text(reply + at, n);
            at += n + 1;
        }
    }
    heap_release(mark);
    return rc;
}

/* The line with the command in its synonym's place; the name is the command's. Its length. */
static unsigned replaced(char line[CMS_LINE], unsigned n, const char *real, char name[9])
{
    char rest[CMS_LINE];

    fmt(rest, sizeof(rest), "%s", line + n);
    fmt(name, 9, "%s", real);
    fmt(line, CMS_LINE, "%s%s", real, rest);
    return (unsigned)strlen(line);
}

/* PIPE alone may be longer than other commands, and of more words: it reads the line itself. */
static int long_pipe(const char *text, unsigned len)
{
    void *mark = heap_mark();
    char *line = cms_alloc(len + 1);
    int rc;

    if (line) {
        memcpy(line, text, len);
        line[len] = 0;
        rc = run(find("PIPE", false), line, len);
    } else {
        rc = cms_error(104, "DMSINT109S Virtual storage capacity exceeded");
    }
    heap_release(mark);
    return rc;
}

int cms_command(const char *text, unsigned len, int how)
{
    char line[CMS_LINE], name[9], letter;

    while (len && *text == ' ') {
        text++;
        len--;
    }
    len = blank_trim(text, len);
    if (len == 0 || (how == CMS_TYPED && *text == '*'))
        return 0;
    if (cms_state.depth >= CMS_NEST)
        return cms_error(104, "DMSINT109S More than %d commands within commands", CMS_NEST);
    if (len > CMS_LINE - 1) {
        name_of(text, len, name);
        if (strcmp(name, "PIPE") == 0)
            return long_pipe(text, len);
        len = CMS_LINE - 1;
    }
    memcpy(line, text, len);
    line[len] = 0;
    unsigned n = name_of(line, len, name);
    const char *real = how == CMS_ADDRESS_COMMAND ? 0 : synonym_find(name);
    if (real && !command_exec_exists(name, &letter)) {
        len = replaced(line, n, real, name);
        n = (unsigned)strlen(name);
    }
    if (how != CMS_ADDRESS_COMMAND && cms_state.impex && command_exec_exists(name, &letter)) {
        const char *args = line + n;
        while (*args == ' ')
            args++;
        cms_state.depth++;
        int rc = exec_run(name, args);
        cms_state.depth--;
        return rc;
    }
    const struct cms_command *c = find(name, how != CMS_ADDRESS_COMMAND && cms_state.abbrev);
    if (c)
        return run(c, line, len);
    int rc = absent_command(name);
    if (rc != -3)
        return rc;
    if (how != CMS_ADDRESS_COMMAND && cms_state.impcp)
        return command_implied_cp(line, len);
    return -3;
}
