/* SPDX-License-Identifier: MIT */
/* What a round trip costs, by the instruction counter itself: it runs in problem state too, so the
 * figure holds everything that was executed between, CP's part and the other machine's included. */
#include "exercise.h"
#include "lib.h"
#include "s390.h"

void exercise_diag(unsigned n)
{
    struct diag_time a, b;
    uint32_t before, after;

    diag_time(&a);
    before = instruction_count();
    for (unsigned i = 0; i < n; i++)
        diag_null();
    after = instruction_count();
    diag_time(&b);
    say("EXERCISE: %u DIAGNOSE ROUND TRIPS, %u INSTRUCTIONS EACH, %lu BY THE ACCOUNT", n,
        (after - before) / n, (b.total_instr - a.total_instr) / n);
}

static long connect(const char *userid, struct iucv_parm *p)
{
    struct event e;
    long rc;

    memset(p, 0, sizeof(*p));
    fmt(p->userid, sizeof(p->userid) + 1, "%-8s", userid);
    p->limit = 20;
    rc = iucv(IUCV_CONNECT, p);
    if (rc != 0)
        return rc;
    while (diag_wait(EV_IUCV, &e, 2000000) == EV_IUCV)
        if (e.iucv.path == p->path)
            return e.iucv.type == IUCV_CONNECTION_COMPLETE ? 0 : -1;
    return -1;
}

/* 16 bytes there and 16 back, one at a time; flags: IUCV_PRMDATA has them in the parameter list,
 * else they are in buffers and the receiver asks for them. */
static void round_trips(unsigned n, uint8_t flags)
{
    struct iucv_parm p;
    struct event e;
    char out[16] = "0123456789abcde", in[16];
    uint32_t before, after;
    long rc = connect("VMUSER2", &p);

    if (rc != 0) {
        say("EXERCISE: NO PATH TO VMUSER2, RC %ld; IPL EXERCISE PARM ECHO THERE FIRST", rc);
        return;
    }
    before = instruction_count();
    for (unsigned i = 0; i < n; i++) {
        p.flags = flags;
        memcpy(p.user, out, sizeof(p.user));
        p.buffer = (uintptr_t)out;
        p.len = sizeof(out);
        p.reply_buffer = (uintptr_t)in;
        p.reply_len = sizeof(in);
        rc = iucv_then_wait(IUCV_SEND, &p, 0, &e, 0, 0);
        if (rc != EV_IUCV || e.iucv.type != IUCV_COMPLETE
            || memcmp(in, out, sizeof(in)) != 0) {
            say("EXERCISE: ROUND TRIP %u FAILED, RC %ld", i, rc);
            return;
        }
    }
    after = instruction_count();
    say("EXERCISE: %u IUCV SEND AND REPLY ROUND TRIPS%s, %u INSTRUCTIONS EACH", n,
        flags ? " IN PARAMETER LISTS" : "", (after - before) / n);
    iucv(IUCV_SEVER, &p);
}

void exercise_iucv(unsigned n)
{
    round_trips(n, 0);
}

void exercise_parmlist(unsigned n)
{
    round_trips(n, IUCV_PRMDATA);
}

void exercise_echo(unsigned n)
{
    struct iucv_parm p;
    struct event e;
    static char data[65536];
    long rc;
    (void)n;
    iucv(IUCV_QUERY, memset(&p, 0, sizeof(p)));
    say("EXERCISE: ECHO IS READY");
    rc = diag_wait(EV_IUCV, &e, 0);
    for (;;) {
        memset(&p, 0, sizeof(p));
        p.path = e.iucv.path;
        p.msgid = e.iucv.msgid;
        if (rc == EV_IUCV
            && (e.iucv.type == IUCV_MESSAGE || e.iucv.type == IUCV_MESSAGE_PRIORITY)) {
            if (e.iucv.flags & IUCV_PRMDATA) {
                p.flags = IUCV_PRMDATA;
                memcpy(p.user, e.iucv.user, sizeof(p.user));
            } else {
                p.buffer = (uintptr_t)data;
                p.len = sizeof(data);
                iucv(IUCV_RECEIVE, &p);
                p.len = e.iucv.len < sizeof(data) ? e.iucv.len : sizeof(data);
            }
            rc = iucv_then_wait(IUCV_REPLY, &p, 0, &e, 0, 0);
            continue;
        }
        if (rc == EV_IUCV && e.iucv.type == IUCV_PENDING_CONNECTION) {
            p.limit = 200;
            iucv(IUCV_ACCEPT, &p);
        } else if (rc == EV_IUCV && e.iucv.type == IUCV_CONNECTION_SEVERED) {
            iucv(IUCV_SEVER, &p);
        }
        rc = diag_wait(EV_IUCV, &e, 0);
    }
}
