/* SPDX-License-Identifier: MIT */
/* FORMAT vaddr mode: an empty file system on a minidisk, after asking; the disk is then accessed as
 * mode. */
#include "commands.h"
#include "nucleus.h"

static bool yes(void)
{
    char reply[CMS_LINE];
    int n = cms_readline(reply, sizeof(reply));
    char word[4];
    unsigned k = 0;

    for (int i = 0; i < n && k < 3; i++)
        if (reply[i] != ' ')
            word[k++] = (char)to_upper(reply[i]);
    word[k] = 0;
    return cms_is(word, "YES", 1) || strcmp(word, "1") == 0;
}

static void read_label(uint8_t label[8])
{
    char reply[CMS_LINE];
    int n = cms_readline(reply, sizeof(reply)), i = 0, k = 0;

    memset(label, ' ', 8);
    while (i < n && reply[i] == ' ')
        i++;
    for (; i < n && k < 6 && reply[i] != ' '; i++)
        label[k++] = (uint8_t)to_upper(reply[i]);
}

CMS_COMMAND("FORMAT", 6, cmd_format);
int cmd_format(struct cms_arg *arg)
{
    struct diag_disk info;
    struct fs_device dev;
    struct cms_disk *d;
    uint8_t label[8];
    uint32_t vaddr;
    const char *mode = arg->word[1];

    if (arg->n < 2)
        return cms_error(24, "DMSFOR028E No device specified");
    if (arg->n > 2)
        return cms_error(24, "DMSFOR070E Invalid parameter %s", arg->word[2]);
    if (arg->options)
        return cms_bad_option("FOR", arg->option[0]);
    if (!cms_hex(arg->word[0], &vaddr) || vaddr == 0 || vaddr > 0xffff)
        return cms_error(24, "DMSFOR017E Invalid device address %s", arg->word[0]);
    if (!disk_letter(mode[0]) || mode[1] || mode[0] == 'S')
        return cms_error(24, "DMSFOR048E Invalid filemode %s", mode);
    if (diag_diskinfo((int)vaddr, &info) != 0)
        return cms_error(100, "DMSFOR113S %s(%03X) not attached", mode, vaddr);
    for (d = cms_disk_next(0); d; d = cms_disk_next(d))
        if ((d->letter == mode[0] || d->vaddr == vaddr) && file_busy(d))
            return cms_error(36, "DMSFOR069E Filemode %c is in use; a command reads its files",
                             d->letter);
    if (!info.writable)
        return cms_error(36, "DMSFOR114S %s(%03X) is read/only", mode, vaddr);
    cms_say("DMSFOR603R FORMAT will erase all files on disk %s(%03X). Do you wish to continue?",
            mode, vaddr);
    cms_say("Enter 1 (YES) or 0 (NO).");
    if (!yes())
        return 88;
    cms_say("DMSFOR605R Enter disk label:");
    read_label(label);
    while ((d = disk_by_vaddr((uint16_t)vaddr)) != 0)
        disk_release(d);
    struct fs *work = cms_alloc(sizeof(struct fs));
    if (!work)
        return cms_error(104, "DMSFOR109S Virtual storage capacity exceeded");
    cms_say("DMSFOR733I Formatting disk %s", mode);
    disk_device(&dev, (uint16_t)vaddr, info.blocks);
    int code = fs_format(work, &dev, label, cms_now_1900());
    if (code == FS_OK)
        code = disk_access((uint16_t)vaddr, mode[0], mode[0], false);
    if (code != FS_OK)
        return cms_error(100, "DMSFOR112S Disk %s(%03X) device error: %s", mode, vaddr,
                         code == CMS_E_STORAGE ? "no storage for its directory"
                                               : fs_strerror(code));
    cms_say("DMSFOR732I %u FB-512 blocks formatted on %s(%03X)", info.blocks, mode, vaddr);
    return 0;
}
