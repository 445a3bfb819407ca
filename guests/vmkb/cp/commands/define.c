/* SPDX-License-Identifier: MIT */
/* DEFINE STORAGE nK|nM: another size of storage, up to the directory's maximum. The machine is
 * reset. DEFINE CTCA vaddr [USER userid]: an end of a virtual channel-to-channel adapter, which a
 * machine under SIE has from its next IPL on. DEFINE T3370 [AS] vaddr [BLK] blocks: a temporary
 * minidisk. DEFINE and REDEFINE vaddr [AS] vaddr. */
#include "commands.h"
#include "directory.h"
#include "lib.h"
#include "spool.h"
#include "tdisk.h"
#include "vctc.h"

#define SMALLEST (256UL << 10)

/* nK or nM in bytes, or 0. */
static uint64_t size_of(const char *word)
{
    char digits[8];
    size_t n = strlen(word);
    uint32_t value;

    if (n < 2 || n > sizeof(digits))
        return 0;
    memcpy(digits, word, n - 1);
    digits[n - 1] = 0;
    if (!cmd_number(digits, &value))
        return 0;
    if (word[n - 1] == 'K')
        return ((uint64_t)value << 10) & ~(PAGE_SIZE - 1);
    return word[n - 1] == 'M' ? (uint64_t)value << 20 : 0;
}

static bool taken(struct vm *vm, uint16_t vaddr)
{
    const struct dir_user *u = directory_find(vm->userid);
    const struct dir_device *d;

    if (u && (u->flags & DIR_CONSOLE) && u->console_vaddr == vaddr)
        return true;
    for (uint32_t i = 0; u && (d = directory_device_at(u, i)) != 0; i++)
        if (d->vaddr == vaddr && d->kind == DIR_DEDICATE)
            return true;
    return mdisk_find(vm, vaddr) || spool_device(vm, vaddr) || vctc_find(vm, vaddr);
}

/* vaddr [AS] vaddr: a minidisk gets another address. */
static int address(struct cmd *c, struct mdisk *m)
{
    char word[12];
    uint16_t to;

    bool any = cmd_word(c, word, sizeof(word));
    if (any && strcmp(word, "AS") == 0)
        any = cmd_word(c, word, sizeof(word));
    if (!any || !cmd_vaddr(word, &to))
        return cmd_error(c, 22, "DMKDEF022E VADDR MISSING OR INVALID");
    if (cmd_end(c, "DEF") != 0)
        return 3;
    if (taken(c->vm, to))
        return cmd_error(c, 92, "DMKDEF092E DEV %03X ALREADY DEFINED", to);
    m->vaddr = to;
    cmd_info(c, "DASD %03X DEFINED", to);
    return 0;
}

static int define_ctca(struct cmd *c)
{
    char word[12], with[USERID_WORD] = "";
    uint16_t vaddr;

    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &vaddr))
        return cmd_error(c, 22, "DMKDEF022E VADDR MISSING OR INVALID");
    if (cmd_word(c, word, sizeof(word))) {
        if (!cmd_is(word, "USER", 1))
            return cmd_bad_option(c, "DEF", word);
        if (!cmd_userid(c, "DEF", with))
            return 20;
        if (strcmp(with, "*") == 0)
            with[0] = 0;
    }
    if (cmd_end(c, "DEF") != 0)
        return 3;
    if (taken(c->vm, vaddr))
        return cmd_error(c, 92, "DMKDEF092E DEV %03X ALREADY DEFINED", vaddr);
    if (!vctc_define(c->vm, vaddr, with, 0))
        return cmd_error(c, 91, "DMKDEF091E CTCA %03X NOT DEFINED; %d ENDS ARE ALL THERE CAN BE",
                         vaddr, VCTC_MAX);
    cmd_info(c, "CTCA %03X DEFINED", vaddr);
    return 0;
}

/* T3370 [AS] vaddr [BLK] blocks */
static int define_temporary(struct cmd *c, const char *type)
{
    static const char *const types[] = {"T3370", "T3310", "T9336", "TFB-512"};
    char word[12];
    uint16_t vaddr;
    uint32_t blocks;
    unsigned known = 0;

    while (known < sizeof(types) / sizeof(*types) && strcmp(type, types[known]) != 0)
        known++;
    if (known == sizeof(types) / sizeof(*types))
        return cmd_error(c, 7, "DMKDEF007E DISKS HERE HAVE BLOCKS; DEFINE T3370 VADDR BLOCKS");
    bool any = cmd_word(c, word, sizeof(word));
    if (any && strcmp(word, "AS") == 0)
        any = cmd_word(c, word, sizeof(word));
    if (!any || !cmd_vaddr(word, &vaddr))
        return cmd_error(c, 22, "DMKDEF022E VADDR MISSING OR INVALID");
    any = cmd_word(c, word, sizeof(word));
    if (any && cmd_is(word, "BLK", 3))
        any = cmd_word(c, word, sizeof(word));
    if (!any || !cmd_number(word, &blocks) || blocks == 0)
        return cmd_error(c, 26, "DMKDEF026E OPERAND MISSING OR INVALID; HOW MANY BLOCKS?");
    if (cmd_end(c, "DEF") != 0)
        return 3;
    if (taken(c->vm, vaddr))
        return cmd_error(c, 92, "DMKDEF092E DEV %03X ALREADY DEFINED", vaddr);
    int rc = tdisk_define(c->vm, vaddr, blocks);
    if (rc == DIAG_ELIMIT)
        return cmd_error(c, 91, "DMKDEF091E DASD %03X NOT DEFINED; A MACHINE HAS %d MINIDISKS",
                         vaddr, VM_MDISKS);
    if (rc != 0)
        return cmd_error(c, 91, "DMKDEF091E DASD %03X NOT DEFINED; TEMP SPACE NOT AVAILABLE",
                         vaddr);
    cmd_info(c, "DASD %03X DEFINED", vaddr);
    return 0;
}

int cmd_redefine(struct cmd *c)
{
    char word[12];
    uint16_t vaddr;

    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &vaddr))
        return cmd_error(c, 22, "DMKDEF022E VADDR MISSING OR INVALID");
    struct mdisk *m = mdisk_find(c->vm, vaddr);
    return m ? address(c, m) : cmd_error(c, 40, "DMKDEF040E DEV %03X DOES NOT EXIST", vaddr);
}

int cmd_define(struct cmd *c)
{
    char word[12];
    uint16_t vaddr;
    bool any = cmd_word(c, word, sizeof(word));
    struct mdisk *m = any && cmd_vaddr(word, &vaddr) ? mdisk_find(c->vm, vaddr) : 0;

    if (m)
        return address(c, m);
    if (any && cmd_is(word, "CTCA", 3))
        return define_ctca(c);
    if (any && cmd_option_absent("DEFINE", word))
        return cmd_bad_option(c, "DEF", word);
    if (any && word[0] == 'T')
        return define_temporary(c, word);
    if (any && cmd_is(word, "GRAF", 2))
        return cmd_error(c, 7, "DMKDEF007E NO DEVICE CAN BE DEFINED; THE DIRECTORY HAS MINIDISKS");
    if (!any || !cmd_is(word, "STORAGE", 4))
        return cmd_error(c, 26, "DMKDEF026E OPERAND MISSING OR INVALID");
    cmd_word(c, word, sizeof(word));
    uint64_t size = size_of(word);
    if (size < SMALLEST)
        return cmd_error(c, 25, "DMKDEF025E STORAGE MISSING OR INVALID");
    if (cmd_end(c, "DEF") != 0)
        return 3;
    if (size > c->vm->max_size)
        return cmd_error(c, 94, "DMKDEF094E STORAGE EXCEEDS ALLOWED MAXIMUM OF %uK",
                         c->vm->max_size >> 10);
    vm_reset(c->vm);
    cmd_reset(c);
    if (c->vm->store)
        return cmd_error(c, 26, "DMKDEF049E A DISK REQUEST IS STILL UNDER WAY; TRY AGAIN");
    c->vm->size = size;
    cmd_info(c, "STORAGE = %05luK", size >> 10);
    console_mode(c->vm);
    return 0;
}
