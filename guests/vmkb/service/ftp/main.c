/* SPDX-License-Identifier: MIT */
/* FTPSERVE's main loop: connections come, calls end, time passes. */
#include "server.h"
#include "ctype.h"
#include "translate.h"

#define FTP_PORT 21
#define LISTEN_TAG 0x10000u

struct net net;
bool anonymous_allowed;
struct passive passive;

static struct session sessions[SESSIONS];
static int listener;
static struct { struct sock_reply head; struct sock_address from; } incoming;

uint32_t tag_of(const struct session *s, int what)
{
    return (uint32_t)(s - sessions) << 8 | (uint32_t)what;
}

void log_line(const char *f, ...)
{
    char text[132];
    va_list ap;

    va_start(ap, f);
    int n = vfmt(text, sizeof(text), f, ap);
    va_end(ap);
    diag_write(text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1, 0);
}

uint64_t now_us(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

uint64_t now_1900(void)
{
    return now_us() / 1000000;
}

static void listen_again(void)
{
    net_start(&net, SOCK_ACCEPT, listener, 0, 0, &incoming, sizeof(incoming), LISTEN_TAG);
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

static void new_session(const struct net_done *d)
{
    struct session *s = 0;

    if (d->rc != SOCK_EOK)
        return;
    for (unsigned i = 0; i < SESSIONS && !s; i++)
        if (!sessions[i].used)
            s = &sessions[i];
    if (!s && (s = crowder()) != 0)
        session_drop(s);
    if (!s) {
        static const char full[] = "421 All sessions are in use, try later.\r\n";
        static uint8_t bytes[sizeof(full)];
        static struct sock_reply r;
        memcpy(bytes, full, sizeof(full));
        for (unsigned i = 0; i < sizeof(full) - 1; i++)
            bytes[i] = latin1_of_ebcdic[(uint8_t)full[i]];
        net_call(&net, SOCK_SEND, d->value, bytes, sizeof(full) - 1, &r, sizeof(r), 0, 0, 2000000);
        net_call(&net, SOCK_CLOSE, d->value, 0, 0, 0, 0, 0, 0, 2000000);
        return;
    }
    memset(s, 0, offsetof(struct session, slot_reply));
    s->used = true;
    s->sock = d->value;
    s->peer = incoming.from;
    s->listener = s->data_sock = -1;
    s->ascii = true;
    s->facts = FACTS_ALL;
    s->last_us = s->began_us = now_us();
    control_start(s);
}

static void ended(const struct net_done *d)
{
    if (d->tag == LISTEN_TAG) {
        new_session(d);
        listen_again();
        return;
    }
    struct session *s = &sessions[(d->tag >> 8) % SESSIONS];
    int what = (int)(d->tag & 0xff);
    if (!s->used)
        return;
    if (what == TAG_RECV)
        control_received(s, d);
    else if (what == TAG_SEND)
        control_sent(s, d);
    else
        data_event(s, what, d);
}

/* Bytes that long copies moved, for the accounts. */
void tell_moved(void)
{
    if (lib_bytes_moved < 1 << 20)
        return;
    diag_moved(lib_bytes_moved, 0);
    lib_bytes_moved = 0;
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
        } else if ((s->closing && idle >= 10) || (s->sending && now - s->send_us > DATA_S * 1000000UL)) {
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

/* IPL parameter of the machine: ANONYMOUS lets that user in, read only. Of the system: PASV= and NAT=. */
static void options(void)
{
    struct diag_id id;
    char parm[65], system[sizeof(id.parm) + 1];

    diag_id(&id);
    memcpy(system, id.parm, sizeof(id.parm));
    system[sizeof(id.parm)] = 0;
    if (!passive_options(&passive, system))
        log_line("DTCFTS0024E IPL PARAMETER PASV=FIRST-LAST OR NAT=ADDRESS,ADDRESS IS WRONG; NOT USED");
    memcpy(parm, id.ipl_parm, 64);
    parm[64] = 0;
    anonymous_allowed = strstr(parm, "ANONYMOUS") != 0;
}

static void serve(void)
{
    struct net_done d;
    uint64_t ticked = now_us();

    listen_again();
    while (net.open) {
        if (net_wait(&net, &d, busy() ? 1000000 : 0))
            ended(&d);
        if (now_us() - ticked > 1000000) {
            ticked = now_us();
            tick();
        }
        tell_moved();
    }
}

void vm_main(void);
void vm_main(void)
{
    struct event e;
    long said = 0;

    options();
    for (;;) {
        long rc = net_serve(&net, "TCPIP", FTP_PORT, 16, &listener);
        if (rc == 0) {
            log_line("DTCFTS0021I FTP SERVER READY ON PORT %u%s", FTP_PORT, anonymous_allowed ? ", ANONYMOUS" : "");
            serve();
            log_line("DTCFTS0023E TCPIP WENT AWAY; TRYING AGAIN");
            said = 0;
        } else if (rc != 11 && rc != 12 && rc != said) {
            said = rc;
            log_line("DTCFTS0022E NO PORT %u FROM TCPIP, RC %ld; TRYING AGAIN", FTP_PORT, rc);
        }
        for (unsigned i = 0; i < SESSIONS; i++)
            if (sessions[i].used)
                session_drop(&sessions[i]);
        diag_wait(EV_ATTN, &e, 1000000);
    }
}
