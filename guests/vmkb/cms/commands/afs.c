/* SPDX-License-Identifier: MIT */
/* AFS host LS path | STAT path | GET path fn ft [fm] | PUT path fn ft [fm] [(TEXT REPLACE]: files
 * of AFS's file service (cms/afs). */
#include "commands.h"
#include "afs_client.h"

#define PATH_WORD 2              /* of the line: as typed, for AFS tells a from A */

static int options(struct cms_arg *arg, struct afs_job *job)
{
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "TEXT", 1))
            job->text = true;
        else if (cms_is(arg->option[i], "REPLACE", 3))
            job->replace = true;
        else
            return cms_bad_option("AFS", arg->option[i]);
    }
    return 0;
}

/* A word of what was typed behind the command's name, as it was typed. */
static bool typed(const struct cms_arg *arg, int which, char *to, unsigned size)
{
    const char *p = arg->rest;
    unsigned n = 0;

    for (;; which--) {
        while (*p == ' ')
            p++;
        if (which == 0)
            break;
        while (*p && *p != ' ')
            p++;
    }
    for (; *p && *p != ' ' && *p != '('; p++)
        if (n + 1 < size)
            to[n++] = *p;
    to[n] = 0;
    return n > 0;
}

static int run(struct afs_client *c, unsigned verb, const char *path, struct afs_job *job)
{
    switch (verb) {
    case 0:  return afs_list(c, path);
    case 1:  return afs_stat(c, path);
    case 2:  return afs_get(c, path, job);
    default: return afs_store(c, path, job);
    }
}

CMS_COMMAND("AFS", 3, cmd_afs);
int cmd_afs(struct cms_arg *arg)
{
    static const char *const verbs[] = {"LS", "STAT", "GET", "PUT"};
    struct afs_job job = {0};
    struct afs_client *c = 0;
    char path[CMS_LINE];
    unsigned verb = 0;
    int rc = options(arg, &job);

    if (rc != 0)
        return rc;
    if (arg->n < 3 || !typed(arg, PATH_WORD, path, sizeof(path)))
        return cms_error(24, "DMSAFS029E AFS needs a host, LS, STAT, GET or PUT, and a path");
    while (verb < 4 && !cms_is(arg->word[1], verbs[verb], 2))
        verb++;
    if (verb == 4)
        return cms_error(24, "DMSAFS029E Invalid parameter %s; LS, STAT, GET or PUT", arg->word[1]);
    if (verb < 2 ? arg->n > 3 : arg->n < 5 || arg->n > 6)
        return cms_error(24, verb < 2 ? "DMSAFS070E Invalid parameter %s"
                                      : "DMSAFS054E Incomplete fileid specified",
                         arg->word[3]);
    if (verb >= 2) {
        rc = cms_fileid(&job.id, arg->word[3], arg->word[4], arg->word[5], verb == 2 ? 'A' : '*');
        if (rc != 0)
            return cms_fileid_error("AFS", rc, arg->word[3], arg->word[4], arg->word[5]);
    }
    rc = afs_open(arg->word[0], &c);
    if (rc != 0)
        return rc;
    rc = run(c, verb, path, &job);
    afs_close(c);
    return rc;
}
