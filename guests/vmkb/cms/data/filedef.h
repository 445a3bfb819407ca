/* SPDX-License-Identifier: MIT */
/* What FILEDEF has defined: a name for MOVEFILE's two ends. */
#ifndef VMKB_CMS_FILEDEF_H
#define VMKB_CMS_FILEDEF_H
#include "cms.h"

enum filedef_device { FILEDEF_DISK, FILEDEF_TERMINAL, FILEDEF_DUMMY, FILEDEF_PRINTER,
                      FILEDEF_PUNCH, FILEDEF_READER };

struct filedef {
    char ddname[9];
    uint8_t device;          /* enum filedef_device */
    uint8_t recfm;           /* FS_FIXED, FS_VARIABLE, or 0: not given */
    uint32_t lrecl;          /* 0: not given */
    struct cms_fileid id;    /* DISK: which file */
};

const struct filedef *filedef_find(const char *ddname); /* or 0 */
#endif
