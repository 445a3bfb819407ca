/* SPDX-License-Identifier: MIT */
/*
 * The console screen of a virtual machine, 24x80 or as large as the terminal says: pure logic, no
 * hardware and no clock.
 * The channel I/O glue feeds it events and starts the channel programs it asks for:
 *
 *   device end             display_connected()
 *   attention              display_attention() (also when it comes while I/O is in flight)
 *   after any call         while the device is idle and display_next() is true, start io
 *   I/O ended              display_done(); when io.ccw was DISPLAY_CCW_READ_MODIFIED and it went
 *                          well also display_input() with io.data and count - residual
 *   at display_deadline()  display_tick() (display_next() does it too)
 *
 * Times are microseconds of any clock that does not go back. All text is EBCDIC: 00-3F and FF
 * are control characters. One I/O at a time. Nothing here allocates, waits or fails silently.
 * Screen layout and status words: see display_build.c.
 */
#ifndef VMKB_DISPLAY_H
#define VMKB_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISPLAY_COLUMNS = 80, DISPLAY_ROWS = 24,    /* of the logo, and of who says nothing else */
    DISPLAY_COLUMNS_MAX = 160, DISPLAY_ROWS_MAX = 62,
    DISPLAY_BELOW = 2,          /* rows below the output: input and status */
    DISPLAY_QUEUE = 128,        /* output rows that may wait; a power of two */
    DISPLAY_ECHO_RESERVE = 4,   /* of them kept for echoes, so that input never needs output room */
    DISPLAY_LINE_MAX = 1760,    /* bytes of one display_write: one screenful */
    DISPLAY_INPUT_MAX = 240,    /* cells of the input field: 139 of 80 columns, two rows of more */
    DISPLAY_RECALL = 8,         /* lines that RETRIEVE remembers; a power of two */
    DISPLAY_PF_TEXT = 64,       /* bytes of text behind a PF key */
    DISPLAY_PF_KEYS = 24,
    DISPLAY_IO_MAX = 12288,     /* bytes of one channel program, full-screen data included */
    DISPLAY_SYSNAME_MAX = 7,    /* cells for the system name after the status */
    DISPLAY_LOGO_LINES = 20,
};

#define DISPLAY_NEVER UINT64_MAX            /* display_deadline(): no timer runs */
#define DISPLAY_NOT_ACCEPTED_US 3000000u    /* how long NOT ACCEPTED stays (general VM knowledge) */
/* A key seen sooner than this after a write ended cannot be an answer to it: it was pressed before
   the user saw the lines (inferred; Hercules reports a key only after the write's own status). */
#define DISPLAY_RACE_US 1000u
/* On a device that may lose keys (display_rest.c): how long the keyboard waits for the answers to
   a line, less than a person notices; and how far writes keep apart, many times what the device
   needs to pass a key on. */
#define DISPLAY_SETTLE_US 100000u
#define DISPLAY_REST_US 10000u
/* How long a terminal that was asked for its size is waited for: then it has 24 rows of 80. */
#define DISPLAY_ASK_US 1000000u

enum {
    DISPLAY_CCW_WRITE = 0x01,
    DISPLAY_CCW_ERASE_WRITE = 0x05,
    DISPLAY_CCW_READ_MODIFIED = 0x06,
    DISPLAY_CCW_ERASE_ALTERNATE = 0x0d,
    DISPLAY_CCW_STRUCTURED = 0x11,
};

enum { DISPLAY_FULL = -1, DISPLAY_TOO_LONG = -2, DISPLAY_LOST = -3, DISPLAY_INVALID = -4 };

enum { DISPLAY_HIGH = 1, DISPLAY_ALARM = 2 };   /* flags of display_write */

enum display_erase { DISPLAY_KEEP, DISPLAY_ERASE, DISPLAY_ERASE_ALTERNATE };
enum display_mode { DISPLAY_RUNNING, DISPLAY_VM_READ, DISPLAY_CP_READ };

enum display_pf_kind {
    DISPLAY_PF_UNDEFINED, DISPLAY_PF_IMMED, DISPLAY_PF_DELAYED, DISPLAY_PF_RETRIEVE
};

enum display_input_kind {
    DISPLAY_IN_NONE,        /* nothing for the caller */
    DISPLAY_IN_BEGIN,       /* a key on the logo: the screen is now clear and in CP READ */
    DISPLAY_IN_LINE,        /* a line (len 0: null line); valid until display_consumed() */
    DISPLAY_IN_ATTENTION,   /* PA1: the user wants CP */
    DISPLAY_IN_FULLSCREEN,  /* full-screen input as read: AID, cursor, fields; valid until the
                               next display_next() */
    DISPLAY_IN_GONE,        /* the user has hung up: an AID that no key has, from the carrier */
};

struct display_input {
    enum display_input_kind kind;
    bool hidden;            /* the line is a password: do not log or recall it */
    const uint8_t *text;
    size_t len;
};

/* One channel program: a single CCW. data is both what a write sends and where a read goes. */
struct display_io {
    uint8_t ccw;            /* DISPLAY_CCW_* */
    uint8_t *data;
    size_t len;             /* write: bytes to send; read: room (use SLI) */
};

/* Pointers are kept, not copied: what they point to must outlive the display. */
struct display_config {
    const char *sysname;            /* shown after the status; cut at DISPLAY_SYSNAME_MAX */
    const char *const *logo;        /* logo rows from row 1; cut at 80 columns */
    unsigned logo_lines;            /* at most DISPLAY_LOGO_LINES are shown */
    unsigned more_secs, hold_secs;  /* TERM MORE at logon; VM's habit is 50 10 */
    bool hilight;                   /* TERM HILIGHT at logon: echo input at high intensity */
};

struct display_line { uint8_t text[DISPLAY_COLUMNS_MAX], len, flags; };
struct display_pf { uint8_t kind, len, text[DISPLAY_PF_TEXT]; };

/* Everything below is private to cp/display/display*.c; it is here because callers own the
 * storage. */
struct display {
    const struct display_config *config;
    uint8_t screen;                     /* enum display_screen: off, logo, line, full */
    uint8_t rows, cols;                 /* of the screen now: DISPLAY_ROWS at the logo */
    uint8_t most_rows, most_cols;       /* what the terminal has */
    bool extended;                      /* it has colours */
    bool can_ask, asks;                 /* it may be asked for that; it was not yet */
    uint8_t asking;                     /* enum display_asking */
    uint64_t ask_until;
    uint8_t page;                       /* enum display_page: open, MORE..., HOLDING */
    uint8_t mode, row;                  /* requested mode; next free output row, 0..22 */
    uint8_t shown_status, shown_attr;   /* what the device shows now */
    bool hidden, hilight, beeped;       /* beeped: the MORE timer's alarm was given */
    bool busy, reading, stalled;        /* I/O in flight; it is a read; device gave up */
    bool forget;                        /* the I/O in flight is about a screen that is gone */
    bool attention, raced;              /* a key is to be read; pressed before output was seen */
    bool locked, looks; /* by a key, and no write unlocked it since; it was, until the
                           last lines were on the screen: a key comes after them */
    bool paint, mend, clear;            /* next write: rebuild by erase, or around kept rows; or
                                           empty the output rows only */
    bool restore, alarm;                /* next write: unlock the keyboard; sound the alarm */
    bool lossy, settles;                /* display_rest.c: may lose keys; waits for answers */
    bool settling, resting;             /* it waits for some now; a write waits */
    bool input_clear, input_fill;       /* empty the input field, or put fill[] into it */
    bool last_full;                     /* column 80 of the row above is taken by text */
    bool refused;                       /* NOT ACCEPTED is on */
    bool line_held;                     /* a line was handed out and not yet consumed */
    bool logoff;                        /* the logo follows when the page was seen */
    uint8_t fs_erase;                   /* enum display_erase */
    bool fs_pending, fs_sent, fs_lost;
    bool fs_locked;                     /* full-screen input was given, keyboard still locked */
    bool fs_broken;                     /* lines broke into a full screen and were not yet seen */
    uint8_t wrote_row, wrote_rows;      /* rows of the last write that carried lines */
    uint16_t head, count, sent;         /* output ring: oldest, how many, how many in flight */
    uint16_t fs_len;
    uint8_t line_len, fill_len;
    uint8_t recall_next, recall_count, recall_back;
    unsigned more_secs, hold_secs;
    uint64_t more_at, refused_until;    /* when MORE... began; when NOT ACCEPTED ends */
    uint64_t wrote_at;                  /* when the last write that carried lines ended */
    uint64_t ended_at, asked_at;        /* when the last program ended; the waiting one was due */
    uint64_t settle_at, rest_until;
    struct display_line queue[DISPLAY_QUEUE];
    struct display_pf pf[DISPLAY_PF_KEYS];
    uint8_t recall_len[DISPLAY_RECALL];
    uint8_t recall[DISPLAY_RECALL][DISPLAY_INPUT_MAX];
    uint8_t line[DISPLAY_INPUT_MAX], fill[DISPLAY_INPUT_MAX];
    uint8_t io[DISPLAY_IO_MAX];
    uint8_t fs[DISPLAY_IO_MAX];
};

/* --- life: display.c --- */
void display_init(struct display *d, const struct display_config *config);
void display_connected(struct display *d);
void display_refresh(struct display *d);
void display_logoff(struct display *d);
void display_mode(struct display *d, enum display_mode mode, bool hidden);
void display_consumed(struct display *d);
void display_set_more(struct display *d, unsigned more_secs, unsigned hold_secs);
void display_set_hilight(struct display *d, bool on);
void display_tick(struct display *d, uint64_t now);
uint64_t display_deadline(const struct display *d);

/* --- its size, asked for with the first key on the logo: display_size.c --- */
void display_set_asks(struct display *d);
void display_size(const struct display *d, unsigned *rows, unsigned *cols, bool *extended);

/* --- a keyboard that is locked until a line is answered, and a device that may lose keys, too:
 * display_rest.c --- */
void display_set_settles(struct display *d);
void display_set_lossy(struct display *d);

/* --- output: display_queue.c --- */
int display_room(const struct display *d);
int display_write(struct display *d, const uint8_t *text, size_t len, unsigned flags);

/* --- channel programs: display_next.c --- */
void display_attention(struct display *d, uint64_t now);
bool display_next(struct display *d, uint64_t now, struct display_io *io);
void display_done(struct display *d, bool ok, uint64_t now);

/* --- keys: display_input.c, display_pf.c --- */
void display_input(struct display *d, const uint8_t *rm, size_t len, uint64_t now,
                   struct display_input *out);
int display_set_pf(struct display *d, unsigned n, enum display_pf_kind kind,
                   const uint8_t *text, size_t len);
const struct display_pf *display_pf(const struct display *d, unsigned n);

/* --- full-screen guests (DIAGNOSE X'58'): display_fs.c --- */
int display_fs_write(struct display *d, const uint8_t *data, size_t len,
                     enum display_erase erase);
bool display_fs_busy(const struct display *d);
bool display_fs_active(const struct display *d);
bool display_fs_lost(const struct display *d);
void display_fs_end(struct display *d);

#endif
