/* SPDX-License-Identifier: MIT */
#include "protocol.h"

enum { DATA, SEEN_IAC, SEEN_COMMAND, IN_SUB, SUB_IAC };
enum { IS = 0, SEND = 1 };

static void answer(struct telnet *t, uint8_t command, uint8_t option)
{
    if (t->answer_len + 3u > sizeof(t->answer))
        return;
    t->answer[t->answer_len++] = TN_IAC;
    t->answer[t->answer_len++] = command;
    t->answer[t->answer_len++] = option;
}

void telnet_will(struct telnet *t, uint8_t option)
{
    if (t->us[option])
        return;
    t->us[option] = 2;
    answer(t, TN_WILL, option);
}

void telnet_do(struct telnet *t, uint8_t option)
{
    if (t->them[option])
        return;
    t->them[option] = 2;
    answer(t, TN_DO, option);
}

static void telnet_ask_type(struct telnet *t)
{
    static const uint8_t ask[6] = {TN_IAC, TN_SB, OPT_TTYPE, SEND, TN_IAC, TN_SE};

    if (t->answer_len + sizeof(ask) > sizeof(t->answer))
        return;
    memcpy(t->answer + t->answer_len, ask, sizeof(ask));
    t->answer_len += sizeof(ask);
}

static bool ours(const struct telnet *t, uint8_t option)
{
    if (t->client)
        return option == OPT_SGA;
    return option == OPT_BINARY || option == OPT_ECHO || option == OPT_SGA || option == OPT_EOR;
}

static bool theirs(const struct telnet *t, uint8_t option)
{
    if (t->client)
        return option == OPT_ECHO || option == OPT_SGA;
    return option == OPT_BINARY || option == OPT_SGA || option == OPT_TTYPE || option == OPT_EOR;
}

/* What the other side says of an option; agreed or refused once, never answered when it is an
 * answer. */
static enum telnet_event option(struct telnet *t, uint8_t command, uint8_t o)
{
    bool positive = command == TN_DO || command == TN_WILL,
         about_us = command == TN_DO || command == TN_DONT;
    uint8_t none = 0;
    uint8_t *state = o < 32 ? (about_us ? &t->us[o] : &t->them[o]) : &none;
    bool asked = *state == 2, can = about_us ? ours(t, o) : theirs(t, o);

    if (positive && !can) {
        answer(t, about_us ? TN_WONT : TN_DONT, o);
        return TELNET_NONE;
    }
    if (positive && *state != 1) {
        *state = 1;
        if (!asked)
            answer(t, about_us ? TN_WILL : TN_DO, o);
    } else if (!positive && *state) {
        *state = 0;
        if (!asked)
            answer(t, about_us ? TN_WONT : TN_DONT, o);
    } else {
        return TELNET_NONE;
    }
    if (o == OPT_TTYPE && !about_us && positive)
        telnet_ask_type(t);
    if (o == OPT_TTYPE && !about_us && !positive)
        return TELNET_NO_TYPE;
    return TELNET_OPTION;
}

static enum telnet_event suboption(struct telnet *t)
{
    unsigned n = t->sub_len < 2 ? 0 : t->sub_len - 2u;

    if (t->sub_len < 2 || t->sub[0] != OPT_TTYPE || t->sub[1] != IS)
        return TELNET_NONE;
    if (n > sizeof(t->type) - 1)
        n = sizeof(t->type) - 1;
    for (unsigned i = 0; i < n; i++) {
        uint8_t c = t->sub[2 + i];
        t->type[i] = (char)(c >= 0x61 && c <= 0x7a ? c - 0x20 : c);
    }
    t->type[n] = 0;
    return TELNET_TYPE;
}

bool telnet_is_3270(const struct telnet *t)
{
    static const uint8_t start[] = {0x49, 0x42, 0x4d, 0x2d};                   /* IBM- */
    static const uint8_t dynamic[] = {0x44, 0x59, 0x4e, 0x41};                 /* DYNA */
    static const uint8_t number[] = {0x33, 0x32, 0x37};                        /* 327 */

    return memcmp(t->type, start, 4) == 0
           && (memcmp(t->type + 4, number, 3) == 0 || memcmp(t->type + 4, dynamic, 4) == 0);
}

bool telnet_is_extended(const struct telnet *t)
{
    size_t n = strlen(t->type);

    return telnet_is_3270(t) && n > 6
           && (t->type[4] == 0x44 || (t->type[n - 2] == 0x2d && t->type[n - 1] == 0x45));
}

static unsigned agreed(const struct telnet *t, uint8_t state)
{
    return (t->us[OPT_EOR] == state) + (t->them[OPT_EOR] == state) + (t->us[OPT_BINARY] == state)
           + (t->them[OPT_BINARY] == state);
}

bool telnet_3270_agreed(const struct telnet *t)
{
    return agreed(t, 1) == 4;
}

bool telnet_3270_refused(const struct telnet *t)
{
    return agreed(t, 0) != 0;
}

/* Eight bytes at a time, because 255 is rare: a byte of ~word is 0 where word has 255. */
static bool has_iac(const uint8_t *p, size_t n)
{
    const uint64_t low = 0x0101010101010101u;
    uint64_t word;

    for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        word = ~word;
        if ((word - low) & ~word & low << 7)
            return true;
    }
    for (; n; n--)
        if (*p++ == TN_IAC)
            return true;
    return false;
}

size_t telnet_escape(uint8_t *p, size_t n)
{
    size_t doubled = 0;

    if (!has_iac(p, n))
        return n;
    for (size_t i = 0; i < n; i++)
        doubled += p[i] == TN_IAC;
    for (size_t from = n, to = n + doubled; from < to;) {
        p[--to] = p[--from];
        if (p[from] == TN_IAC)
            p[--to] = TN_IAC;
    }
    return n + doubled;
}

static enum telnet_event command(struct telnet *t, uint8_t c, uint8_t *data)
{
    t->state = DATA;
    switch (c) {
    case TN_IAC:  *data = TN_IAC; return TELNET_DATA;
    case TN_IP:
    case TN_BRK:  return TELNET_ATTENTION;
    case TN_EOR:  return TELNET_RECORD;
    case TN_EC:   return TELNET_ERASE;
    case TN_EL:   return TELNET_ERASE_LINE;
    case TN_SB:
        t->state = IN_SUB;
        t->sub_len = 0;
        return TELNET_NONE;
    case TN_WILL: case TN_WONT: case TN_DO: case TN_DONT:
        t->command = c;
        t->state = SEEN_COMMAND;
        return TELNET_NONE;
    case TN_AYT: {
        if (t->us[OPT_EOR] == 1)
            return TELNET_NONE; /* text between a 3270's records would be no record */
        static const uint8_t yes[] = {0x5b, 0x79, 0x65, 0x73, 0x5d, 0x0d, 0x0a}; /* [yes] */
        if (t->answer_len + sizeof(yes) <= sizeof(t->answer)) {
            memcpy(t->answer + t->answer_len, yes, sizeof(yes));
            t->answer_len += sizeof(yes);
        }
        return TELNET_NONE;
    }
    default:      return TELNET_NONE;
    }
}

bool telnet_in_data(const struct telnet *t)
{
    return t->state == DATA;
}

enum telnet_event telnet_byte(struct telnet *t, uint8_t c, uint8_t *data)
{
    switch (t->state) {
    case DATA:
        if (c == TN_IAC) {
            t->state = SEEN_IAC;
            return TELNET_NONE;
        }
        *data = c;
        return TELNET_DATA;
    case SEEN_IAC:
        return command(t, c, data);
    case SEEN_COMMAND:
        t->state = DATA;
        return option(t, t->command, c);
    case IN_SUB:
        if (c == TN_IAC)
            t->state = SUB_IAC;
        else if (t->sub_len < sizeof(t->sub))
            t->sub[t->sub_len++] = c;
        return TELNET_NONE;
    default:
        t->state = IN_SUB;
        if (c == TN_SE) {
            t->state = DATA;
            return suboption(t);
        }
        if (c == TN_IAC && t->sub_len < sizeof(t->sub))
            t->sub[t->sub_len++] = c;
        return TELNET_NONE;
    }
}
