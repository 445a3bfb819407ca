/* SPDX-License-Identifier: MIT */
/* QUERY VIRTUAL [ALL|DASD|STORAGE|CONSOLE|CPUS|CTCA|RDR|PUN|PRT|GRAF|vaddr]: what the machine has;
 * QUERY LINKS. */
#include "directory.h"
#include "query.h"
#include "dasd.h"
#include "lib.h"
#include "s390.h"
#include "spool.h"
#include "tdisk.h"
#include "vctc.h"

#define CONSOLE 0x009        /* where a machine has its console unless the directory says other */

static uint16_t console_address(const struct vm *vm)
{
    const struct dir_user *u = directory_find(vm->userid);

    return u && (u->flags & DIR_CONSOLE) ? u->console_vaddr : CONSOLE;
}

static void say_console(struct cmd *c)
{
    char text[12];

    if (c->vm->term)
        cmd_say(c, "CONS %03X ON %s", console_address(c->vm), vm_where(c->vm, text));
    else
        cmd_say(c, "CONS %03X DISCONNECTED", console_address(c->vm));
}

static void say_storage(struct cmd *c)
{
    cmd_say(c, "STORAGE = %05luK", c->vm->size >> 10);
}

static void say_disk(struct cmd *c, const struct mdisk *m)
{
    cmd_say(c, "DASD %03X 3370 %-6s %s %6u BLK", m->vaddr,
            tdisk_has(m->start) ? "(TEMP)" : dasd_volume(m->volume)->volser,
            m->writable ? "R/W" : "R/O", m->blocks);
}

/* RDR  00C CL A NOCONT NOHOLD EOF READY; PUN  00D CL A NOCONT NOHOLD COPY 01 READY, and whose its
 * files are. */
static void say_spool(struct cmd *c, const struct spool_device *d)
{
    int i = (int)(d - c->vm->spool);
    char copies[12] = "EOF";

    if (i != DEV_RDR)
        fmt(copies, sizeof(copies), "COPY %02u", d->copies);
    cmd_say(c, "%-4s %03X CL %c %s %s %s READY", i == DEV_CON ? "" : maker_names[i], d->vaddr,
            d->class, d->cont ? "CONT" : "NOCONT", d->hold ? "HOLD" : "NOHOLD", copies);
    if (i != DEV_RDR)
        cmd_say(c, "     %03X %s %-8s DIST %s", d->vaddr, d->to[0] && d->to_reader ? "TO " : "FOR",
                d->to[0] ? d->to : c->vm->userid, d->dist);
}

static void say_spools(struct cmd *c)
{
    static const uint8_t order[] = {DEV_RDR, DEV_PUN, DEV_PRT};

    for (unsigned i = 0; i < sizeof(order); i++)
        if (c->vm->spool[order[i]].vaddr)
            say_spool(c, &c->vm->spool[order[i]]);
}

static void say_ctca(struct cmd *c, const struct vctc *v)
{
    if (v->other)
        cmd_say(c, "CTCA %03X COUPLED TO %s %03X", v->vaddr, v->other->vm->userid,
                v->other->vaddr);
    else
        cmd_say(c, "CTCA %03X NOT COUPLED", v->vaddr);
}

static unsigned say_ctcas(struct cmd *c)
{
    const struct vctc *v;
    unsigned n = 0;

    while ((v = vctc_of(c->vm, n)) != 0) {
        say_ctca(c, v);
        n++;
    }
    return n;
}

/* In order of address, as VM's device blocks are. */
static int say_disks(struct cmd *c)
{
    uint32_t last = 0;
    int said = 0;

    for (;;) {
        const struct mdisk *next = 0;
        for (int i = 0; i < VM_MDISKS; i++) {
            const struct mdisk *m = &c->vm->mdisk[i];
            if (m->vaddr > last && (!next || m->vaddr < next->vaddr))
                next = m;
        }
        if (!next)
            return said;
        last = next->vaddr;
        say_disk(c, next);
        said++;
    }
}

int query_storage_virtual(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    say_storage(c);
    return 0;
}

int query_console(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    say_console(c);
    return 0;
}

int query_device(struct cmd *c, const char *word)
{
    uint16_t vaddr;

    if (!cmd_vaddr(word, &vaddr))
        return cmd_bad_option(c, "CQG", word);
    struct mdisk *m = mdisk_find(c->vm, vaddr);
    if (m)
        say_disk(c, m);
    else if (vaddr == console_address(c->vm))
        say_console(c);
    else if (spool_device(c->vm, vaddr))
        say_spool(c, spool_device(c->vm, vaddr));
    else if (vctc_find(c->vm, vaddr))
        say_ctca(c, vctc_find(c->vm, vaddr));
    else
        return cmd_error(c, 40, "DMKCQG040E DEV %03X DOES NOT EXIST", vaddr);
    return 0;
}

int query_dasd_virtual(struct cmd *c)
{
    char word[10];

    if (cmd_word(c, word, sizeof(word)))
        return query_device(c, word);
    if (!say_disks(c))
        return cmd_error(c, 40, "DMKCQG040E DEV DASD DOES NOT EXIST");
    return 0;
}

static int say_cpus(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    cmd_say(c, "CPU 00  ID  %016lX (BASE)", store_cpu_id() | 0xff00000000000000UL);
    return 0;
}

/* QUERY LINKS vaddr: who has that minidisk, and as what. */
int query_links(struct cmd *c)
{
    struct query_row row = {.c = c};
    char word[10], item[20];
    uint16_t vaddr;

    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &vaddr))
        return cmd_error(c, 22, "DMKCQG022E VADDR MISSING OR INVALID");
    const struct mdisk *mine = mdisk_find(c->vm, vaddr);
    if (!mine)
        return cmd_error(c, 40, "DMKCQG040E DEV %03X DOES NOT EXIST", vaddr);
    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state == VM_HERE && k < VM_MDISKS; k++) {
            const struct mdisk *m = &vms[i].mdisk[k];
            if (!m->vaddr || m->volume != mine->volume || m->start != mine->start)
                continue;
            fmt(item, sizeof(item), "%-8s %03X %s", vms[i].userid, m->vaddr,
                m->writable ? "R/W" : "R/O");
            query_item(&row, item);
        }
    query_item(&row, 0);
    return 0;
}

int query_virtual(struct cmd *c)
{
    char word[10];

    if (!cmd_word(c, word, sizeof(word)) || strcmp(word, "ALL") == 0) {
        if (cmd_end(c, "CQG") != 0)
            return 3;
        say_storage(c);
        say_console(c);
        say_spools(c);
        say_disks(c);
        say_ctcas(c);
        return 0;
    }
    if (cmd_is(word, "DASD", 2))
        return query_dasd_virtual(c);
    if (cmd_is(word, "STORAGE", 4))
        return query_storage_virtual(c);
    if (cmd_is(word, "CONSOLE", 3))
        return query_console(c);
    if (cmd_is(word, "CTCA", 3))
        return say_ctcas(c) ? 0 : cmd_error(c, 40, "DMKCQG040E DEV CTCA DOES NOT EXIST");
    if (cmd_is(word, "CPUS", 3))
        return say_cpus(c);
    for (unsigned i = DEV_RDR; i < DEV_CON; i++)
        if (strcmp(word, maker_names[i]) == 0 && c->vm->spool[i].vaddr) {
            say_spool(c, &c->vm->spool[i]);
            return cmd_end(c, "CQG");
        }
    if (cmd_is(word, "GRAF", 2))
        return cmd_error(c, 40, "DMKCQG040E DEV GRAF DOES NOT EXIST");
    return query_device(c, word);
}
