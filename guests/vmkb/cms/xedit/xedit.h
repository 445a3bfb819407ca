/* SPDX-License-Identifier: MIT */
/* XEDIT within itself. One session (a ring of files) is current; another XEDIT that a command or
 * macro of it starts has a session of its own until it ends. Texts are EBCDIC; lines and columns
 * count from 1, line 0 is Top of File and line size + 1 End of File. */
#ifndef VMKB_XEDIT_H
#define VMKB_XEDIT_H
#include "cms.h"

enum {
    X_COMMAND = 512,     /* longest subcommand */
    X_STRING = 256,      /* longest string of a target or CHANGE */
    X_MESSAGES = 24,     /* message lines shown at one time */
    X_ROWS = 62, X_COLUMNS = 160, /* largest screen */
    X_LEAST_ROWS = 5,    /* of a view, SET SCREEN */
    X_MARKS = 64,        /* pending prefix subcommands and line names of a file */
    X_RESERVED = 24,     /* reserved lines of a file */
    X_PREFIX = 5,        /* characters of the prefix area */
    X_KEYS = 24 + 3 + 1, /* PF keys, PA keys, ENTER */
    X_RECOVER = 200      /* deleted lines that RECOVER can bring back */
};

/* ---- storage for lines, which outlives the commands and macros that run meanwhile (pool.c) */
void *pool_take(size_t bytes); /* 0: none left */
void pool_give(void *p);
size_t pool_room(const void *p); /* bytes that the block has */
void pool_end(void);             /* no session is left: its storage goes back to CMS */

/* ---- the lines of a file: leaves of some pointers each, so that line k is found by counts
 * (text.c) */
struct xline {
    uint16_t len;
    uint16_t select; /* SET SELECT */
    char text[];
};

enum { X_LEAF = 62 };
struct xleaf {
    uint32_t n;
    struct xline *line[X_LEAF];
};

struct xtext {
    struct xleaf **leaf;
    uint32_t leaves, room;
    uint32_t size;      /* lines */
    uint32_t at, first; /* the leaf used last, and the number of its first line */
};

bool text_start(struct xtext *t);
void text_free(struct xtext *t);
struct xline **text_at(struct xtext *t, uint32_t k); /* 1 to size */
bool text_insert(struct xtext *t, uint32_t after, struct xline *line);
struct xline *text_remove(struct xtext *t, uint32_t k);
struct xline *line_new(const char *text, uint32_t len); /* 0: no storage */

/* ---- a string to look for (pattern.c) */
struct xpattern {
    uint16_t len;
    bool ignore;      /* upper and lower case are the same */
    bool plain;       /* one piece, as it is */
    uint16_t pieces;  /* more than 1: SET ARBCHAR's character stands between them */
    uint16_t start[8], end[8];
    uint8_t first[2]; /* of the first piece: as it is, and in the other case */
    char text[X_STRING];
};
struct xfound {
    uint32_t at, len;         /* from 0 */
    uint32_t arb[8], arb_len[8];
};
bool pattern_make(struct xpattern *p, const char *text, uint32_t len);
/* The bytes that a string operand stands for, to `to`, of X_STRING: X'C1' is one with SET HEX ON.
 * How many; -1: too many, or what X'...' has are no pairs of hexadecimal digits. */
int string_bytes(const char *text, uint32_t len, char *to);
/* From `from` on, ending before `to`; of a text of len bytes beyond which all is blank. */
bool pattern_find(const struct xpattern *p, const char *text, uint32_t len, uint32_t from,
                  uint32_t to, struct xfound *found);

/* ---- a file in the ring */
struct xmark {
    uint32_t line;
    char name[9]; /* ".name", or a prefix subcommand */
    uint32_t count;
};

struct xreserved {
    int row; /* as SET RESERVED has it: below 0 from the end, M in X_MIDDLE */
    bool high;
    uint8_t color, highlight;
    char text[X_COLUMNS + 1];
};

enum { X_CMD_ON, X_CMD_OFF, X_CMD_TOP, X_CMD_BOTTOM };
enum { X_MIDDLE = 1000 }; /* added to a row that counts from the middle of the screen */

struct xfile {
    struct xfile *next, *prev;
    struct cms_fileid id;
    struct xtext text;
    uint32_t line, column; /* current */
    uint32_t above, below; /* lines outside of SET RANGE */
    uint32_t changes, saved_changes; /* Alt=: since AUTOSAVE, since SAVE */
    bool is_new;
    void *preserved; /* what PRESERVE keeps: recfm to tab_count; 0: nothing */
    uint8_t recfm;
    uint32_t lrecl, trunc, zone1, zone2, verify1, verify2;
    uint32_t shift; /* LEFT, RIGHT: columns */
    bool upper, ignore, wrap, number, nulls, stay, scale, tabline, curline_on, prefix_on,
        prefix_right, prefix_nulls, msgmode, shadow, scope_all, linend_on, arb_on, impcmscp,
        image, stream, tofeof, msgline_on, hex;
    char linend, arb1, arb2;
    uint8_t cmdline;
    int curline, scale_row, tab_row, msg_row, msg_rows;
    uint32_t display1, display2; /* SET DISPLAY */
    bool selects;                /* there are lines that it may hide */
    uint32_t autosave;
    uint32_t tabs[32], tab_count;
    uint16_t marks;
    struct xmark mark[X_MARKS];
    uint16_t reserved;
    struct xreserved *reserve; /* X_RESERVED of them, once one is set */
    uint16_t recover;
    struct xline *deleted[X_RECOVER];
};

/* ---- what the screen shows (layout.c); rows count from 0 here */
enum xrow_kind {
    ROW_BLANK, ROW_ID, ROW_TOF, ROW_EOF, ROW_LINE, ROW_SHADOW, ROW_SCALE, ROW_TABLINE, ROW_MESSAGE,
    ROW_RESERVED, ROW_INPUT, ROW_COMMAND, ROW_STATUS
};
struct xrow {
    uint8_t kind;
    bool first;     /* of the line's rows: it has the prefix area */
    uint32_t line;  /* of the file; SHADOW: the first that is hidden */
    uint32_t from;  /* columns before its data */
    uint32_t count; /* SHADOW: lines hidden; RESERVED, MESSAGE: which one */
    const struct xline *text; /* LINE: until the file is changed */
};

enum { CURSOR_COMMAND, CURSOR_FILE, CURSOR_SCREEN, CURSOR_COLUMN, CURSOR_HOME };

struct xedit {
    struct xedit *outer;
    struct xfile *file; /* shown and edited; 0: the ring is empty */
    uint32_t files;
    unsigned rows, cols;  /* of the view */
    unsigned cells, base; /* of the whole screen; of them, those above the view */
    bool screen;    /* a 3270 is there and NOSCREEN was not asked for */
    bool inputting; /* INPUT mode */
    bool alarm;
    bool quiet;     /* nothing is said of what is not found */
    bool extended;  /* the terminal has SFE */
    bool alternate; /* its screen is larger than 24 by 80 */
    int rc;
    int depth;      /* macros within macros */
    unsigned messages;
    char message[X_MESSAGES][X_COLUMNS + 1];
    char command[X_COMMAND + 1];  /* what the command line shows next */
    char last[X_COMMAND + 1];     /* for = and ? */
    char locate[X_STRING + 2], find[X_STRING + 2], change[2 * X_STRING + 16]; /* last operands */
    struct xpattern pattern;
    char *key[X_KEYS];            /* what keys do: 0 nothing */
    struct xrow row[X_ROWS];
    unsigned free_rows;           /* of them, for lines of the file */
    uint8_t cursor;               /* CURSOR_ */
    uint32_t cursor_line, cursor_column; /* FILE: line, column; SCREEN: row, column from 1 */
    /* the last key pressed */
    uint8_t aid;
    unsigned key_row, key_col;    /* where the cursor was, from 0 */
    uint32_t sc_line, sc_column;  /* SCHANGE: the occurrence to be confirmed */
    bool sc_on;
    unsigned starts_rows, starts_cols; /* of what starts[] was made for */
    uint8_t starts[X_ROWS + 1][2];
    uint32_t scale_of[6];         /* what the scale in scale[] was made of */
    char scale[X_COLUMNS];
    uint8_t *stream;              /* data streams out and in */
    char *work;                   /* a line of any length being made */
    struct xview *views;          /* SET SCREEN; 0: the screen is one view */
    unsigned view_count, view;    /* of them; the one that is shown and edited here */
    unsigned home;                /* the view that has the cursor */
    unsigned split_cells;         /* of the screen that they were made for */
};
extern struct xedit *x;
enum { X_STREAM = 16384, X_WORK = 98296 }; /* lines are of 65535 bytes at most */

/* ---- session.c */
void ring_add(struct xfile *f);
void ring_drop(struct xfile *f); /* frees it; the one before it is current then */

/* ---- message.c: shown on the message line, or typed without a screen; SET MSGMODE OFF hides
 * them. Both return rc. */
int say_x(int rc, const char *f, ...) LIB_FORMAT(2, 3);
void message_text(const char *text, size_t len);
int bad_operand(const char *operand);

/* ---- files.c */
struct xfile *file_open(struct cms_fileid *id, uint32_t width, int *rc);
int file_write(struct xfile *f, const struct cms_fileid *id, uint32_t from, uint32_t to,
               bool append);
int file_insert(struct xfile *f, struct cms_fileid *id, uint32_t first, uint32_t count);
void ring_free(struct xfile *f);

/* ---- lines.c: changes of the current file; they keep the marks and count as alterations */
uint32_t size_of(void);
uint32_t top_of(void);  /* Top of File, or of SET RANGE: the line before the first */
uint32_t end_of(void);  /* the line behind the last */
bool is_line(uint32_t k);                /* one of these */
unsigned edge_text(uint32_t k, char *to, size_t size); /* "Top of ..." or "End of ..." */
struct xline *line_at(uint32_t k);
bool shown(uint32_t k);                  /* in SET DISPLAY */
bool in_scope(uint32_t k);               /* subcommands work on it: SET SCOPE */
uint32_t scope_from(uint32_t k, int by); /* k or the next that is; 0 or size + 1 at the ends */
uint32_t scope_move(uint32_t k, int64_t by);
int line_insert(uint32_t after, const char *text, uint32_t len);
int line_replace(uint32_t k, const char *text, uint32_t len);
void line_delete(uint32_t k, bool recoverable);
/* Those in scope, the first one first: RECOVER begins with the last one. How many they were. */
uint32_t lines_delete(uint32_t first, uint32_t last);
void altered(void);
struct xmark *mark_add(uint32_t line, const char *name, uint32_t count);
void mark_drop(struct xmark *m);
struct xmark *mark_find(const char *name);
void upper_text(char *text, size_t len);
uint32_t expand_tabs(char *to, uint32_t room, const char *text, uint32_t len);

/* ---- operands.c */
const char *skip_blanks(const char *p);
/* Cuts the next word off, in upper case, to at most size - 1 characters. */
const char *next_word(const char **p, char *word, size_t size);
bool whole_number(const char *word, int32_t *n);

/* ---- target.c */
struct xtarget {
    bool found;
    bool up;       /* the target lies behind the current line */
    bool number;   /* a count of lines: the range has that many */
    uint32_t line; /* 0 to size + 1 */
};
/* Cuts a target off *text. Returns 0; 5 if *text has none; 2 not found (said). */
int target_parse(const char **text, struct xtarget *t, uint32_t from);
/* The lines from the current one to the target: first <= last. As target_parse; nothing typed is
 * one line. */
int target_range(const char **text, uint32_t *first, uint32_t *last);
/* Cuts /text/ off; its end mark may be missing at the line's end. */
bool delimited(const char **text, const char **string, uint32_t *len);

/* ---- command.c */
struct xcommand {
    const char *name;
    unsigned min;
    int (*run)(const char *operands);
};
extern const struct xcommand xcommands[], xsets[];
enum { X_ANY, X_NO_MACRO };
/* The whole name of a subcommand or of what SET sets, or the word itself. */
const char *xcommand_name(const char *word);
int locate(const char *operands);
int xcommand_run(const char *text, size_t len, int how);
/* A line of several subcommands, SET LINEND between them; from the command line. */
int xcommand_line(const char *text, size_t len);

/* ---- macro.c, of REXX */
int macro_run(const char *name, const char *args); /* -3: there is none */
/* A subcommand of the current session; -3: its ring is empty. */
int xedit_from_rexx(const char *text, uint32_t len);
int extract(const char *operands);
/* One item's values for QUERY, EXTRACT and TRANSFER; how many, -1 there is no such item. */
enum { X_VALUES = 64, X_VALUE = 256 };
struct xvalues {
    char name[16];
    int count;
    uint32_t used;
    struct { const char *p; uint32_t n; } value[X_VALUES];
    char store[4096];
};
int query_values(const char *item, const char *operand, struct xvalues *v);
/* The item's name and the first MOST of its values, parted by blanks. Returns the length. */
size_t values_text(const struct xvalues *v, int most, char *to, size_t size);

/* ---- views.c: SET SCREEN */
void view_to(unsigned i);         /* the session goes on in view i */
unsigned view_at(unsigned row);   /* to the view of the screen's row; the row in it, X_ROWS: none */
void view_typed(void);            /* views_run has to run this view's command line */
void views_run(void (*run)(void));
void views_each(void (*run)(void));
bool views_make(unsigned n, const unsigned *rows); /* rows 0: equal ones. False: no storage */
void views_leave(struct xfile *f); /* f is no more in the ring */
void views_fit(void);
void views_end(void);
unsigned screen_rows(void);       /* of all views */
unsigned view_rows(unsigned i);
uint32_t *view_line(unsigned i);  /* current line of a view that waits, of this file; or 0 */
/* In each view, without a call when there is one. */
static inline void each_view(void (*run)(void))
{
    if (x->views)
        views_each(run);
    else
        run();
}

/* ---- screen.c, layout.c, input.c, prefix.c */
void layout(void);
unsigned data_rows(void); /* rows that can show lines of the file */
unsigned data_width(void);
void screen_show(void);
void screen_edit(void);   /* shows, waits for a key and does what it means */
int screen_read(void); /* for a macro: stacks what was typed */
void screen_leave(void);
bool screen_size(void);   /* false: no 3270 */
unsigned stream_build(uint8_t *to);
void prefix_text(const struct xrow *r, char text[X_PREFIX + 1]);
unsigned row_data(const struct xrow *r, char *text); /* as shown; its length */
bool schange_confirm(void);
bool *set_flag(const char **name); /* of flags.c; *name becomes the whole one; 0: no flag */
int x_set(const char *operands);
int key_set(const char *name, const char *p);
int row_number(int row);  /* of SET: from 0; -1: not on the screen */
void input_apply(const uint8_t *in, size_t len);
void prefix_enter(uint32_t line, const char *text);
void prefix_run(void);

/* ---- cursor.c */
enum { KEY_PA1 = 24, KEY_ENTER = 27, KEY_NONE = -1 }; /* of x->key: PF1 is 0 */
int key_index(const char *name); /* PF1, PA1, ENTER: index of x->key; -1 */
void cursor_to_file(uint32_t line, uint32_t column);
/* The file's line and column at the cursor when the key was pressed; false: not in the file. */
bool cursor_in_file(uint32_t *line, uint32_t *column);
#endif
