/* SPDX-License-Identifier: MIT */
/* TRANSFER [RDR|PRT|PUN] spoolid|CLASS c|ALL [TO] userid [RDR|PRT|PUN]: files go to another user's
 * queue; and FROM userid: what one has sent there, and is not being read, comes back. */
#include "select.h"
#include "lib.h"

struct move {
    struct selection s;
    char to[USERID_WORD], from[USERID_WORD]; /* who has them, who gets them */
    uint8_t queue;           /* where they go */
};

static bool queue_next(struct cmd *c, uint8_t *queue)
{
    char *whole = c->args;
    char word[10];

    int found = cmd_word(c, word, sizeof(word)) ? spool_queue_word(word) : SPOOL_NONE;
    if (!found || strcmp(word, "R") == 0 || strcmp(word, "P") == 0) {
        c->args = whole;
        return false;
    }
    *queue = (uint8_t)found;
    return true;
}

static void tell(const char *to, uint8_t queue, uint16_t id, const char *how, const char *other,
                 uint8_t other_queue, uint16_t other_id, const struct spool_entry *e)
{
    struct vm *vm = vm_find(to);
    char records[8];

    if (vm && (vm->set & SET_IMSG))
        console_say(vm, "%s FILE %04u SENT %-4s %-8s %s %-3s %04u RECS %s CPY  %03u %c %s NOKEEP",
                    queue_names[queue], id, how, other, queue_names[other_queue],
                    how[0] == 'T' ? "AS" : "WAS", other_id,
                    spool_records(records, e->records), e->copies, e->class,
                    e->hold ? "HOLD" : "NOHOLD");
}

/* False: who gets it has as many files as one can have. */
static bool move(const struct move *m, struct spool_file *f)
{
    struct spool_entry *e = &f->e;
    uint64_t to = spool_key(m->to);
    uint16_t was = e->id, id = to == e->owner || spool_id_free(to, was) ? was : spool_next_id(to);
    uint8_t from_queue = e->queue;

    if (!id)
        return false;
    spool_unlink(f);
    e->owner = to;
    e->id = id;
    e->queue = m->queue;
    spool_queued(e);
    spool_link(f);
    spool_changed(f);
    tell(m->from, from_queue, was, "TO", m->to, m->queue, id, e);
    if (strcmp(m->to, m->from) != 0)
        tell(m->to, m->queue, id, "FROM", m->from, from_queue, was, e);
    return true;
}

/* The files move to the end of a queue, perhaps of this one: none behind `last` is looked at. */
static int move_all(struct cmd *c, struct move *m, bool back)
{
    struct spool_file *f, *next, *last = 0;
    uint64_t mine = spool_key(c->vm->userid);
    unsigned n = 0;
    bool full = false;

    for (f = 0; (f = spool_next(m->from, m->s.queue, f)) != 0;)
        last = f;
    for (f = spool_next(m->from, m->s.queue, 0); f && !full; f = next) {
        next = f == last ? 0 : spool_next(m->from, m->s.queue, f);
        if (f->state == SPOOL_FILED && (!m->s.class || f->e.class == m->s.class)
            && (!m->s.id || f->e.id == m->s.id) && (!back || f->e.origin == mine)) {
            full = !move(m, f);
            n += !full;
        }
    }
    if (!n && m->s.id && !full)
        return cmd_error(c, 42, "DMKCSV042E SPOOLID %04u DOES NOT EXIST", m->s.id);
    select_told(c, n, "TRANSFERRED");
    if (full)
        return cmd_error(c, 436, "DMKCSV436E %s HAS %u SPOOL FILES", m->to, SPOOL_IDS);
    return 0;
}

int cmd_transfer(struct cmd *c)
{
    struct move m = {.s = {.queue = SPOOL_RDR}, .queue = SPOOL_RDR};
    char word[USERID_WORD];

    queue_next(c, &m.s.queue);
    cmd_word(c, word, sizeof(word));
    int rc = select_files(c, "CSV", word, &m.s);
    if (rc != 0)
        return rc;
    bool there = cmd_word(c, word, sizeof(word)), back = there && strcmp(word, "FROM") == 0;
    if (there && (back || strcmp(word, "TO") == 0))
        there = cmd_word(c, word, sizeof(word));
    if (!there || strlen(word) > 8)
        return cmd_error(c, 20, "DMKCSV020E USERID MISSING OR INVALID");
    if (strcmp(word, "*") == 0)
        fmt(word, sizeof(word), "%s", c->vm->userid);
    if (!directory_find(word))
        return cmd_error(c, 53, "DMKCSV053E %s NOT IN CP DIRECTORY", word);
    fmt(m.from, sizeof(m.from), "%s", back ? word : c->vm->userid);
    fmt(m.to, sizeof(m.to), "%s", back ? c->vm->userid : word);
    queue_next(c, &m.queue);
    return cmd_end(c, "CSV") != 0 ? 3 : move_all(c, &m, back);
}
