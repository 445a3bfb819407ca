/* SPDX-License-Identifier: MIT */
/* A CP command being run: who gave it, from where, and where its answer goes. One file per command
 * in cp/commands/; the table is cp/commands/table.c. */
#ifndef VMKB_COMMAND_H
#define VMKB_COMMAND_H
#include "defs.h"
#include "terminal.h"

struct dir_mdisk;
struct cmd {
    struct vm *vm;           /* issuer; 0 before LOGON */
    struct terminal *term;   /* where it was typed; 0 for DIAGNOSE X'08' */
    const struct command *table; /* its entry */
    char text[CMD_MAX + 1];  /* the whole line, as typed */
    char *args;              /* what follows the name, in text, leading blanks gone */
    char *reply;             /* DIAGNOSE X'08' with a reply buffer; else 0 */
    size_t reply_max, reply_len;
    unsigned not_shown;      /* lines for which the terminal had no room */
    bool reset;              /* the machine was, and its storage with the reply buffer is gone */
};

#define PRE_LOGON 0x80000000u /* class bit: allowed before LOGON */
#define CLASS(c)  (1u << (c)) /* CLASS(CLASS_A) ... */
enum { CLASS_A, CLASS_B, CLASS_C, CLASS_D, CLASS_E, CLASS_F, CLASS_G, CLASS_H };
#define ANY       0x7fffffffu

struct command {
    const char *name;        /* upper case */
    uint8_t min;             /* least number of letters */
    uint32_t classes;        /* any one of them will do */
    /* return code; 0 good, else a number that its message ends or begins with */
    int (*run)(struct cmd *c);
};

extern const struct command commands[];   /* ends with name 0 */

/* One line of answer: to the reply buffer, or to the console. */
void cmd_say(struct cmd *c, const char *f, ...);
/* An error message, unless SET EMSG OFF; returns rc, so that a command can `return
 * cmd_error(...)`. */
int cmd_error(struct cmd *c, int rc, const char *f, ...);
/* Next blank-delimited word of the arguments, folded to upper case, at most size-1 letters; false
 * at the end. A longer word is cut to size - 1 letters and then no operand will match it. */
bool cmd_word(struct cmd *c, char *word, size_t size);
/* Is word an abbreviation of name of at least min letters? */
bool cmd_is(const char *word, const char *name, size_t min);
/* Virtual device address: one to four hexadecimal digits. */
bool cmd_vaddr(const char *word, uint16_t *vaddr);
/* Unsigned decimal number of up to 9 digits. */
bool cmd_number(const char *word, uint32_t *n);
/* The userid named (blank or *: the issuer's own), logged on; or 0 after DMKxxx045E. module: three
 * letters. */
struct vm *cmd_user(struct cmd *c, const char *module, const char *word);
/* The next word is a userid; or false after DMKxxx020E. */
enum { USERID_WORD = 10 };
bool cmd_userid(struct cmd *c, const char *module, char word[USERID_WORD]);
/* The logged-on user whom the one operand names; 0 after a message, whose number is *rc. */
struct vm *cmd_one_user(struct cmd *c, const char *module, int *rc);
/* The same where the operand may be left out (the issuer) and only classes may name another. */
struct vm *cmd_own_or_user(struct cmd *c, const char *module, uint32_t classes, int *rc);

/* The command has reset the machine: what it still says goes to the console. */
void cmd_reset(struct cmd *c);
/* DMKxxx007E for an operand that IBM's command has and this one lacks (absent.c), else DMKxxx003E;
 * returns that number. */
int cmd_bad_option(struct cmd *c, const char *module, const char *word);
/* Is that an operand of IBM's command of that name which is not here? */
bool cmd_option_absent(const char *command, const char *word);

/* An answer that SET IMSG OFF suppresses. */
void cmd_info(struct cmd *c, const char *f, ...);
/* Nothing may follow: 0, or DMKxxx003E and its number. */
int cmd_end(struct cmd *c, const char *module);

/* cp/session/logon.c */
int logon_start(struct cmd *c);
void logon_complete(struct terminal *t, struct vm *vm, bool ipl);
/* 0: no room. name, parm: the system to IPL and its parameter; 0: as the directory says. by: whose
 * doing. */
struct vm *autolog(const struct dir_user *u, const char *name, const char *parm, const char *by);
struct vm *machine_of(const struct dir_user *u); /* made, not logged on; 0: no room */
bool password_right(const struct dir_user *u, const char *text, size_t len);

/* cp/session/session.c */
/* GRAF 0700, CONS 0009, LINE L001 */
const char *terminal_label(const struct terminal *t, char text[12]);
/* the same of its terminal, or USER DSC */
const char *vm_where(const struct vm *vm, char text[12]);
unsigned users_count(void);                      /* machines logged on */
void session_tell(const char *where, const char *what, const struct vm *vm, unsigned left,
                  const char *after);
void session_end(struct vm *vm, const char *by); /* LOGOFF with its messages and card */

/* cp/session/times.c */
void time_line(const char *what, char *text,
               size_t size); /* "what hh:mm:ss UTC weekday mm/dd/yy" */
void time_line_at(uint64_t at_unix_us, const char *what, char *text, size_t size);
void connect_line(struct vm *vm, char *text, size_t size); /* CONNECT= VIRTCPU= TOTCPU= */
/* mmm:ss.hh, as the CONNECT line has processor times */
void cpu_minutes(char *text, size_t size, uint64_t us);

/* cp/session/links.c */
/* "DASD vaddr LINKED mode; R/W BY ...; R/O BY ..."; false when nobody else has it read/write. */
bool link_line(const struct vm *vm, const struct mdisk *m, char *text, size_t size);
/* DMKLNK101E, 102E or 103E: others have it in a mode that does not allow this one; the number. */
int link_refusal(const char *userid, const struct dir_mdisk *m, uint16_t vaddr, char *text,
                 size_t size);
#endif
