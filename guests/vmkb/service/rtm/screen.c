/* SPDX-License-Identifier: MIT */
/* A page as a 3270 data stream and what comes back (3270 Data Stream Programmer's Reference,
 * GA23-0059: orders SBA, SF, IC, RA; 12-bit buffer addresses). Only rows that changed are sent, so
 * what is being typed stays. */
#include "rtm.h"

enum { ORDER_SBA = 0x11, ORDER_SF = 0x1d, ORDER_IC = 0x13, ORDER_RA = 0x3c };
/* 0xc3: keyboard restore, modified data tags reset */
enum { WCC_NOTHING = 0x40, WCC_UNLOCK = 0xc3 };
enum { FIELD_TEXT = 0x60, FIELD_HIGH = 0xe8, FIELD_INPUT = 0xc8, FIELD_SKIP = 0xf0 };
enum { AID_ENTER = 0x7d, AID_CLEAR = 0x6d };
enum { COMMAND_ROW = 22, PROMPT = 13, COLUMNS = 80 };

/* Six bits as the graphic that stands for them. */
static uint8_t code6(unsigned v)
{
    static const uint8_t codes[64] = {
        0x40, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c,
        0x4d, 0x4e, 0x4f, 0x50, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9,
        0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6,
        0xe7, 0xe8, 0xe9, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0xf0, 0xf1, 0xf2, 0xf3,
        0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f,
    };

    return codes[v & 63];
}

struct out {
    uint8_t *at;
};

static void put(struct out *o, uint8_t byte)
{
    *o->at++ = byte;
}

static void address(struct out *o, unsigned cell)
{
    put(o, code6(cell >> 6));
    put(o, code6(cell));
}

static void place(struct out *o, unsigned row, unsigned column)
{
    put(o, ORDER_SBA);
    address(o, row * COLUMNS + column);
}

/* Nulls from here to the end of the row. */
static void blank_to(struct out *o, unsigned row, unsigned column)
{
    put(o, ORDER_RA);
    address(o, (row * COLUMNS + column) % (RTM_ROWS * COLUMNS));
    put(o, 0);
}

static void write_row(struct out *o, const struct rtm_page *p, unsigned row)
{
    unsigned n = (unsigned)strlen(p->row[row]);

    place(o, row, 0);
    put(o, ORDER_SF);
    put(o, p->high[row] ? FIELD_HIGH : FIELD_TEXT);
    memcpy(o->at, p->row[row], n);
    o->at += n;
    if (n < RTM_WIDTH)
        blank_to(o, row, COLUMNS);
}

static void command_line(struct out *o, const struct rtm_page *p)
{
    unsigned n = (unsigned)strlen(p->row[COMMAND_ROW]);

    place(o, COMMAND_ROW, 0);
    put(o, ORDER_SF);
    put(o, FIELD_SKIP);
    for (unsigned i = 0; i < PROMPT - 1 && i < n; i++)
        put(o, (uint8_t)p->row[COMMAND_ROW][i]);
    place(o, COMMAND_ROW, PROMPT);
    put(o, ORDER_SF);
    put(o, FIELD_INPUT);
    put(o, ORDER_IC);
    blank_to(o, COMMAND_ROW, COLUMNS - 1);
    put(o, ORDER_SF);
    put(o, FIELD_SKIP);
}

unsigned rtm_stream(uint8_t *out, const struct rtm_page *p, const struct rtm_page *shown,
                    bool erase, bool unlock)
{
    struct out o = {out};

    put(&o, erase || unlock ? WCC_UNLOCK : WCC_NOTHING);
    for (unsigned row = 0; row < RTM_ROWS; row++) {
        if (row == COMMAND_ROW) {
            if (erase || unlock)
                command_line(&o, p);
        } else if (erase || p->high[row] != shown->high[row]
                   || memcmp(p->row[row], shown->row[row], RTM_WIDTH + 1) != 0) {
            write_row(&o, p, row);
        }
    }
    return o.at == out + 1 && !unlock ? 0 : (unsigned)(o.at - out);
}

static void fill(struct rtm_page *p, unsigned row, const char *text)
{
    fmt(p->row[row], RTM_WIDTH + 1, "%s", text);
}

unsigned rtm_layout(struct rtm_page *p, const struct rtm_text *t, unsigned top, const char *title,
                    const char *message)
{
    unsigned body = t->lines - t->head, room = RTM_BODY - t->head;
    unsigned last = body > room ? (body - 1) / room * room : 0;

    memset(p, 0, sizeof(*p));
    if (top > last)
        top = last;
    fill(p, 0, title);
    p->high[0] = true;
    for (unsigned i = 0; i < t->head; i++) {
        memcpy(p->row[1 + i], t->line[i], RTM_WIDTH + 1);
        p->high[1 + i] = true;
    }
    for (unsigned i = 0; i < room && top + i < body; i++)
        memcpy(p->row[1 + t->head + i], t->line[t->head + top + i], RTM_WIDTH + 1);
    if (*message)
        fill(p, 21, message);
    else if (body > room)
        fmt(p->row[21], RTM_WIDTH + 1, "LINES %u TO %u OF %u", top + 1,
            top + room < body ? top + room : body, body);
    p->high[21] = true;
    fill(p, COMMAND_ROW, "COMMAND ===>");
    fill(p, 23, "PF1=HELP 3=END 7=BACK 8=FORWARD 9=SYSTEM 10=USER 11=IO 12=LOG");
    return top;
}

static int pf_of(uint8_t aid)
{
    static const uint8_t aids[24] = {0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
                                     0xf9, 0x7a, 0x7b, 0x7c, 0xc1, 0xc2, 0xc3, 0xc4,
                                     0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c};

    if (aid == AID_ENTER)
        return 0;
    if (aid == AID_CLEAR)
        return -1;
    for (int i = 0; i < 24; i++)
        if (aids[i] == aid)
            return i + 1;
    return -2;
}

void rtm_input(struct rtm_input *in, const uint8_t *data, size_t len)
{
    size_t at = 3;

    memset(in, 0, sizeof(*in));
    in->pf = len ? pf_of(data[0]) : -2;
    while (at < len && data[at] != ORDER_SBA)
        at++;
    for (at += 3; at < len && data[at] != ORDER_SBA && in->len < RTM_WIDTH; at++)
        if (data[at])
            in->text[in->len++] = (char)data[at];
}
