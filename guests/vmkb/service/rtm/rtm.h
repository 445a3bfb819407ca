/* SPDX-License-Identifier: MIT */
/* RTMSF, the real-time monitor: what its files share. A sample of CP's counters every interval, the
 * rates between two samples, and views of them as text. rate.c, text.c, view_*.c, screen.c,
 * command.c, record.c and brief.c are pure. */
#ifndef VMKB_RTM_H
#define VMKB_RTM_H
#include "lib.h"
#include "monitor.h"

#define RTM_HISTORY  120         /* intervals that LOG shows */
#define RTM_WIDTH    79          /* characters of a row; its first cell is a field attribute */
#define RTM_LINES    132         /* lines of a view */
#define RTM_RECORD   320         /* bytes of the longest line of the log, and a zero */
#define RTM_SECONDS_MAX 3600

struct rtm_snapshot {
    struct monitor system;
    unsigned user_count, device_count;
    uint16_t slot[VM_MAX];
    struct monitor user[VM_MAX];
    struct monitor_device device[DEVICES];
};

/* Hundredths of a percent of one engine: by the CPU timer, and under the CPU model in force. */
struct rtm_cpu {
    uint32_t timer, model;
};

struct rtm_user {
    char userid[9];
    struct rtm_cpu total, virt;
    uint64_t instr;              /* per second, CP's for it too */
    uint32_t tv;                 /* TOTCPU / VIRTCPU under the model, hundredths; 0: no VIRTCPU */
    uint64_t io, iucv, console;  /* hundredths per second */
    uint32_t storage;            /* KB */
    uint32_t wait, queue, connected;
    const struct monitor *now;   /* its counters since LOGON */
};

struct rtm_system {
    uint64_t end_us, length_us;  /* since 1970; microseconds */
    char model[9];
    struct rtm_cpu virt, cp, own; /* machines; CP for machines; CP's that is no machine's */
    uint32_t wait;               /* by the CPU timer */
    uint32_t tv;
    uint64_t instr;
    uint64_t io, iucv, console, mdc_reads;  /* hundredths per second */
    uint32_t mdc_hit;            /* hundredths of a percent; RTM_NONE: nothing was read */
    uint32_t storage, pages;     /* hundredths of a percent of so many dynamic pages */
    uint32_t queue[2], users, connected;
    struct rtm_cpu self;         /* the monitor's own cost */
    uint64_t self_instr;         /* in the interval */
};
#define RTM_NONE 0xffffffffU

struct rtm_device {
    uint64_t rate, reads, writes; /* hundredths per second */
    const struct monitor_device *now;
};

struct rtm_interval {
    struct rtm_system system;
    unsigned user_count, device_count;
    struct rtm_user user[VM_MAX];    /* most TOTCPU first */
    struct rtm_device device[DEVICES]; /* those that were ever started, busiest first */
};

struct rtm_history {
    unsigned count, next;
    struct rtm_system past[RTM_HISTORY];
    char line[RTM_HISTORY][RTM_WIDTH + 1];   /* as LOG shows it, once it was shown; else empty */
};

/* A view: its first head lines stay when the rest is paged. Lines and rows are zero to their
 * ends. */
struct rtm_text {
    unsigned head, lines;
    char line[RTM_LINES][RTM_WIDTH + 1];
};

/* rate.c. False: no time passed or the clock went back; take b as the beginning. self: the
 * monitor's userid. out points into b. */
bool rtm_rates(const struct rtm_snapshot *a, const struct rtm_snapshot *b, const char *self,
               struct rtm_interval *out);
uint32_t rtm_busy(const struct rtm_system *s, bool model);
void rtm_remember(struct rtm_history *h, const struct rtm_system *s);
/* 0: the last; or null */
const struct rtm_system *rtm_past(const struct rtm_history *h, unsigned back);

/* text.c */
void rtm_add(struct rtm_text *t, const char *f, ...) LIB_FORMAT(2, 3);
void rtm_copy(struct rtm_text *t, const char line[RTM_WIDTH + 1]);
/* Hundredths right-aligned in width with as many decimals (at most 2) as fit (width 0: just as
 * many); valid for the next 15 calls. */
const char *rtm_num(uint64_t hundredths, unsigned width, unsigned decimals);
void rtm_clock(uint64_t unix_us, char text[9]);  /* hh:mm:ss */
void rtm_date(uint64_t unix_us, char text[11]);  /* yyyy-mm-dd */

/* view_system.c, view_user.c, view_io.c, view_help.c */
void rtm_view_system(struct rtm_text *t, const struct rtm_interval *i, struct rtm_history *h);
void rtm_view_log(struct rtm_text *t, struct rtm_history *h);
void rtm_view_users(struct rtm_text *t, const struct rtm_interval *i);
bool rtm_view_user(struct rtm_text *t, const struct rtm_interval *i, const char *userid);
const char *rtm_wait_word(uint32_t wait);
void rtm_view_io(struct rtm_text *t, const struct rtm_interval *i);
void rtm_view_help(struct rtm_text *t);

/* record.c: lines of the log as docs/reference/formats.md has them */
int rtm_record_system(char text[RTM_RECORD], const struct rtm_system *s);
int rtm_record_user(char text[RTM_RECORD], const struct rtm_system *s, const struct rtm_user *u);

/* command.c */
enum {
    RTM_NOTHING,
    RTM_SYSTEM,
    RTM_USER,
    RTM_ONE_USER,
    RTM_IO,
    RTM_LOG,
    RTM_HELP,
    RTM_INTERVAL,
    RTM_LOG_ON,
    RTM_LOG_OFF,
    RTM_CONSOLE_ON,
    RTM_CONSOLE_OFF,
    RTM_SCREEN,
    RTM_END,
    RTM_QUERY
};
struct rtm_command {
    int what;
    char name[9];                /* userid, or file name */
    char type[9];                /* file type; empty: none given */
    unsigned seconds;
};
/* 0, or the message that says what is wrong with it (in why). */
int rtm_parse(const char *text, size_t len, struct rtm_command *c, char why[RTM_WIDTH + 1]);
bool rtm_is_view(int what);

/* brief.c: an answer of a few short lines, for MSG */
#define RTM_BRIEF 6
void rtm_brief(struct rtm_text *t, const struct rtm_command *c, const struct rtm_interval *i,
               const struct rtm_history *h);

/* screen.c */
#define RTM_ROWS  24
#define RTM_BODY  20             /* rows 2 to 21 */
struct rtm_page {
    char row[RTM_ROWS][RTM_WIDTH + 1];   /* row 22, the command line, holds its prompt */
    bool high[RTM_ROWS];
};
struct rtm_input {
    int pf;                      /* 1 to 24; 0 ENTER; -1 CLEAR; -2 another key */
    unsigned len;
    char text[RTM_WIDTH + 1];
};
/* Lays a view out from line top on. Returns the top that can be: never past the end. */
unsigned rtm_layout(struct rtm_page *p, const struct rtm_text *t, unsigned top, const char *title,
                    const char *message);
/* The data stream that changes shown to p (erase: all of p), unlocking the keyboard and emptying
 * the command line when unlock; its length, 0 when there is nothing to send. room: bytes of out,
 * RTM_STREAM is enough. */
#define RTM_STREAM 2400
unsigned rtm_stream(uint8_t *out, const struct rtm_page *p, const struct rtm_page *shown,
                    bool erase, bool unlock);
void rtm_input(struct rtm_input *in, const uint8_t *data, size_t len);
#endif
