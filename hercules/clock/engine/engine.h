/* SPDX-License-Identifier: MIT */
/* A world: emulators, the LAN between them and the order of what happens
 * (docs/reference/clock.md). Python (hercules/clock/native.py) owns it and is asked for what
 * concerns it: scripts, stations, captures, the end. */
#ifndef VMKB_ENGINE_H
#define VMKB_ENGINE_H

#include "channel.h"
#include <stddef.h>
#include <stdint.h>

#define NEVER   UINT64_MAX
#define PS      1e12                   /* picoseconds in a second */
#define NODES   64
#define CHUNK   1000000000000ULL       /* an emulator is heard of so often at least */

/* Where storage ends: nothing here can go on without it. */
void *must(void *storage);

/* Sequences of words, which grow; taken from the front, added behind. */
union word {
    void *pointer;
    double time;
    int64_t number;
};
struct words {
    union word *at;
    size_t first, count, room;
};
void words_add(struct words *w, union word x);
union word words_take(struct words *w);
union word *words_at(const struct words *w, size_t i);
void words_clear(struct words *w);

/* A heap of things of one SIZE: the first by BEFORE is at its top. */
struct heap {
    char *at;
    size_t size, count, room;
    int (*before)(const void *a, const void *b);
};
void heap_push(struct heap *h, const void *thing);
void heap_pop(struct heap *h, void *thing);

/* Frames: Ethernet frames without check sequence, and other bytes. Several places may have one. */
struct frame {
    uint32_t users, length;
    uint8_t data[];
};
struct frame *frame_new(const void *data, uint32_t length);
struct frame *frame_of(uint32_t length);
struct frame *frame_share(struct frame *f);
void frame_drop(struct frame *f);
int frame_is(const struct frame *f, uint16_t type);

/* Draws as Python's random.Random makes them (Mersenne Twister, 53 bits). */
struct chance {
    uint32_t state[624];
    int at;
};
double chance_draw(struct chance *c);

/* Links */
enum { LOSS, DUPLICATION, REORDERING, BIT_ERRORS, EFFECTS };
enum { DROP_GONE, DROP_QUEUE, DROP_CUT, DROP_MTU, DROP_LOSS, DROP_CHECK, DROP_PROTOCOL,
       DROP_REFUSED, DROPS };

struct profile {                       /* hercules/wire/profile.py says what they mean */
    double rate, delay, loss, duplication, reordering, reorder_delay, bit_errors;
    int64_t queue, mtu, overhead, min_frame, char_bits, queue_frames;
    int32_t check_sequence, shared, half_duplex, store_and_forward;
};
struct medium {
    double busy_until;
    struct bridge *bridge;
};
struct direction {
    int64_t offered, offered_bytes, crossed, crossed_bytes, duplicated, reordered, damaged;
    int64_t queue_high_water, dropped[DROPS];
    int32_t drop_order[DROPS], drop_kinds;
    int32_t cut, plain;
    double finish;
    uint64_t least;                    /* ps that any frame takes */
    struct profile profile;
    struct medium *medium;
    struct chance *chance[EFFECTS];
    void *line;                        /* Python's, if it is an asynchronous line */
};
struct transit {
    double begun, done;
    struct frame *frame;
    int late;
};
#define COPIES 8
void direction_set(struct direction *d, const struct profile *p, struct medium *m);
int direction_offer(struct direction *d, const struct transit *sent, int64_t room, int there,
                    struct transit copies[COPIES]);
void direction_drop_late(struct direction *d, const struct frame *f, int reason);
double direction_ready_at(const struct direction *d, int64_t backlog);
double profile_seconds(const struct profile *p, int64_t length);

/* A line's ends are Python's: how many packets wait; send one, and say what came (line_came). */
extern int64_t (*line_waiting)(void *line, double now);
extern double (*line_send)(void *line, const uint8_t *frame, uint32_t length, double now,
                           int64_t *damaged);
void line_came(double begun, double done, const uint8_t *frame, uint32_t length);

/* Ports and the LAN */
struct port {
    int index, connected, followed, python, gone;
    int64_t queued_bytes, number, taken_frames, taken_bytes, in_flight, in_flight_bytes;
    int64_t expected_bytes;
    double last_arrival;
    struct direction up, down;
    struct words queue, ends, due, last_at, expected;
    struct port *towards[NODES];
    int towards_count, woken;
    struct adapter *adapter;
    struct lan *lan;
};
struct bridge {
    struct medium *medium;
    struct words waiting;              /* a port and a transit for each */
    int64_t bytes;
    int sending;
};
struct crossing {                      /* in the LAN's heap */
    double at;
    uint64_t order;
    struct port *target, *sender;
    struct bridge *bridge;
    struct transit transit;
};
#define COMING 256                     /* so many are looked at one by one */
struct address {
    uint8_t mac[6];
    struct port *port;
};
struct lan {
    struct port *ports[NODES];         /* in the order in which they came */
    int port_count;
    int64_t filtered;
    struct address *addresses;
    int address_count;
    struct heap crossings;
    uint64_t order;
    struct {
        char name[64];
        struct medium *medium;
    } media[NODES];
    int media_count, indices;
    void (*watch)(double time, int port, const uint8_t *frame, uint32_t length);
    struct words woken;                /* ports of Python's that have something */
};
struct port *lan_attach(struct lan *lan, int python);
void lan_detach(struct port *port);
void lan_disconnect(struct port *port);
void lan_cut(struct port *port, int cut);
void lan_set_profile(struct port *port, const struct profile *profile, const char *name);
void lan_ingress(struct port *port, struct frame **frames, int count, double now, int together);
void lan_poll(struct lan *lan, double now);
void lan_init(struct lan *lan);
double lan_due(const struct lan *lan);
int lan_coming(const struct port *p, const struct crossing *found[COMING]);
int port_take(struct port *p, int64_t room, int64_t per_frame, int together, struct words *into);
int port_take_block(struct port *p, int64_t room, int64_t gathered, int64_t per_frame,
                    struct words *into);
int64_t port_whole(const struct port *p);
int port_held(const struct port *p);
void port_refuse(struct port *p, struct frame *f);
void port_end_block(struct port *p);

/* A station for a guest that knows IP packets only */
struct station;
struct station *station_new(void);
void station_free(struct station *s);
void station_sent(struct station *s, const uint8_t *packet, uint32_t length, struct words *out);
struct frame *station_came(struct station *s, const struct frame *f, struct words *out);

/* Blocks: the frames in one, or -1 */
int block_frames(const uint8_t *block, uint32_t length, struct words *out);
int ctcm_packets(const uint8_t *block, uint32_t length, struct words *out);
#define PAGED     0x6006               /* the type of gms_net's frames */
#define CTCM_HEAD 6
#define CTCM_PACKET_MAX (32768 - 2 - CTCM_HEAD)

/* The world */
enum { KIND_GRANT = 'G', KIND_BLOCK = 'B', KIND_DONE = 'D', KIND_FORK = 'F', KIND_LOST = 'L',
       KIND_ASK = 'A', KIND_WRITE = 'W', KIND_TAKEN = 'R', KIND_TYPED = 'C', KIND_SENT = 'T',
       KIND_SEEN = 'k', KIND_STOPPED = 'X', KIND_RESET = 'Z', KIND_FORKED = 'f' };
enum { RANK_SCRIPT, RANK_STATION, RANK_BLOCK };
enum why { UNTIL, NOTHING, HEARD, DUE, WOKEN, LOOK, SILENT, STANDS, LATE, BREATH };

struct message {                       /* from an emulator */
    uint64_t time;
    uint32_t node, kind, device, length;
    const uint8_t *content;
};
struct node {
    uint64_t now, next, instructions, began;
    int32_t running, ended, stopped, index;
    uint64_t heard_by_python;          /* a bit for each of the kinds, by their low six bits */
    struct channel *channel;
    struct adapter *adapter;
    const uint8_t *awaited;            /* of what its operator sees only this counts */
    uint32_t awaited_length;
    char name[64];
    struct world *world;
    uint64_t granted;                  /* nothing may come for it before then */
    uint64_t *sent;                    /* bytes to each terminal, by its device */
};
struct event {
    uint64_t time, order;
    uint32_t rank, who;
    struct adapter *adapter;
    struct message message;            /* what has its effect now, content its own */
    struct words frames;               /* or frames that go out */
    enum {
        EVENT_SAID,                    /* to the adapter */
        EVENT_TOLD,                    /* Python is told */
        EVENT_LOOK,                    /* Python looks */
        EVENT_END_WRITE,
        EVENT_FRAMES
    } kind;
};
struct world {
    uint64_t now, rounds, lookahead;
    uint64_t script;                   /* ps until Python is told */
    uint64_t longest;                  /* an emulator works so long at most before it is heard of */
    uint32_t node_count;
    int32_t silent, look;              /* which node is; whether Python looks first */
    uint64_t due;                      /* when that is for which Python was called */
    struct message told;               /* to Python */
    struct node *nodes[NODES];
    struct lan lan;
    struct heap events;
    uint64_t order;
    int gathering;                     /* emulators have time; else it happens what they said */
    int telling, late;                 /* Python is told; somebody was told something too late */
    uint32_t gathered, since_breath;
    struct line *lines;                /* of the trace, in the order in which they were heard */
    size_t line_count, line_room;
    char *trace;                       /* those that nothing earlier can follow, in order */
    size_t trace_length, trace_room;
};
uint64_t world_floor(const struct world *w);
void world_event(struct world *w, struct event e);
void world_look(struct world *w);
int channel_waits(struct channel *c, uint32_t turn, double seconds);
void channel_give(struct channel *c, uint32_t turn);
void node_tell(struct node *n, int kind, uint64_t time, const void *head, uint32_t head_length,
               const void *content, uint32_t length);
double world_seconds(const struct world *w);
uint64_t picoseconds(double time);
void trace_message(struct world *w, const struct message *m);
void trace_until(struct world *w, uint64_t time);

/* The adapter of a guest: two devices */
struct adapter {
    int64_t blocks_in, blocks_out, bad_blocks;
    struct node *node;
    struct port *port;
    struct station *station;           /* for packets; else it carries frames */
    uint16_t write_device, read_device;
    int reads, writes;
    int64_t given;
    size_t ahead;                      /* of what is yet to arrive the guest knows so much */
};
uint64_t adapter_ahead(struct adapter *a, uint64_t limit);
void adapter_lost(struct adapter *a);
void adapter_wake(struct adapter *a);
void adapter_heard(struct adapter *a, const struct message *m);
void adapter_written(struct adapter *a, const struct message *m);
void adapter_end_write(struct adapter *a);
#endif
