/* SPDX-License-Identifier: MIT */
/* ACCESS [vaddr [mode[/ext]]]: read a minidisk's directory and give it a letter. RELEASE takes away
 * one letter, or all letters of the disk at an address. */
#include "commands.h"
#include "nucleus.h"

static int failed(int code, uint16_t vaddr, char letter)
{
    switch (code) {
    case CMS_E_NODEVICE:
        return cms_error(100, "DMSACC113S %c(%03X) not attached", letter, vaddr);
    case CMS_E_STORAGE:
        return cms_error(104, "DMSACC109S Virtual storage capacity exceeded");
    case CMS_E_BUSY:
        return cms_error(36, "DMSACC069E Filemode %c is in use; a command reads its files", letter);
    default:
        return cms_error(100, "DMSACC112S Disk %c(%03X) device error: %s", letter, vaddr,
                         fs_strerror(code));
    }
}

CMS_COMMAND("ACCESS", 2, cmd_access);
int cmd_access(struct cms_arg *arg)
{
    uint32_t vaddr = 0x191;
    char letter = 'A', parent;
    const char *mode = arg->word[1];

    if (arg->n > 2)
        return cms_error(24, "DMSACC070E Invalid parameter %s", arg->word[2]);
    if (arg->n > 0 && (!cms_hex(arg->word[0], &vaddr) || vaddr == 0 || vaddr > 0xffff))
        return cms_error(24, "DMSACC017E Invalid device address %s", arg->word[0]);
    for (int i = 0; i < arg->options; i++)
        if (!cms_is(arg->option[i], "NOPROF", 6))
            return cms_bad_option("ACC", arg->option[i]);
    if (*mode)
        letter = *mode++;
    parent = letter;
    if (*mode == '/') {
        parent = mode[1];
        mode += parent ? 2 : 1;
    }
    if (!disk_letter(letter) || !disk_letter(parent) || *mode)
        return cms_error(24, "DMSACC048E Invalid filemode %s", arg->word[1]);
    struct cms_disk *had = cms_disk(letter);
    if (letter == 'S' && had && had->vaddr != vaddr)
        return cms_error(24, "DMSACC048E Invalid filemode S: the system disk keeps it");
    uint16_t replaced = had && had->vaddr != vaddr ? had->vaddr : 0;
    bool written = false, extension = strchr(arg->word[1], '/') != 0;
    char other = 0;
    for (const struct cms_disk *d = cms_disk_next(0); d; d = cms_disk_next(d))
        if (d != had && d->vaddr == vaddr) {
            other = other ? other : d->letter;
            written |= d->writable; /* one letter only: each keeps its own copy of what is free */
        }
    int code = disk_access((uint16_t)vaddr, letter, parent, extension || written);
    if (code != FS_OK)
        return failed(code, (uint16_t)vaddr, letter);
    if (replaced)
        cms_say("DMSACC724I %03X replaces %c (%03X)", vaddr, letter, replaced);
    if (!cms_disk(letter)->writable)
        cms_say("DMSACC723I %c (%03X) R/O", letter, vaddr);
    if (other)
        cms_say("DMSACC725I %03X also = %c disk", vaddr, other);
    return 0;
}

/* DET takes the disk from all its letters. */
static int release(struct cms_disk *only, uint16_t vaddr, bool detach)
{
    struct cms_disk *d, *next;
    char command[16];

    for (d = cms_disk_next(0); d; d = cms_disk_next(d))
        if ((d == only || (d->vaddr == vaddr && (!only || detach))) && file_busy(d))
            return cms_error(36, "DMSARE069E Filemode %c is in use; a command reads its files",
                             d->letter);
    for (d = cms_disk_next(0); d; d = next) {
        next = cms_disk_next(d);
        if (d == only || (d->vaddr == vaddr && (!only || detach)))
            disk_release(d);
    }
    if (!detach)
        return 0;
    int n = fmt(command, sizeof(command), "DETACH %03X", vaddr);
    return cms_cp(command, (unsigned)n, 0, 0, 0);
}

CMS_COMMAND("RELEASE", 3, cmd_release);
int cmd_release(struct cms_arg *arg)
{
    const char *what = arg->word[0];
    bool letter = !what[1] && disk_letter(what[0]);
    struct cms_disk *d;
    uint32_t vaddr;

    if (arg->n == 0)
        return cms_error(24, "DMSARE028E No device specified");
    if (arg->n > 1)
        return cms_error(24, "DMSARE070E Invalid parameter %s", arg->word[1]);
    if (arg->options > 1 || (arg->options == 1 && !cms_is(arg->option[0], "DET", 3)))
        return cms_bad_option("ARE", arg->option[0]);
    if (letter) {
        d = cms_disk(what[0]);
        if (!d)
            return cms_error(36, "DMSARE069E Filemode %c not accessed", what[0]);
    } else if (cms_hex(what, &vaddr) && vaddr <= 0xffff) {
        d = disk_by_vaddr((uint16_t)vaddr);
        if (!d)
            return cms_error(36, "DMSARE069E Disk %03X not accessed", vaddr);
    } else {
        return cms_error(24, "DMSARE017E Invalid device address %s", what);
    }
    struct cms_disk *system = cms_disk('S');
    if (system && (d == system || (d->vaddr == system->vaddr && (!letter || arg->options))))
        return cms_error(36, "DMSARE069E Filemode S is the system disk: it stays accessed");
    return release(letter ? d : 0, d->vaddr, arg->options != 0);
}
