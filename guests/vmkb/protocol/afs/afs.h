/* SPDX-License-Identifier: MIT */
/* AFS's file service as numbers (docs/reference/afs.md): operations, errors, what a file is named
 * by. Times are seconds since 1970 unless a name says otherwise. */
#ifndef VMKB_AFS_H
#define VMKB_AFS_H
#include "lib.h"

#define AFS_PORT          7000
#define AFS_PORT_CLIENT   7001   /* where cache managers take callbacks */
#define AFS_PORT_LOCATION 7003
#define AFS_SERVICE          1   /* of files, and of callbacks */
#define AFS_SERVICE_LOCATION 52

#define AFS_NAME_MAX  255        /* bytes of a name in a directory */
#define AFS_PATH_MAX  1023       /* of what a symbolic link says */
#define AFS_BULK_MAX  50         /* files of one BulkStatus, GiveUpCallBacks or CallBack */

enum {
    AFS_FETCH_DATA = 130,
    AFS_FETCH_ACL = 131,
    AFS_FETCH_STATUS = 132,
    AFS_STORE_DATA = 133,
    AFS_STORE_STATUS = 135,
    AFS_REMOVE_FILE = 136,
    AFS_CREATE_FILE = 137,
    AFS_RENAME = 138,
    AFS_SYMLINK = 139,
    AFS_LINK = 140,
    AFS_MAKE_DIR = 141,
    AFS_REMOVE_DIR = 142,
    AFS_GIVE_UP_CALLBACKS = 147,
    AFS_GET_VOLUME_STATUS = 149,
    AFS_GET_ROOT_VOLUME = 151,
    AFS_GET_TIME = 153,
    AFS_BULK_STATUS = 155,
    AFS_LOOKUP = 161,
    AFS_INLINE_BULK_STATUS = 65536,
    AFS_FETCH_DATA_64 = 65537,
    AFS_STORE_DATA_64 = 65538,
    AFS_GIVE_UP_ALL_CALLBACKS = 65539,
    AFS_GET_CAPABILITIES = 65540
};

#define AFS_CAPABILITY_64 2      /* FetchData64 and StoreData64 are known */

enum { AFS_CB_CALLBACK = 204, AFS_CB_INIT_STATE = 205 }; /* to a client */

enum {                           /* why a call is aborted: UNIX's of 1990, then AFS's own */
    AFS_ENOENT = 2, AFS_EIO = 5, AFS_EEXIST = 17, AFS_EXDEV = 18, AFS_ENOTDIR = 20, AFS_EISDIR = 21,
    AFS_EINVAL = 22, AFS_EFBIG = 27, AFS_EROFS = 30, AFS_EMLINK = 31,
    AFS_VNOVNODE = 102, AFS_VNOVOL = 103, AFS_VOFFLINE = 106, AFS_VDISKFULL = 108, AFS_VBUSY = 110,
    AFS_EARGS = -453             /* the arguments cannot be read */
};

enum { AFS_FILE = 1, AFS_DIRECTORY = 2, AFS_SYMBOLIC = 3 };

enum { AFS_SET_TIME = 1, AFS_SET_OWNER = 2, AFS_SET_GROUP = 4, AFS_SET_MODE = 8 };

enum { AFS_CALLBACK_SHARED = 2, AFS_CALLBACK_DROPPED = 3 };

struct afs_fid {
    uint32_t volume, vnode, unique;
};

struct afs_store_status {
    uint32_t mask, time, owner, group, mode;
};

/* Calls that ask where volumes are. */
#define LOCATION_NONE    363524  /* no such entry */

enum {
    LOCATION_BY_ID = 503, LOCATION_BY_NAME = 504, LOCATION_PROBE = 514, LOCATION_SERVERS = 515,
    LOCATION_BY_ID_N = 518, LOCATION_BY_NAME_N = 519, LOCATION_LIST_N = 522,
    LOCATION_BY_ID_U = 526, LOCATION_BY_NAME_U = 527, LOCATION_ADDRESSES = 533,
    LOCATION_LIST_N2 = 534, LOCATION_CAPABILITIES = 65537
};
#endif
