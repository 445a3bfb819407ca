/* SPDX-License-Identifier: MIT */
/* ACCESS [vaddr [mode[/ext]]]: read a minidisk's directory and give it a letter; RELEASE takes it
 * away. */
#include "commands.h"
#include "nucleus.h"

static int failed(int code, uint16_t vaddr, char letter)
{
    switch (code) {
    case CMS_E_NODEVICE:
        return cms_error(100, "DMSACC113S %c(%03X) not attached", letter, vaddr);
    case CMS_E_STORAGE:
        return cms_error(104, "DMSACC109S Virtual storage capacity exceeded");
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
            return cms_error(24, "DMSACC003E Invalid option: %s", arg->option[i]);
    if (*mode)
        letter = *mode++;
    parent = letter;
    if (*mode == '/') {
        parent = mode[1];
        mode += parent ? 2 : 1;
    }
    if (!disk_letter(letter) || !disk_letter(parent) || *mode)
        return cms_error(24, "DMSACC048E Invalid filemode %s", arg->word[1]);
    struct cms_disk *had = cms_disk(letter), *also = disk_by_vaddr((uint16_t)vaddr);
    uint16_t replaced = had && had->vaddr != vaddr ? had->vaddr : 0;
    bool extension = strchr(arg->word[1], '/') != 0;
    char other = also && also != had ? also->letter : 0;
    int code = disk_access((uint16_t)vaddr, letter, parent, extension || other);
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

CMS_COMMAND("RELEASE", 3, cmd_release);
int cmd_release(struct cms_arg *arg)
{
    const char *what = arg->word[0];
    uint32_t vaddr;
    struct cms_disk *d;

    if (arg->n == 0)
        return cms_error(24, "DMSARE028E No device specified");
    if (arg->n > 1)
        return cms_error(24, "DMSARE070E Invalid parameter %s", arg->word[1]);
    if (arg->options > 1 || (arg->options == 1 && !cms_is(arg->option[0], "DET", 3)))
        return cms_error(24, "DMSARE003E Invalid option: %s", arg->option[0]);
    if (!what[1] && disk_letter(what[0])) {
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
    if (d->letter == 'S')
        return cms_error(36, "DMSARE069E Filemode S is the system disk: it stays accessed");
    vaddr = d->vaddr;
    while (d) {
        disk_release(d);
        d = disk_by_vaddr((uint16_t)vaddr);
    }
    if (arg->options) {
        char command[16];
        int n = fmt(command, sizeof(command), "DETACH %03X", vaddr);
        return cms_cp(command, (unsigned)n, 0, 0, 0);
    }
    return 0;
}
