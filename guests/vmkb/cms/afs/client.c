/* SPDX-License-Identifier: MIT */
/* Calls, one after the other. */
#include "afs_client.h"

#define PACKETS 160
#define KEPT    (DIRECTORY_MAX + CMS_BUFFER + 0x20000u) /* of storage, for a directory and a file */

/* VM/KB AFS in ISO 8859-1, for rxdebug. */
static const char version[] = "\x56\x4d\x2f\x4b\x42\x20\x41\x46\x53";

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void keep(struct afs_client *c, const uint8_t *bytes, uint32_t len)
{
    uint32_t n = smaller(len, REPLY_MAX - c->reply_len);

    memcpy(c->reply + c->reply_len, bytes, n);
    c->reply_len += n;
}

static void stop(struct afs_client *c, int32_t code)
{
    struct rx_call *call = c->call;

    c->call = 0;
    c->error = code;
    rx_abort(&c->port.rx, call, code);
}

static void data(void *arg, struct rx_call *call, const uint8_t *bytes, uint32_t len)
{
    struct afs_client *c = arg;

    if (call != c->call)
        return;
    if (c->fetching && c->reply_len < 4) {
        uint32_t n = smaller(len, 4 - c->reply_len);
        keep(c, bytes, n);
        bytes += n;
        len -= n;
        if (c->reply_len == 4)
            c->stream_left = rx_get32(c->reply);
    }
    while (len && c->stream_left) {
        uint32_t n = smaller(smaller(len, c->stream_left), sizeof(c->piece));
        memcpy(c->piece, bytes, n); /* who takes it may change it */
        c->taken = c->take(c->to, c->piece, n);
        if (c->taken) {
            stop(c, RX_EUSER);
            return;
        }
        bytes += n;
        len -= n;
        c->stream_left -= n;
    }
    keep(c, bytes, len);
}

static void event(void *arg, struct rx_call *call, enum rx_event what)
{
    struct afs_client *c = arg;

    if (call != c->call)
        return;
    if (what == RX_ROOM) {
        c->refused = false;
        return;
    }
    c->call = 0;
    c->error = what == RX_FAILED ? call->error : c->stream_left ? RX_EEOF : 0;
}

int afs_open(const char *host, struct afs_client **made)
{
    const struct rx_ops ops = {0, data, event, 0};
    struct rx_config config = {.connections = 2, .mtu = 32767, .window = 32, .jumbo = 1,
                               .version = version};
    size_t size = rx_packets_for(&config, PACKETS);
    struct afs_client *c = cms_alloc(sizeof(*c));
    struct net_found found;

    if (cms_storage_left() < KEPT)
        size = 0;
    else if (size > cms_storage_left() - KEPT)
        size = (cms_storage_left() - KEPT) & ~(size_t)4095;
    void *storage = c && size ? cms_alloc(size) : 0;
    if (!storage)
        return cms_error(104, "DMSAFS109S Virtual storage capacity exceeded");
    memset(c, 0, sizeof(*c));
    long opened = rx_port_open(&c->port, 0, &config, &ops, c, storage, size);
    if (opened != 0)
        return cms_error(100, "DMSAFS110E No UDP port from the TCPIP machine (code %ld)", opened);
    int rc = net_resolve(&c->port.udp.net, host, &found);
    if (rc != SOCK_EOK) {
        udp_close(&c->port.udp);
        return cms_error(100, "DMSAFS110E Host %s: %s", host, net_error(rc));
    }
    const struct rx_address files = {found.a.ip, AFS_PORT};
    const struct rx_address places = {found.a.ip, AFS_PORT_LOCATION};
    c->files = rx_connect(&c->port.rx, &files, AFS_SERVICE);
    c->places = rx_connect(&c->port.rx, &places, AFS_SERVICE_LOCATION);
    *made = c;
    return 0;
}

void afs_close(struct afs_client *c)
{
    rx_disconnect(&c->port.rx, c->files);
    rx_disconnect(&c->port.rx, c->places);
    udp_close(&c->port.udp);
}

/* Until something has happened. CMS's code when that cannot be waited for. */
static int turn(struct afs_client *c)
{
    int rc = rx_port_turn(&c->port);

    if (rc == SOCK_EOK || (rc == NET_EATTN && !cms_halted()))
        return 0;
    if (rc == NET_EATTN)
        return cms_error(8, "DMSAFS111W Halted");
    return cms_error(100, "DMSAFS110E TCPIP: %s", net_error(rc));
}

int afs_begin(struct afs_client *c, struct rx_conn *conn, const void *request, uint32_t len)
{
    c->port.rx.now = rx_port_now();
    c->call = rx_begin(&c->port.rx, conn);
    c->error = c->call ? 0 : conn->error;
    c->reply_len = c->stream_left = 0;
    c->refused = false;
    c->taken = 0;
    return c->call ? afs_put(c, request, len) : 1;
}

int afs_put(struct afs_client *c, const uint8_t *bytes, uint32_t len)
{
    int rc = 0;

    while (len && c->call && rc == 0) {
        uint32_t n = rx_write(&c->port.rx, c->call, bytes, len);
        bytes += n;
        len -= n;
        c->refused = len != 0;
        while (c->refused && c->call && rc == 0)
            rc = turn(c);
    }
    return rc ? rc : !c->call;
}

int afs_end(struct afs_client *c)
{
    int rc = 0;

    if (c->call)
        rx_end(&c->port.rx, c->call);
    while (c->call && rc == 0)
        rc = turn(c);
    return rc ? rc : c->error != 0;
}

int afs_call(struct afs_client *c, struct rx_conn *conn, const struct xdr_out *request,
             const uint8_t *bytes)
{
    int rc = afs_begin(c, conn, bytes, (uint32_t)(request->at - bytes));

    return rc ? rc : afs_end(c);
}

int afs_said(const struct afs_client *c, const char *path)
{
    switch (c->error) {
    case RX_EDEAD:
        return cms_error(100, "DMSAFS110E Nobody answers there: is AFSSERVE, or VLSERVE, up?");
    case RX_EINVALID:
        return cms_error(100, "DMSAFS110E There is no AFS service at that port");
    case AFS_ENOENT:
    case LOCATION_NONE:
        return cms_error(28, "DMSAFS002E %s is not there", path);
    case AFS_VNOVNODE:
    case AFS_VNOVOL:
        return cms_error(28, "DMSAFS002E %s is not there any more", path);
    case AFS_ENOTDIR:
        return cms_error(28, "DMSAFS002E %s: a part of that is no directory", path);
    case AFS_EEXIST:
        return cms_error(28, "DMSAFS024E %s is there already", path);
    case AFS_EISDIR:
        return cms_error(28, "DMSAFS024E %s is a directory", path);
    case AFS_VDISKFULL:
        return cms_error(100, "DMSAFS107S The volume of %s is full", path);
    case AFS_VOFFLINE:
        return cms_error(100, "DMSAFS110E The volume of %s is offline", path);
    case AFS_VBUSY:
        return cms_error(100, "DMSAFS110E %s is being changed, try again", path);
    case AFS_EFBIG:
        return cms_error(100, "DMSAFS110E %s is too large", path);
    case AFS_EINVAL:
        return cms_error(20, "DMSAFS062E %s is no name, or no file", path);
    default:
        return cms_error(100, "DMSAFS110E %s: the server ended the call (code %d)", path,
                         c->error);
    }
}
