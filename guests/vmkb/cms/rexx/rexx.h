/* SPDX-License-Identifier: MIT */
/*
 * The EXEC processor: runs a REXX program held as records in storage. It calls nothing but the
 * functions of struct rexx_env, allocates only inside the arena it is given, and may be entered
 * again from within the command and external callbacks (an EXEC that calls an EXEC).
 */
#ifndef VMKB_REXX_H
#define VMKB_REXX_H

#include "lib.h"

/* One record of a file, or any piece of text; never ended by a zero byte. */
struct rexx_str {
    const char *p;
    uint32_t n;
};

struct rexx_time {
    int year, month, day;     /* 2026, 1 to 12, 1 to 31 */
    int hour, minute, second;
    int micro;                /* 0 to 999999 */
};

/* What poll() may answer, added together. */
enum {
    REXX_HALT = 1,        /* HI: Error 4, or SIGNAL ON HALT */
    REXX_KILL = 2,        /* HX: ends at once, no message, nothing trapped; the host goes on
                             saying so until its outermost rexx_run has returned */
    REXX_TRACE_START = 4, /* TS */
    REXX_TRACE_END = 8    /* TE */
};

enum {
    REXX_POLL_CLAUSES = 256, /* clauses between two calls of poll() */
    REXX_NEST = 16,          /* rexx_run within rexx_run, at most */
    REXX_CONTROL = 250,      /* active loops, calls and INTERPRETs, at most: Error 11 */
    REXX_NAME = 250,         /* longest symbol, compound name or label: Error 30 */
    REXX_ARENA_MIN = 8192,   /* less than this left: Error 5 */
    REXX_KILLED = -2         /* rexx_run, rexx_call: ended by REXX_KILL */
};

/*
 * The host. Every text is {pointer, length}. A callback that is not there (NULL) is taken as:
 * no output, an empty line, an empty stack, return code -3, nothing found, time zero.
 */
struct rx;
struct rexx_env {
    char *arena;              /* working storage, 8-byte aligned */
    size_t arena_size;        /* bytes; 256 KB is comfortable */
    int depth;                /* set to 0 by the host before the first rexx_run */
    struct rx *asks;          /* while a command runs: the program that gave it; else NULL */
    const char *userid;       /* USERID(), zero-ended; may be NULL */
    const char *address;      /* first environment: "CMS", "XEDIT"...; NULL means CMS */

    void (*say)(struct rexx_env *env, const char *line, uint32_t len);
    /* Reads one line typed at the terminal into buf; returns its length, or -1 at the end. */
    int (*pull_terminal)(struct rexx_env *env, char *buf, uint32_t size);
    int (*terminal_lines)(struct rexx_env *env); /* EXTERNALS(): lines typed ahead */

    /* The program stack, which belongs to CMS. stack_put returns 0, or 1 when it is full. */
    int (*stack_put)(struct rexx_env *env, bool lifo, const char *line, uint32_t len);
    int (*stack_get)(struct rexx_env *env, char *buf, uint32_t size); /* length, -1: empty */
    uint32_t (*stack_count)(struct rexx_env *env);

    /* Runs a host command in the environment named (CMS, CP, COMMAND...); returns RC. */
    int (*command)(struct rexx_env *env, const char *address, const char *text, uint32_t len);
    /*
     * DIAG(8, command): answers the length of the response in buf (lines ended by X'15'),
     * at most size; stores CP's return code.
     */
    uint32_t (*diag8)(struct rexx_env *env, const char *text, uint32_t len, char *buf,
                      uint32_t size, int *cp_rc);
    /*
     * Files by name, line by line. lines_read answers the length of the next line, or of the line
     * of that number, and where it lies until the next call; -1: there is none. lines_left and
     * chars_left: how many were not read, characters with one for each line's end. lines_write
     * adds one at the end and returns 0 if it could; lines_close keeps what was written, 0 if it
     * could.
     */
    int (*lines_read)(struct rexx_env *env, const struct rexx_str *name, uint32_t line,
                      const char **text);
    uint32_t (*lines_left)(struct rexx_env *env, const struct rexx_str *name);
    uint32_t (*chars_left)(struct rexx_env *env, const struct rexx_str *name);
    int (*lines_write)(struct rexx_env *env, const struct rexx_str *name,
                       const struct rexx_str *text);
    int (*lines_close)(struct rexx_env *env, const struct rexx_str *name);
    void (*now)(struct rexx_env *env, struct rexx_time *t);
    uint64_t (*micros)(struct rexx_env *env); /* any running clock, for TIME('E') */
    unsigned (*poll)(struct rexx_env *env);

    /*
     * Calls an external function or subroutine (normally NAME EXEC through rexx_call). Returns
     * 0 and a result (p NULL: nothing returned), -1 when there is none of that name, or what
     * else rexx_call returned for the routine. The result need only live until the
     * callback returns to REXX; an argument with p NULL was omitted.
     */
    int (*external)(struct rexx_env *env, const char *name, const struct rexx_str *args,
                    int nargs, struct rexx_str *result);
};

/*
 * Runs a program as a command. name is "fn ft fm" as PARSE SOURCE shows it (fn ft are used in
 * messages); args is the argument string. Returns 0, the REXX error number 3 to 49 that ended
 * the program (its message has been said), or REXX_KILLED. *rc is what CMS shows in Ready(rc):
 * EXIT's whole number, 0 without one, or 20000 + the error number.
 */
int rexx_run(struct rexx_env *env, const char *name, const struct rexx_str *lines,
             uint32_t nlines, const char *args, int *rc);

/*
 * Runs a program as a function or subroutine with up to 10 arguments. result points into the
 * arena (valid until REXX or anything else uses the arena again); p is NULL when the program
 * returned nothing.
 */
int rexx_call(struct rexx_env *env, const char *name, const struct rexx_str *lines,
              uint32_t nlines, const struct rexx_str *args, int nargs, struct rexx_str *result);

/*
 * Variables of the program whose command is running. A name is as written; behind the first dot it
 * stands for itself. rexx_set returns 0, 1 when there is no such program or it can have no such
 * variable, 2 when there is no storage. rexx_get: false when it has no value; *value need only live
 * until the next call.
 */
int rexx_set(struct rexx_env *env, const struct rexx_str *name, const struct rexx_str *value);
bool rexx_get(struct rexx_env *env, const struct rexx_str *name, struct rexx_str *value);
/* The same of the variable whose name is STEM's with the number N behind it. */
int rexx_set_nth(struct rexx_env *env, const struct rexx_str *stem, uint32_t n,
                 const struct rexx_str *value);
bool rexx_get_nth(struct rexx_env *env, const struct rexx_str *stem, uint32_t n,
                  struct rexx_str *value);

/* The text of REXX error n ("Symbol expected"), or "" when there is no such error. */
const char *rexx_error_text(int n);


#endif
