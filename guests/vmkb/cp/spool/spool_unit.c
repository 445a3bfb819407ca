/* SPDX-License-Identifier: MIT */
/* The real printer and punch: while one is started it has the files of its queue that are not held,
 * one after another; what is put out is purged. A card goes where accounting cards go. */
#include "spool.h"
#include "channel.h"
#include "dasd.h"
#include "lib.h"

#define CMD_SPACE 0x0b       /* one line forward, nothing printed */
#define PATIENCE_US 20000    /* the punch has cards enough */
#define CARD 80

static struct unit {
    uint8_t queue;
    bool started;
    struct device *dev;
    struct spool_file *file; /* being put out, or 0 */
    uint8_t *buffer;         /* two pages: the second is of the file, before it is what was left */
    uint32_t at, end, page;
    uint8_t copy;
    bool busy;               /* a page is read, or the device is at work */
    struct timer timer;
    struct ccw chain;
    uint8_t record[256];
} units[] = {{.queue = SPOOL_PRT}, {.queue = SPOOL_PUN}};

static void go_on(struct unit *u);

static void rewind(struct unit *u)
{
    u->at = u->end = SPOOL_PAGE;
    u->page = 0;
}

/* Chosen: the first file that is not held. */
static bool choose(struct unit *u)
{
    struct spool_file *f = 0;
    char owner[9];

    while (u->started && (f = spool_next(0, u->queue, f)) != 0)
        if (f->state == SPOOL_FILED && !f->e.hold)
            break;
    if (!u->started || !f)
        return false;
    f->state = SPOOL_READ;
    u->file = f;
    u->copy = 1;
    rewind(u);
    name_string(owner, &f->e.owner);
    operator_say("%s %03X OUTPUT OF %s FILE = %04u RECDS = %06u COPY = %02u %c %s",
                 queue_names[u->queue], u->dev->devno, owner, f->e.id, f->e.records, f->e.copies,
                 f->e.class, maker_names[f->e.made_by]);
    return true;
}

static void failed(struct unit *u)
{
    operator_say("DMKIOS501A %s %03X INTERVENTION REQUIRED; FILE %04u KEPT, START IT AGAIN",
                 queue_names[u->queue], u->dev->devno, u->file->e.id);
    u->started = false;
    u->file->state = SPOOL_FILED;
    u->file = 0;
}

static void page_read(struct dasd_request *r)
{
    struct unit *u = r->arg;
    const struct spool_entry *e = &u->file->e;

    u->busy = false;
    if (r->result != 0) {
        failed(u);
        return;
    }
    u->page++;
    u->end = SPOOL_PAGE + (u->page == e->pages ? e->last : SPOOL_PAGE);
    go_on(u);
}

static void read_page(struct unit *u)
{
    uint32_t left = u->end - u->at;

    memmove(u->buffer + SPOOL_PAGE - left, u->buffer + u->at, left);
    u->at = SPOOL_PAGE - left;
    u->end = SPOOL_PAGE;
    u->busy = spool_io(false, spool_page(u->file, u->page), u->buffer + SPOOL_PAGE, page_read, 0,
                       u);
    if (!u->busy)
        failed(u);
}

static void again(void *arg)
{
    struct unit *u = arg;

    acct_change(&acct_system);
    u->busy = false;
    go_on(u);
}

/* False: not now; it goes on when there is room. */
static bool punch(struct unit *u, const uint8_t *text, size_t len)
{
    char card[CARD];

    if (!punch_room()) {
        u->busy = true;
        timer_set(&u->timer, us_now() + PATIENCE_US, again, u);
        return false;
    }
    memset(card, ' ', sizeof(card));
    memcpy(card, text, len < CARD ? len : CARD);
    punch_card((const uint8_t *)card);
    return true;
}

static void print(struct unit *u, uint8_t op, const uint8_t *text, size_t len)
{
    bool moves = op == SPOOL_OP_PAGE, over = op == 0x01;

    memcpy(u->record, text, len);
    op = moves || over ? op : len ? SPOOL_OP_LINE : CMD_SPACE;
    u->chain = (struct ccw){op, CCW_SLI, (uint16_t)(len ? len : 1),
                            (uint32_t)(uintptr_t)u->record};
    u->busy = device_start(u->dev, &u->chain) == 0;
    if (!u->busy)
        failed(u);
}

/* One record that is whole in the buffer; false: it must wait. */
static bool put(struct unit *u)
{
    const uint8_t *p = u->buffer + u->at;

    if (p[0] != SPOOL_OP_TAG && u->queue == SPOOL_PRT)
        print(u, p[0], p + SPOOL_HEAD, p[1]);
    else if (p[0] != SPOOL_OP_TAG && !punch(u, p + SPOOL_HEAD, p[1]))
        return false;
    u->at += SPOOL_HEAD + p[1];
    return true;
}

static void go_on(struct unit *u)
{
    while (!u->busy && (u->file || choose(u))) {
        const uint8_t *p = u->buffer + u->at;
        uint32_t left = u->end - u->at;
        if (left >= SPOOL_HEAD && left >= SPOOL_HEAD + (uint32_t)p[1]) {
            if (!put(u))
                return;
        } else if (u->page < u->file->e.pages) {
            read_page(u);
        } else if (u->copy++ < u->file->e.copies) {
            rewind(u);
        } else {
            spool_purge(u->file);
            u->file = 0;
        }
    }
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    struct unit *u = d->arg;

    if (!ended || !u->file)
        return;
    u->busy = false;
    if (irb->dstat & DSTAT_UNIT_CHECK)
        failed(u);
    go_on(u);
}

static void look(void)
{
    go_on(&units[0]);
    go_on(&units[1]);
}

static struct task task = {.run = look};

int spool_unit(uint16_t raddr, bool start)
{
    for (unsigned i = 0; i < 2; i++) {
        struct unit *u = &units[i];
        if (!u->dev || u->dev->devno != raddr)
            continue;
        if (!u->buffer)
            u->buffer = pages_get(2);
        if (!u->buffer)
            return DIAG_ELIMIT;
        u->started = start;
        if (!start)
            operator_say("%s %03X DRAINED", queue_names[u->queue], raddr);
        task_later(&task);
        return 0;
    }
    return DIAG_ENODEV;
}

void spool_units(void)
{
    units[0].dev = device_find(0x000e);
    units[1].dev = device_find(0x000d);
    if (units[0].dev) {
        units[0].dev->interrupt = interrupt;
        units[0].dev->arg = &units[0];
    }
    spool_on_link(&task);
}
