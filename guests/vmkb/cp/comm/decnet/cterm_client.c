/* SPDX-License-Identifier: MIT */
/* The terminal's side of CTERM: shows what the host writes, gives it a line when it reads. */
#include "cterm_wire.h"

#define PREFIX_KIND(f)  ((f) >> 6 & 3)
#define POSTFIX_KIND(f) ((f) >> 8 & 3)
#define KIND_NEWLINES 1
#define KIND_CHARACTER 2
#define WR_COMPLETE 0x0400
#define NEWLINES_MAX 24      /* of a prefix or postfix: a screen */

static bool say(struct cterm_client *c, const uint8_t *m, const uint8_t *end)
{
    return dn_send(c->link, m, left(m, end), c->link->net->now);
}

/* One CTERM message in common data: begins at common(m), ends where p does. */
static uint8_t *common(uint8_t *m)
{
    m[0] = FND_COMMON;
    m[1] = 0;
    return m + FND_HEADER + 2;
}

static bool say_common(struct cterm_client *c, uint8_t *m, uint8_t *end)
{
    put16(m + FND_HEADER, (unsigned)(left(m, end) - FND_HEADER - 2));
    return say(c, m, end);
}

static void up(struct dn_link *l)
{
    struct cterm_client *c = l->arg;

    c->ops->up(c);
}

static void down(struct dn_link *l, unsigned reason)
{
    struct cterm_client *c = l->arg;

    c->link = 0;
    c->ops->down(c, reason, c->unbound);
}

static bool ends(const struct cterm_client *c, uint8_t ch)
{
    return (c->ends[ch >> 3] >> (ch & 7) & 1) != 0;
}

/* Characters of the line up to and with the one that ends the read; 0: none does. */
static size_t terminated(const struct cterm_client *c)
{
    for (size_t i = 0; i < c->typed; i++)
        if (ends(c, c->line[i]))
            return i + 1;
    return 0;
}

static bool send_read_data(struct cterm_client *c, unsigned reason, size_t n, bool terminator)
{
    uint8_t m[FND_HEADER + 2 + READ_DATA_HEADER + CTERM_TYPED], *p = common(m);

    *p++ = CT_READ_DATA;
    *p++ = (uint8_t)(reason | (n < c->typed ? 0x10 : 0)); /* 10: more was typed */
    p = put16(p, 0);
    *p++ = terminator ? 1 : 0;
    *p++ = 0;
    p = put16(p, (unsigned)(terminator ? n - 1 : n));
    memcpy(p, c->line, n);
    if (!say_common(c, m, p + n))
        return false;
    c->typed = (uint16_t)(c->typed - n);
    memmove(c->line, c->line + n, c->typed);
    c->reading = 0;
    c->behind_line = terminator;
    return true;
}

/* Give the read under way what was typed for it. */
static void feed(struct cterm_client *c)
{
    if (!c->reading || !c->typed || !c->link)
        return;
    size_t n = terminated(c);
    if (n && n - 1 <= c->read_max)
        send_read_data(c, READ_TERMINATOR, n, true);
    else if (c->typed >= c->read_max)
        send_read_data(c, READ_FULL, c->read_max, false);
}

bool cterm_client_line(struct cterm_client *c, const uint8_t *text, size_t n)
{
    if (!c->link || !c->reading || c->typed || dn_room(c->link) < CTERM_MAX)
        return false;
    if (n > CTERM_LINE)
        n = CTERM_LINE;
    memcpy(c->line, text, n);
    c->line[n] = CH_CR;
    c->typed = (uint16_t)(n + 1);
    feed(c);
    c->ops->read(c, c->reading, c->hidden);
    return true;
}

void cterm_client_attention(struct cterm_client *c)
{
    uint8_t m[16], *p = common(m);

    if (!c->link || !c->bound)
        return;
    *p++ = CT_OUT_OF_BAND;
    *p++ = 0;
    *p++ = CH_ATTENTION;
    say_common(c, m, p);
}

/* An answer that the link has no room for now waits: the message it belongs to is not taken. */
static void answer(struct cterm_client *c, const uint8_t *m, size_t n)
{
    uint8_t *p = common(c->answer);

    memcpy(p, m, n);
    put16(c->answer + FND_HEADER, (unsigned)n);
    c->answer_len = (uint8_t)(FND_HEADER + 2 + n);
    c->answering = 1;
}

static bool answered(struct cterm_client *c)
{
    if (c->answering && say(c, c->answer, c->answer + c->answer_len))
        c->answering = 0;
    return !c->answering;
}

static bool start_read(struct cterm_client *c, const uint8_t *m, size_t n)
{
    if (n < SR_HEADER || m[16] > 32 || n - SR_HEADER < m[16]) {
        c->counts->malformed++;
        return true;
    }
    unsigned flags = le16(m + 1) | (unsigned)m[3] << 16, set = m[16];
    const uint8_t *prompt = m + SR_HEADER + set;
    size_t len = (size_t)(m + n - prompt), end = le16(m + 10);
    if (end > len)
        end = len; /* what follows the prompt is preloaded input: not supported, shown as typed */
    if (c->done < len)
        c->done = (uint16_t)(c->done + c->ops->write(c, prompt + c->done, len - c->done));
    if (c->done < len)
        return false;
    if ((flags & SR_SET) == SR_SET_GIVEN) {
        memset(c->ends, 0, sizeof(c->ends));
        memcpy(c->ends, prompt - set, set);
    } else if ((flags & SR_SET) == SR_SET_ALL) {
        memset(c->ends, 0, sizeof(c->ends));
        memset(c->ends, 0xff, 4);
    }
    if (flags & SR_CLEAR)
        c->typed = 0;
    c->read_max = le16(m + 4) ? le16(m + 4) & 0xffff : 1;
    if (c->read_max > CTERM_LINE)
        c->read_max = CTERM_LINE;
    c->reading = 1;
    c->hidden = (flags & SR_NO_ECHO) != 0;
    feed(c);
    c->ops->read(c, c->reading, c->hidden);
    return true;
}

/* prefix, text, postfix: c->done counts through all three. A host that begins what it writes with a
 * new line, for a typed line is echoed only up to its CR, is not shown an empty line for that: here
 * the line has its end. */
static bool show(struct cterm_client *c, unsigned kind, unsigned value, size_t *at)
{
    static const uint8_t newlines[2] = {CH_CR, CH_LF};
    unsigned times = kind == KIND_NEWLINES ? (value < NEWLINES_MAX ? value : NEWLINES_MAX)
                     : kind == KIND_CHARACTER ? 1 : 0;
    uint8_t ch = (uint8_t)value;

    for (unsigned i = 0; i < times; i++, (*at)++) {
        if (c->done > *at)
            continue;
        size_t n = kind == KIND_NEWLINES ? 2 : 1;
        if (c->ops->write(c, kind == KIND_NEWLINES ? newlines : &ch, n) != n)
            return false;
        c->done++;
    }
    return true;
}

static bool write_message(struct cterm_client *c, const uint8_t *m, size_t n)
{
    size_t at = 0, len = n - WR_HEADER;

    if (n < WR_HEADER) {
        c->counts->malformed++;
        return true;
    }
    unsigned flags = le16(m + 1), prefix = m[3];
    if (PREFIX_KIND(flags) == KIND_NEWLINES && prefix)
        prefix -= c->behind_line;
    if (!show(c, PREFIX_KIND(flags), prefix, &at))
        return false;
    if (c->done < at + len)
        c->done =
            (uint16_t)(c->done
                       + c->ops->write(c, m + WR_HEADER + (c->done - at), at + len - c->done));
    at += len;
    if (c->done < at || !show(c, POSTFIX_KIND(flags), m[4], &at))
        return false;
    c->behind_line = 0;
    if (flags & WR_COMPLETE)
        answer(c, (const uint8_t[]){CT_WRITE_COMPLETE, 0, 0, 0, 0, 0}, 6);
    return true;
}

static void unread(struct cterm_client *c)
{
    if (!c->reading)
        return;
    c->reading = 0;
    answer(c, (const uint8_t[]){CT_READ_DATA, READ_UNREAD, 0, 0, 0, 0, 0, 0}, READ_DATA_HEADER);
    c->ops->read(c, false, c->hidden);
}

static void initiate(struct cterm_client *c, const uint8_t *m, size_t n)
{
    uint8_t reply[INITIATE_MAX];

    if (!cterm_initiate_max(m, n)) {
        c->counts->malformed++;
        return;
    }
    answer(c, reply, (size_t)(cterm_put_initiate(reply) - reply));
}

/* False: not now; what c->done says has been shown. */
static bool cterm_message(struct cterm_client *c, const uint8_t *m, size_t n)
{
    switch (*m) {
    case CT_INITIATE:
        initiate(c, m, n);
        break;
    case CT_START_READ:
        return start_read(c, m, n);
    case CT_UNREAD:
        unread(c);
        break;
    case CT_CLEAR_INPUT:
        c->typed = 0;
        break;
    case CT_WRITE:
        return write_message(c, m, n);
    case CT_READ_CHARACTERISTICS:
        answer(c, (const uint8_t[]){CT_CHARACTERISTICS, 0}, 2);
        break;
    case CT_CHECK_INPUT:
        answer(c, (const uint8_t[]){CT_INPUT_COUNT, 0, (uint8_t)c->typed, (uint8_t)(c->typed >> 8)},
               4);
        break;
    case CT_CHARACTERISTICS:
        break;
    default:
        c->counts->unexpected++;
    }
    return true;
}

static bool common_data(struct cterm_client *c, const uint8_t *m, size_t n)
{
    size_t at = c->at ? c->at : FND_HEADER;

    while (at < n) {
        if (n - at < 3 || !le16(m + at) || le16(m + at) > n - at - 2) {
            c->counts->malformed++;
            break;
        }
        size_t len = le16(m + at);
        if (!answered(c) || !cterm_message(c, m + at + 2, len)) {
            c->at = (uint16_t)at;
            return false;
        }
        c->done = 0;
        at += 2 + len;
        c->at = (uint16_t)at;
        if (!c->link)
            return true;
    }
    if (!answered(c)) {
        c->at = (uint16_t)at;
        return false;
    }
    c->at = 0;
    return true;
}

static bool bound(struct cterm_client *c, size_t n)
{
    const uint8_t accept[8] = {FND_ACCEPT, 2, 4, 0, OS_VMS, 0, PROTOCOL_CTERM, 0};

    if (n < 4) {
        c->counts->malformed++;
    } else if (c->bound) {
        c->counts->unexpected++;
    } else {
        if (!say(c, accept, accept + sizeof(accept)))
            return false;
        c->bound = 1;
    }
    return true;
}

static bool message(struct dn_link *l, const uint8_t *m, size_t n)
{
    struct cterm_client *c = l->arg;
    static const uint8_t no_mode[1] = {FND_NO_MODE};

    if (!n)
        return true;
    switch (m[0]) {
    case FND_BIND:
        return bound(c, n);
    case FND_COMMON:
        if (c->bound && n >= FND_HEADER)
            return common_data(c, m, n);
        c->counts->unexpected++;
        break;
    case FND_UNBIND:
        c->unbound = 1;
        dn_close(l, DN_REJECTED, l->net->now);
        break;
    case FND_ENTER:
        return say(c, no_mode, no_mode + 1);
    default:
        c->counts->unexpected++;
    }
    return true;
}

static void room(struct dn_link *l)
{
    struct cterm_client *c = l->arg;

    if (answered(c))
        dn_resume(l, l->net->now);
    if (c->reading && c->typed)
        feed(c);
}

void cterm_client_resume(struct cterm_client *c)
{
    if (c->link)
        dn_resume(c->link, c->link->net->now);
}

const struct dn_user cterm_client_user = {up, message, room, down};
