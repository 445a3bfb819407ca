/* SPDX-License-Identifier: MIT */
/* cp/core/ready.c, the lists of machines that can run. A line in, a line out:
 *   reset                     eight machines, all held
 *   hold VM WHY, release VM WHY, ready VM
 *   priority VM N             SET PRIORITY, of a machine in no list
 *   pick                      the next machine to run, or -1
 *   back VM FRONT QUEUE       its turn is over: it goes into that list, before its equals or behind
 *                             them
 *   second VM                 the same behind the one that is first
 *   later US                  time passes
 *   length QUEUE */
#include "../words.h"
#define VMKB_S390_H
static void load_cr1(const unsigned long *asce) { (void)asce; }
#include "ready.c"

#define MACHINES 8

static struct vm machines[MACHINES];
static uint64_t now = 1000000;

uint64_t us_now(void) { return now; }

static long index_of(const struct vm *vm)
{
    return vm ? vm - machines : -1;
}

int main(void)
{
    char word[16];

    setvbuf(stdout, 0, _IOLBF, 0);
    while (scanf("%15s", word) == 1) {
        if (word[0] == 'r' && word[3] == 'e' && word[4] == 't') {
            memset(machines, 0, sizeof(machines));
            queue_head[0] = queue_head[1] = queue_tail[0] = queue_tail[1] = running = 0;
            for (int i = 0; i < MACHINES; i++)
                machines[i].wait = WAIT_EVENT;
            puts("0");
        } else if (word[0] == 'p' && word[1] == 'i') {
            running = ready_pick();
            printf("%ld\n", index_of(running));
        } else if (word[0] == 'l' && word[1] == 'a') {
            now += (uint64_t)number();
            puts("0");
        } else if (word[0] == 'l') {
            printf("%u\n", dispatch_queue_length(number()));
        } else {
            struct vm *vm = &machines[number()];
            if (word[0] == 'h')
                vm_hold(vm, (uint32_t)number());
            else if (word[0] == 's') {
                running = 0;
                ready_second(vm);
            } else if (word[0] == 'p')
                vm->priority = (uint8_t)number();
            else if (word[0] == 'b') {
                int front = number();
                vm->queue = (uint8_t)number();
                running = 0;
                if (!vm->wait && !vm->queued)
                    enqueue(vm, front);
            } else if (word[2] == 'a')
                vm_ready(vm);
            else
                vm_release(vm, (uint32_t)number());
            printf("%d\n", vm->queued);
        }
    }
    return 0;
}
