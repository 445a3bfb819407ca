/* SPDX-License-Identifier: MIT */
/* RXPERF host NULL|WRITE|READ [(COUNT n SIZE n ATONCE n PORT n LIMIT n]: calls to an RXPERFD over
 * Rx, one after the other or up to four at once, and how long they took. */
#include "cms_net.h"
#include "commands.h"
#include "perf.h"
#include "port.h"

#define PERF_ESTUCK (-7)
#define PACKETS 160          /* for four calls under way, and what comes early */

struct job {
    uint32_t count, size, at_once, port, limit;
    uint32_t operation;
    struct sock_address host;
};

struct slot {                /* a call under way */
    struct rx_call *call;
    uint32_t at, left;       /* of the bytes that go */
    uint32_t got;            /* of those that come */
    uint8_t word[4];
};

struct run {
    struct rx_port port;
    struct rx_conn *conn;
    const struct job *job;
    struct slot slots[RX_CHANNELS];
    uint32_t begun, done;
    uint64_t ended_at;       /* when the last call ended, or the first began */
    int32_t error;           /* of the first call that went wrong */
};

static const char *const operations[] = {"NULL", "WRITE", "READ"};

/* Version 1 in ISO 8859-1, for rxdebug. */
static const char version[] = "\x56\x4d\x2f\x4b\x42\x20\x52\x58\x50\x45\x52\x46";

static void write_on(struct run *r, struct slot *s)
{
    if (perf_send(&r->port.rx, s->call, &s->at, &s->left))
        rx_end(&r->port.rx, s->call);
}

static void begin(struct run *r, struct slot *s)
{
    uint8_t head[8];

    if (r->begun == r->job->count || r->error)
        return;
    s->call = rx_begin(&r->port.rx, r->conn);
    if (!s->call)
        return;
    r->begun++;
    s->call->user = s;
    s->at = s->got = 0;
    s->left = r->job->operation == PERF_WRITE ? r->job->size : 0;
    rx_put32(head, r->job->operation);
    rx_put32(head + 4, r->job->size);
    rx_write(&r->port.rx, s->call, head, sizeof(head));
    write_on(r, s);
}

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct run *r = arg;
    struct slot *s = call->user;

    if (r->job->operation == PERF_READ) {
        if (!perf_right(bytes, s->got, len) && !r->error)
            r->error = PERF_EBYTES;
    } else {
        for (uint32_t i = 0; i < len && s->got + i < sizeof(s->word); i++)
            s->word[s->got + i] = bytes[i];
    }
    s->got += len;
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    struct run *r = arg;
    struct slot *s = call->user;

    if (what == RX_ROOM) {
        write_on(r, s);
        return;
    }
    uint32_t want = r->job->operation == PERF_READ    ? r->job->size
                    : r->job->operation == PERF_WRITE ? 4
                                                      : 0;
    if (what == RX_FAILED && !r->error)
        r->error = call->error;
    else if (!r->error && (s->got != want || (want == 4 && r->job->operation == PERF_WRITE
                                                && rx_get32(s->word) != r->job->size)))
        r->error = PERF_EBYTES;
    r->done += what == RX_END;
    r->ended_at = r->port.rx.now;
    s->call = 0;
    begin(r, s);
}

static int options(struct cms_arg *arg, struct job *job)
{
    const struct cms_number_option known[] = {
        {"COUNT", &job->count, 1, 99999999}, {"SIZE", &job->size, 0, 99999999},
        {"ATONCE", &job->at_once, 1, RX_CHANNELS}, {"PORT", &job->port, 1, 65535},
        {"LIMIT", &job->limit, 1, 3600}};

    if (arg->n != 2)
        return cms_error(24, "DMSRXP029E RXPERF needs a host and NULL, WRITE or READ");
    while (job->operation < 3 && !cms_is(arg->word[1], operations[job->operation], 1))
        job->operation++;
    if (job->operation == 3)
        return cms_error(24, "DMSRXP029E Invalid parameter %s; NULL, WRITE or READ", arg->word[1]);
    return cms_option_numbers("RXP", arg, known, sizeof(known) / sizeof(*known));
}

static const char *why(int32_t code)
{
    switch (code) {
    case RX_EDEAD:     return "nobody answers";
    case RX_EINVALID:  return "no RXPERFD is there";
    case RX_ETIMEOUT:  return "the server is busy";
    case PERF_ESTUCK:  return "no call ended in LIMIT seconds";
    case PERF_EBYTES:  return "bytes came that were not sent, or not all";
    default:           return "the server ended the call";
    }
}

static int report(const struct run *r, uint64_t us)
{
    const struct rx_counts *c = &r->port.rx.counts;
    uint64_t bytes = (uint64_t)r->done * r->job->size;

    if (!us)
        us = 1;
    cms_say("RXPERF: %u %s calls of %u bytes in %u.%06u seconds", r->done,
            operations[r->job->operation], r->job->operation == PERF_NULL ? 0 : r->job->size,
            (unsigned)(us / 1000000), (unsigned)(us % 1000000));
    cms_say("RXPERF: %u calls/second, %u KB/second", (unsigned)(r->done * 1000000UL / us),
            r->job->operation == PERF_NULL ? 0 : (unsigned)(bytes * 1000000 / 1024 / us));
    cms_say("RXPERF: %lu packets sent, %lu received, %lu acknowledgements sent, %lu received, %lu "
            "sent again",
            c->packets_out, c->packets_in, c->acks_out, c->acks_in, c->resent);
    if (r->error)
        return cms_error(100, "DMSRXP110E After %u calls: %s (code %d)", r->done, why(r->error),
                         r->error);
    return r->done == r->job->count ? 0 : cms_error(8, "DMSRXP111W Halted after %u calls", r->done);
}

static int run(struct run *r)
{
    const struct rx_address server = {r->job->host.ip, (uint16_t)r->job->port};
    uint64_t began;
    int rc = SOCK_EOK;

    r->conn = rx_connect(&r->port.rx, &server, PERF_SERVICE);
    began = r->ended_at = r->port.rx.now = rx_port_now();
    for (uint32_t i = 0; i < r->job->at_once; i++)
        begin(r, &r->slots[i]);
    while (r->done < r->job->count && !r->error) {
        rc = rx_port_turn(&r->port);
        if ((rc == NET_EATTN && cms_halted()) || (rc != SOCK_EOK && rc != NET_EATTN))
            break;
        /* A server that answers pings is not dead, and its call may be stuck all the same. */
        if (r->port.rx.now - r->ended_at > r->job->limit * 1000000UL && !r->error)
            r->error = PERF_ESTUCK;
    }
    uint64_t us = rx_port_now() - began;
    rx_disconnect(&r->port.rx, r->conn);
    if (rc != SOCK_EOK && rc != NET_EATTN)
        return cms_error(100, "DMSRXP110E TCPIP: %s", net_error(rc));
    return report(r, us);
}

CMS_COMMAND("RXPERF", 6, cmd_rxperf);
int cmd_rxperf(struct cms_arg *arg)
{
    struct job job = {.count = 1, .size = 1024, .at_once = 1, .port = PERF_PORT, .limit = 60};
    struct run *r = cms_alloc(sizeof(*r));
    const struct rx_ops ops = {0, data, event, 0};
    struct rx_config config = {
        .connections = 1, .mtu = 32767, .window = 32, .jumbo = 1, .version = version};
    int rc = options(arg, &job);

    if (rc != 0)
        return rc;
    size_t size = rx_packets_for(&config, PACKETS);
    if (size > cms_storage_left())
        size = cms_storage_left() & ~(size_t)4095;
    void *storage = r ? cms_alloc(size) : 0;
    if (!storage)
        return cms_error(104, "DMSRXP109S Virtual storage capacity exceeded");
    memset(r, 0, sizeof(*r));
    r->job = &job;
    long opened = rx_port_open(&r->port, 0, &config, &ops, r, storage, size);
    if (opened != 0)
        return cms_error(100, "DMSRXP110E No UDP port from the TCPIP machine (code %ld)", opened);
    rc = tcpip_host("RXP", &r->port.udp.net, arg->word[0], &job.host);
    if (rc == 0)
        rc = run(r);
    udp_close(&r->port.udp);
    return rc;
}
