/* SPDX-License-Identifier: MIT */
/* QUERY about the system: level, processor, volumes, storage, cache, model, named systems, log
 * message. */
#include "dasd.h"
#include "directory.h"
#include "lib.h"
#include "models.h"
#include "query.h"
#include "s390.h"

int query_cplevel(struct cmd *c)
{
    char line[LINE_MAX];

    if (cmd_end(c, "CQG") != 0)
        return 3;
    time_line_at(unix_us() - (us_now() - ipl_tod), "IPL AT", line, sizeof(line));
    cmd_say(c, "%s - %s", cp_level, line);
    return 0;
}

/* The version byte is FF, as VM shows it to its machines. */
int query_cpuid(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    cmd_say(c, "CPUID = %016lX", store_cpu_id() | 0xff00000000000000UL);
    return 0;
}

static unsigned linked(uint8_t volume)
{
    unsigned n = 0;

    for (int i = 0; i < VM_MAX; i++)
        for (int k = 0; vms[i].state == VM_HERE && k < VM_MDISKS; k++)
            if (vms[i].mdisk[k].vaddr && vms[i].mdisk[k].volume == volume) {
                n++;
                break;
            }
    return n;
}

int query_dasd_real(struct cmd *c)
{
    char word[10];
    uint16_t raddr = 0;
    bool any = false;

    if (cmd_word(c, word, sizeof(word)) && !cmd_vaddr(word, &raddr))
        return cmd_bad_option(c, "CQP", word);
    for (int i = 0; i < DASD_VOLUMES; i++) {
        const struct dasd_volume *v = dasd_volume(i);
        if (!v || (raddr && raddr != 0x0100 + i))
            continue;
        any = true;
        cmd_say(c, "DASD %04X CP SYSTEM %-6s %03u", 0x0100 + i, v->volser, linked((uint8_t)i));
    }
    if (any)
        return 0;
    return raddr ? cmd_error(c, 40, "DMKCQP040E DEV %04X DOES NOT EXIST", raddr)
                 : cmd_error(c, 40, "DMKCQP040E DEV DASD DOES NOT EXIST");
}

int query_storage_real(struct cmd *c)
{
    if (cmd_end(c, "CQP") != 0)
        return 3;
    cmd_say(c, "STORAGE = %05luK, %u OF %lu DYNAMIC PAGES FREE", pages_total() * (PAGE_SIZE >> 10),
            pages_free_count(), pages_total() - DYNAMIC_BASE / PAGE_SIZE);
    return 0;
}

int query_mdc(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    cmd_say(c, "MDC %s, %d BLOCKS OF 4K, HITS %lu, MISSES %lu", mdc_on ? "ON" : "OFF", MDC_BLOCKS,
            mdc_hits, mdc_misses);
    return 0;
}

int query_model(struct cmd *c)
{
    char line[LINE_MAX] = "";

    if (cmd_end(c, "CQG") != 0)
        return 3;
    for (int i = 0; i < model_count; i++)
        fmt(line + strlen(line), sizeof(line) - strlen(line), " %s", models[i].name);
    cmd_say(c, "MODEL %s OF%s", model_name(), line);
    return 0;
}

int query_logmsg(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    if (motd[0])
        cmd_say(c, "* %s", motd);
    else
        cmd_say(c, "NO LOG MESSAGE");
    return 0;
}

int query_priority(struct cmd *c)
{
    int rc;
    const struct vm *vm = cmd_one_user(c, "CQP", &rc);

    if (vm)
        cmd_say(c, "%s PRIORITY = %02u%s", vm->userid, vm->priority, vm->favored ? " FAVORED" : "");
    return rc;
}

/* QUERY NSS, QUERY SYSTEM: named systems, and how many machines run each. */
int query_nss(struct cmd *c)
{
    const struct nss *n;

    if (cmd_end(c, "CQG") != 0)
        return 3;
    for (int i = 0; (n = nss_index(i)) != 0; i++) {
        unsigned users = 0;
        for (int k = 0; k < VM_MAX; k++)
            users += vms[k].state == VM_HERE && vms[k].nss == n;
        cmd_say(c, "NSS %.8s %05luK SHARED %03u USERS", n->name, (n->text_size + 1023) >> 10,
                users);
    }
    return 0;
}
