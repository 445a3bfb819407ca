/* SPDX-License-Identifier: MIT */
/* INDICATE [LOAD] | USER [*|userid] in VM/370's lines (System Programmer's Guide, INDICATE), and
 * for class E QUEUES and I/O: who can run, who waits for a minidisk. There is no paging, so those
 * fields are 0. SIE is cp/sie/indicate.c. */
#include "commands.h"
#include "indicate.h"
#include "lib.h"

static uint32_t most(uint64_t value, uint32_t limit)
{
    return value > limit ? limit : (uint32_t)value;
}

static int load(struct cmd *c)
{
    struct load l = indicate_load();

    if (cmd_end(c, "THI") != 0)
        return 3;
    cmd_say(c, "CPU-%03u%% Q1-%02u Q2-%02u STORAGE-%03u%% RATIO-01.0", most(l.cpu, 999),
            most(l.q1, 99), most(l.q2, 99), most(l.storage, 999));
    return 0;
}

static int user(struct cmd *c)
{
    int rc;
    struct vm *vm = cmd_own_or_user(c, "THI", CLASS(CLASS_E), &rc);

    if (!vm)
        return rc;
    acct_settle();           /* up to now */
    uint64_t v = model_us(&vm->acct.virt) / 1000000;
    uint64_t t = (model_us(&vm->acct.virt) + model_us(&vm->acct.cp)) / 1000000;
    uint32_t pages = most(resident_pages(vm), 9999);
    cmd_say(c, "PAGES: RES-%04u WS-%04u READS=000000 WRITES=000000 DISK-0000 DRUM-0000", pages,
            pages);
    cmd_say(c, "VTIME=%03u:%02lu TTIME=%03u:%02lu SIO=%06u RDR-%06u PRT-%06u PCH-%06u",
            most(v / 60, 999), v % 60, most(t / 60, 999), t % 60, most(vm->sio, 999999),
            most(vm->read, 999999), most(vm->printed, 999999), most(vm->punched, 999999));
    return 0;
}

static bool queued(const struct vm *vm)
{
    return vm->wait == 0;
}

static void say_queued(struct cmd *c, const struct vm *vm)
{
    unsigned pages = most(resident_pages(vm), 9999);

    cmd_say(c, "%-8s Q%d %s %04u/%04u", vm->userid, vm->queue + 1, vm == running ? "R " : "  ",
            pages, pages);
}

static bool in_io_wait(const struct vm *vm)
{
    return (vm->wait & WAIT_IO) != 0;
}

static void say_device(struct cmd *c, const struct vm *vm)
{
    cmd_say(c, "%-8s %04X", vm->userid, 0x0100 + directory_disk_volume());
}

/* A line for each machine that is so; or that no user is in what. */
static int machines(struct cmd *c, bool (*is_so)(const struct vm *vm),
                    void (*say)(struct cmd *c, const struct vm *vm), const char *what)
{
    bool any = false;

    if (cmd_end(c, "THI") != 0)
        return 3;
    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE && is_so(&vms[i])) {
            any = true;
            say(c, &vms[i]);
        }
    if (!any)
        cmd_say(c, "NO USERS IN %s", what);
    return 0;
}

int cmd_indicate(struct cmd *c)
{
    char word[10];

    if (!cmd_word(c, word, sizeof(word)) || cmd_is(word, "LOAD", 4))
        return load(c);
    if (cmd_is(word, "USER", 4))
        return user(c);
    if (strcmp(word, "SIE") == 0)
        return indicate_sie(c);
    if ((c->vm->classes & CLASS(CLASS_E)) && cmd_is(word, "QUEUES", 1))
        return machines(c, queued, say_queued, "QUEUE");
    if ((c->vm->classes & CLASS(CLASS_E)) && strcmp(word, "I/O") == 0)
        return machines(c, in_io_wait, say_device, "I/O WAIT");
    return cmd_bad_option(c, "THI", word);
}
