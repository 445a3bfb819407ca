/* SPDX-License-Identifier: MIT */
/* The TCPIP machine's main loop: one event at a time, then the stack's timers, then what is to go
 * out with the wait for the next one. */
#include "sock.h"
#include "s390.h"

#define EVENTS (EV_CTC | EV_CTC_BLOCK | EV_CTC_OUT | EV_IUCV | EV_SMSG \
                | EV_VCTC)
#define RESTED 1000000       /* us of sleep behind which the stack's clock comes before the event */

static uint64_t sleep_us(void)
{
    uint32_t ms = stack_due(), pings = ping_due();

    if (pings < ms)
        ms = pings;
    return ms == UINT32_MAX ? 0 : ms ? (uint64_t)ms * 1000 : 1;
}

/* What is to go out goes, the last of it and the last answer in the same call of CP that waits. CP
 * is told what was moved since the last time: QUERY TIME between two transfers is exact. */
static long next_event(struct event *e)
{
    uint64_t us = sleep_us();

    link_count();
    unsigned mask = EVENTS | sockets_answer_with(e);
    long event = link_has_output() ? link_flush_and_wait(mask, e, us) : diag_wait(mask, e, us);
    if (us > RESTED)
        stack_timers();
    return event;
}

static void autolog(void)
{
    char cmd[24];

    for (unsigned i = 0; i < profile.autolog_count; i++) {
        int n = fmt(cmd, sizeof(cmd), "AUTOLOG %s", profile.autolog[i]);
        diag_cp(cmd, n, 0, 0, 0);
    }
}

void vm_main(void);
void vm_main(void)
{
    struct event e;
    struct iucv_parm p;
    uint32_t timers_at;

    say("DTCIPI008I TCP/IP LEVEL %s", STACK_LEVEL);
    profile_read();
    buffers_init();
    stack_init();
    memset(&p, 0, sizeof(p));
    iucv(IUCV_QUERY, &p);    /* from now on others may connect */
    say("DTCIPI009I %s %u.%u.%u.%u MTU %u, %u DATA BUFFERS OF %u", profile.link,
        profile.address >> 24, profile.address >> 16 & 255, profile.address >> 8 & 255,
        profile.address & 255, profile.mtu, sockets_free_buffers(), profile.data_buffer_size);
    stack_behavior_say();
    diag_ctc(CTC_STATUS, 0, 0);
    autolog();
    timers_at = tcpip_now();
    link_takes_input(&e);
    route_start();
    for (;;) {
        switch (next_event(&e)) {
        case EV_CTC:
            link_input(e.block_len);
            break;
        case EV_IUCV:
            sockets_interrupt(&e);
            break;
        case EV_SMSG:
            smsg_command(e.from, e.text, e.text_len);
            break;
        default:             /* EV_CTC_OUT: next_event; EV_TIMER: the timers */
            route_event();
            break;
        }
        uint32_t now = tcpip_now();
        if (now != timers_at) {
            timers_at = now;
            stack_timers();
            ping_timers();
        }
        sockets_settle();
        stack_settled();
        link_loop();
        while (udp_let_go())
            ;
    }
}
