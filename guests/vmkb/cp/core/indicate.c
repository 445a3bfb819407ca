/* SPDX-License-Identifier: MIT */
/* The load of the system, sampled every 30 seconds for INDICATE LOAD and smoothed as VM/370 does
 * (System Programmer's Guide, INDICATE): CPU new = (3 old + interval) / 4, the others new = (15 old
 * + last) / 16. There is no eligible list here, so the ratio of active to runnable users is
 * always 1.0. */
#include "indicate.h"
#include "lib.h"

#define INTERVAL_US 30000000U
#define SCALE       1024U     /* parts of a percent or of a user that the averages keep */

static struct timer sampler;
static uint64_t last_us, last_idle;
static uint32_t cpu, q1, q2, storage; /* times SCALE */

static void smooth(uint32_t *average, uint32_t old_weight, uint32_t sample)
{
    *average = (old_weight * *average + sample) / (old_weight + 1);
}

static void queues(uint32_t count[2])
{
    count[0] = count[1] = 0;
    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE && !vms[i].wait)
            count[vms[i].queue != 0]++;
}

static uint32_t storage_used(void)
{
    uint64_t held = 0;

    for (int i = 0; i < VM_MAX; i++)
        if (vms[i].state == VM_HERE && vms[i].store)
            held += resident_pages(&vms[i]);
    return (uint32_t)(held * 100 * SCALE / (pages_total() - DYNAMIC_BASE / PAGE_SIZE));
}

static void sample(void *arg)
{
    uint64_t now, idle;
    uint32_t count[2];

    (void)arg;
    struct account *who = acct_current();
    acct_change(&acct_system);
    acct_by_clock();
    now = us_now();
    idle = acct_idle.virt.time >> 12;
    uint64_t elapsed = now - last_us, waited = idle - last_idle;
    if (waited > elapsed)
        waited = elapsed;
    if (elapsed)
        smooth(&cpu, 3, (uint32_t)((elapsed - waited) * 100 * SCALE / elapsed));
    last_us = now;
    last_idle = idle;
    queues(count);
    smooth(&q1, 15, count[0] * SCALE);
    smooth(&q2, 15, count[1] * SCALE);
    smooth(&storage, 15, storage_used());
    timer_set(&sampler, now + INTERVAL_US, sample, 0);
    acct_change(who);
}

static uint32_t rounded(uint32_t scaled)
{
    return (scaled + SCALE / 2) / SCALE;
}

struct load indicate_load(void)
{
    return (struct load){rounded(cpu), rounded(q1), rounded(q2), rounded(storage)};
}

uint32_t resident_pages(const struct vm *vm)
{
    return vm->store ? (uint32_t)((vm->size - VM_LOW) / PAGE_SIZE) + vm->table_pages : 0;
}

void indicate_start(void)
{
    last_us = us_now();
    last_idle = acct_idle.virt.time >> 12;
    timer_set(&sampler, last_us + INTERVAL_US, sample, 0);
}
