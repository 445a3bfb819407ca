/* SPDX-License-Identifier: MIT */
/* LAT in CP: frames by cp/comm/lan.c, terminals by cp/console/lterm.c. Its work is CP's for the
 * machine that sits at the terminal served, or the system's before LOGON. */
#include "defs.h"
#include "lan.h"
#include "lat.h"
#include "lat_cp.h"
#include "lib.h"
#include "lterm.h"
#include "translate.h"

#define ECHO_ROOM 4          /* a character rubbed out makes three */

struct lat lat;

static struct timer timer;

static void tick(void *arg)
{
    (void)arg;
    acct_change(&acct_system);
    acct_by_clock();
    timer_set(&timer, lat_tick(&lat, us_now()), tick, 0);
}

static void send(const uint8_t *frame, size_t len)
{
    lan_send(frame, len);
}

static void output(void *arg)
{
    lat_ready(&lat, arg, us_now());
}

static void closed(void *arg)
{
    lat_closing(&lat, arg, us_now());
}

static void *open(struct lat_session *s)
{
    static const struct lterm_driver driver = {output, closed};

    return lterm_open('L', LTERM_ECHO, &driver, s);
}

static void close(void *term)
{
    lterm_close(term);
}

/* Not more than its echo has room for. */
static size_t input(void *term, const uint8_t *text, size_t len)
{
    size_t room = (LTERM_OUT - lterm_waiting(term)) / ECHO_ROOM;

    return lterm_input(term, text, len < room ? len : room);
}

static size_t take(void *term, uint8_t *to, size_t max)
{
    return lterm_output(term, to, max);
}

static size_t waiting(const void *term)
{
    return lterm_waiting(term);
}

static void attention(void *term)
{
    lterm_attention(term);
}

static void work_for(const void *term)
{
    const struct vm *vm = term ? lterm_vm(term) : 0;

    acct_change(vm ? (struct account *)&vm->acct : &acct_system);
}

static void frame(const uint8_t *at, size_t len)
{
    acct_change(&acct_system);
    lat_frame(&lat, at, len, us_now());
    if (timer.due > us_now() + LAT_TICK_US)
        timer_set(&timer, us_now() + LAT_TICK_US, tick, 0);
}

static void latin1(char *to, size_t size, const char *from)
{
    fmt(to, size, "%s", from);
    translate(to, strlen(to), latin1_of_ebcdic);
}

void lat_cp_init(void)
{
    static const struct lat_ops ops = {send, open,    close,     input,
                                       take, waiting, attention, work_for};
    char node[LAT_NAME + 1], description[65];

    if (!ctca_there() || !lan_register(LAT_ETHERTYPE, frame))
        return;
    latin1(node, sizeof(node), lan_node());
    latin1(description, sizeof(description), cp_level);
    lat_init(&lat, &ops, lan_address, node, description, us_now());
    timer_set(&timer, lat.announce_at, tick, 0);
}

void lat_cp_shutdown(void)
{
    if (lat.ops)
        lat_shutdown(&lat, us_now());
}
