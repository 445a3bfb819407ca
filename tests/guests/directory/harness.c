/* SPDX-License-Identifier: MIT */
/* cp/session/directory.c over a volume in storage. The directory that it reads is made here from
 * lines, in this machine's byte order. A line in, a line out:
 *   user NAME FLAGS                        the users in ascending order; what follows is of the
 *                                          last one
 *   classes N                              its privilege classes
 *   mdisk VADDR START BLOCKS MODE READPW WRITEPW   (- for no password)
 *   link OWNER VADDR AS MODE
 *   dedicate RADDR
 *   start FLIP          byte FLIP of the volume is inverted (-1: none), then CP looks -> what the
 *                       operator reads
 *   find NAME           -> its place, or -1
 *   rights USER OWNER VADDR, dedicated USER RADDR
 *   logon VM USER       -> minidisks: vaddr:start:writable ...
 *   logoff VM */
#include <stdarg.h>
#include "../vol_checksum.h"
#include "../words.h"
#include "dasd.h"
#include "directory.h"
#include "directory.c"

#define MAX 40

struct vm vms[VM_MAX];
static struct {
    struct dir_header h;
    struct dir_user user[MAX];
    struct dir_mdisk mdisk[MAX];
    struct dir_link link[MAX];
    struct dir_device device[MAX];
    struct dir_autolog autolog[1];
} d;
static uint8_t disk[64 * 512], real[64 * 512] __attribute__((aligned(8)));
static struct dasd_volume volume;

void tdisk_start(uint8_t on, const struct vol_area *area)
{
    (void)on;
    (void)area;
}

void operator_say(const char *f, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, f);
    vfmt(text, sizeof(text), f, ap);
    va_end(ap);
    printf("%s;", text);
}

uint8_t *pages_get(uint32_t pages)
{
    return pages * PAGE_SIZE <= sizeof(real) ? memset(real, 0, sizeof(real)) : 0;
}
void pages_free(void *p, uint32_t pages) { (void)p, (void)pages; }
struct dasd_volume *dasd_volume(int i) { return i == 0 ? &volume : 0; }

int dasd_read_now(uint8_t v, uint32_t at, uint32_t count, void *to)
{
    if (v || at >= sizeof(disk) / 512 || count > sizeof(disk) / 512 - at)
        return DIAG_EIO;
    memcpy(to, disk + at * 512, count * 512);
    return 0;
}

struct mdisk *mdisk_find(struct vm *vm, uint16_t vaddr)
{
    for (int i = 0; i < VM_MDISKS; i++)
        if (vaddr && vm->mdisk[i].vaddr == vaddr)
            return &vm->mdisk[i];
    return 0;
}

static void padded(uint8_t to[8])
{
    char text[16];

    word(text);
    memset(to, ' ', 8);
    if (strcmp(text, "-") != 0)
        memcpy(to, text, strlen(text) < 8 ? strlen(text) : 8);
}

static void start(int flip)
{
    struct volume_label l = {.magic = VOL_MAGIC, .version = VOL_VERSION, .volser = "VOL001",
                             .blocks = sizeof(disk) / 512, .area_count = 1};

    _Static_assert(sizeof(d) <= 62 * 512, "the volume");
    d.h.magic = DIR_MAGIC;
    d.h.version = DIR_VERSION;
    d.h.bytes = sizeof(d);
    d.h.table[DIR_USERS].offset = offsetof(__typeof__(d), user);
    d.h.table[DIR_MDISKS].offset = offsetof(__typeof__(d), mdisk);
    d.h.table[DIR_LINKS].offset = offsetof(__typeof__(d), link);
    d.h.table[DIR_DEVICES].offset = offsetof(__typeof__(d), device);
    d.h.table[DIR_AUTOLOGS].offset = offsetof(__typeof__(d), autolog);
    d.h.checksum = 0;
    d.h.checksum = vol_checksum(&d, sizeof(d));
    l.areas[VOL_DIRECTORY].start = 1;
    l.areas[VOL_DIRECTORY].blocks = (sizeof(d) + 511) / 512;
    l.checksum = vol_checksum(&l, sizeof(l));
    memcpy(disk, &l, sizeof(l));
    memcpy(disk + 512, &d, sizeof(d));
    if (flip >= 0)
        disk[flip] ^= 0xff;
    header = 0;
    directory_start();
    printf("%d\n", directory_there());
}

int main(void)
{
    char w[16], name[16], owner[16];
    struct dir_user *u = d.user - 1;

    setvbuf(stdout, 0, _IOLBF, 0);
    while (scanf("%15s", w) == 1) {
        struct dir_table *t = d.h.table;
        if (strcmp(w, "user") == 0) {
            u = &d.user[t[DIR_USERS].count++];
            padded(u->userid);
            u->flags = number();
            u->storage = u->storage_max = 1024;
            u->first_mdisk = t[DIR_MDISKS].count;
            u->first_link = t[DIR_LINKS].count;
            u->first_device = t[DIR_DEVICES].count;
            puts("0");
        } else if (strcmp(w, "classes") == 0) {
            u->classes = number();
            puts("0");
        } else if (strcmp(w, "mdisk") == 0) {
            struct dir_mdisk *m = &d.mdisk[t[DIR_MDISKS].count++];
            u->mdisks++;
            m->vaddr = (uint16_t)number();
            m->start = number();
            m->blocks = number();
            m->mode = (uint8_t)number();
            padded(m->read_password);
            padded(m->write_password);
            memset(m->multi_password, ' ', 8);
            puts("0");
        } else if (strcmp(w, "link") == 0) {
            struct dir_link *l = &d.link[t[DIR_LINKS].count++];
            u->links++;
            padded(l->userid);
            l->vaddr = (uint16_t)number();
            l->as = (uint16_t)number();
            l->mode = (uint8_t)number();
            puts("0");
        } else if (strcmp(w, "dedicate") == 0) {
            u->devices++;
            d.device[t[DIR_DEVICES].count++] =
                (struct dir_device){.kind = DIR_DEDICATE, .raddr = (uint16_t)number()};
            puts("0");
        } else if (strcmp(w, "start") == 0) {
            start((int)number());
        } else if (strcmp(w, "find") == 0) {
            word(name);
            const struct dir_user *f = directory_find(name);
            printf("%ld\n", f ? f - (const struct dir_user *)table(DIR_USERS, 0) : -1);
        } else if (strcmp(w, "rights") == 0) {
            word(name);
            word(owner);
            printf("%d\n", directory_rights(name, owner, (uint16_t)number()));
        } else if (strcmp(w, "dedicated") == 0) {
            word(name);
            printf("%d\n", directory_dedicated(name, (uint16_t)number()));
        } else {
            struct vm *vm = &vms[number()];
            memset(vm, 0, sizeof(*vm));
            if (strcmp(w, "logon") == 0) {
                word(name);
                vm->state = VM_HERE;
                directory_fill(vm, directory_find(name));
                for (int i = 0; i < VM_MDISKS; i++)
                    if (vm->mdisk[i].vaddr)
                        printf("%x:%u:%d ", vm->mdisk[i].vaddr, vm->mdisk[i].start,
                               vm->mdisk[i].writable);
            }
            puts(".");
        }
    }
    return 0;
}
