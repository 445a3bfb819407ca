/* SPDX-License-Identifier: MIT */
/* Who has a minidisk, and what LOGON, LINK and QUERY say of it. */
#include "command.h"
#include "directory.h"
#include "lib.h"

struct holders {
    unsigned writers, readers;
    const struct vm *writer, *reader; /* one of each */
};

/* Who but vm has a link to these blocks. */
static struct holders holders(const struct vm *vm, uint8_t volume, uint32_t start)
{
    struct holders h = {0, 0, 0, 0};

    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state == VM_HERE && &vms[i] != vm && k < VM_MDISKS; k++) {
            const struct mdisk *d = &vms[i].mdisk[k];
            if (!d->vaddr || d->volume != volume || d->start != start)
                continue;
            if (d->writable) {
                h.writers++;
                h.writer = &vms[i];
            } else {
                h.readers++;
                h.reader = &vms[i];
            }
        }
    return h;
}

static void by(char *text, size_t size, const char *how, unsigned n, const struct vm *one)
{
    size_t at = strlen(text);

    if (n == 1)
        fmt(text + at, size - at, "; %s BY %s", how, one->userid);
    else if (n)
        fmt(text + at, size - at, "; %s BY %03u USERS", how, n);
}

static void tell_holders(const struct holders *h, char *text, size_t size)
{
    by(text, size, "R/W", h->writers, h->writer);
    by(text, size, "R/O", h->readers, h->reader);
}

bool link_line(const struct vm *vm, const struct mdisk *m, char *text, size_t size)
{
    struct holders h = holders(vm, m->volume, m->start);

    fmt(text, size, "DASD %03X LINKED %s", m->vaddr, m->writable ? "R/W" : "R/O");
    tell_holders(&h, text, size);
    return h.writers != 0;
}

int link_refusal(const char *userid, const struct dir_mdisk *m, uint16_t vaddr, char *text,
                 size_t size)
{
    struct holders h = holders(0, directory_disk_volume(), m->start);
    int number = !h.writers ? 102 : h.readers ? 103 : 101;

    fmt(text, size, "DMKLNK%dE %s %03X NOT LINKED", number, userid, vaddr);
    tell_holders(&h, text, size);
    return number;
}
