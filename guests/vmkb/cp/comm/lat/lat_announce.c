/* SPDX-License-Identifier: MIT */
/* Service announcements by multicast, and answers to who asks for the service (Solicit
 * Information). The layout of the latter two messages is Wireshark's reading of the
 * specification. */
#include "lat_wire.h"

#define CHANGED_ALL 0x1f
#define ACCEPTING 2
#define NOT_ACCEPTING 3
#define RATING 100
#define CLASS_TERMINAL 1

static const uint8_t group_address[6] = {0x09, 0x00, 0x2b, 0x00, 0x00, 0x0f};

const uint8_t *counted(const uint8_t *at, const uint8_t *end, const uint8_t **text, unsigned *len)
{
    if (at >= end || *at > end - at - 1)
        return 0;
    *len = *at;
    *text = at + 1;
    return at + 1 + *len;
}

uint8_t *put_counted(uint8_t *p, const char *text)
{
    size_t n = strlen(text);

    *p++ = (uint8_t)n;
    memcpy(p, text, n);
    return p + n;
}

static uint8_t *bytes(uint8_t *p, const uint8_t *from, size_t n)
{
    memcpy(p, from, n);
    return p + n;
}

void frame_send(struct lat *l, const uint8_t mac[6], uint8_t *frame, uint8_t *end)
{
    size_t n = (size_t)(end - frame);

    memcpy(frame, mac, 6);
    memcpy(frame + 6, l->mac, 6);
    frame[12] = LAT_ETHERTYPE >> 8;
    frame[13] = LAT_ETHERTYPE & 0xff;
    if (n < FRAME_MIN) {
        memset(end, 0, FRAME_MIN - n);
        n = FRAME_MIN;
    }
    l->counts.frames_out++;
    l->ops->send(frame, n);
}

void announce(struct lat *l)
{
    uint8_t frame[256];
    static const uint8_t fixed[] = {MSG_ANNOUNCE << 2, TIMER_DEFAULT, VERSION, VERSION,
                                    VERSION,           ECO,           1,       CHANGED_ALL};
    uint8_t *p = bytes(frame + ETH, fixed, sizeof(fixed));

    p = put16(p, LAT_MESSAGE);
    *p++ = LAT_ANNOUNCE_S;
    *p++ = l->closed ? NOT_ACCEPTING : ACCEPTING;
    *p++ = 1;                /* one byte of groups: group 0 */
    *p++ = 1;
    p = put_counted(p, l->node);
    p = put_counted(p, l->description);
    *p++ = 1;                /* one service */
    *p++ = RATING;
    p = put_counted(p, l->node);
    p = put_counted(p, l->description);
    *p++ = 1;
    *p++ = CLASS_TERMINAL;
    l->ops->work_for(0);
    frame_send(l, group_address, frame, p);
}

static void respond(struct lat *l, const uint8_t *to, unsigned id, const uint8_t *asker,
                    unsigned asker_len)
{
    uint8_t frame[512];
    static const uint8_t fixed[] = {MSG_RESPONSE << 2, 0, VERSION, VERSION, VERSION, ECO};
    uint8_t *p = bytes(frame + ETH, fixed, sizeof(fixed));

    p = put16(p, LAT_MESSAGE);
    p = put16(p, id);
    p = put16(p, 0);         /* response status */
    p = put16(p, 0);         /* node status */
    p = bytes(p, l->mac, 6);
    p = put16(p, LAT_ANNOUNCE_S);
    *p++ = (uint8_t)asker_len;
    p = bytes(p, asker, asker_len);
    *p++ = 1;
    *p++ = 1;                /* group 0 */
    p = put_counted(p, l->node);
    p = put_counted(p, l->description);
    *p++ = 1;                /* one service */
    uint8_t *entry = p++;
    *p++ = 1;
    *p++ = CLASS_TERMINAL;
    *p++ = 0;                /* status */
    *p++ = RATING;
    *p++ = 1;
    *p++ = 1;                /* group 0 */
    p = put_counted(p, l->node);
    p = put_counted(p, l->description);
    *entry = (uint8_t)(p - entry - 1);
    *p++ = 0;                /* no parameters */
    l->ops->work_for(0);
    frame_send(l, to, frame, p);
}

static bool same_name(const char *ours, const uint8_t *text, unsigned len)
{
    if (strlen(ours) != len)
        return false;
    for (unsigned i = 0; i < len; i++) {
        uint8_t c = text[i];
        if (c >= 0x61 && c <= 0x7a)
            c -= 0x20;       /* ISO 8859-1, whatever this file's own characters are */
        if ((uint8_t)ours[i] != c)
            return false;
    }
    return true;
}

/* type, format, 3 versions, ECO, u16 size, u16 id, u16 response timer, node, groups, asker,
 * service */
void solicited(struct lat *l, const uint8_t *frame, size_t len)
{
    const uint8_t *p = frame + ETH + 12, *end = frame + len;
    const uint8_t *node, *groups, *asker, *service;
    unsigned node_len, groups_len, asker_len, service_len;

    if (len < ETH + 12 || !(p = counted(p, end, &node, &node_len))
        || !(p = counted(p, end, &groups, &groups_len))
        || !(p = counted(p, end, &asker, &asker_len)) || !counted(p, end, &service, &service_len)
        || asker_len > LAT_NAME) {
        l->counts.malformed++;
        return;
    }
    if (l->closed || (node_len && !same_name(l->node, node, node_len))
        || (service_len && !same_name(l->node, service, service_len)))
        return;
    respond(l, frame + 6, le16(frame + ETH + 8), asker, asker_len);
}
