/* SPDX-License-Identifier: MIT */
/* What stands behind EXECIO's parenthesis. It is read as it was typed, for STRING and the texts of
 * searches keep their letters and blanks. */
#include "execio.h"

struct cursor {
    const char *at;
    char word[EXECIO_NAME + 1]; /* in capitals */
};

static bool next(struct cursor *c)
{
    unsigned n = 0;

    while (*c->at == ' ')
        c->at++;
    for (; *c->at && *c->at != ' ' && *c->at != ')'; c->at++)
        if (n < EXECIO_NAME)
            c->word[n++] = (char)to_upper(*c->at);
    c->word[n] = 0;
    return n != 0;
}

static int bad(const struct cursor *c)
{
    return cms_error(24, "DMSEIO070E Invalid parameter %s", c->word);
}

static int range(struct cursor *c, uint32_t *from, uint32_t *to)
{
    *to = 0;
    if (!next(c) || !cms_number(c->word, from) || *from == 0)
        return bad(c);
    if (!next(c) || (strcmp(c->word, "*") != 0 && (!cms_number(c->word, to) || *to < *from)))
        return bad(c);
    return 0;
}

/* Between two equal characters. */
static int text(struct cursor *c, struct job *job, int search)
{
    while (*c->at == ' ')
        c->at++;
    char end = *c->at;
    const char *from = end ? ++c->at : c->at;
    while (*c->at && *c->at != end)
        c->at++;
    job->search = search;
    job->text = from;
    job->text_len = (unsigned)(c->at - from);
    if (!job->text_len)
        return cms_error(24, "DMSEIO070E Invalid parameter: no text to search for");
    if (*c->at)
        c->at++;
    return 0;
}

static int variable(struct cursor *c, struct job *job, bool stem)
{
    next(c);
    size_t n = strlen(c->word);
    if (!n || is_digit(c->word[0]) || c->word[0] == '.' || n > EXECIO_NAME - 12)
        return bad(c);
    job->stem = stem;
    memcpy(job->name, c->word, n + 1);
    return 0;
}

static int flag(const struct cursor *c, struct job *job)
{
    const char *w = c->word;

    if (cms_is(w, "FINIS", 3))
        job->finis = true;
    else if (cms_is(w, "LIFO", 2))
        job->lifo = true;
    else if (cms_is(w, "SKIP", 2))
        job->skip = true;
    else if (cms_is(w, "STRIP", 5))
        job->strip = true;
    else if (!cms_is(w, "FIFO", 3) && !cms_is(w, "NOTYPE", 2))
        return cms_bad_option("EIO", w);
    return 0;
}

static int option(struct cursor *c, struct job *job)
{
    const char *w = c->word;

    if (cms_is(w, "MARGINS", 1))
        return range(c, &job->from, &job->to);
    if (cms_is(w, "ZONE", 2))
        return range(c, &job->zone_from, &job->zone_to);
    if (cms_is(w, "FIND", 3))
        return text(c, job, SEARCH_FIND);
    if (cms_is(w, "LOCATE", 2))
        return text(c, job, SEARCH_LOCATE);
    if (cms_is(w, "AVOID", 2))
        return text(c, job, SEARCH_AVOID);
    if (cms_is(w, "STEM", 4) || cms_is(w, "VAR", 3))
        return variable(c, job, w[0] == 'S');
    if (cms_is(w, "CASE", 2)) {
        job->casing = next(c) ? c->word[0] : 0;
        return job->casing == 'U' || job->casing == 'M' ? 0 : bad(c);
    }
    if (cms_is(w, "BUFFER", 2))
        return next(c) ? 0 : bad(c);
    return flag(c, job);
}

int execio_options(const char *line, struct job *job)
{
    struct cursor c = {.at = strchr(line, '(')};
    int rc = 0;

    if (!c.at)
        return 0;
    c.at++;
    while (rc == 0 && next(&c)) {
        if (cms_is(c.word, "STRING", 3)) {
            job->string = *c.at ? c.at + 1 : c.at;
            break;
        }
        rc = option(&c, job);
    }
    return rc;
}
