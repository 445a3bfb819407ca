/* SPDX-License-Identifier: MIT */
/* GLOBALV [SELECT group] SET[S|P] name value ... | SETL[S|P] name value | PUT[S|P] name ... | GET
 * name ... | STACK name ... | LIST [name ...] | PURGE; GLOBALV INIT, PURGE, GRPLIST: variables that
 * EXECs share. S keeps them for the session, P for ever. */
#include "commands.h"
#include "globals.h"

struct words {
    const char *at;
    char name[GLOBALS_NAME + 1]; /* the word in capitals */
    unsigned n;
    const char *raw;         /* as it was typed */
};

static char selected[9];

static bool next(struct words *w)
{
    while (*w->at == ' ')
        w->at++;
    w->raw = w->at;
    for (w->n = 0; *w->at && *w->at != ' '; w->at++)
        if (w->n < GLOBALS_NAME)
            w->name[w->n++] = (char)to_upper(*w->at);
    w->name[w->n] = 0;
    return w->n != 0;
}

/* SETLS: how long, and whether the rest of the line is one value. False: not of that kind. */
static bool kind(const char *word, const char *verb, bool *whole, int *how_long)
{
    size_t n = strlen(verb);

    if (strncmp(word, verb, n) != 0)
        return false;
    *whole = false;
    *how_long = FOR_NOW;
    for (word += n; *word; word++) {
        if (*word == 'L' && verb[0] == 'S')
            *whole = true;
        else if (*word == 'S' || *word == 'P')
            *how_long = *word == 'S' ? FOR_SESSION : FOR_EVER;
        else
            return false;
    }
    return true;
}

static int set(struct words *w, const char *group, bool whole, int how_long)
{
    int rc = 0;

    while (rc == 0 && next(w)) {
        char name[GLOBALS_NAME + 1];
        unsigned n = w->n;
        memcpy(name, w->name, n);
        if (whole) {
            const char *value = *w->at ? w->at + 1 : w->at;
            w->at += strlen(w->at);
            return globals_set(group, name, n, value, (unsigned)strlen(value), how_long);
        }
        next(w);
        rc = globals_set(group, name, n, w->raw, w->n, how_long);
    }
    return rc;
}

static int put(struct words *w, const char *group, int how_long)
{
    const char *value;
    int rc = 0;

    while (rc == 0 && next(w)) {
        int len = exec_get(w->name, w->n, &value);
        rc = globals_set(group, w->name, w->n, len < 0 ? w->name : value,
                         len < 0 ? w->n : (unsigned)len, how_long);
    }
    return rc;
}

static const char *value_of(const char *group, const struct words *w, unsigned *len)
{
    const struct global *g = globals_find(group, w->name, w->n);

    *len = g ? g->len : 0;
    return g ? g->text + g->name_len : "";
}

static int get(struct words *w, const char *group)
{
    unsigned len;

    while (next(w)) {
        const char *value = value_of(group, w, &len);
        int code = exec_set(w->name, w->n, value, len);
        if (code == 2)
            return cms_error(104, "DMSGLB109S Virtual storage capacity exceeded");
        if (code != 0)
            return cms_error(24, "DMSGLB631E Variable %s can be set from an EXEC only", w->name);
    }
    return 0;
}

static int stack(struct words *w, const char *group)
{
    unsigned len;

    while (next(w)) {
        const char *value = value_of(group, w, &len);
        if (cms_stack_put(true, value, len) != 0)
            return cms_error(104, "DMSGLB109S Virtual storage capacity exceeded");
    }
    return 0;
}

static int list(struct words *w, const char *group)
{
    unsigned len;

    cms_say(" SELECTED TABLE IS: %s", group);
    if (next(w)) {
        do {
            const char *value = value_of(group, w, &len);
            cms_say(" %s=%.*s", w->name, (int)len, value);
        } while (next(w));
        return 0;
    }
    for (struct global *g = globals_next(0); g; g = globals_next(g))
        if (strcmp(g->group, group) == 0)
            cms_say(" %.*s=%.*s", g->name_len, g->text, g->len, g->text + g->name_len);
    return 0;
}

/* Each group once: where its first variable is. */
static int groups(void)
{
    for (struct global *g = globals_next(0); g; g = globals_next(g)) {
        struct global *before = globals_next(0);
        while (before != g && strcmp(before->group, g->group) != 0)
            before = globals_next(before);
        if (before == g)
            cms_say(" %s", g->group);
    }
    return 0;
}

static int function(struct words *w, const char *group, bool chosen)
{
    const char *what = w->name;
    bool whole;
    int how_long;

    if (kind(what, "SET", &whole, &how_long))
        return set(w, group, whole, how_long);
    if (kind(what, "PUT", &whole, &how_long))
        return put(w, group, how_long);
    if (strcmp(what, "GET") == 0)
        return get(w, group);
    if (strcmp(what, "STACK") == 0)
        return stack(w, group);
    if (strcmp(what, "LIST") == 0)
        return list(w, group);
    if (strcmp(what, "GRPLIST") == 0)
        return groups();
    if (strcmp(what, "PURGE") == 0)
        globals_drop(chosen ? group : 0);
    else if (strcmp(what, "INIT") != 0)
        return cms_error(24, "DMSGLB047E No function specified: %s", what);
    return 0;
}

CMS_COMMAND("GLOBALV", 7, cmd_globalv);
int cmd_globalv(struct cms_arg *arg)
{
    struct words w = {.at = arg->rest};
    char group[9];

    globals_start();
    if (!selected[0])
        fmt(selected, sizeof(selected), "UNNAMED");
    if (!next(&w))
        return cms_error(24, "DMSGLB047E No function specified");
    bool chosen = strcmp(w.name, "SELECT") == 0;
    if (chosen) {
        if (!next(&w))
            fmt(w.name, sizeof(w.name), "UNNAMED");
        if (w.n > 8)
            return cms_error(24, "DMSGLB029E Invalid group %s", w.name);
        fmt(group, sizeof(group), "%s", w.name);
        if (!next(&w)) {
            memcpy(selected, group, sizeof(selected));
            return 0;
        }
    } else {
        memcpy(group, selected, sizeof(group));
    }
    return function(&w, group, chosen);
}
