/* SPDX-License-Identifier: MIT */
/* TELNETD's main loop: connections, ended calls, news of CP's terminals. */
#include "telnetd.h"

#define TELNET_PORT 23

bool by_records;

static struct session sessions[SESSIONS];

uint32_t tag_of(const struct session *s, int what)
{
    return serve_tag((unsigned)(s - sessions), (unsigned)what);
}

static void began(int sock, const struct sock_address *peer)
{
    unsigned i = 0;

    (void)peer;
    while (i < SESSIONS && sessions[i].used)
        i++;
    if (i < SESSIONS)
        session_open(&sessions[i], sock);
    else
        serve_turn_away(sock, u8"DTCTND0026E All terminals are in use; try again later\r\n");
}

static void ended(const struct net_done *d)
{
    struct session *s = &sessions[serve_tag_index(d->tag) % SESSIONS];

    if (!s->used)
        return;
    if (serve_tag_what(d->tag) == TAG_RECV)
        session_received(s, d);
    else
        session_sent(s, d);
}

static void news(uint32_t id)
{
    for (unsigned i = 0; i < SESSIONS; i++)
        if (sessions[i].used && sessions[i].terminal == (long)id) {
            session_news(&sessions[i]);
            return;
        }
}

static void serve(void)
{
    struct net_done d;
    struct event e;

    while (net.open) {
        while (net.done_count) { /* what ended while a call was waited for */
            net_wait(&net, &d, 0);
            serve_ended(&d);
        }
        long ev = diag_wait(EV_IUCV | EV_LTERM, &e, 0);
        if (ev == EV_LTERM)
            news(e.lterm);
        else if (ev == EV_IUCV && net_event(&net, &e.iucv, &d) && net.open)
            serve_ended(&d);
    }
}

static void drop(void)
{
    for (unsigned i = 0; i < SESSIONS; i++)
        session_drop(&sessions[i]);
}

/* TELNET=RECORDS in the IPL parameter of the system. */
static void options(void)
{
    struct diag_id id;
    char system[sizeof(id.parm) + 1];

    diag_id(&id);
    memcpy(system, id.parm, sizeof(id.parm));
    system[sizeof(id.parm)] = 0;
    by_records = strstr(system, "TELNET=RECORDS") != 0;
}

void vm_main(void);
void vm_main(void)
{
    options();
    serve_for_ever(&(struct server){.name = "TELNET",
                                    .prefix = "DTCTND",
                                    .port = TELNET_PORT,
                                    .backlog = 64,
                                    .also = "",
                                    .began = began,
                                    .ended = ended,
                                    .serve = serve,
                                    .drop = drop});
}
