/* SPDX-License-Identifier: MIT */
/* PIPE within itself: stages in rows, each of which gets records from the one before it and gives
 * records to the one behind it at once. A label joins another stream of a stage to a row. */
#ifndef VMKB_PIPE_H
#define VMKB_PIPE_H
#include "cms.h"

enum { PIPE_STAGES = 40, PIPE_STRING = 256, PIPE_RANGES = 10, PIPE_WIDEST = 65535,
       PIPE_STREAMS = 10, PIPE_LABEL = 8 };

struct pipe;
struct pipe_stage;

/* What a stage is. `parse` reads its operands: 0, or PIPE's code after a message. `put` takes a
 * record; false: it wants no more. `end` comes once, behind the last record; a first stage gives
 * all that it has then. Each may be 0. */
struct pipe_kind {
    const char *name;
    uint8_t min;             /* characters that must be typed */
    uint8_t place;           /* PIPE_ANY..., and streams that it may have besides one */
    int (*parse)(struct pipe_stage *s);
    bool (*put)(struct pipe_stage *s, const char *text, uint32_t len);
    void (*end)(struct pipe_stage *s);
};
enum { PIPE_ANY, PIPE_FIRST, PIPE_LATER, PIPE_PLACE = 3, PIPE_REJECTS = 4, PIPE_FANS_OUT = 8,
       PIPE_FANS_IN = 16 };

struct pipe_stage {
    struct pipe *pipe;
    struct pipe_out {
        struct pipe_stage *to; /* 0: what is given goes nowhere */
        uint8_t into;          /* which of its streams that is */
    } out[PIPE_STREAMS];
    uint8_t outs;            /* streams up to the last one that goes somewhere */
    uint8_t in;              /* the stream that the record came from */
    uint8_t inputs, ended;   /* how many come from somewhere, and of them have no more */
    uint8_t streams;         /* references to its label: the number of the last stream */
    char label[PIPE_LABEL + 1];
    const struct pipe_kind *kind;
    const char *text;        /* the whole stage, for messages */
    const char *at;          /* its operands that are not yet read */
    const char *end;
    int number, row;         /* its place in a row, and which row: from 1 */
    bool first, done;        /* first: of its row; done: wants no more */
    char *line;              /* for records that it makes */
    uint32_t room;
    void *data;              /* of its kind */
};

struct pipe {
    char *low, *high;        /* storage that is left */
    int rc;                  /* the worst so far */
    bool stop;               /* after an error */
    unsigned records;        /* given; HX is looked for now and then */
    struct pipe_stage stage[PIPE_STAGES];
    int stages;
};

/* ---- pipe.c */
int pipe_run(struct pipe *p, const char *text, unsigned len); /* storage is set: PIPE's code */

/* ---- flow.c */
/* A record to the stage behind, by the stream K: false: nobody wants more of any stream. */
bool pipe_give_to(struct pipe_stage *s, unsigned k, const char *text, uint32_t len);
bool pipe_wanted(const struct pipe_stage *s); /* or no stage is behind it */
static inline bool pipe_give(struct pipe_stage *s, const char *text, uint32_t len)
{
    return pipe_give_to(s, 0, text, len);
}
/* What a selection does not let through goes to its second stream, if it has one. */
static inline bool pipe_reject(struct pipe_stage *s, const char *text, uint32_t len)
{
    return pipe_give_to(s, 1, text, len);
}
static inline bool pipe_rejects(const struct pipe_stage *s)
{
    return s->out[1].to != 0;
}
void *pipe_alloc(struct pipe *p, size_t size); /* 0 after a message: the pipe stops */
char *pipe_line(struct pipe_stage *s, size_t size); /* s->line with that room, its bytes kept */
int pipe_error(struct pipe_stage *s, int rc, const char *f, ...) LIB_FORMAT(3, 4);
void pipe_code(struct pipe *p, int rc); /* a command's: the worst of all is PIPE's */

/* ---- operand.c */
struct pipe_string {
    char text[PIPE_STRING];
    uint32_t len;
};
struct pipe_range {
    char unit;               /* 'C' columns, 'W' words, 'F' fields */
    char separator;
    int32_t from, to;        /* from 1; below 0 from the end */
};
struct pipe_ranges {
    int n;                   /* 0: the whole record */
    struct pipe_range range[PIPE_RANGES];
};
bool pipe_word(struct pipe_stage *s, char *word, size_t size); /* the next, in capitals */
bool pipe_is(struct pipe_stage *s, const char *name, unsigned min); /* takes it if it is next */
bool pipe_more(struct pipe_stage *s);      /* something other than blanks is left */
bool pipe_anycase(struct pipe_stage *s);   /* ANYCASE or a synonym stood there */
int pipe_nothing(struct pipe_stage *s);    /* 0, or 112 if something is left */
bool pipe_number(struct pipe_stage *s, int32_t *n); /* takes it if it is next; * is INT32_MAX */
int pipe_string(struct pipe_stage *s, struct pipe_string *to); /* /text/ or Xhex */
int pipe_character(struct pipe_stage *s, char *c); /* one, two hexadecimal digits, or BLANK */
int pipe_range(struct pipe_stage *s, struct pipe_range *r); /* 0; -1: none is next */
int pipe_ranges(struct pipe_stage *s, struct pipe_ranges *r);
/* Where a range lies in a record: its length. */
uint32_t pipe_cut(const struct pipe_range *r, const char *text, uint32_t len, uint32_t *at);
bool pipe_find(const char *text, uint32_t len, const struct pipe_string *what, bool anycase,
               uint32_t *at);

/* ---- specs.c */
int specs_parse(struct pipe_stage *s);
bool specs_put(struct pipe_stage *s, const char *text, uint32_t len);

/* ---- what there is */
extern const struct pipe_kind pipe_devices[], pipe_selections[], pipe_edits[], pipe_wholes[],
    pipe_streams[];
bool pipe_absent(const char *name); /* a stage of CMS Pipelines that is not here */
#endif
