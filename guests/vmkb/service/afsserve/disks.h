/* SPDX-License-Identifier: MIT */
/* AFSSERVE's minidisks: AFS VOLUMES on 191 says which of the others are volumes. */
#ifndef VMKB_AFSSERVE_DISKS_H
#define VMKB_AFSSERVE_DISKS_H
#include "volume.h"

struct listed_volume {           /* a line of AFS VOLUMES */
    uint16_t vaddr;
    uint32_t id;
    uint8_t name[VOLUME_NAME];   /* ISO 8859-1 */
    char shown[VOLUME_NAME + 1];
    uint32_t name_len;
};

/* The volumes of the file, at most `most`; negative: FS_E_.... A line that is not one is said. */
int disks_list(struct listed_volume *list, unsigned most);
/* Its minidisk's device. False: it is not there. */
bool disks_device(const struct listed_volume *l, struct fs_device *dev);
#endif
