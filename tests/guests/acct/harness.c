/* SPDX-License-Identifier: MIT */
/* cp/core/acct.c between two clocks that a test turns. One line of input is one change of hands:
 *   reset COUNT            everything from the start, the counter at COUNT
 *   enter|interrupt|leave|change|retire ACCOUNT TIME INSTR    both clocks go on, then the call
 *   moved BYTES SUMMED     so many bytes were moved and summed since the last call
 *   show                   accounts as: time instr time instr, moved by itself, moved and summed by
 *                          CP, corrections corrected_instr
 *   through ACCOUNT TIME INSTR  both clocks go on, then the interruption is dealt with
 *   interrupts             time instr moved of acct_interrupts
 * Accounts: 0 CP's own, 1 the wait, 2 retired, 3 to 6 machines. */
#include <stdio.h>
#include <string.h>
#include "acct.c"

static struct reading now;
static struct account machines[4];

struct reading clock_now_for(const void *request)
{
    (void)request;
    return now;
}

static struct account *at(unsigned i)
{
    struct account *fixed[] = {&acct_system, &acct_idle, &acct_retired};

    return i < 3 ? fixed[i] : &machines[(i - 3) % 4];
}

static void reset(uint32_t from)
{
    for (unsigned i = 0; i < 7; i++)
        memset(at(i), 0, sizeof(struct account));
    memset(&acct_interrupts, 0, sizeof(acct_interrupts));
    now = (struct reading){0, from, from, from, INT64_MAX};
    acct_init(&acct_system);
}

int main(void)
{
    char word[16];
    unsigned long a, time, instr;

    while (scanf("%15s", word) == 1) {
        if (strcmp(word, "show") == 0) {
            for (unsigned i = 0; i < 7; i++) {
                struct account *x = at(i);
                printf("%lu %lu %lu %lu %lu %lu %lu %lu %lu\n", x->virt.time, x->virt.instr,
                       x->cp.time, x->cp.instr, x->virt.moved, x->cp.moved, x->cp.summed,
                       x->corrections, x->corrected_instr);
            }
            fflush(stdout);
            continue;
        }
        if (strcmp(word, "interrupts") == 0) {
            printf("%lu %lu %lu\n", acct_interrupts.time, acct_interrupts.instr,
                   acct_interrupts.moved);
            fflush(stdout);
            continue;
        }
        if (scanf("%lu", &a) != 1)
            return 1;
        if (strcmp(word, "reset") == 0) {
            reset((uint32_t)a);
            continue;
        }
        if (strcmp(word, "moved") == 0) {
            if (scanf("%lu", &instr) != 1)
                return 1;
            now.moved += (uint32_t)a;
            now.summed += (uint32_t)instr;
            continue;
        }
        if (scanf("%lu %lu", &time, &instr) != 2)
            return 1;
        now.timer -= (int64_t)time;
        now.count += (uint32_t)instr;
        if (strcmp(word, "enter") == 0)
            acct_enter_cp();
        else if (strcmp(word, "interrupt") == 0)
            acct_enter_interrupted();
        else if (strcmp(word, "leave") == 0)
            acct_leave_cp(at(a));
        else if (strcmp(word, "change") == 0)
            acct_change(at(a));
        else if (strcmp(word, "through") == 0)
            acct_interrupted();
        else if (strcmp(word, "retire") == 0) {
            acct_retire(at(a));
            memset(at(a), 0, sizeof(struct account));
        }
    }
    return 0;
}
