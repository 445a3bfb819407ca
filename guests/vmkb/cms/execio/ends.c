/* SPDX-License-Identifier: MIT */
/* Where EXECIO's lines come from and where they go: the program stack, or variables of the EXEC
 * that gave the command. */
#include "execio.h"

static int name_of(const struct job *job, uint32_t n, char name[EXECIO_NAME + 1])
{
    return job->stem ? fmt(name, EXECIO_NAME + 1, "%s%u", job->name, n)
                     : fmt(name, EXECIO_NAME + 1, "%s", job->name);
}

static int set(const struct job *job, uint32_t n, const char *text, unsigned len)
{
    char name[EXECIO_NAME + 1];
    int code = job->stem ? exec_set_nth(job->name, n, text, len)
                         : exec_set(job->name, (unsigned)strlen(job->name), text, len);

    if (code == 2)
        return cms_error(41, "DMSEIO109S Virtual storage capacity exceeded");
    if (!code)
        return 0;
    name_of(job, n, name);
    return cms_error(24, "DMSEIO631E Variable %s can be set from an EXEC only", name);
}

/* The value of STEM's variable n, or of VAR; -1: none. */
static int get(const struct job *job, uint32_t n, const char **text)
{
    return job->stem ? exec_get_nth(job->name, n, text)
                     : exec_get(job->name, (unsigned)strlen(job->name), text);
}

int execio_give(struct job *job, const char *text, unsigned len)
{
    char upper[EXECIO_LINE];

    job->done++;
    if (job->skip)
        return 0;
    if (job->to && len > job->to)
        len = job->to;
    if (job->from > 1) {
        unsigned skip = job->from - 1 < len ? job->from - 1 : len;
        text += skip;
        len -= skip;
    }
    if (job->strip)
        len = (unsigned)blank_trim(text, len);
    if (job->casing == 'U') {
        len = len < EXECIO_LINE ? len : EXECIO_LINE;
        for (unsigned i = 0; i < len; i++)
            upper[i] = (char)to_upper(text[i]);
        text = upper;
    }
    if (job->name[0])
        return set(job, job->done, text, len);
    return cms_stack_put(job->lifo, text, len)
               ? cms_error(41, "DMSEIO109S The program stack is full")
               : 0;
}

int execio_given(struct job *job)
{
    char count[12];

    if (!job->name[0] || !job->stem || job->skip)
        return 0;
    return set(job, 0, count, (unsigned)fmt(count, sizeof(count), "%u", job->done));
}

static int copy(char *line, unsigned max, const char *from, unsigned n)
{
    n = n < max - 1 ? n : max - 1;
    memcpy(line, from, n);
    line[n] = 0;
    return (int)n;
}

/* STEM.0 says how many there are, if all are asked for. */
static bool more(struct job *job)
{
    char word[12];
    const char *text;

    if (!job->stem)
        return job->done == 0;
    if (job->count != EXECIO_EVERY)
        return true;
    if (job->done == 0) {
        int n = get(job, 0, &text);
        if (n < 1 || n > 9)
            return false;
        copy(word, sizeof(word), text, (unsigned)n);
        if (!cms_number(word, &job->have))
            return false;
    }
    return job->done < job->have;
}

int execio_take(struct job *job, char *line, unsigned max)
{
    char name[EXECIO_NAME + 1];
    const char *text;

    if (job->string)
        return job->count == EXECIO_EVERY && job->done++
                   ? -1
                   : copy(line, max, job->string, (unsigned)strlen(job->string));
    if (job->name[0]) {
        if (!more(job))
            return -1;
        job->done++;
        int n = get(job, job->done, &text);
        return n < 0 ? copy(line, max, name, (unsigned)name_of(job, job->done, name))
                     : copy(line, max, text, (unsigned)n);
    }
    if (job->count == EXECIO_EVERY && cms_stack_count() == 0)
        return -1;
    int n = cms_readline(line, max);
    return n == 0 && cms_stack_count() == 0 ? -1 : n; /* a null line typed ends it */
}

bool execio_matches(const struct job *job, const char *record, unsigned len)
{
    if (job->zone_to && len > job->zone_to)
        len = job->zone_to;
    unsigned at = job->zone_from > 1 ? job->zone_from - 1 : 0;
    bool found = false;

    for (; !found && at + job->text_len <= len; at++) {
        found = memcmp(record + at, job->text, job->text_len) == 0;
        if (job->search == SEARCH_FIND)
            break;
    }
    return found != (job->search == SEARCH_AVOID);
}
