/* SPDX-License-Identifier: MIT */
/* CMS, the user machine: what a command (cms/commands/NAME.c, with its CMS_COMMAND line) may
 * call.
 *
 * A command is `int cmd_name(struct cms_arg *arg)`; what it returns is the code in Ready(nnnnn). It
 * ends by returning: storage from cms_alloc and files that it left open are taken back then (a file
 * being written is dropped unless cms_commit was called). Commands nest (EXEC runs commands), so no
 * static state. Texts are EBCDIC in the guest; file names in struct fs_name are EBCDIC everywhere.
 * One that runs long asks cms_halted() now and then. */
#ifndef VMKB_CMS_H
#define VMKB_CMS_H
#include "ctype.h"
#include "diag.h"
#include "fs.h"
#include "lib.h"

enum {
    CMS_LINE = 256,        /* longest command or console line, with the ending zero */
    CMS_WORDS = 40,        /* operands or options of one command */
    CMS_FILES = 8,         /* files open at one time */
    CMS_NEST = 20,         /* commands within commands */
    CMS_BUFFER = 18 * 4096 /* buffer of an open file: a record of any length fits */
};

/* ---- the command's operands (arg.c, pure) */
struct cms_arg {
    const char *name;                  /* the command's full name, as in the table */
    const char *line;                  /* as typed, from the command's name on */
    const char *rest;                  /* as typed, what follows the command's name */
    int n;                             /* operands before '(' */
    const char *word[CMS_WORDS + 2];   /* in upper case, whole; "" beyond n, never 0 */
    int options;                       /* words behind '(', up to ')' */
    const char *option[CMS_WORDS + 2]; /* in upper case; "" beyond */
    char text[2 * CMS_LINE];           /* where the words are */
};
/* Cuts a line up; name is what the command is called. Returns 0, 24 if there are too many words. */
int cms_arg_parse(struct cms_arg *arg, const char *name, const char *line, unsigned len);
/* True if `word` is `name` cut to no fewer than `min` characters. */
bool cms_is(const char *word, const char *name, unsigned min);
/* The only options are TYPE and NOTYPE: 0, or the code of DMS module 003E. */
int cms_option_type(const char *module, const struct cms_arg *arg, bool *type);
/* The options are names with a number behind each: 0, or the code of DMS module 003E or 029E. */
struct cms_number_option {
    const char *name;        /* upper case; one letter is enough */
    uint32_t *value, least, most;
};
int cms_option_numbers(const char *module, const struct cms_arg *arg,
                       const struct cms_number_option *known, unsigned count);
/* A decimal number up to 9 digits, all of the word; false if it is not one. */
bool cms_number(const char *word, uint32_t *value);
bool cms_hex(const char *word, uint32_t *value);

/* ---- console (console.c) */
/* Writes one line; nothing after HT or HX. */
void cms_say(const char *f, ...) LIB_FORMAT(1, 2);
void cms_say_text(const char *text, unsigned len);
/* A message "DMSxxxnnnS text"; returns rc, so `return cms_error(28, "DMSLST002E ...")`. */
int cms_error(int rc, const char *f, ...) LIB_FORMAT(2, 3);
/* DMSxxx007E for an option or function that IBM's command has and this one lacks (absent.c), else
 * DMSxxx003E; returns 24. */
int cms_bad_option(const char *module, const char *option);
/* Is it one of IBM's of that module's command that is not here? */
bool cms_option_absent(const char *module, const char *option);
/* A line of the program stack, or when that is empty of the console. Returns its length (cut to
 * max - 1), zero-ended; as typed. */
int cms_readline(char *buf, unsigned max);
int cms_read_console(char *buf, unsigned max);
/* A line typed without being shown (password). Never from the stack. */
int cms_read_hidden(char *buf, unsigned max);
/* HX was typed: the command should end (return any code). Asks CP; call it every hundred lines or
 * so. */
bool cms_halted(void);

/* ---- program stack (stack.c) */
int cms_stack_put(bool lifo, const char *text, unsigned len); /* 0, or 1 when it is full */
int cms_stack_get(char *buf, unsigned max);                   /* length, or -1 when it is empty */
unsigned cms_stack_count(void);

/* ---- storage (heap.c): of this command, given back when it ends; 8-byte aligned, not zeroed; 0:
 * none left */
void *cms_alloc(size_t size);
size_t cms_storage_left(void);

/* ---- files on accessed disks (disk.c, file.c) */
struct cms_disk {
    char letter; /* 'A' to 'Z' */
    char parent; /* of a read-only extension: searched behind this disk; else the same */
    bool writable;
    uint16_t vaddr;
    struct diag_disk info;
    struct fs fs;
};
struct cms_disk *cms_disk(char letter);                       /* 0: not accessed */
struct cms_disk *cms_disk_next(const struct cms_disk *after); /* in search order; first with 0 */

struct cms_fileid {
    char fn[9], ft[9]; /* upper case, zero-ended; patterns have * and % */
    char letter;       /* 'A' to 'Z', or '*': all accessed disks */
    int number;        /* 0 to 6, -1 if not given */
};
/* fm 0 or "": letter `otherwise`. Returns 0; 20 bad character in a name; 24 bad mode. No
 * message. */
int cms_fileid(struct cms_fileid *id, const char *fn, const char *ft, const char *fm,
               char otherwise);
/* Says what that found wrong (rc; 0: nothing), "DMS" module nnnE, and returns rc. */
int cms_fileid_error(const char *module, int rc, const char *fn, const char *ft, const char *fm);
/* The file that operands 1 to 3 name, of a command that has at least `least`, at most `most` words:
 * 0, or the return code after a message of DMS module. */
int cms_fileid_operands(const char *module, const struct cms_arg *arg, int least, int most,
                        char otherwise, struct cms_fileid *id);

/* Codes below are FS_ codes of fs.h, and: */
enum {
    CMS_E_NOTACCESSED = -100,
    CMS_E_FILES = -101,
    CMS_E_STORAGE = -102,
    CMS_E_NODEVICE = -103,
    CMS_E_BUSY = -104
};

/* First file of that name in search order. id->letter becomes the disk's, st and disk may be 0.
 * Returns FS_OK, FS_E_NOTFOUND, CMS_E_NOTACCESSED. */
int cms_find(struct cms_fileid *id, struct fs_stat *st, struct cms_disk **disk);

/* Each file that matches a pattern on the disks of its mode. Start with disk 0. */
struct cms_match {
    struct cms_fileid pattern;
    struct cms_disk *disk;
    uint32_t cursor;
};
void cms_match_start(struct cms_match *m, const struct cms_fileid *pattern);
/* FS_OK, FS_EOF, or CMS_E_NOTACCESSED. found is whole: letter and number too. */
int cms_match_next(struct cms_match *m, struct cms_fileid *found, struct fs_stat *st);
bool cms_is_pattern(const struct cms_fileid *id); /* it has * or % */
/* What a new fileid like `= = B` means for a file that was found: each = is taken from it. fm 0 or
 * "": =. Returns as cms_fileid. */
int cms_new_fileid(struct cms_fileid *id, const char *fn, const char *ft, const char *fm,
                   const struct cms_fileid *found);

/* An open file: use fs_next, fs_read, fs_read_record, fs_write_record, fs_write on &file->fs, and
 * end it by cms_close (a reader, or to drop what was written) or cms_commit. */
struct cms_file {
    struct fs_file fs;
    struct cms_disk *disk; /* 0: this slot is free */
    struct cms_fileid id;
    void *buffer; /* CMS_BUFFER bytes */
    int depth;    /* of the command that opened it */
    bool kept;    /* stays open when the command ends, until Ready (EXECIO) */
};
/* Returns 0 and sets *code when it cannot be opened. */
struct cms_file *cms_open(struct cms_fileid *id, int *code);
/* id->letter must be a writable disk; number -1 means 1. recfm FS_FIXED or FS_VARIABLE; lrecl as
 * fs_create. */
struct cms_file *cms_create(const struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code);
int cms_close(struct cms_file *file);
int cms_commit(struct cms_file *file); /* the file is replaced, or if that fails it is as it was */
/* Says what a code means for a file, "DMS" module nnn..., and returns CMS's return code (28 not
 * found...). */
int cms_file_error(const char *module, int code, const struct cms_fileid *id);
uint64_t cms_now_1900(void); /* seconds since 1900, as the file system wants them */

/* ---- sorting (sorted.c) */
typedef int cms_compared(const void *a, const void *b, const void *how);
/* Sorts the n pointers v by means of n in other; returns which of the two has the result. */
const void **cms_sorted(const void **v, const void **other, uint32_t n, cms_compared *compared,
                        const void *how);

/* ---- running commands (command.c) */
enum { CMS_TYPED, CMS_ADDRESS_CMS, CMS_ADDRESS_COMMAND };
/* Runs a line as if typed (EXEC, CMS, CP), from an EXEC's ADDRESS CMS (the same), or ADDRESS
 * COMMAND (CMS only). Returns its code, -3 unknown. */
int cms_command(const char *text, unsigned len, int how);
/* CP answers into buf (lines end in X'15'), or to the console when buf is 0. Returns CP's code. */
int cms_cp(const char *text, unsigned len, char *buf, unsigned max, unsigned *got);
/* Room for an answer of CP's, which CP cuts where it ends: half of the storage that is left. */
static inline unsigned cms_reply_room(void)
{
    return (unsigned)(cms_storage_left() / 2);
}
const char *cms_userid(void); /* without trailing blanks */

struct cms_command {
    const char *name;
    unsigned min; /* characters that must be typed */
    int (*run)(struct cms_arg *arg);
};
/* Made by tools/commands.py: the commands, which end with name 0; and each word that stands for
 * one, where a hash of it says. */
extern const struct cms_command cms_commands[];
struct cms_word {
    uint64_t key; /* its eight characters, zeros behind it */
    const struct cms_command *command;
    uint64_t whole; /* it is no abbreviation */
};
extern const struct cms_word cms_words[1024];
extern const uint16_t cms_word_moved[256];
extern const uint64_t cms_word_factor;
#endif
