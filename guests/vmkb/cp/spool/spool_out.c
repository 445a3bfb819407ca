/* SPDX-License-Identifier: MIT */
/* Files that are being written: by a machine's punch and printer, and by CP for its console. Full
 * pages go to the volume while the machine waits; a page of the volume is set aside before its
 * first byte is taken, so that what was taken can always be filed. CLOSE writes the rest, then the
 * extents if there are many, then the directory. */
#include "spool.h"
#include "ctype.h"
#include "dasd.h"
#include "lib.h"

#define BUFFER  (3 * SPOOL_PAGE)
#define FIRST   4            /* pages set aside at first; each time twice as many */
#define MOST    1024
#define LINES   (24 * (LINE_MAX + 2)) /* bytes of what CP may say at once */
#define LOW     10           /* per cent left: the operator is told */

struct spool_out {
    struct spool_work filed;
    struct spool_file *file; /* 0: this slot is free */
    struct vm *vm;           /* whose it is, 0: logged off */
    struct vm *held;         /* who waits for a page to be written, or 0 */
    struct vm *closer;       /* who waits for the file to be filed, or 0 */
    uint64_t closer_tod;
    uint8_t *buffer;
    struct spool_extent *extent; /* a page of CP's */
    uint32_t fill, written, aside; /* bytes in the buffer; pages on the volume; pages it has */
    uint16_t id;             /* its writer's */
    bool writing, closing, failed, purge;
    bool has_map, trimmed, mapped; /* a page for its extents is set aside; is written */
};

static struct spool_out outs[SPOOL_OPEN];

static void advance(struct spool_out *o);

static void release(struct spool_out *o, bool good)
{
    struct vm *vm = o->held;

    o->held = 0;
    if (o->vm)
        vm_release(o->vm, WAIT_OUTPUT);
    if (!vm)
        return;
    if (!good)
        vm->ctx.gr[2] = (uint64_t)(long)DIAG_EIO;
    if (vm->state != VM_HERE || (vm->wait & WAIT_NOTREADY))
        vm_io_done(vm);
    else
        vm_release(vm, WAIT_IO);
}

static uint32_t page_of(const struct spool_out *o, uint32_t n)
{
    const struct spool_extent *x = o->extent;

    for (; n >= x->pages; x++)
        n -= x->pages;
    return x->first + n;
}

static void failed(struct spool_out *o)
{
    o->failed = true;
    operator_say("DMKSPL432E A PAGE OF SPOOL FILE %04u OF %.8s CANNOT BE WRITTEN", o->file->e.id,
                 (const char *)&o->file->e.origin);
}

static void written(struct dasd_request *r)
{
    struct spool_out *o = r->arg;
    bool good = r->result == 0;

    o->writing = false;
    if (o->vm)
        o->vm->sio++;
    if (!good)
        failed(o);
    advance(o);
    release(o, good);
}

static void page_written(struct dasd_request *r)
{
    struct spool_out *o = r->arg;

    o->written++;
    o->fill -= o->fill < SPOOL_PAGE ? o->fill : SPOOL_PAGE;
    memcpy(o->buffer, o->buffer + SPOOL_PAGE, o->fill);
    written(r);
}

static void write(struct spool_out *o, uint32_t page, void *data,
                  void (*done)(struct dasd_request *r))
{
    o->writing = spool_io(true, page, data, done, o->vm, o);
    if (!o->writing)
        failed(o);
}

static void write_page(struct spool_out *o)
{
    if (o->fill < SPOOL_PAGE)
        memset(o->buffer + o->fill, 0, SPOOL_PAGE - o->fill);
    o->file->e.last = (uint16_t)(o->fill < SPOOL_PAGE ? o->fill : SPOOL_PAGE);
    write(o, page_of(o, o->written), o->buffer, page_written);
}

/* The pages set aside and not used are given back. */
static void trim(struct spool_out *o)
{
    struct spool_entry *e = &o->file->e;
    uint32_t keep = o->written;

    for (uint32_t i = 0; i < e->extents; i++) {
        struct spool_extent *x = &o->extent[i];
        uint32_t n = keep < x->pages ? keep : x->pages;
        space_give(x->first + n, x->pages - n);
        x->pages = n;
        keep -= n;
    }
    while (e->extents && !o->extent[e->extents - 1].pages)
        e->extents--;
    e->pages = o->written;
    if (o->has_map && e->extents <= SPOOL_EXTENTS) {
        space_give(e->map, 1);
        o->has_map = false;
    }
    o->trimmed = true;
}

/* The slot is free again, and who waited for it goes on. */
static void end(struct spool_out *o)
{
    struct vm *closer = o->closer;

    pages_free(o->buffer, BUFFER / PAGE_SIZE);
    pages_free(o->extent, 1);
    o->file = 0;
    if (closer)
        spool_waited(closer, o->closer_tod);
}

/* {PUN FILE 0001 SENT TO   VMUSER2  RDR AS  0002 or RDR FILE 0002 SENT FROM VMUSER1  PUN WAS 0001}
 * RECS 0010 CPY  001 A NOHOLD NOKEEP */
static void tell(const struct spool_entry *e, uint16_t was, bool sender)
{
    char to[9], other[9], records[8];

    name_string(to, sender ? &e->origin : &e->owner);
    name_string(other, sender ? &e->owner : &e->origin);
    struct vm *vm = vm_find(to);
    if (!vm || !(vm->set & SET_IMSG))
        return;
    const char *made = maker_names[e->made_by], *queue = queue_names[e->queue];
    console_say(vm, "%s FILE %04u SENT %-4s %-8s %s %-3s %04u RECS %s CPY  %03u %c %s NOKEEP",
                sender ? made : queue, sender ? was : e->id, sender ? "TO" : "FROM", other,
                sender ? queue : made, sender ? "AS" : "WAS", sender ? e->id : was,
                spool_records(records, e->records), e->copies, e->class,
                e->hold ? "HOLD" : "NOHOLD");
}

static void filed(struct spool_work *w, bool good)
{
    struct spool_out *o = (struct spool_out *)w;
    struct spool_file *f = o->file;

    f->state = SPOOL_FILED;
    spool_link(f);
    if (!good)
        operator_say("DMKSPL433E AN IPL WOULD LOSE SPOOL FILE %04u OF %.8s", f->e.id,
                     (const char *)&f->e.owner);
    if (f->e.queue == SPOOL_RDR || f->e.owner != f->e.origin) {
        tell(&f->e, o->id, true);
        tell(&f->e, o->id, false);
    }
    end(o);
}

static void file(struct spool_out *o)
{
    struct spool_file *f = o->file;

    if (o->mapped) {
        f->map = o->extent;
        o->extent = 0;
    } else {
        memcpy(f->e.extent, o->extent, sizeof(f->e.extent));
    }
    f->state = SPOOL_FILING;
    spool_queued(&f->e);
    o->filed.done = filed;
    spool_changed(f);
    spool_then(&o->filed);
}

static void drop(struct spool_out *o)
{
    struct spool_file *f = o->file;

    o->written = 0;
    trim(o);
    spool_free_pages(f);
    if (o->failed && o->vm)
        console_say(o->vm, "DMKSPL434E SPOOL FILE %04u IS LOST: IT CANNOT BE WRITTEN", o->id);
    end(o);
}

/* What is to be done next, if nothing is under way. */
static void advance(struct spool_out *o)
{
    if (o->writing)
        return;
    if (o->closing && (o->purge || o->failed || (!o->fill && !o->written))) {
        drop(o);
    } else if (o->fill >= SPOOL_PAGE || (o->closing && o->fill)) {
        write_page(o);
        if (o->failed && o->closing)
            drop(o);
    } else if (o->closing) {
        if (!o->trimmed)
            trim(o);
        if (o->has_map && !o->mapped) {
            o->mapped = true;
            write(o, o->file->e.map, o->extent, written);
            if (o->failed)
                drop(o);
        } else {
            file(o);
        }
    }
}

/* ---- what its machine and CP put in */

static void tell_operator(void)
{
    static bool told;
    uint32_t low = space_total() / (100 / LOW);

    if (space_left() < low && !told)
        operator_say("DMKPGT400I SYSTEM SPOOL SPACE %02u PERCENT FULL",
                     100 - space_left() * 100 / space_total());
    told = space_left() < low;
}

/* Pages that a user's files may still take. */
static uint32_t may_take(const struct vm *vm)
{
    return spool_share_left(vm, spool_aside(spool_key(vm->userid)));
}

/* Pages are set aside until there are `need`; false: there are none. */
static bool grow(struct spool_out *o, uint32_t need)
{
    struct spool_entry *e = &o->file->e;

    while (o->aside < need) {
        struct spool_extent *last = e->extents ? &o->extent[e->extents - 1] : 0;
        uint32_t after = last ? last->first + last->pages : UINT32_MAX, first;
        uint32_t want = !o->aside ? FIRST : o->aside < MOST ? o->aside : MOST;
        uint32_t may = may_take(o->vm);
        if (!may)
            return false;
        want = want < may ? want : may;
        if (e->extents == SPOOL_EXTENTS && !o->has_map)
            o->has_map = space_take(UINT32_MAX, 1, &e->map) == 1;
        if (e->extents == (o->has_map ? SPOOL_MAPPED : SPOOL_EXTENTS))
            return false;
        uint32_t got = space_take(after, want, &first);
        if (!got)
            return false;
        if (last && first == after)
            last->pages += got;
        else
            o->extent[e->extents++] = (struct spool_extent){first, got};
        o->aside += got;
    }
    tell_operator();
    return true;
}

static struct spool_out *slot(void)
{
    for (unsigned i = 0; i < SPOOL_OPEN; i++) {
        struct spool_out *o = &outs[i];
        if (o->file)
            continue;
        *o = (struct spool_out){.buffer = pages_get(BUFFER / PAGE_SIZE)};
        o->extent = (struct spool_extent *)pages_get(1);
        o->file = o->buffer && o->extent ? spool_new() : 0;
        if (o->file)
            return o;
        pages_free(o->buffer, BUFFER / PAGE_SIZE);
        pages_free(o->extent, 1);
        return 0;
    }
    return 0;
}

static void put(struct spool_out *o, uint8_t op, const void *text, size_t len)
{
    o->buffer[o->fill++] = op;
    o->buffer[o->fill++] = (uint8_t)len;
    memcpy(o->buffer + o->fill, text, len);
    o->fill += (uint32_t)len;
}

/* A file is begun; false: there is no room for another, or for its first page. */
static bool begin(struct vm *vm, struct spool_device *d)
{
    struct spool_out *o = slot();

    if (!o)
        return false;
    struct spool_entry *e = &o->file->e;
    memset(e->name, ' ', sizeof(e->name));
    e->owner = e->origin = spool_key(vm->userid);
    e->made_by = (uint8_t)(d - vm->spool);
    e->id = o->id = spool_next_id(e->owner);
    o->vm = vm;
    if (!e->id || !grow(o, 1)) {
        drop(o);
        return false;
    }
    d->out = o;
    if (d->tag[0])
        put(o, SPOOL_OP_TAG, d->tag, strlen(d->tag));
    return true;
}

/* How many records there are in len bytes; -1: they are none. */
static long records_in(const uint8_t *p, uint64_t len)
{
    long n = 0;

    for (uint64_t at = 0; at < len; at += SPOOL_HEAD + p[at + 1]) {
        if (len - at < SPOOL_HEAD || len - at - SPOOL_HEAD < p[at + 1])
            return -1;
        n += p[at] != SPOOL_OP_TAG;
    }
    return n;
}

static bool room(struct vm *vm, struct spool_device *d, uint64_t len)
{
    if (!d->out && !begin(vm, d))
        return false;
    struct spool_out *o = d->out;
    return grow(o, o->written + (uint32_t)((o->fill + len + SPOOL_PAGE - 1) / SPOOL_PAGE));
}

/* DIAGNOSE: all of it is taken, or none (DIAG_ELIMIT: the spool space is full). */
long spool_write(struct vm *vm, struct spool_device *d, const uint8_t *records, uint64_t len)
{
    long n = len <= SPOOL_PAGE ? records_in(records, len) : -1;

    if (n < 0 || d == &vm->spool[DEV_RDR])
        return DIAG_ERANGE;
    if (d->out && d->out->failed)
        return DIAG_EIO;
    if (!room(vm, d, len)) {
        if (!may_take(vm))
            console_say(vm, "DMKSPL437E YOUR SPOOL FILES ARE ALL THAT MAXSPOOL ALLOWS; PURGE SOME");
        return DIAG_ELIMIT;
    }
    struct spool_out *o = d->out;
    memcpy(o->buffer + o->fill, records, len);
    o->fill += (uint32_t)len;
    o->file->e.records += (uint32_t)n;
    *(d == &vm->spool[DEV_PUN] ? &vm->punched : &vm->printed) += (uint64_t)n;
    if (o->fill < SPOOL_PAGE)
        return 0;
    o->held = vm;
    vm_hold(vm, WAIT_IO);
    advance(o);
    if (!o->writing)
        release(o, false);
    return o->failed ? DIAG_EIO : 0;
}

uint32_t spool_aside(uint64_t origin)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < SPOOL_OPEN; i++)
        if (outs[i].file && !outs[i].trimmed && outs[i].file->e.origin == origin)
            n += outs[i].aside;
    return n;
}

bool spool_line_room(const struct vm *vm)
{
    const struct spool_out *o = vm->spool[DEV_CON].out;

    return !o || o->failed || o->fill + LINES <= BUFFER;
}

static void stop(struct vm *vm, struct spool_device *d, const char *why)
{
    vm->keep_console = 0;
    if (d->out)
        spool_close(vm, d, false);
    console_say(vm, "DMKSPL435E CONSOLE SPOOLING STOPPED: %s", why);
}

void spool_line(struct vm *vm, const char *text, size_t len)
{
    struct spool_device *d = &vm->spool[DEV_CON];

    if (len > LINE_MAX)
        len = LINE_MAX;
    if (!room(vm, d, len + SPOOL_HEAD)) {
        stop(vm, d, may_take(vm) ? "NO SPOOL SPACE" : "MAXSPOOL ALLOWS NO MORE");
        return;
    }
    struct spool_out *o = d->out;
    if (o->failed || o->fill + SPOOL_HEAD + len > BUFFER) {
        stop(vm, d, o->failed ? "IT CANNOT BE WRITTEN" : "THE VOLUME IS TOO SLOW");
        return;
    }
    put(o, SPOOL_OP_LINE, text, len);
    o->file->e.records++;
    advance(o);
}

/* Whose it is from now on, and in which of their queues. */
static void address(struct vm *vm, const struct spool_device *d, struct spool_entry *e)
{
    uint64_t to = d->to[0] ? spool_key(d->to) : e->owner;

    e->queue = d->to[0] && d->to_reader       ? SPOOL_RDR
               : d == &vm->spool[DEV_PUN] ? SPOOL_PUN
                                              : SPOOL_PRT;
    if (to == e->owner)
        return;
    uint16_t id = spool_id_free(to, e->id) ? e->id : spool_next_id(to);
    if (id) {
        e->owner = to;
        e->id = id;
        return;
    }
    e->queue = d == &vm->spool[DEV_PUN] ? SPOOL_PUN : SPOOL_PRT;
    e->hold = 1;
    console_say(vm, "DMKCSP436E %s HAS %u SPOOL FILES; FILE %04u IS HELD IN YOUR %s QUEUE", d->to,
                SPOOL_IDS, e->id, queue_names[e->queue]);
}

void spool_close(struct vm *vm, struct spool_device *d, bool purge)
{
    struct spool_out *o = d->out;
    struct spool_entry *e = &o->file->e;

    d->out = 0;
    e->created = unix_us();
    e->class = d->class;
    e->hold = d->hold;
    e->copies = d->copies;
    memset(e->dist, ' ', sizeof(e->dist));
    memcpy(e->dist, d->dist, strlen(d->dist));
    o->closing = true;
    o->purge = purge;
    if (!purge)
        address(vm, d, e);
    if (vm->state == VM_HERE) {
        o->closer = vm;
        o->closer_tod = vm->logon_tod;
        spool_hold(vm);
    }
    advance(o);
}

void spool_logoff(struct vm *vm)
{
    spool_reset(vm);
    for (int i = DEV_PRT; i <= DEV_CON; i++) {
        struct spool_device *d = &vm->spool[i];
        if (!d->out)
            continue;
        struct spool_out *o = d->out;
        spool_close(vm, d, false);
        o->vm = 0;
    }
}

char *spool_name(struct spool_device *d)
{
    return d->out->file->e.name;
}
