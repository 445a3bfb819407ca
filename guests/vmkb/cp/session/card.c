/* SPDX-License-Identifier: MIT */
/* Accounting cards: type 01 at the end of a session, 04 and 06 when wrong passwords reach their
 * limit, C0 with a user's own data; columns as in VM/370's System Programmer's Guide (accounting
 * record layouts). Times are milliseconds under the CPU model. Columns 33-40 of 04 and 06 would
 * hold the wrong password: they are left blank, as a mistyped one is nearly right. */
#include "defs.h"
#include "lib.h"
#include "models.h"
#include "terminal.h"

struct card01 {
    char userid[8], account[8], stamp[12];
    uint32_t connect_s, total_ms, virtual_ms;
    uint32_t page_reads, page_writes, sio, punched, printed, read;
    char reserved[14];
    char code[2];
} __attribute__((packed));
_Static_assert(sizeof(struct card01) == 80, "a card has 80 columns");

struct card06 {
    char userid[8], account[8], stamp[12], terminal[4], password[8], other[8], vaddr[3];
    uint16_t count, limit;
    char reserved[23];
    char code[2];
} __attribute__((packed));
_Static_assert(sizeof(struct card06) == 80, "a card has 80 columns");

static void blank_name(char to[8], const char *name)
{
    memset(to, ' ', 8);
    memcpy(to, name, strlen(name));
}

/* mm/dd/yy hh:mm:ss -> mmddyyhhmmss */
static void stamp_now(char to[12])
{
    static const uint8_t at[12] = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16};
    char stamp[24];

    date_format(unix_us(), stamp);
    for (int i = 0; i < 12; i++)
        to[i] = stamp[at[i]];
}

void card_session(struct vm *vm)
{
    struct card01 k;
    struct usage virt = usage_since(&vm->acct.virt, &vm->acct_base.virt);
    struct usage cp = usage_since(&vm->acct.cp, &vm->acct_base.cp);

    memset(&k, 0, sizeof(k));
    blank_name(k.userid, vm->userid);
    blank_name(k.account, vm->account);
    stamp_now(k.stamp);
    k.connect_s = (uint32_t)((us_now() - vm->acnt_tod) / 1000000);
    uint64_t v = model_us(&virt);
    k.virtual_ms = (uint32_t)(v / 1000);
    k.total_ms = (uint32_t)((v + model_us(&cp)) / 1000);
    k.sio = (uint32_t)(vm->sio - vm->sio_base);
    k.punched = (uint32_t)(vm->punched - vm->punched_base);
    k.printed = (uint32_t)(vm->printed - vm->printed_base);
    k.read = (uint32_t)(vm->read - vm->read_base);
    memset(k.reserved, ' ', sizeof(k.reserved));
    memcpy(k.code, "01", 2);
    punch_card((const uint8_t *)&k);
}

void card_journal(const char *code, const char *userid, const char *account,
                  const struct terminal *t, const char *other, uint16_t vaddr, unsigned count,
                  unsigned limit)
{
    struct card06 k;
    char text[5];

    memset(&k, ' ', sizeof(k));
    blank_name(k.userid, userid);
    blank_name(k.account, account);
    stamp_now(k.stamp);
    if (t)
        memcpy(k.terminal, t->name, strlen(t->name));
    blank_name(k.other, other);
    if (vaddr) {
        fmt(text, sizeof(text), "%03X", vaddr);
        memcpy(k.vaddr, text + strlen(text) - 3, 3);
    }
    k.count = (uint16_t)count;
    k.limit = (uint16_t)limit;
    memcpy(k.code, code, 2);
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
