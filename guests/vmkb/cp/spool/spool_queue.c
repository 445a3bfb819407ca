/* SPDX-License-Identifier: MIT */
/* The queues of spool files: each user's reader, printer and punch, in the order of their files. */
#include "spool.h"
#include "lib.h"

const char *const queue_names[] = {"", "RDR", "PRT", "PUN"};
const char *const maker_names[] = {"RDR", "PRT", "PUN", "CON"};

#define MIDDLE (1UL << 62)       /* the first file's order: there is room before it, for ORDER */

static struct spool_file *first[4], *last[4]; /* by SPOOL_, in their order */
static uint64_t highest = MIDDLE, lowest = MIDDLE;

/* Ids are given in turn. Those above `before`, the highest at IPL, are nobody else's until the turn
 * has come to its end. */
static uint16_t last_id, before;
static bool again;

static struct task *looks;

void spool_on_link(struct task *t)
{
    looks = t;
}

void spool_look(void)
{
    if (looks)
        task_later(looks);
}

/* At IPL files come about in their order: one goes in from the end of its queue. */
void spool_link(struct spool_file *f)
{
    uint8_t q = f->e.queue;
    struct spool_file *p = last[q];

    while (p && p->e.order > f->e.order)
        p = p->prev;
    f->prev = p;
    f->next = p ? p->next : first[q];
    *(f->prev ? &f->prev->next : &first[q]) = f;
    *(f->next ? &f->next->prev : &last[q]) = f;
    highest = f->e.order > highest ? f->e.order : highest;
    lowest = f->e.order < lowest ? f->e.order : lowest;
    if (f->e.id > last_id && !again)
        last_id = before = f->e.id;
    spool_look();
}

void spool_unlink(struct spool_file *f)
{
    uint8_t q = f->e.queue;

    *(f->prev ? &f->prev->next : &first[q]) = f->next;
    *(f->next ? &f->next->prev : &last[q]) = f->prev;
}

void spool_queued(struct spool_entry *e)
{
    e->order = ++highest;
}

uint64_t spool_first(void)
{
    return lowest -= SPOOL_IDS + 1;
}

char *spool_records(char text[8], uint32_t n)
{
    if (n <= 9999)
        fmt(text, 8, "%04u", n);
    else
        fmt(text, 8, "%03u%c", n < 1000000 ? n / 1000 : n / 1000000, n < 1000000 ? 'K' : 'M');
    return text;
}

uint64_t spool_key(const char *userid)
{
    union {
        char name[9];
        uint64_t key;
    } u;

    fmt(u.name, sizeof(u.name), "%-8.8s", userid);
    return u.key;
}

struct spool_file *spool_next(const char *userid, uint8_t queue, const struct spool_file *after)
{
    uint64_t key = userid ? spool_key(userid) : 0;
    struct spool_file *f = after ? after->next : first[queue];

    while (f && userid && f->e.owner != key)
        f = f->next;
    return f;
}

static uint8_t taken[SPOOL_IDS / 8 + 1];

uint16_t spool_next_id(uint64_t owner)
{
    if (!again && last_id < SPOOL_IDS)
        return ++last_id;
    again = true;
    spool_ids(owner, taken, sizeof(taken));
    for (unsigned i = 0; i < SPOOL_IDS; i++) {
        last_id = last_id >= SPOOL_IDS ? 1 : last_id + 1;
        if (!(taken[last_id / 8] & (1 << last_id % 8)))
            return last_id;
    }
    return 0;
}

bool spool_id_free(uint64_t owner, uint16_t id)
{
    if (!again && id > before)
        return true;
    spool_ids(owner, taken, sizeof(taken));
    return !(taken[id / 8] & (1 << id % 8));
}

/* FILES:  0002 RDR,  NO PRT,  NO PUN */
bool spool_counts(const char *userid, char *text, size_t size)
{
    size_t at = (size_t)fmt(text, size, "FILES:");
    bool any = false;

    for (uint8_t q = SPOOL_RDR; q <= SPOOL_PUN; q++) {
        unsigned n = 0;
        char number[12] = "NO";
        for (struct spool_file *f = 0; (f = spool_next(userid, q, f)) != 0; n++)
            ;
        if (n)
            fmt(number, sizeof(number), "%04u", n);
        any |= n != 0;
        at += (size_t)fmt(text + at, size - at, "  %s %s%s", number, queue_names[q],
                          q < SPOOL_PUN ? "," : "");
    }
    return any;
}

void spool_purge(struct spool_file *f)
{
    spool_unlink(f);
    f->state = SPOOL_GOING;
    spool_changed(f);
}

void spool_hold(struct vm *vm)
{
    vm->spool_waits++;
    vm_hold(vm, WAIT_SPOOL);
}

void spool_waited(struct vm *vm, uint64_t logon_tod)
{
    if (vm->state == VM_HERE && vm->logon_tod == logon_tod && --vm->spool_waits == 0)
        vm_release(vm, WAIT_SPOOL);
}

struct waiter {
    struct spool_work work;
    struct vm *vm;           /* 0: this slot is free */
    uint64_t logon_tod;
};

static struct waiter waiters[VM_MAX * 4];

static void waited(struct spool_work *w, bool good)
{
    struct waiter *who = (struct waiter *)w;
    struct vm *vm = who->vm;

    who->vm = 0;
    if (!good && vm->state == VM_HERE && vm->logon_tod == who->logon_tod)
        console_say(vm, "DMKSPL431E THE SPOOL DIRECTORY CANNOT BE WRITTEN; AN IPL UNDOES THIS");
    spool_waited(vm, who->logon_tod);
}

void spool_wait(struct vm *vm)
{
    for (unsigned i = 0; i < sizeof(waiters) / sizeof(*waiters); i++) {
        struct waiter *w = &waiters[i];
        if (w->vm)
            continue;
        *w = (struct waiter){{0, waited, 0}, vm, vm->logon_tod};
        spool_hold(vm);
        spool_then(&w->work);
        return;
    }
}
