/* SPDX-License-Identifier: QPL-1.0 */
/* LANCTC: a channel-to-channel adapter on virtual time (virtual.c). Two devices a guest: one writes
 * blocks for the LAN, whose WRITE ends when the other end says so; the other reads the frames that
 * have arrived, as many as a block holds. Its READ waits for the first. The configuration says
 * what a block looks like:
 *     0501 LANCTC lan   u32 length of the block, then frames, each behind a u16 length
 *     0E20 LANCTC ctcm  u16 length of the block, then packets with the six bytes of Linux' ctcm
 * A frame comes from the clock's socket as it stands in a block.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "devtype.h"
#include "virtual.h"

#define PAGE 4096
#define PAIRS 16

struct frame {
    struct frame *next;
    U32 length;
    BYTE data[];
};

static struct port {
    DEVBLK *dev;
    int ctcm;
    struct frame *first, **last;
    int reading, writing, written, greeted;
} ports[PAIRS];
static int port_count;

static struct port *port_of(DEVBLK *dev)
{
    for (int i = 0; i < port_count; i++)
        if (ports[i].dev == dev)
            return &ports[i];
    return NULL;
}

/* Bit 7: CONTROL, NO-OPERATION, SET EXTENDED MODE and the like have no data here. */
static BYTE immediate[256];

static void arrive(DEVBLK *dev, const BYTE *data, U32 length)
{
    struct port *port = port_of(dev);
    struct frame *frame;

    if (!port)
        return;
    frame = malloc(sizeof(*frame) + length);
    if (!frame)
        return;
    frame->next = NULL;
    frame->length = length;
    memcpy(frame->data, data, length);
    *port->last = frame;
    port->last = &frame->next;
    if (port->reading)
        virtual_resume(dev);
}

static void written(DEVBLK *dev)
{
    struct port *port = port_of(dev);

    if (!port || !port->writing)
        return;
    port->written = 1;
    virtual_resume(dev);
}

static void let_go(struct port *port, struct frame *frame)
{
    port->first = frame->next;
    if (!port->first)
        port->last = &port->first;
    free(frame);
}

/* Frames of type X'6006' have a head of 60 bytes, and pages behind it. An adapter puts these on
 * pages of storage of their own, behind the block. Byte 14 says how many, byte 15 where. */
static U32 pages_of(const struct frame *frame)
{
    const BYTE *f = frame->data + 2;

    if (frame->length < 62 || f[12] != 0x60 || f[13] != 0x06 || !f[14] || f[14] > 2
        || frame->length != 62 + f[14] * (U32)PAGE)
        return 0;
    return f[14];
}

/* The next block: all that has arrived, as far as it fits. */
static U32 make_block(struct port *port, BYTE *to, U32 room, U32 *frames, U32 *bytes)
{
    U32 head = port->ctcm ? 2 : 4, at = head, pages = 0, end, first;
    BYTE *behind = NULL;

    *frames = *bytes = 0;
    /* how far the heads go has to be known before the pages can be placed */
    for (struct frame *f = port->first; f; f = f->next) {
        U32 more = port->ctcm ? 0 : pages_of(f), own = f->length - more * PAGE;
        U32 all = at + own + (more || pages ? (pages + more + 1) * PAGE : 0);

        if (all > room && *frames)
            break;
        at += own;
        pages += more;
        ++*frames;
    }
    end = at;
    first = (end + PAGE - 1) / PAGE;
    if (pages) {
        memset(to + end, 0, first * PAGE - end);
        behind = to + first * PAGE;
    }
    at = head;
    pages = 0;
    for (U32 n = 0; n < *frames; n++) {
        struct frame *f = port->first;
        U32 more = port->ctcm ? 0 : pages_of(f), own = f->length - more * PAGE;

        if (at + own > room)
            own = room - at;           /* longer than any block: the guest sees a bad length */
        memcpy(to + at, f->data, own);
        if (more) {
            to[at] = (BYTE)((own - 2) >> 8);
            to[at + 1] = (BYTE)(own - 2);
            to[at + 2 + 15] = (BYTE)(first + pages);
            memcpy(behind + pages * PAGE, f->data + own, more * PAGE);
            pages += more;
        }
        *bytes += f->length;
        at += own;
        let_go(port, f);
    }
    if (port->ctcm) {
        to[0] = (BYTE)(end >> 8);
        to[1] = (BYTE)end;
    } else {
        store_fw(to, end);
    }
    return pages ? first * PAGE + pages * PAGE : end;
}

static int init(DEVBLK *dev, int argc, char *argv[])
{
    struct port *port;

    if (!virtual_on || argc != 1 || port_count == PAIRS) {
        logmsg("HHCVM003E %4.4X: a LANCTC device needs virtual time and one word, lan or ctcm\n",
               dev->devnum);
        return -1;
    }
    port = &ports[port_count++];
    port->dev = dev;
    port->ctcm = strcmp(argv[0], "ctcm") == 0;
    port->last = &port->first;
    dev->devtype = 0x3088;
    dev->bufsize = 65536;
    dev->numsense = 2;
    dev->cdwmerge = 1;
    dev->numdevid = 7;
    memcpy(dev->devid, "\xFF\x30\x88\x08\x30\x88\x01", 7);
    virtual_arrive = arrive;
    virtual_written = written;
    return 0;
}

static int finish(DEVBLK *dev)
{
    UNREFERENCED(dev);
    return 0;
}

static void query(DEVBLK *dev, char **class, int buflen, char *buffer)
{
    BEGIN_DEVICE_CLASS_QUERY("CTCA", dev, class, buflen, buffer);
    snprintf(buffer, (size_t)buflen, "LANCTC");
}

/* A channel program begins: what an earlier one left behind when it was cleared counts no more. */
static void begin(DEVBLK *dev)
{
    struct port *port = port_of(dev);

    port->reading = port->writing = port->written = 0;
}

static void give(BYTE *iobuf, U16 count, const BYTE *data, U16 length, BYTE *more, U16 *residual)
{
    U16 n = count < length ? count : length;

    memcpy(iobuf, data, n);
    *residual = (U16)(count - n);
    if (count < length)
        *more = 1;
}

static void execute(DEVBLK *dev, BYTE code, BYTE flags, BYTE chained, U16 count, BYTE prevcode,
                    int ccwseq, BYTE *iobuf, BYTE *more, BYTE *unitstat, U16 *residual)
{
    static const BYTE nothing[2];
    struct port *port = port_of(dev);
    U32 frames, bytes, length;

    UNREFERENCED(flags);
    UNREFERENCED(chained);
    UNREFERENCED(prevcode);
    UNREFERENCED(ccwseq);
    *unitstat = CSW_CE | CSW_DE;
    *residual = 0;
    switch (code) {
    case 0x01:                         /* WRITE */
        if (port->written) {
            port->writing = port->written = 0;
            return;
        }
        if (!port->writing)
            virtual_write(dev, iobuf, count);
        port->writing = 1;
        virtual_park(dev);
        return;
    case 0x02:                         /* READ */
        if (port->ctcm && !port->greeted) {
            port->greeted = 1;
            virtual_taken(dev, 0, 0);
            give(iobuf, count, (const BYTE *)"\0\2", 2, more, residual);
            return;
        }
        if (!port->first) {
            if (!port->greeted)
                virtual_taken(dev, 0, 0);
            port->reading = port->greeted = 1;
            virtual_park(dev);
            return;
        }
        port->reading = 0;
        length = make_block(port, iobuf, count, &frames, &bytes);
        virtual_taken(dev, frames, bytes);
        *residual = (U16)(count - length);
        return;
    case 0x04:                         /* SENSE */
        give(iobuf, count, dev->sense, 2, more, residual);
        memset(dev->sense, 0, sizeof(dev->sense));
        return;
    case 0x14:                         /* SENSE COMMAND BYTE */
        give(iobuf, count, nothing, 1, more, residual);
        return;
    case 0xE4:                         /* SENSE ID */
        give(iobuf, count, dev->devid, (U16)dev->numdevid, more, residual);
        return;
    case 0xC3:                         /* SET EXTENDED MODE: Linux starts the device anew */
        port->greeted = 0;
        *residual = count;
        return;
    case 0x03: case 0x07: case 0x0B: case 0xE3: case 0x43:
        *residual = count;
        return;
    default:
        dev->sense[0] = SENSE_CR;
        *unitstat = CSW_CE | CSW_DE | CSW_UC;
    }
}

static DEVHND handlers = {
    &init, &execute, &finish, &query, &begin, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    immediate, NULL, NULL, NULL, NULL
};

HDL_DEPENDENCY_SECTION;
{
    HDL_DEPENDENCY(HERCULES);
    HDL_DEPENDENCY(DEVBLK);
    HDL_DEPENDENCY(SYSBLK);
    immediate[0x03] = immediate[0x07] = immediate[0x0B] = immediate[0xC3] = immediate[0xE3] =
        immediate[0x43] = 1;
}
END_DEPENDENCY_SECTION

HDL_DEVICE_SECTION;
{
    HDL_DEVICE(LANCTC, handlers);
}
END_DEVICE_SECTION
