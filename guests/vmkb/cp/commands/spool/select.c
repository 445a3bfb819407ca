/* SPDX-License-Identifier: MIT */
#include "select.h"
#include "ctype.h"
#include "lib.h"

uint8_t select_queue(struct cmd *c, const char *module)
{
    char word[10];
    int queue = cmd_word(c, word, sizeof(word)) ? spool_queue_word(word) : SPOOL_NONE;

    if (!queue)
        cmd_error(c, 35, "DMK%s035E DEVICE TYPE MISSING OR INVALID", module);
    return (uint8_t)queue;
}

int select_files(struct cmd *c, const char *module, const char *word, struct selection *s)
{
    uint32_t id;

    s->class = 0;
    s->id = 0;
    if (strcmp(word, "ALL") == 0)
        return 0;
    if (cmd_is(word, "CLASS", 2))
        return select_class(c, module, &s->class) ? 0 : 28;
    if (!cmd_number(word, &id) || id == 0 || id > SPOOL_IDS)
        return cmd_error(c, 27, "DMK%s027E SPOOLID MISSING OR INVALID", module);
    s->id = (uint16_t)id;
    return 0;
}

struct spool_file *select_next(struct cmd *c, const struct selection *s, struct spool_file *after)
{
    struct spool_file *f = after;

    while ((f = spool_next(c->vm->userid, s->queue, f)) != 0)
        if ((!s->class || f->e.class == s->class) && (!s->id || f->e.id == s->id))
            return f;
    return 0;
}

void select_told(struct cmd *c, unsigned n, const char *done)
{
    char number[12] = "NO";

    if (n) {
        fmt(number, sizeof(number), "%04u", n);
        spool_wait(c->vm);
    }
    cmd_info(c, "%s FILES %s", number, done);
}

int select_each(struct cmd *c, const char *module, uint8_t queue, const char *done,
                void (*act)(struct cmd *c, struct spool_file *f))
{
    struct selection s = {.queue = queue};
    char word[10];
    unsigned n = 0;
    int rc = 0;

    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 27, "DMK%s027E SPOOLID MISSING OR INVALID", module);
    do {
        rc = select_files(c, module, word, &s);
        struct spool_file *f = rc ? 0 : select_next(c, &s, 0), *next;
        if (!f && s.id && rc == 0)
            rc = cmd_error(c, 42, "DMK%s042E SPOOLID %04u DOES NOT EXIST", module, s.id);
        for (; f; f = next) {
            next = select_next(c, &s, f);
            if (f->state != SPOOL_FILED)
                continue;    /* its reader has it open */
            act(c, f);
            n++;
        }
    } while (rc == 0 && cmd_word(c, word, sizeof(word)));
    if (n || rc == 0)
        select_told(c, n, done);
    return rc;
}

bool select_class(struct cmd *c, const char *module, char *class)
{
    char word[4];

    if (cmd_word(c, word, sizeof(word)) && !word[1] && is_alnum(word[0])) {
        *class = word[0];
        return true;
    }
    cmd_error(c, 28, "DMK%s028E CLASS MISSING OR INVALID", module);
    return false;
}

bool select_copies(struct cmd *c, const char *module, uint8_t *copies)
{
    char word[6];
    uint32_t n;

    if (cmd_word(c, word, sizeof(word)) && cmd_number(word, &n) && n >= 1 && n <= 255) {
        *copies = (uint8_t)n;
        return true;
    }
    cmd_error(c, 30, "DMK%s030E COPIES MISSING OR INVALID", module);
    return false;
}

bool select_dist(struct cmd *c, const char *module, char dist[9])
{
    char word[12];

    if (cmd_word(c, word, sizeof(word)) && strlen(word) <= 8) {
        fmt(dist, 9, "%s", word);
        return true;
    }
    cmd_error(c, 32, "DMK%s032E DIST MISSING OR INVALID", module);
    return false;
}

int select_user(struct cmd *c, const char *module, char userid[9])
{
    char word[USERID_WORD];

    if (!cmd_userid(c, module, word))
        return 20;
    if (strcmp(word, "*") == 0)
        fmt(word, sizeof(word), "%s", c->vm->userid);
    if (!directory_find(word))
        return cmd_error(c, 53, "DMK%s053E %s NOT IN CP DIRECTORY", module, word);
    fmt(userid, 9, "%s", word);
    return 0;
}

bool select_name(struct cmd *c, const char *module, char name[SPOOL_NAME])
{
    char fn[SPOOL_NAME + 2], ft[14] = "";

    bool there = cmd_word(c, fn, sizeof(fn));
    bool two = cmd_word(c, ft, sizeof(ft));
    size_t n = strlen(fn);
    if (!there || n > (two ? 12 : SPOOL_NAME) || strlen(ft) > 12) {
        cmd_error(c, 29, "DMK%s029E NAME MISSING OR INVALID", module);
        return false;
    }
    memset(name, ' ', SPOOL_NAME);
    memcpy(name, fn, n);
    if (two)
        memcpy(name + 12, ft, strlen(ft));
    return true;
}
