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

/* The other side of both: it takes paths, and leaves every message where it is. */
void exercise_sink(unsigned n)
{
    struct iucv_parm p;
    struct event e;
    (void)n;
    iucv(IUCV_QUERY, memset(&p, 0, sizeof(p)));
    for (;;) {
        if (diag_wait(EV_IUCV, &e, 0) != EV_IUCV)
            continue;
        memset(&p, 0, sizeof(p));
        p.path = e.iucv.path;
        p.limit = 200;
        if (e.iucv.type == IUCV_PENDING_CONNECTION)
            iucv(IUCV_ACCEPT, &p);
    }
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
