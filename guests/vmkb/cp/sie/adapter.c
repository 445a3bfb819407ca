/* SPDX-License-Identifier: MIT */
/* A virtual channel-to-channel adapter (cp/io/vctc.c) as a device of a machine: its channel
 * programs go on until a READ or WRITE has to wait for the other end's. The other end is not told
 * of a WRITE by attention: who has a READ waiting always, as drivers in extended mode do, needs
 * none. */
#include "sie.h"
#include "lib.h"
#include "vctc.h"

#define CMD_WRITE        0x01
#define CMD_READ         0x02
#define CMD_NOP          0x03
#define CMD_SENSE        0x04
#define CMD_SET_BASIC    0x43
#define CMD_SET_EXTENDED 0xc3
#define CMD_PREPARE      0xe3
#define CMD_SENSE_ID     0xe4
static const uint8_t sense_id[] = {0xff, 0x30, 0x88, 0x08, 0x00, 0x00, 0x00};

/* One command. False: the program waits, or has ended. */
static bool command(struct subchannel *c)
{
    switch (c->ccw.code) {
    case CMD_NOP:
    case CMD_PREPARE:
    case CMD_SET_BASIC:
    case CMD_SET_EXTENDED:
        return command_ended(c, c->ccw.flags & CCW_SLI ? 0 : (uint16_t)(c->ccw.count - 1));
    case CMD_SENSE: {
        uint8_t sense = c->sense;
        c->sense = 0;
        return command_ended(c, command_answer(c, &sense, 1));
    }
    case CMD_SENSE_ID:
        return command_ended(c, command_answer(c, sense_id, sizeof(sense_id)));
    case CMD_READ:
    case CMD_WRITE:
        if (!command_reachable(c)) {
            io_end(c->sie, c, c->at + 8, 0, CSTAT_PROGRAM, c->ccw.count);
            return false;
        }
        c->adapter->waits = c->ccw.code == CMD_READ ? VCTC_READ_WAITS : VCTC_WRITE_WAITS;
        return false;
    default:
        c->sense = SENSE_REJECT;
        io_end(c->sie, c, c->at + 8, ENDED | DSTAT_UNIT_CHECK, 0, c->ccw.count);
        return false;
    }
}

static void start(struct sie *s, struct subchannel *c, uint32_t orb_flags, uint32_t at)
{
    (void)s;
    c->orb_flags = orb_flags;
    c->at = at;
    c->steps = 0;
    program_run(c, command);
    vctc_meet(c->adapter);
}

static bool clear(struct sie *s, struct subchannel *c)
{
    (void)s;
    c->adapter->waits = VCTC_NOTHING;
    return true;
}

/* The guest may have changed the list since the program began to wait: what is not its own any more
 * is as if it were not there. */
static uint8_t *piece(struct vctc *v, uint32_t done, uint32_t *len)
{
    struct subchannel *c = v->arg;
    uint8_t *at = done < c->ccw.count ? ccw_data(c->sie, &c->ccw, done, len) : 0;

    if (!at)
        *len = 0;
    return at;
}

static void moved(struct vctc *v, uint32_t len)
{
    struct subchannel *c = v->arg;

    v->waits = VCTC_NOTHING;
    if (command_ended(c, (uint16_t)(c->ccw.count - len)))
        program_run(c, command);
}

static const struct sie_driver driver = {start, clear};
static const struct vctc_user user = {piece, moved};

static void add(struct sie *s, struct vctc *v)
{
    struct subchannel *c = io_add(s, v->vaddr, &driver);

    if (!c)
        return;
    c->adapter = v;
    v->arg = c;
    v->user = &user;
}

void adapters_add(struct sie *s)
{
    struct vctc *v;

    for (unsigned i = 0; (v = vctc_of(s->vm, i)) != 0; i++)
        add(s, v);
}

void adapters_gone(struct sie *s)
{
    struct vctc *v;

    for (unsigned i = 0; (v = vctc_of(s->vm, i)) != 0; i++) {
        v->waits = VCTC_NOTHING;
        v->user = 0;
    }
}
