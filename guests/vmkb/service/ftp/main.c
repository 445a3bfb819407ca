/* SPDX-License-Identifier: MIT */
/* FTPSERVE's main loop: connections come, calls end, time passes. */
#include "server.h"
#include "s390.h"
#include "say.h"

#define FTP_PORT 21
#define TICK_US  1000000U     /* between looks at what takes too long */
#define CLOSING_S 10         /* for the last reply to go out */

bool anonymous_allowed;
struct passive passive;

static struct session sessions[SESSIONS];

uint32_t tag_of(const struct session *s, int what)
{
    return serve_tag((unsigned)(s - sessions), (unsigned)what);
}

uint64_t now_us(void)
{
    return tod() >> 12;
}

uint64_t now_1900(void)
{
    return now_us() / 1000000;
}

/* A session that keeps others out: no user yet, for CROWDED_S at least; the oldest. */
static struct session *crowder(void)
{
    struct session *oldest = 0;

    for (unsigned i = 0; i < SESSIONS; i++)
        if (!sessions[i].logged_in && now_us() - sessions[i].began_us > CROWDED_S * 1000000UL
            && (!oldest || sessions[i].began_us < oldest->began_us))
            oldest = &sessions[i];
    return oldest;
}

static void began(int sock, const struct sock_address *peer)
{
    struct session *s = 0;

    for (unsigned i = 0; i < SESSIONS && !s; i++)
        if (!sessions[i].used)
            s = &sessions[i];
    if (!s && (s = crowder()) != 0)
        session_drop(s);
    if (!s) {
        serve_turn_away(sock, u8"421 All sessions are in use, try later.\r\n");
        return;
    }
    memset(s, 0, offsetof(struct session, slot_reply));
    s->used = true;
    s->sock = sock;
    s->peer = *peer;
    s->listener = s->data_sock = -1;
    s->ascii = true;
    s->facts = FACTS_ALL;
    s->last_us = s->began_us = now_us();
    control_start(s);
}

static void ended(const struct net_done *d)
{
    struct session *s = &sessions[serve_tag_index(d->tag) % SESSIONS];
    int what = (int)serve_tag_what(d->tag);

    if (!s->used)
        return;
    if (what == TAG_RECV)
        control_received(s, d);
    else if (what == TAG_SEND)
        control_sent(s, d);
    else if (what != TAG_CLOSED)
        data_event(s, what, d);
}

static void tick(void)
{
    uint64_t now = now_us();

    for (unsigned i = 0; i < SESSIONS; i++) {
        struct session *s = &sessions[i];
        if (!s->used)
            continue;
        control_flush(s);    /* again, if IUCV had no room */
        uint64_t idle = (now - s->last_us) / 1000000;
        if (s->xfer != XFER_NONE && idle >= DATA_S) {
            data_abort(s, 426, "Data connection did not move; transfer ended.");
        } else if ((s->closing && idle >= CLOSING_S)
                   || (s->out.sending && now - s->send_us > DATA_S * 1000000UL)) {
            session_drop(s);
        } else if (s->xfer == XFER_NONE && !s->closing && idle >= IDLE_S) {
            reply(s, 421, "No command for %u seconds; closing.", IDLE_S);
            control_end(s);
        } else if (!s->logged_in && !s->closing && now - s->began_us > LOGIN_S * 1000000UL) {
            reply(s, 421, "No user and password for %u seconds; closing.", LOGIN_S);
            control_end(s);
        }
    }
}

static bool busy(void)
{
    for (unsigned i = 0; i < SESSIONS; i++)
        if (sessions[i].used)
            return true;
    return false;
}

/* IPL parameter of the machine: ANONYMOUS lets that user in, read only. Of the system: PASV= and
 * NAT=. */
static void options(void)
{
    struct diag_id id;
    char parm[65], system[sizeof(id.parm) + 1];

    diag_id(&id);
    memcpy(system, id.parm, sizeof(id.parm));
    system[sizeof(id.parm)] = 0;
    if (!passive_options(&passive, system))
        say("DTCFTS0024E IPL PARAMETER PASV=FIRST-LAST OR NAT=ADDRESS,ADDRESS IS WRONG; NOT USED");
    memcpy(parm, id.ipl_parm, 64);
    parm[64] = 0;
    anonymous_allowed = strstr(parm, "ANONYMOUS") != 0;
}

static void drop(void)
{
    for (unsigned i = 0; i < SESSIONS; i++)
        if (sessions[i].used)
            session_drop(&sessions[i]);
}

/* Until a call ends or time has to pass: 0 is for ever. */
static uint64_t patience(void)
{
    if (login_next == ~0UL)
        return busy() ? TICK_US : 0;
    uint64_t now = now_us();
    if (login_next <= now)
        return 1;
    return login_next - now < TICK_US ? login_next - now : TICK_US;
}

static void serve(void)
{
    struct net_done d;
    uint64_t ticked = now_us();

    while (net.open) {
        if (net_wait(&net, &d, patience()))
            serve_ended(&d);
        if (login_next != ~0UL && now_us() >= login_next)
            login_due(sessions, SESSIONS);
        if (now_us() - ticked > TICK_US) {
            ticked = now_us();
            tick();
        }
    }
}

void vm_main(void);
void vm_main(void)
{
    options();
    serve_for_ever(&(struct server){.name = "FTP",
                                    .prefix = "DTCFTS",
                                    .port = FTP_PORT,
                                    .backlog = 16,
                                    .also = anonymous_allowed ? ", ANONYMOUS" : "",
                                    .began = began,
                                    .ended = ended,
                                    .serve = serve,
                                    .drop = drop});
}
