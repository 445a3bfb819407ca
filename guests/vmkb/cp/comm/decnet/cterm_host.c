/* SPDX-License-Identifier: MIT */
/* The host's side of CTERM: it binds, writes, and asks for a line at a time. */
#include "cterm_wire.h"

static void say(struct cterm_host *h, const uint8_t *m, const uint8_t *end)
{
    dn_send(h->link, m, left(m, end), h->link->net->now);
}

static void up(struct dn_link *l)
{
    struct cterm_host *h = l->arg;
    uint8_t m[16], *p = m;

    *p++ = FND_BIND;
    *p++ = 2;
    *p++ = 4;
    *p++ = 0;
    p = put16(p, OS_VMS);
    p = put16(p, PROTOCOL_CTERM);
    *p++ = 0;                /* no revision */
    say(h, m, p);
}

static void down(struct dn_link *l, unsigned reason)
{
    struct cterm_host *h = l->arg;

    (void)reason;
    h->link = 0;
    h->ops->down(h);
}

size_t cterm_host_room(const struct cterm_host *h)
{
    return (size_t)CTERM_OUT - h->count;
}

size_t cterm_host_write(struct cterm_host *h, const uint8_t *text, size_t n)
{
    size_t taken = 0;

    if (n > cterm_host_room(h))
        n = cterm_host_room(h);
    while (taken < n) {
        size_t at = (h->head + h->count) % CTERM_OUT, k = CTERM_OUT - at;
        if (k > n - taken)
            k = n - taken;
        memcpy(h->out + at, text + taken, k);
        h->count = (uint16_t)(h->count + k);
        taken += k;
    }
    return n;
}

static uint8_t *put_start_read(const struct cterm_host *h, uint8_t *p)
{
    unsigned flags = SR_ECHO_END | SR_SET_ALL | SR_NO_ESCAPES | (h->hidden ? SR_NO_ECHO : 0);

    p = put16(p, SR_HEADER);
    *p++ = CT_START_READ;
    p = put16(p, flags & 0xffff);
    *p++ = (uint8_t)(flags >> 16);
    p = put16(p, (unsigned)(CTERM_LINE - h->text_len));
    memset(p, 0, 10);        /* nothing preloaded, no time limit, no prompt, low water 0 */
    p += 10;
    *p++ = 0;                /* no terminator set */
    return p;
}

static uint8_t *put_write(struct cterm_host *h, uint8_t *p, size_t n)
{
    p = put16(p, (unsigned)(n + WR_HEADER));
    *p++ = CT_WRITE;
    p = put16(p, WR_WHOLE | (h->behind_line ? WR_NEWLINES_FIRST : 0));
    *p++ = h->behind_line;
    *p++ = 0;                /* no postfix */
    h->behind_line = 0;
    while (n) {
        size_t k = CTERM_OUT - h->head;
        if (k > n)
            k = n;
        memcpy(p, h->out + h->head, k);
        h->head = (uint16_t)((h->head + k) % CTERM_OUT);
        h->count = (uint16_t)(h->count - k);
        p += k;
        n -= k;
    }
    return p;
}

/* A read is posted behind the text that goes before it; one with the wrong echo is taken back
 * first. */
static uint8_t *put_read(struct cterm_host *h, uint8_t *p)
{
    if (!h->wanted || h->closing)
        return p;
    if (!h->posted && h->behind_line)
        p = put_write(h, p, 0);
    if (!h->posted) {
        p = put_start_read(h, p);
        h->posted = 1;
        h->posted_hidden = h->hidden;
        h->wanted = 0;
    } else if (h->posted_hidden == h->hidden) {
        h->wanted = 0;
    } else if (!h->unreading) {
        p = put16(p, 2);
        *p++ = CT_UNREAD;
        *p++ = 0;
        h->unreading = 1;    /* what was typed so far comes back, then the read is posted anew */
    }
    return p;
}

void cterm_host_flush(struct cterm_host *h)
{
    uint8_t m[FND_HEADER + 2 + CTERM_MAX + 2 + SR_HEADER];
    bool sent = false;

    while (h->started && h->link && (h->count || h->wanted)) {
        size_t room = dn_room(h->link), n = h->count;
        uint8_t *p = m;
        if (room < sizeof(m))
            break;           /* comes again when the link has room */
        if (n > h->message_max - (size_t)WR_HEADER)
            n = h->message_max - (size_t)WR_HEADER;
        *p++ = FND_COMMON;
        *p++ = 0;
        if (n)
            p = put_write(h, p, n);
        if (!h->count)
            p = put_read(h, p);
        if (p == m + FND_HEADER)
            break;
        say(h, m, p);
        sent = true;
    }
    if (sent && h->link)
        h->ops->room(h);
    if (h->closing == 1 && h->link && (!h->started || !h->count) && dn_room(h->link) >= 3) {
        const uint8_t unbind[3] = {FND_UNBIND, FND_LOGOFF, 0};
        h->closing = 2;
        if (h->bound)
            say(h, unbind, unbind + sizeof(unbind));
        dn_close(h->link, DN_REJECTED, h->link->net->now);
    }
}

void cterm_host_read(struct cterm_host *h, bool hidden)
{
    h->wanted = 1;
    h->hidden = hidden;
}

void cterm_host_close(struct cterm_host *h)
{
    if (!h->link || h->closing)
        return;
    h->closing = 1;
    cterm_host_flush(h);
}

static void room(struct dn_link *l)
{
    cterm_host_flush(l->arg);
}

static void add_typed(struct cterm_host *h, const uint8_t *text, size_t n)
{
    if (n > (size_t)(CTERM_LINE - h->text_len))
        n = (size_t)(CTERM_LINE - h->text_len);
    memcpy(h->text + h->text_len, text, n);
    h->text_len = (uint16_t)(h->text_len + n);
}

static void read_data(struct cterm_host *h, const uint8_t *m, size_t n)
{
    if (n < READ_DATA_HEADER || le16(m + 6) > n - READ_DATA_HEADER) {
        h->counts->malformed++;
        return;
    }
    if (!h->posted) {
        h->counts->unexpected++;
        return;
    }
    unsigned reason = m[1] & READ_REASON;
    add_typed(h, m + READ_DATA_HEADER, le16(m + 6));
    h->posted = h->unreading = 0;
    if (reason != READ_TERMINATOR && reason != READ_ESCAPE && reason != READ_BAD_ESCAPE
        && (reason != READ_FULL || h->text_len < CTERM_LINE)) {
        h->wanted = 1;       /* not the end of a line: go on with it */
        return;
    }
    h->behind_line = !h->posted_hidden;
    uint8_t line[CTERM_LINE];
    size_t len = h->text_len;
    memcpy(line, h->text, len);
    h->text_len = 0;
    h->wanted = 0;
    h->ops->line(h, line, len);
}

static void initiated(struct cterm_host *h, const uint8_t *m, size_t n)
{
    unsigned max = cterm_initiate_max(m, n);

    if (!max) {
        h->counts->malformed++;
        return;
    }
    if (h->started) {
        h->counts->unexpected++;
        return;
    }
    h->message_max = (uint16_t)max;
    h->started = 1;
    h->ops->started(h);
}

static void cterm_message(struct cterm_host *h, const uint8_t *m, size_t n)
{
    if (!h->started && *m != CT_INITIATE) {
        h->counts->unexpected++;
        return;
    }
    switch (*m) {
    case CT_INITIATE:
        initiated(h, m, n);
        break;
    case CT_READ_DATA:
        read_data(h, m, n);
        break;
    case CT_OUT_OF_BAND:
        if (n < 3)
            h->counts->malformed++;
        else
            h->ops->attention(h);
        break;
    case CT_WRITE_COMPLETE:
    case CT_DISCARD_STATE:
    case CT_CHARACTERISTICS:
    case CT_INPUT_COUNT:
    case CT_INPUT_STATE:
        break;
    default:
        h->counts->unexpected++;
    }
}

static void common_data(struct cterm_host *h, const uint8_t *m, const uint8_t *end)
{
    while (m < end && h->link && !h->closing) {
        if (left(m, end) < 3 || !le16(m) || le16(m) > left(m + 2, end)) {
            h->counts->malformed++;
            return;
        }
        size_t n = le16(m);
        cterm_message(h, m + 2, n);
        m += 2 + n;
    }
}

static void bind_accepted(struct cterm_host *h, size_t n)
{
    uint8_t m[FND_HEADER + 2 + INITIATE_MAX], *p;

    if (n < 4) {
        h->counts->malformed++;
        return;
    }
    if (h->bound) {
        h->counts->unexpected++;
        return;
    }
    h->bound = 1;
    m[0] = FND_COMMON;
    m[1] = 0;
    p = cterm_put_initiate(m + FND_HEADER + 2);
    put16(m + FND_HEADER, (unsigned)(left(m, p) - FND_HEADER - 2));
    say(h, m, p);
}

static bool message(struct dn_link *l, const uint8_t *m, size_t n)
{
    struct cterm_host *h = l->arg;
    static const uint8_t no_mode[1] = {FND_NO_MODE};

    if (!n)
        return true;
    switch (m[0]) {
    case FND_ACCEPT:
        bind_accepted(h, n);
        break;
    case FND_COMMON:
        if (!h->bound)
            h->counts->unexpected++;
        else if (n < FND_HEADER)
            h->counts->malformed++;
        else
            common_data(h, m + FND_HEADER, m + n);
        break;
    case FND_UNBIND:
        h->closing = 2;
        dn_close(l, DN_REJECTED, l->net->now);
        break;
    case FND_ENTER:
        if (dn_room(l))
            say(h, no_mode, no_mode + 1);
        break;
    default:
        h->counts->unexpected++;
    }
    if (h->link)
        cterm_host_flush(h);
    return true;
}

const struct dn_user cterm_host_user = {up, message, room, down};
