/* SPDX-License-Identifier: MIT */
/* A virtual 3215: its channel programs write lines on the machine's terminal and read what is typed
 * there. A program goes as far as the terminal has room; the machine waits for more. */
#include "sie.h"
#include "ctype.h"
#include "lib.h"

#define CMD_WRITE       0x01
#define CMD_NOP         0x03
#define CMD_SENSE       0x04
#define CMD_TIC         0x08
#define CMD_WRITE_CR    0x09
#define CMD_READ        0x0a
#define CMD_ALARM       0x0b
#define CMD_SENSE_ID    0xe4
#define NEW_LINE        0x15
static const uint8_t sense_id[] = {0xff, 0x32, 0x15, 0x00, 0x32, 0x15, 0x00};

static struct subchannel *subchannel_of(struct sie *s)
{
    for (unsigned i = 0; i < SIE_DEVICES; i++)
        if (s->subchannels[i].driver == &console_driver)
            return &s->subchannels[i];
    return 0;
}

/* Linux and the terminals here disagree about four characters. */
static char ours(uint8_t c)
{
    switch (c) {
    case 0xba: return (char)0xad;
    case 0xbb: return (char)0xbd;
    case 0xb0: return (char)0x5f;
    case 0x5f: return (char)0xb0;
    default: return c < 0x40 ? ' ' : (char)c;
    }
}

static uint8_t theirs(char c)
{
    switch ((uint8_t)c) {
    case 0xad: return 0xba;
    case 0xbd: return 0xbb;
    case 0x5f: return 0xb0;
    case 0xb0: return 0x5f;
    default: return (uint8_t)c;
    }
}

static void flush(struct sie *s)
{
    s->vm->console_lines++;
    console_line(s->vm, s->text, s->text_len, 0);
    s->text_len = 0;
}

static void write(struct sie *s, const uint8_t *text, uint16_t len)
{
    for (uint16_t i = 0; i < len; i++) {
        if (text[i] == NEW_LINE || s->text_len == sizeof(s->text))
            flush(s);
        if (text[i] != NEW_LINE)
            s->text[s->text_len++] = ours(text[i]);
    }
}

/* The first line typed goes to the read that waits. */
static void read_line(struct sie *s, struct subchannel *c)
{
    struct vm *vm = s->vm;
    const struct line *l = &vm->stacked[vm->stack_head];
    struct guest_ccw ccw;
    uint8_t *to;
    uint16_t n;

    c->reads = c->announced = 0;
    if (!fetch_command(s, c->orb_flags, c->at, &ccw)
        || !(to = guest_absolute(s, ccw.data, ccw.count))) {
        io_end(s, c, c->at + 8, ENDED, CSTAT_PROGRAM, 0);
        return;
    }
    n = l->len < ccw.count ? l->len : ccw.count;
    for (uint16_t i = 0; i < n; i++)
        to[i] = theirs(l->text[i]);
    vm->stack_head = (uint8_t)((vm->stack_head + 1) % VM_STACKED);
    vm->stack_count--;
    io_end(s, c, c->at + 8, ENDED,
           n < ccw.count && !(ccw.flags & CCW_SLI) ? CSTAT_LENGTH : 0, (uint16_t)(ccw.count - n));
}

/* One command. False: the program does not go on behind it. */
static bool command(struct sie *s, struct subchannel *c, uint32_t at, const struct guest_ccw *ccw)
{
    uint8_t *data = guest_absolute(s, ccw->data, ccw->count);
    uint16_t left = 0;

    if (!data || (ccw->flags & CCW_IDA)) {
        io_end(s, c, at + 8, ENDED, CSTAT_PROGRAM, ccw->count);
        return false;
    }
    switch (ccw->code) {
    case CMD_WRITE:
    case CMD_WRITE_CR:
        write(s, data, ccw->count);
        if (!(ccw->flags & CCW_CC) && s->text_len)
            flush(s);
        break;
    case CMD_NOP:
    case CMD_ALARM:
        left = ccw->count;
        break;
    case CMD_SENSE:
        memset(data, 0, ccw->count);
        data[0] = c->sense;
        c->sense = 0;
        break;
    case CMD_SENSE_ID:
        left = ccw->count > sizeof(sense_id) ? (uint16_t)(ccw->count - sizeof(sense_id)) : 0;
        memcpy(data, sense_id, ccw->count - left);
        break;
    case CMD_READ:
        c->reads = 1;
        c->at = at;
        if (s->vm->stack_count)
            read_line(s, c);
        return false;
    default:
        c->sense = SENSE_REJECT;
        io_end(s, c, at + 8, ENDED | DSTAT_UNIT_CHECK, 0, ccw->count);
        return false;
    }
    if (ccw->flags & CCW_CC)
        return true;
    io_end(s, c, at + 8, ENDED, left && !(ccw->flags & CCW_SLI) ? CSTAT_LENGTH : 0, left);
    return false;
}

static void start(struct sie *s, struct subchannel *c, uint32_t orb_flags, uint32_t at)
{
    struct guest_ccw ccw;

    c->orb_flags = orb_flags;
    for (unsigned n = 0; n < SIE_CHAIN; n++, at += 8) {
        if (!console_room(s->vm)) {
            c->at = at; /* from here it goes on */
            s->output = 1;
            return;
        }
        if (!fetch_command(s, orb_flags, at, &ccw))
            break;
        if (ccw.code == CMD_TIC) {
            at = ccw.data - 8;
            continue;
        }
        if (!command(s, c, at, &ccw))
            return;
    }
    io_end(s, c, at + 8, 0, CSTAT_PROGRAM, 0);
}

void console_resume(struct sie *s)
{
    struct subchannel *c = subchannel_of(s);

    s->output = 0;
    if (c && (c->scsw.flags & SCSW_WORKS))
        start(s, c, c->orb_flags, c->at);
}

void console_typed(struct sie *s)
{
    struct subchannel *c = subchannel_of(s);

    if (!c || !s->vm->stack_count)
        return;
    if (c->reads)
        read_line(s, c);
    else if (!c->announced)
        c->announced = io_alert(s, c, DSTAT_ATTENTION);
}

static bool clear(struct sie *s, struct subchannel *c)
{
    c->reads = c->announced = 0;
    s->output = 0;
    return true;
}

const struct sie_driver console_driver = {start, clear};
