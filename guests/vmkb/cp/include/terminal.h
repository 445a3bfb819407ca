/* SPDX-License-Identifier: MIT */
/* What a person sits at: a local 3270, the operator's 3215, or (by TELNET, LAT, SET HOST) a logical
 * terminal of a service machine. A terminal is free, at CP READ for LOGON, or a machine's
 * console. */
#ifndef VMKB_TERMINAL_H
#define VMKB_TERMINAL_H
#include "defs.h"

#define TERM_NONE    0
#define TERM_3270    1
#define TERM_3215    2
#define TERM_LOGICAL 3

#define TMODE_RUNNING 0
#define TMODE_VMREAD  1
#define TMODE_CPREAD  2

struct terminal_ops {
    void (*write)(struct terminal *t, const char *text, size_t len, int flags);
    bool (*room)(struct terminal *t, unsigned lines);
    void (*mode)(struct terminal *t, int mode, bool hidden);
    void (*reset)(struct terminal *t); /* after LOGOFF: logo, or a fresh line */
    void (*accept)(struct terminal *t); /* may be 0: there is room for a line again */
};

/* What is typed goes somewhere else than to its machine: SET HOST. */
struct terminal_divert {
    /* false: not now; ops->accept when it is taken */
    bool (*line)(struct terminal *t, const char *text, size_t len);
    void (*attention)(struct terminal *t);
    void (*roomy)(struct terminal *t);
};

struct terminal {
    uint8_t kind;
    uint8_t logon_tries;
    uint8_t awaiting_password;
    uint8_t delayed;         /* a wrong password: nothing is read until the timer fires */
    uint16_t devno;
    char name[5];            /* address as QUERY shows it: 0700, L001 */
    char logon_user[9];
    char logon_rest[64];     /* operands of LOGON kept while the password is asked for */
    struct vm *vm;
    const struct terminal_ops *ops;
    const struct terminal_divert *divert; /* 0: to CP or its machine */
    void *diverted_to;
    void *driver;            /* the 3270's or 3215's own data */
    struct timer delay;
    unsigned not_shown;      /* lines for which there was no room, not yet told */
    uint64_t connected_tod;
};

/* Who takes what is typed and is not for a program. */
struct terminal_users {
    /* vm 0: before LOGON */
    void (*command)(struct vm *vm, struct terminal *t, const char *text, size_t len);
    void (*password)(struct terminal *t, const char *text, size_t len);
};

extern struct terminal terminals[TERMINALS];
#endif
