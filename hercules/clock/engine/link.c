/* SPDX-License-Identifier: MIT */
/* One direction of a link: when a frame gets across, and in what state. hercules/wire/link.py is
 * the same for a wire on the host's clock; tests hold the two against each other. */
#include "engine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MIN  14
#define ROUNDING_S 1e-9
#define TYPE_IP   0x0800
#define TYPE_ARP  0x0806

int64_t (*line_waiting)(void *line, double now);
double (*line_send)(void *line, const uint8_t *frame, uint32_t length, double now,
                    int64_t *damaged);
static struct transit *line_copies;
static int line_count;

/* What any frame takes at least; less by what arithmetic may lose. */
static uint64_t least(const struct profile *p)
{
    double seconds = profile_seconds(p, FRAME_MIN) + p->delay - ROUNDING_S;

    return seconds > 0 ? (uint64_t)(seconds * PS) : 0;
}

void direction_set(struct direction *d, const struct profile *p, struct medium *m)
{
    d->profile = *p;
    d->medium = m;
    d->plain = !(p->rate || p->delay || p->loss || p->duplication || p->reordering
                 || p->bit_errors);
    d->least = least(p);
}

double profile_seconds(const struct profile *p, int64_t length)
{
    if (!p->rate)
        return 0;
    return (double)(((length > p->min_frame ? length : p->min_frame) + p->overhead) * 8) / p->rate;
}

static int64_t byte_bits(const struct direction *d)
{
    return d->profile.char_bits ? d->profile.char_bits : 8;
}

/* Bytes accepted and not yet on the medium, as time on the medium says. */
static int64_t backlog(const struct direction *d, double now)
{
    double waiting = d->finish - now;

    return waiting > 0 ? (int64_t)(waiting * d->profile.rate / (double)byte_bits(d)) : 0;
}

double direction_ready_at(const struct direction *d, int64_t waiting)
{
    if (!d->profile.rate)
        return 0;
    return d->finish - (double)(waiting * byte_bits(d)) / d->profile.rate;
}

static void count_drop(struct direction *d, int reason, int64_t n)
{
    int i = 0;

    while (i < d->drop_kinds && d->drop_order[i] != reason)
        i++;
    if (i == d->drop_kinds)
        d->drop_order[d->drop_kinds++] = reason;
    d->dropped[reason] += n;
}

static int drop(struct direction *d, int reason)
{
    count_drop(d, reason, 1);
    return 0;
}

void direction_drop_late(struct direction *d, const struct frame *f, int reason)
{
    d->crossed--;
    d->crossed_bytes -= f->length;
    count_drop(d, reason, 1);
}

static int happens(struct direction *d, int effect, double probability)
{
    return probability > 0 && chance_draw(d->chance[effect]) < probability;
}

/* A frame that comes in bit by bit can leave bit by bit: two links of one rate cost its time
 * once. */
static void occupy(struct direction *d, int64_t length, double *begun, double *done)
{
    double seconds = profile_seconds(&d->profile, length);

    if (!seconds)
        return;
    if (d->profile.store_and_forward)
        *begun = *done;
    *begun = fmax(*begun, d->medium->busy_until);
    *done = fmax(*done, *begun + seconds);
    d->medium->busy_until = d->finish = *done;
}

/* The frame as it arrives; NULL if it is thrown away. */
static struct frame *damage(struct direction *d, struct frame *f)
{
    double p = d->profile.bit_errors;
    int64_t bits = (int64_t)f->length * 8, at = -1;
    struct frame *damaged = NULL;

    if (!p)
        return frame_share(f);
    for (;;) {
        /* the distance to the next error is geometric, so a clean frame costs one draw */
        if (p < 1) {
            double skip = log(1 - chance_draw(d->chance[BIT_ERRORS])) / log(1 - p);
            at += 1 + (int64_t)fmin(skip, (double)bits);
        } else {
            at++;
        }
        if (at >= bits)
            break;
        if (!damaged)
            damaged = frame_new(f->data, f->length);
        damaged->data[at >> 3] ^= 0x80 >> (at & 7);
    }
    if (!damaged)
        return frame_share(f);
    d->damaged++;
    if (!d->profile.check_sequence)
        return damaged;
    frame_drop(damaged);
    return NULL;
}

void line_came(double begun, double done, const uint8_t *frame, uint32_t length)
{
    if (line_count < COPIES)
        line_copies[line_count++] = (struct transit){begun, done, frame_new(frame, length), 0};
}

/* A packet is on the line when it has come whole to the line's end. ARP is answered on both sides
 * for the other one and costs nothing: PPP has none. */
static int over_line(struct direction *d, const struct transit *sent,
                     struct transit copies[COPIES])
{
    const struct profile *p = &d->profile;
    const struct frame *f = sent->frame;
    int64_t waits, damaged = 0;

    if (!frame_is(f, TYPE_IP))
        return drop(d, DROP_PROTOCOL);
    if (p->queue_frames && line_waiting(d->line, sent->done) >= p->queue_frames)
        return drop(d, DROP_QUEUE);
    waits = backlog(d, sent->done) + f->length;
    if (waits > p->queue)
        return drop(d, DROP_QUEUE);
    if (waits > d->queue_high_water)
        d->queue_high_water = waits;
    if (happens(d, LOSS, p->loss))
        return drop(d, DROP_LOSS);
    line_copies = copies;
    line_count = 0;
    d->finish = line_send(d->line, f->data, f->length, sent->done, &damaged);
    d->damaged += damaged;
    /* one that was counted as lost may yet come whole, with the next one's flag */
    count_drop(d, DROP_CHECK, 1 - line_count);
    for (int i = 0; i < line_count; i++) {
        copies[i].begun += p->delay;
        copies[i].done += p->delay;
        copies[i].late = sent->late;
        d->crossed++;
        d->crossed_bytes += copies[i].frame->length;
    }
    return line_count;
}

/* The copies that arrive, each of which has a user of its frame more. */
int direction_offer(struct direction *d, const struct transit *sent, int64_t room, int there,
                    struct transit copies[COPIES])
{
    const struct profile *p = &d->profile;
    int64_t length = sent->frame->length, waits;
    double begun = sent->begun, done = sent->done;
    int wanted = 1, late, count = 0;

    d->offered++;
    d->offered_bytes += length;
    if (!there)
        return drop(d, DROP_GONE);
    if (length > room)
        return drop(d, DROP_QUEUE);
    if (d->cut)
        return drop(d, DROP_CUT);
    if (length > p->mtu + FRAME_MIN)
        return drop(d, DROP_MTU);
    if (d->plain || (d->line && frame_is(sent->frame, TYPE_ARP))) {
        d->crossed++;
        d->crossed_bytes += length;
        copies[0] = *sent;
        frame_share(sent->frame);
        return 1;
    }
    if (d->line)
        return over_line(d, sent, copies);
    waits = backlog(d, begun) + length;
    if (waits > p->queue)
        return drop(d, DROP_QUEUE);
    if (waits > d->queue_high_water)
        d->queue_high_water = waits;
    occupy(d, length, &begun, &done);
    if (happens(d, LOSS, p->loss)) {
        count_drop(d, DROP_LOSS, 1);
        wanted--;
    }
    if (happens(d, DUPLICATION, p->duplication)) {
        d->duplicated++;
        if (wanted) {
            occupy(d, length, &begun, &done);
            wanted++;
        } else {
            count_drop(d, DROP_LOSS, 1);
        }
    }
    late = happens(d, REORDERING, p->reordering);
    for (int i = 0; i < wanted; i++) {
        struct frame *arrives = damage(d, sent->frame);
        double held = p->delay + (late ? p->reorder_delay : 0);

        if (!arrives) {
            count_drop(d, DROP_CHECK, 1);
            continue;
        }
        d->crossed++;
        d->crossed_bytes += length;
        d->reordered += late;
        copies[count++] =
            (struct transit){begun + held, done + held, arrives, late || sent->late};
    }
    return count;
}
