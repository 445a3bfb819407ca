/* SPDX-License-Identifier: MIT */
/* Accounting cards: type 01 at the end of a session, C0 with a user's own data; columns as in VM/370's
 * System Programmer's Guide (accounting_record layouts). Times are milliseconds under the CPU model. */
#include "defs.h"
#include "lib.h"
#include "models.h"

struct card01 {
    char userid[8], account[8], stamp[12];
    uint32_t connect_s, total_ms, virtual_ms;
    uint32_t page_reads, page_writes, sio, punched, printed, read;
    char reserved[14];
    char code[2];
} __attribute__((packed));
_Static_assert(sizeof(struct card01) == 80, "a card has 80 columns");

static void blank_name(char to[8], const char *name)
{
    memset(to, ' ', 8);
    memcpy(to, name, strlen(name));
}

void card_session(struct vm *vm)
{
    struct card01 k;
    char stamp[24];
    struct usage virt = vm->acct.virt, cp = vm->acct.cp;
    const struct account *base = &vm->acct_base;

    virt.time -= base->virt.time;
    virt.instr -= base->virt.instr;
    virt.moved -= base->virt.moved;
    virt.summed -= base->virt.summed;
    cp.time -= base->cp.time;
    cp.instr -= base->cp.instr;
    cp.moved -= base->cp.moved;
    cp.summed -= base->cp.summed;
    memset(&k, 0, sizeof(k));
    blank_name(k.userid, vm->userid);
    blank_name(k.account, vm->account);
    date_format(unix_us(), stamp); /* mm/dd/yy hh:mm:ss -> mmddyyhhmmss */
    const uint8_t at[12] = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16};
    for (int i = 0; i < 12; i++)
        k.stamp[i] = stamp[at[i]];
    k.connect_s = (uint32_t)((us_now() - vm->acnt_tod) / 1000000);
    uint64_t v = model_us(&virt);
    k.virtual_ms = (uint32_t)(v / 1000);
    k.total_ms = (uint32_t)((v + model_us(&cp)) / 1000);
    k.sio = (uint32_t)(vm->sio - vm->sio_base);
    k.punched = (uint32_t)(vm->punched - vm->punched_base);
    memset(k.reserved, ' ', sizeof(k.reserved));
    memcpy(k.code, "01", 2);
    punch_card((const uint8_t *)&k);
}

long card_user(struct vm *vm, const char *text, size_t len)
{
    char k[80];

    memset(k, ' ', sizeof(k));
    memcpy(k, vm->userid, strlen(vm->userid));
    memcpy(k + 8, text, len);
    memcpy(k + 78, "C0", 2);
    punch_card((const uint8_t *)k);
    vm->punched++;
    return 0;
}
