/* SPDX-License-Identifier: MIT */
/* Take what there is until CP says no; then say how much it was and with which code. */
#include "exercise.h"
#include "lib.h"

void exercise_paths(unsigned n)
{
    struct iucv_parm p;
    unsigned made = 0;
    long rc;
    (void)n;
    for (;;) {
        memset(&p, 0, sizeof(p));
        memcpy(p.userid, "VMUSER2 ", 8);
        rc = iucv(IUCV_CONNECT, &p);
        if (rc != 0)
            break;
        made++;
    }
    say("EXERCISE: %u PATHS, THEN RC %ld", made, rc);
}

/* Send to a machine that never receives. */
void exercise_messages(unsigned n)
{
    struct iucv_parm p;
    struct event e;
    unsigned sent = 0;
    char data[16] = {0};
    long rc;
    (void)n;
    memset(&p, 0, sizeof(p));
    memcpy(p.userid, "VMUSER2 ", 8);
    p.limit = 8;
    rc = iucv(IUCV_CONNECT, &p);
    if (rc == 0 && diag_wait(EV_IUCV, &e, 2000000) == EV_IUCV)
        while (sent < 100000) {
            p.buffer = (uintptr_t)data;
            p.len = sizeof(data);
            p.flags = IUCV_NOREPLY;
            rc = iucv(IUCV_SEND, &p);
            if (rc != 0)
                break;
            sent++;
        }
    say("EXERCISE: %u MESSAGES OUTSTANDING, THEN RC %ld", sent, rc);
}
