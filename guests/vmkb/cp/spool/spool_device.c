/* SPDX-License-Identifier: MIT */
/* A machine's virtual reader, punch, printer and console, as the directory gives them. */
#include "spool.h"
#include "lib.h"

static const struct {
    char type[6];
    uint8_t device;
} types[] = {{"2540R ", DEV_RDR}, {"3505  ", DEV_RDR}, {"2540P ", DEV_PUN}, {"3525  ", DEV_PUN},
             {"1403  ", DEV_PRT}, {"3211  ", DEV_PRT}, {"3203  ", DEV_PRT}, {"4245  ", DEV_PRT}};

static struct spool_device *made(struct vm *vm, const struct dir_user *u, int device,
                                 uint16_t vaddr, char class)
{
    struct spool_device *d = &vm->spool[device];

    *d = (struct spool_device){.vaddr = vaddr, .class = class, .copies = 1};
    memcpy(d->dist, u->distribution, 8);
    d->dist[blank_trim(d->dist, 8)] = 0;
    return d;
}

void spool_devices(struct vm *vm, const struct dir_user *u, const struct dir_device *from)
{
    made(vm, u, DEV_CON, u->flags & DIR_CONSOLE ? u->console_vaddr : 0x009, 'T');
    for (uint32_t i = 0; i < u->devices; i++)
        for (unsigned k = 0; k < sizeof(types) / sizeof(*types); k++)
            if (from[i].kind == DIR_SPOOL && memcmp(from[i].type, types[k].type, 6) == 0
                && !vm->spool[types[k].device].vaddr)
                made(vm, u, types[k].device, from[i].vaddr, (char)from[i].spool_class);
}

struct spool_device *spool_device(struct vm *vm, uint16_t vaddr)
{
    for (int i = DEV_RDR; i <= DEV_CON; i++)
        if (vaddr && vm->spool[i].vaddr == vaddr)
            return &vm->spool[i];
    return 0;
}

int spool_queue_word(const char *word)
{
    static const struct {
        const char *name;
        uint8_t min, queue;
    } names[] = {{"READER", 1, SPOOL_RDR}, {"RDR", 3, SPOOL_RDR},  {"PRINTER", 1, SPOOL_PRT},
                 {"PRT", 3, SPOOL_PRT},    {"PUNCH", 2, SPOOL_PUN}, {"PCH", 3, SPOOL_PUN}};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (cmd_is(word, names[i].name, names[i].min))
            return names[i].queue;
    return SPOOL_NONE;
}

int spool_device_word(struct cmd *c, const char *module, const char *word,
                      struct spool_device **device)
{
    static const uint8_t devices[] = {0, DEV_RDR, DEV_PRT, DEV_PUN};
    int queue = spool_queue_word(word);
    struct spool_device *d = 0;
    uint16_t vaddr;

    if (queue)
        d = &c->vm->spool[devices[queue]];
    else if (cmd_is(word, "CONSOLE", 3))
        d = &c->vm->spool[DEV_CON];
    else if (cmd_vaddr(word, &vaddr))
        d = spool_device(c->vm, vaddr);
    else
        return cmd_bad_option(c, module, word);
    if (!d || !d->vaddr)
        return cmd_error(c, 40, "DMK%s040E DEV %s DOES NOT EXIST", module, word);
    *device = d;
    return 0;
}
