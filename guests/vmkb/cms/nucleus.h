/* SPDX-License-Identifier: MIT */
/* CMS within itself: what its own files share and commands have no use for. */
#ifndef VMKB_CMS_NUCLEUS_H
#define VMKB_CMS_NUCLEUS_H
#include "cms.h"

/* nucleus.c */
struct cms_state {
    bool long_ready;         /* SET RDYMSG LMSG */
    bool impcp, impex, abbrev;
    bool muted;              /* HT: typing is suppressed until RT or Ready */
    bool halted;             /* HX */
    bool interrupted;        /* HI: the procedure that runs ends, who called it goes on */
    unsigned lines;          /* written since CP was last asked for HT and HX */
    int depth;               /* commands within commands */
    struct diag_id id;
    char userid[9];
    void (*capture)(const char *text, unsigned len); /* takes lines instead of the console, or 0 */
};
extern struct cms_state cms_state;

/* heap.c */
void heap_init(void);
void *heap_mark(void);
void heap_release(void *mark);
void *heap_permanent(size_t size);   /* 0: none left */
/* What heap_permanent gave last, whole pages; false: something was taken after it. */
bool heap_give_back(void *p, size_t size);

/* stack.c */
void stack_init(void);
void stack_clear(void);
int stack_make_buffer(void);         /* number of the new buffer, or 0: too many */
bool stack_drop_buffer(int number);  /* drops it and those above; 0: the newest */

/* disk.c */
int disk_access(uint16_t vaddr, char letter, char parent, bool read_only);
void disk_release(struct cms_disk *d);
int disk_refresh(struct cms_disk *d);
struct cms_disk *disk_by_vaddr(uint16_t vaddr);
bool disk_letter(char c);
void disk_device(struct fs_device *dev, uint16_t vaddr, uint32_t blocks);

/* file.c */
void file_end_command(int depth);    /* takes back what the command at that depth left open */
void file_end_all(void);             /* at Ready: what EXECIO wrote is committed */
void file_end_disk(const struct cms_disk *d);  /* the same of the files of one disk */
bool file_busy(const struct cms_disk *d);      /* a command that has not ended reads or writes it */
struct cms_file *file_kept(const struct cms_fileid *id, bool writing);

/* lines.c: files read or written line by line, which stay open until FINIS or Ready */
struct rexx_env;
struct rexx_str;
/* The open reader, at the line asked for (0: the next); 0 and its code if there is none. */
struct cms_file *lines_reader(struct cms_fileid *id, uint32_t line, int *code);
/* The open writer; its file's old lines are in it already, in their format. lrecl 0: 80. */
struct cms_file *lines_writer(struct cms_fileid *id, uint8_t recfm, uint32_t lrecl, int *code);
int lines_read(struct rexx_env *e, const struct rexx_str *name, uint32_t line, const char **text);
uint32_t lines_left(struct rexx_env *e, const struct rexx_str *name);
uint32_t lines_chars(struct rexx_env *e, const struct rexx_str *name);
int lines_write(struct rexx_env *e, const struct rexx_str *name, const struct rexx_str *text);
int lines_close(struct rexx_env *e, const struct rexx_str *name);

/* function.c: a function of CMS's own; -1: it has none of that name, 40: wrong arguments. */
int function_call(const char *name, const struct rexx_str *args, int nargs,
                  struct rexx_str *result);

/* command.c */
bool command_exec_exists(const char *fn, char *letter);
int command_implied_cp(const char *text, unsigned len);

/* settings/synonym.c */
const char *synonym_find(const char *name); /* the command that it stands for, or 0 */
int synonym_list(void);

/* commands/absent.c: of other CMSs; -3: of none, else its code after a message */
int absent_command(const char *name);

/* data/filedef.c */
int filedef_list(void);

/* settings/fixed.c */
const char *fixed_value(const char *name); /* 0: it is none of them */
bool fixed_query(const char *name); /* false: there is no such setting */
int fixed_set(const char *name, const char *value); /* -3: there is none; else SET's code */

/* exec.c */
int exec_run(const char *fn, const char *args);
/* A variable of the EXEC whose command is running: 0; 1: there is none, or it can have none of that
 * name; 2: no storage. exec_get: its length and where it is until the next call; -1: no value. */
int exec_set(const char *name, unsigned n, const char *text, unsigned len);
int exec_get(const char *name, unsigned n, const char **text);
/* The same of the variable whose name is STEM's with the number N behind it. */
int exec_set_nth(const char *stem, uint32_t n, const char *text, unsigned len);
int exec_get_nth(const char *stem, uint32_t n, const char **text);
/* The commands of a macro go to ADDRESS ft. */
int exec_macro(const char *fn, const char *ft, const char *args);
#define EXEC_NO_ADDRESS "no address" /* longer than any */
/* From now on RUN does what an EXEC says to ADDRESS NAME, and returns its code. */
typedef int exec_address_run(const char *text, uint32_t len);
void exec_address(const char *name, exec_address_run *run);

/* console.c */
void console_ready(int rc, const struct diag_time *from);
#endif
