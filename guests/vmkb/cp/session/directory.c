/* SPDX-License-Identifier: MIT */
/* The object directory, read whole at IPL from the first volume whose label has one. A label or
 * directory that is not right is refused by name, and CP goes on without users. */
#include "directory.h"
#include "command.h"
#include "dasd.h"
#include "lib.h"
#include "tdisk.h"

static const struct dir_header *header;
static uint8_t directory_volume;
static struct vol_area spool_area;
static uint8_t block[512] __attribute__((aligned(8)));

static const void *table(int which, uint32_t first)
{
    static const uint32_t size[DIR_TABLES] = {sizeof(struct dir_user), sizeof(struct dir_mdisk),
                                              sizeof(struct dir_link), sizeof(struct dir_device),
                                              sizeof(struct dir_autolog)};
    return (const uint8_t *)header + header->table[which].offset + (size_t)first * size[which];
}

static void refuse(int volume, const char *why)
{
    operator_say("DMKCPI954E DASD %04X %s", 0x0100 + volume, why);
}

static bool sum_right(void *p, uint32_t size, uint32_t *field)
{
    uint32_t want = *field;

    *field = 0;
    bool right = vol_checksum(p, size) == want;
    *field = want;
    return right;
}

static void read_directory(int volume, const struct volume_label *l)
{
    const struct vol_area a = l->areas[VOL_DIRECTORY];
    uint32_t pages = (a.blocks + 7) / 8;
    struct dir_header *h = (struct dir_header *)pages_get(pages);

    if (!h)
        return refuse(volume, "DIRECTORY DOES NOT FIT REAL STORAGE");
    if (dasd_read_now((uint8_t)volume, a.start, a.blocks, h) != 0)
        refuse(volume, "DIRECTORY CANNOT BE READ: VOLUME TRUNCATED OR DAMAGED");
    else if (h->magic != DIR_MAGIC || h->version != DIR_VERSION)
        refuse(volume, "HAS NO DIRECTORY WHERE ITS LABEL SAYS");
    else if (h->bytes < sizeof(*h) || h->bytes > a.blocks * 512 || h->bytes % 8
             || !sum_right(h, h->bytes, &h->checksum))
        refuse(volume, "DIRECTORY IS DAMAGED: CHECKSUM WRONG");
    else {
        header = h;
        directory_volume = (uint8_t)volume;
        return;
    }
    pages_free(h, pages);
}

static void look_at(int volume)
{
    struct volume_label *l = (struct volume_label *)block;
    struct dasd_volume *v = dasd_volume(volume);

    if (dasd_read_now((uint8_t)volume, 0, 1, l) != 0)
        return refuse(volume, "LABEL CANNOT BE READ");
    if (l->magic != VOL_MAGIC)
        return refuse(volume, "HAS NO VM/KB LABEL");
    if (l->version != VOL_VERSION)
        return refuse(volume, "LABEL IS OF ANOTHER VERSION");
    if (!sum_right(l, sizeof(*l), &l->checksum))
        return refuse(volume, "LABEL IS DAMAGED: CHECKSUM WRONG");
    struct volume_label label = *l;
    v->blocks = label.blocks;
    memcpy(v->volser, label.volser, 6);
    if (dasd_read_now((uint8_t)volume, label.blocks - 1, 1, block) != 0)
        refuse(volume, "IS SHORTER THAN ITS LABEL SAYS: VOLUME TRUNCATED");
    if (!header && label.areas[VOL_DIRECTORY].blocks) {
        read_directory(volume, &label);
        spool_area = label.areas[VOL_SPOOL];
        tdisk_start((uint8_t)volume, &label.areas[VOL_TDISK]);
    }
}

void directory_start(void)
{
    for (int i = 0; i < DASD_VOLUMES; i++)
        if (dasd_volume(i))
            look_at(i);
    if (!header)
        operator_say("DMKCPI955E NO DIRECTORY; NOBODY CAN LOG ON. BUILD THE VOLUME AGAIN");
}

bool directory_there(void)
{
    return header != 0;
}

const struct dir_user *directory_find(const char *userid)
{
    char key[9];
    int low = 0, high;

    if (!header)
        return 0;
    fmt(key, sizeof(key), "%-8.8s", userid);
    high = (int)header->table[DIR_USERS].count - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        const struct dir_user *u = table(DIR_USERS, (uint32_t)mid);
        int c = memcmp(key, u->userid, 8);
        if (c == 0)
            return u;
        if (c < 0)
            high = mid - 1;
        else
            low = mid + 1;
    }
    return 0;
}

const struct dir_mdisk *directory_mdisk(const struct dir_user *u, uint16_t vaddr)
{
    for (uint32_t i = 0; i < u->mdisks; i++) {
        const struct dir_mdisk *m = table(DIR_MDISKS, u->first_mdisk + i);
        if (m->vaddr == vaddr)
            return m;
    }
    return 0;
}

const struct dir_mdisk *directory_mdisk_at(const struct dir_user *u, uint32_t i)
{
    return i < u->mdisks ? table(DIR_MDISKS, u->first_mdisk + i) : 0;
}

/* Blank-padded directory name to a string. */
static void name(char *to, const uint8_t *from, size_t n)
{
    memcpy(to, from, n);
    n = blank_trim(to, n);
    to[n] = 0;
}

/* Attach a minidisk of owner at vaddr as `as`. Returns 0, DIAG_ELIMIT or DIAG_EBUSY (as in use). */
int directory_attach(struct vm *vm, const struct dir_user *owner, const struct dir_mdisk *m,
                     uint16_t as, bool writable)
{
    if (mdisk_find(vm, as))
        return DIAG_EBUSY;
    for (int i = 0; i < VM_MDISKS; i++) {
        struct mdisk *d = &vm->mdisk[i];
        if (d->vaddr)
            continue;
        *d = (struct mdisk){.vaddr = as, .volume = directory_volume, .writable = writable,
                            .start = m->start, .blocks = m->blocks, .owner_vaddr = m->vaddr};
        memcpy(d->owner, owner->userid, 8);
        return 0;
    }
    return DIAG_ELIMIT;
}

uint8_t directory_disk_volume(void)
{
    return directory_volume;
}

const struct vol_area *directory_spool(void)
{
    return &spool_area;
}

/* Is the extent open for writing by some machine? */
static bool written(const struct dir_mdisk *m)
{
    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state == VM_HERE && k < VM_MDISKS; k++) {
            const struct mdisk *d = &vms[i].mdisk[k];
            if (d->vaddr && d->writable && d->start == m->start)
                return true;
        }
    return false;
}

static bool linked(const struct dir_mdisk *m)
{
    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state == VM_HERE && k < VM_MDISKS; k++)
            if (vms[i].mdisk[k].vaddr && vms[i].mdisk[k].start == m->start)
                return true;
    return false;
}

/* LINK's access rules (CP Command Reference, LINK): R read unless written by another; RR read; W
 * write if nobody has it; WR the same, else read; M write unless written; MR the same, else read;
 * MW write. Returns 1 write, 0 read, -1 refused. */
int directory_access(const struct dir_mdisk *m, int mode)
{
    switch (mode) {
    case DIR_R:  return written(m) ? -1 : 0;
    case DIR_RR: return 0;
    case DIR_W:  return linked(m) ? -1 : 1;
    case DIR_WR: return linked(m) ? 0 : 1;
    case DIR_M:  return written(m) ? -1 : 1;
    case DIR_MR: return written(m) ? 0 : 1;
    case DIR_MW: return 1;
    default:     return -1;
    }
}

void directory_fill(struct vm *vm, const struct dir_user *u)
{
    name(vm->userid, u->userid, 8);
    name(vm->account, u->account, 8);
    name(vm->secuser, u->secondary, 8);
    name(vm->ipl_name, u->ipl_name, 8);
    fmt(vm->ipl_parm, sizeof(vm->ipl_parm), "%.*s", (int)sizeof(u->ipl_parm),
        (const char *)u->ipl_parm);
    vm->classes = u->classes;
    vm->linend = u->edit[0] == 0 ? LINEND : u->edit[0] == ' ' ? 0 : (char)u->edit[0];
    vm->size = (uint64_t)u->storage << 10;
    vm->max_size = u->storage_max << 10;
    vm->priority = (uint8_t)u->priority;
    vm->favored = (u->flags & DIR_QUICKDSP) != 0;
    vm->dir_flags = u->flags;
    for (uint32_t i = 0; i < u->mdisks; i++) {
        const struct dir_mdisk *m = table(DIR_MDISKS, u->first_mdisk + i);
        int access = directory_access(m, m->mode);
        if (access >= 0)
            directory_attach(vm, u, m, m->vaddr, access);
    }
    for (uint32_t i = 0; i < u->links; i++) {
        const struct dir_link *l = table(DIR_LINKS, u->first_link + i);
        char owner[9];
        name(owner, l->userid, 8);
        const struct dir_user *o = directory_find(owner);
        const struct dir_mdisk *m = o ? directory_mdisk(o, l->vaddr) : 0;
        int access = m ? directory_access(m, l->mode) : -1;
        if (access >= 0)
            directory_attach(vm, o, m, l->as, access);
    }
}

static bool for_all(const uint8_t password[8])
{
    return memcmp(password, "ALL     ", 8) == 0;
}

/* Whose privileges a program on the minidisk gets: the classes of its owner and of each user whose
 * entry LINKs it. Class G is everybody's. */
static uint32_t trusted_by(const struct dir_user *owner, uint16_t vaddr)
{
    const struct dir_user *users = table(DIR_USERS, 0);
    uint32_t classes = owner->classes;

    for (uint32_t i = 0; i < header->table[DIR_USERS].count; i++)
        for (uint32_t k = 0; k < users[i].links; k++) {
            const struct dir_link *l = table(DIR_LINKS, users[i].first_link + k);
            if (l->vaddr == vaddr && memcmp(l->userid, owner->userid, 8) == 0)
                classes |= users[i].classes;
        }
    return classes & ~CLASS(CLASS_G);
}

uint32_t directory_lacks(uint32_t classes, const struct dir_user *owner, uint16_t vaddr)
{
    return trusted_by(owner, vaddr) & ~classes;
}

/* What userid may do with a minidisk of owner without a password: its own, one its entry LINKs, or
 * one whose password is ALL. 0 nothing, 1 read, 2 write. */
int directory_rights(const char *userid, const char *owner, uint16_t vaddr)
{
    const struct dir_user *o = directory_find(owner), *u = directory_find(userid);
    const struct dir_mdisk *m = o ? directory_mdisk(o, vaddr) : 0;

    if (!m)
        return 0;
    if (u == o)
        return m->mode <= DIR_RR ? 1 : 2;
    bool writes = for_all(m->write_password) && !directory_lacks(u ? u->classes : 0, o, vaddr);
    int rights = writes ? 2 : for_all(m->read_password) ? 1 : 0;
    for (uint32_t i = 0; u && i < u->links; i++) {
        const struct dir_link *l = table(DIR_LINKS, u->first_link + i);
        if (memcmp(l->userid, o->userid, 8) == 0 && l->vaddr == vaddr) {
            int by_link = l->mode <= DIR_RR ? 1 : 2;
            rights = by_link > rights ? by_link : rights;
        }
    }
    return rights;
}

const struct dir_device *directory_device_at(const struct dir_user *u, uint32_t i)
{
    return i < u->devices ? table(DIR_DEVICES, u->first_device + i) : 0;
}

/* Does userid's entry DEDICATE the real device to it? */
bool directory_dedicated(const char *userid, uint16_t raddr)
{
    const struct dir_user *u = directory_find(userid);

    for (uint32_t i = 0; u && i < u->devices; i++) {
        const struct dir_device *d = table(DIR_DEVICES, u->first_device + i);
        if (d->kind == DIR_DEDICATE && d->raddr == raddr)
            return true;
    }
    return false;
}

/* May userid AUTOLOG u without a password? */
bool directory_may_autolog(const struct dir_user *u, const char *userid)
{
    char key[9];

    fmt(key, sizeof(key), "%-8.8s", userid);
    for (uint32_t i = 0; i < u->autologs; i++)
        if (memcmp(((const struct dir_autolog *)table(DIR_AUTOLOGS, u->first_autolog + i))->userid,
                   key, 8)
            == 0)
            return true;
    return false;
}
