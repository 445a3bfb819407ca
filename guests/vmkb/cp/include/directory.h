// SPDX-License-Identifier: MIT
// The volume label and the object directory, as guests/vmkb/disk writes them and CP reads them.
// docs/reference/volume.md is about the volume. All numbers are big-endian, all text EBCDIC
// 1047, names blank-padded. Blocks are 512-byte FBA blocks of the volume.
//
// To load: read block 0, check volume_label.magic, version and checksum and that blocks is not more
// than the device has; read areas[VOL_DIRECTORY]; check dir_header.magic, version, bytes (at most
// the area's size) and checksum over `bytes`. Each table begins at its offset from the header and
// has `count` records of the size given here. Users are in ascending order of userid, so a binary
// search with memcmp finds one; a user's records in another table are `count` from `first` on.
#ifndef VMKB_DIRECTORY_H
#define VMKB_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#define VOL_MAGIC 0xE5D4D2C2E5D6D3F1ull   // VMKBVOL1
#define DIR_MAGIC 0xE5D4D2C2C4C9D9F1ull   // VMKBDIR1
#define VOL_VERSION 1u
#define DIR_VERSION 1u

enum { VOL_DIRECTORY = 0, VOL_WARMSTART = 1, VOL_ACCOUNT = 2, VOL_SPOOL = 3, VOL_MDISKS = 4,
       VOL_TDISK = 5, VOL_AREAS = 8 };

struct vol_area {
    uint8_t name[8];         // 0  DIRECTRY WARMSTRT ACCOUNT SPOOL MDISKS TDISK
    uint32_t start;          // 8  first block
    uint32_t blocks;         // 12 number of blocks; 0: not there
};

struct volume_label {        // block 0
    uint64_t magic;          // 0   VOL_MAGIC
    uint32_t version;        // 8   VOL_VERSION
    uint32_t checksum;       // 12  vol_checksum of the 512 bytes, this field zero
    uint8_t volser[6];       // 16  volume serial
    uint8_t reserved1[2];    // 22  zero
    uint32_t blocks;         // 24  blocks of the volume
    uint32_t area_count;     // 28  areas in use
    uint64_t built;          // 32  seconds since 1900-01-01 00:00 UTC
    uint8_t reserved2[24];   // 40  zero
    struct vol_area areas[VOL_AREAS]; // 64, by VOL_ index
    uint8_t reserved3[320];  // 192 zero
};

enum { DIR_USERS = 0, DIR_MDISKS = 1, DIR_LINKS = 2, DIR_DEVICES = 3, DIR_AUTOLOGS = 4,
       DIR_TABLES = 5 };

struct dir_table {
    uint32_t offset;         // 0  bytes from the start of dir_header, a multiple of 8
    uint32_t count;          // 4  records
};

struct dir_header {          // first bytes of the directory area
    uint64_t magic;          // 0   DIR_MAGIC
    uint32_t version;        // 8   DIR_VERSION
    uint32_t checksum;       // 12  vol_checksum of `bytes` bytes, this field zero
    uint32_t bytes;          // 16  header and tables, a multiple of 8
    uint8_t volser[6];       // 20  the volume that the minidisks are on
    uint8_t reserved[2];     // 26  zero
    struct dir_table table[DIR_TABLES]; // 28, by DIR_ index
    uint8_t reserved2[60];   // 68  zero
};

// dir_user.flags
#define DIR_NOLOG     0x00000001u  // password NOLOG: may not log on
#define DIR_AUTOONLY  0x00000002u  // password AUTOONLY: by AUTOLOG only
#define DIR_ACCT      0x00000004u  // OPTION ACCT: may charge others (DIAGNOSE X'4C')
#define DIR_QUICKDSP  0x00000008u  // OPTION QUICKDSP: always in the first dispatch list
#define DIR_COMSRV    0x00000010u  // OPTION COMSRV: acts for others
#define DIR_SVMSTAT   0x00000020u  // OPTION SVMSTAT: a service machine, marked in monitor data
#define DIR_LNKNOPAS  0x00000040u  // OPTION LNKNOPAS: LINK needs no password
#define DIR_IUCV_ALLOW 0x00000080u // IUCV ALLOW: any machine may connect to it
#define DIR_IUCV_ANY  0x00000100u  // IUCV ANY: it may connect to any machine
#define DIR_CONSOLE   0x00000200u  // there is a CONSOLE statement
#define DIR_MACHINE_Z 0x00000400u  // MACHINE Z: a z/Architecture machine under SIE

struct dir_user {
    uint8_t userid[8];       // 0
    uint8_t password[8];     // 8   blanks with DIR_NOLOG and DIR_AUTOONLY
    uint8_t account[8];      // 16  ACCOUNT statement; else the userid
    uint8_t distribution[8]; // 24  ACCOUNT statement; else the userid
    uint32_t storage;        // 32  KB at logon
    uint32_t storage_max;    // 36  KB by DEFINE STORAGE
    uint32_t classes;        // 40  privilege classes: bit 0 (value 1) A ... bit 25 Z, 26 1 ... 31 6
    uint32_t flags;          // 44  DIR_ flags above
    uint16_t priority;       // 48  0 to 99, USER statement; default 50
    uint16_t iucv_msglimit;  // 50  IUCV ... MSGLIMIT; 0: not given
    uint16_t maxconn;        // 52  OPTION MAXCONN; 0: not given
    uint16_t console_vaddr;  // 54  CONSOLE statement
    uint16_t console_type;   // 56  X'3215' or X'3270'
    uint8_t edit[4];         // 58  USER's line end, delete, character delete, escape; 0: default
    uint8_t reserved1[2];    // 62  zero
    uint8_t ipl_name[8];     // 64  IPL statement; blanks: none
    uint8_t ipl_parm[64];    // 72  IPL ... PARM text, blank-padded
    uint8_t secondary[8];    // 136 CONSOLE's secondary user; blanks: none
    uint32_t first_mdisk, mdisks;     // 144, 148
    uint32_t first_link, links;       // 152, 156
    uint32_t first_device, devices;   // 160, 164
    uint32_t first_autolog, autologs; // 168, 172
    uint8_t reserved2[16];   // 176 zero
};                           // 192 bytes

// Access modes of MDISK and LINK. A suffix V in the source (virtual reserve) is not accepted.
enum { DIR_R = 1, DIR_RR = 2, DIR_W = 3, DIR_WR = 4, DIR_M = 5, DIR_MR = 6, DIR_MW = 7 };

struct dir_mdisk {
    uint16_t vaddr;          // 0
    uint16_t device_type;    // 2   X'3370' or X'9336'
    uint32_t start;          // 4   first block on the volume, a multiple of 8
    uint32_t blocks;         // 8
    uint8_t mode;            // 12  DIR_ access mode of the owner's own link at logon
    uint8_t reserved[3];     // 13  zero
    uint8_t read_password[8];  // 16 blanks: no link by others; ALL: no password needed
    uint8_t write_password[8]; // 24
    uint8_t multi_password[8]; // 32
};                           // 40 bytes

struct dir_link {
    uint8_t userid[8];       // 0   owner; always a user of this directory
    uint16_t vaddr;          // 8   owner's device; always one of its MDISKs
    uint16_t as;             // 10  address in this machine
    uint8_t mode;            // 12  DIR_ access mode
    uint8_t reserved[3];     // 13  zero
};                           // 16 bytes

enum { DIR_SPOOL = 1, DIR_DEDICATE = 2, DIR_SPECIAL = 3, DIR_CTCA = 4 };

struct dir_device {
    uint16_t vaddr;          // 0
    uint8_t kind;            // 2   DIR_SPOOL, DIR_DEDICATE, DIR_SPECIAL or DIR_CTCA
    uint8_t spool_class;     // 3   SPOOL: class letter in EBCDIC
    uint16_t raddr;          // 4   DEDICATE: real address; CTCA: the other's virtual one, or 0
    uint16_t reserved;       // 6   zero
    uint8_t type[8];         // 8   SPOOL: 2540R 2540P 1403 ...; SPECIAL: 3270 TIMER; CTCA: the
                             //     userid that it may be coupled to, blanks: any
};                           // 16 bytes

struct dir_autolog {         // AUTOLOG statement: who may AUTOLOG this user without its password
    uint8_t userid[8];       // 0
};

// Checksum of label, directory, superblocks and file system blocks: FNV-1a over 64-bit big-endian
// words, folded to 32 bits. size is a multiple of 8, p is 8-byte aligned. The guest's byte order is
// the disk's; a host must pass words through a byte swap (fs/fs_bytes.c does).
#ifdef __s390x__
static inline uint32_t vol_checksum(const void *p, uint64_t size)
{
    typedef uint64_t __attribute__((may_alias)) word;
    const word *w = p;
    uint64_t h = 0xCBF29CE484222325ull;
    for (size /= 8; size > 0; size--)
        h = (h ^ *w++) * 0x100000001B3ull;
    return (uint32_t)(h ^ (h >> 32));
}
#endif

_Static_assert(sizeof(struct vol_area) == 16, "vol_area");
_Static_assert(sizeof(struct volume_label) == 512, "volume label is one block");
_Static_assert(offsetof(struct volume_label, volser) == 16, "volume_label.volser");
_Static_assert(offsetof(struct volume_label, blocks) == 24, "volume_label.blocks");
_Static_assert(offsetof(struct volume_label, built) == 32, "volume_label.built");
_Static_assert(offsetof(struct volume_label, areas) == 64, "volume_label.areas");
_Static_assert(sizeof(struct dir_header) == 128, "dir_header");
_Static_assert(offsetof(struct dir_header, volser) == 20, "dir_header.volser");
_Static_assert(offsetof(struct dir_header, table) == 28, "dir_header.table");
_Static_assert(sizeof(struct dir_user) == 192, "dir_user");
_Static_assert(offsetof(struct dir_user, storage) == 32, "dir_user.storage");
_Static_assert(offsetof(struct dir_user, classes) == 40, "dir_user.classes");
_Static_assert(offsetof(struct dir_user, priority) == 48, "dir_user.priority");
_Static_assert(offsetof(struct dir_user, console_vaddr) == 54, "dir_user.console_vaddr");
_Static_assert(offsetof(struct dir_user, edit) == 58, "dir_user.edit");
_Static_assert(offsetof(struct dir_user, ipl_name) == 64, "dir_user.ipl_name");
_Static_assert(offsetof(struct dir_user, ipl_parm) == 72, "dir_user.ipl_parm");
_Static_assert(offsetof(struct dir_user, secondary) == 136, "dir_user.secondary");
_Static_assert(offsetof(struct dir_user, first_mdisk) == 144, "dir_user.first_mdisk");
_Static_assert(offsetof(struct dir_user, autologs) == 172, "dir_user.autologs");
_Static_assert(sizeof(struct dir_mdisk) == 40, "dir_mdisk");
_Static_assert(offsetof(struct dir_mdisk, start) == 4, "dir_mdisk.start");
_Static_assert(offsetof(struct dir_mdisk, read_password) == 16, "dir_mdisk.read_password");
_Static_assert(sizeof(struct dir_link) == 16, "dir_link");
_Static_assert(offsetof(struct dir_link, mode) == 12, "dir_link.mode");
_Static_assert(sizeof(struct dir_device) == 16, "dir_device");
_Static_assert(offsetof(struct dir_device, type) == 8, "dir_device.type");
_Static_assert(sizeof(struct dir_autolog) == 8, "dir_autolog");

#endif
