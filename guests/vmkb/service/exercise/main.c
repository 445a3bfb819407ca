/* SPDX-License-Identifier: MIT */
/* IPL EXERCISE PARM what [n]: a program that measures CP's services, or behaves badly on purpose.
 *   DIAG n        instructions of a null DIAGNOSE round trip, the machine's and CP's
 *   IUCV n        send and reply round trips with ECHO running in another machine
 *   PARMLIST n    the same with the 16 bytes in the parameter lists, both ways
 *   ECHO          answers IUCV messages for ever
 *   LOOP          computes for ever
 *   LOW, OTHER, BAD, WRITETEXT, PRIV, COUNT   runs wild; CP should end it
 *   SINK          accepts IUCV paths and never receives
 *   PATHS, MESSAGES    takes IUCV paths or messages until CP says no
 *   UDPECHO n    sends datagrams that come to a UDP port back, for ever
 *   RANDOM n      20,000 DIAGNOSEs with operands drawn by the seed n; tells MAINT that it ended
 *   GUARD         tells MAINT if its storage is changed
 *   BLOCKS        minidisk requests with bad operands: each answered with an error
 */
#include "ctype.h"
#include "exercise.h"
#include "lib.h"

static const struct {
    const char *name;
    void (*run)(unsigned n);
} exercises[] = {
    {"DIAG", exercise_diag}, {"IUCV", exercise_iucv}, {"PARMLIST", exercise_parmlist},
    {"ECHO", exercise_echo}, {"LOOP", exercise_loop},
    {"LOW", exercise_low}, {"OTHER", exercise_other}, {"BAD", exercise_bad},
    {"WRITETEXT", exercise_writetext}, {"PRIV", exercise_priv}, {"COUNT", exercise_count},
    {"PATHS", exercise_paths},
    {"SINK", exercise_sink}, {"MESSAGES", exercise_messages}, {"BLOCKS", exercise_blocks},
    {"UDPECHO", exercise_udpecho}, {"RANDOM", exercise_random}, {"GUARD", exercise_guard},
};

void vm_main(void);
void vm_main(void)
{
    struct diag_id id;
    char what[12];
    unsigned n = 0, k = 0;

    diag_id(&id);
    const char *p = id.ipl_parm;
    const char *end = p + sizeof(id.ipl_parm);
    while (p < end && *p != ' ' && k < sizeof(what) - 1)
        what[k++] = *p++;
    what[k] = 0;
    while (p < end && *p == ' ')
        p++;
    while (p < end && is_digit(*p))
        n = n * 10 + (unsigned)(*p++ - '0');
    for (unsigned i = 0; i < sizeof(exercises) / sizeof(*exercises); i++)
        if (strcmp(what, exercises[i].name) == 0) {
            exercises[i].run(n ? n : 1000);
            diag_end(0);
        }
    say("EXERCISE: %s IS NOT ONE OF ITS EXERCISES", what);
    diag_end(1);
}
