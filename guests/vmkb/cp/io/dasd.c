/* SPDX-License-Identifier: MIT */
/* FBA devices (3370): one channel program at a time on each volume, the others wait in order.
 * DEFINE EXTENT, LOCATE, READ or WRITE as IBM 3370 Direct Access Storage Description has them. */
#include "dasd.h"
#include "channel.h"
#include "directory.h"
#include "lib.h"

#define FBA_DEFINE_EXTENT 0x63
#define FBA_LOCATE        0x43
#define FBA_READ          0x42
#define FBA_WRITE         0x41
#define EXTENT_MASK       0xc0 /* writes allowed */
#define OP_WRITE          0x01
#define OP_READ           0x06
#define READ_NOW_US       30000000 /* a host that writes a lot back holds a read up for seconds */

struct extent {
    uint8_t mask, zero[3];
    uint32_t first, first_relative, last_relative;
};

struct locate {
    uint8_t op, replication;
    uint16_t count;
    uint32_t block;
};

static struct drive {
    struct device *dev;
    struct dasd_request *head, *tail;
    unsigned length;
    struct ccw chain[3];
    struct extent extent;
    struct locate locate;
    struct dasd_volume info;
} drives[DASD_VOLUMES];

static struct dasd_request pool[DASD_REQUESTS], *free_list;

struct dasd_request *dasd_get(void)
{
    struct dasd_request *r = free_list;

    if (r)
        free_list = r->next;
    return r;
}

static void put(struct dasd_request *r)
{
    r->next = free_list;
    free_list = r;
}

struct dasd_volume *dasd_volume(int i)
{
    return i < DASD_VOLUMES && drives[i].dev ? &drives[i].info : 0;
}

unsigned dasd_queue(int volume)
{
    return drives[volume].length;
}

static int begin(struct drive *v, const struct dasd_request *r)
{
    v->extent = (struct extent){EXTENT_MASK, {0}, 0, 0, 0xffffffff};
    v->extent.last_relative = r->block + r->count - 1;
    v->locate = (struct locate){r->write ? OP_WRITE : OP_READ, 0, (uint16_t)r->count, r->block};
    v->chain[0] = (struct ccw){FBA_DEFINE_EXTENT, CCW_CC, 16, (uint32_t)(uintptr_t)&v->extent};
    v->chain[1] = (struct ccw){FBA_LOCATE, CCW_CC, 8, (uint32_t)(uintptr_t)&v->locate};
    v->chain[2] = (struct ccw){r->write ? FBA_WRITE : FBA_READ, 0, (uint16_t)(r->count * 512),
                               (uint32_t)(uintptr_t)r->data};
    v->dev->owner = r->owner;
    if (r->write)
        v->info.writes++;
    else
        v->info.reads++;
    return device_start(v->dev, v->chain);
}

static void finish(struct drive *v, int result)
{
    struct dasd_request *r = v->head;

    v->head = r->next;
    v->length--;
    r->result = (int8_t)result;
    r->done(r);
    put(r);
}

static void next(struct drive *v)
{
    while (v->head && !v->dev->busy)
        if (begin(v, v->head) != 0)
            finish(v, DIAG_EIO);
}

void dasd_start(struct dasd_request *r)
{
    struct drive *v = &drives[r->volume];

    r->next = 0;
    if (v->head)
        v->tail->next = r;
    else
        v->head = r;
    v->tail = r;
    v->length++;
    if (!v->dev->busy && v->head == r)
        next(v);
}

static void interrupt(struct device *d, const struct irb *irb, int ended)
{
    struct drive *v = d->arg;

    if (!ended || !v->head)
        return;
    int bad = irb->cstat || (irb->dstat & (DSTAT_UNIT_CHECK | DSTAT_UNIT_EXCEPTION));
    finish(v, bad ? DIAG_EIO : 0);
    next(v);
}

/* What is under way for an account that is closed is the system's. */
void dasd_disown(const struct account *closed)
{
    for (struct drive *v = drives; v < drives + DASD_VOLUMES; v++) {
        if (v->dev && v->dev->owner == closed)
            v->dev->owner = &acct_system;
        for (struct dasd_request *r = v->head; r; r = r->next)
            if (r->owner == closed)
                r->owner = &acct_system;
    }
}

static volatile int now_result;

static void now_done(struct dasd_request *r)
{
    now_result = r->result;
}

/* Read and wait for it, CP disabled: at IPL, before there is anybody to run. */
int dasd_read_now(uint8_t volume, uint32_t block, uint32_t count, void *data)
{
    for (uint32_t done = 0; done < count;) {
        uint32_t n = count - done < DASD_CHAIN ? count - done : DASD_CHAIN;
        struct dasd_request *r = dasd_get();
        if (!r)
            return DIAG_ELIMIT;
        *r = (struct dasd_request){.volume = volume, .block = block + done, .count = n,
                                   .data = (uint8_t *)data + 512 * done, .owner = &acct_system,
                                   .done = now_done};
        now_result = 1;
        dasd_start(r);
        for (uint64_t until = us_now() + READ_NOW_US; now_result == 1;) {
            if (us_now() > until)
                return DIAG_EIO;
            wait_for_io(until + 1);
        }
        if (now_result != 0)
            return now_result;
        done += n;
    }
    return 0;
}

void dasd_init(void)
{
    for (int i = 0; i < DASD_REQUESTS; i++)
        put(&pool[i]);
    for (int i = 0; i < DASD_VOLUMES; i++) {
        struct drive *v = &drives[i];
        v->dev = device_find((uint16_t)(0x0100 + i));
        if (!v->dev)
            continue;
        v->dev->interrupt = interrupt;
        v->dev->arg = v;
    }
    mdc_init();
}
