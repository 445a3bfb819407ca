/* SPDX-License-Identifier: MIT */
/* Spool files: records that a virtual reader reads, or that a virtual punch, printer or console has
 * written. They are kept in the volume's area SPOOL, and what is closed survives an IPL:
 * docs/decisions/011-spool-files.md says in which order it is written. */
#ifndef VMKB_SPOOL_H
#define VMKB_SPOOL_H
#include "command.h"
#include "directory.h"

#define SPOOL_PAGE     4096
#define SPOOL_BLOCKS   8         /* of 512 bytes in a page */
#define SPOOL_EXTENTS  4         /* in the entry itself; a file with more has them in a page */
#define SPOOL_MAPPED   (SPOOL_PAGE / sizeof(struct spool_extent))
#define SPOOL_IDS      9999      /* spoolids of a user are 1 to 9999 */
#define SPOOL_OPEN     (VM_MAX * 2) /* output files open or being closed at one time */
#define SPOOL_NAME     24        /* a file name of 12 and a type of 12 characters, or one of 24 */
#define SPOOL_TAG      136

/* The queue that a file is in, and 0 in an entry that is free. */
enum { SPOOL_NONE, SPOOL_RDR, SPOOL_PRT, SPOOL_PUN };

/* A machine's devices, in this order in struct vm. */
enum { DEV_RDR, DEV_PRT, DEV_PUN, DEV_CON };

struct spool_extent {
    uint32_t first, pages;   /* of the data pages, from 0 */
};

/* As it is on the volume: numbers big-endian, names blank-padded. */
struct spool_entry {
    uint64_t owner, origin;  /* userids */
    char name[SPOOL_NAME];
    char dist[8];
    uint64_t order;          /* its place among the files of its queue */
    uint64_t created;        /* microseconds since 1970 */
    uint32_t records, pages;
    uint16_t id;
    uint16_t last;           /* bytes of the last page that are records */
    uint8_t queue;           /* SPOOL_RDR...; 0: the entry is free */
    uint8_t made_by;         /* DEV_PRT, DEV_PUN or DEV_CON */
    char class;
    uint8_t hold, copies;
    uint8_t reserved;
    uint16_t extents;        /* how many */
    uint32_t map;            /* the page that has them, if there are more than SPOOL_EXTENTS */
    struct spool_extent extent[SPOOL_EXTENTS];
};
_Static_assert(sizeof(struct spool_entry) == 120, "four and a head are one block");

/* SPOOL_FILING is SPOOL_FILED but not yet on the volume; SPOOL_GOING is not filed any more, and
 * SPOOL_GONE neither, by what is being written. */
enum { SPOOL_FREE, SPOOL_WRITTEN, SPOOL_FILING, SPOOL_FILED, SPOOL_READ, SPOOL_GOING, SPOOL_GONE };

struct pair;
struct spool_file {
    struct spool_entry e;
    struct spool_extent *map; /* a page of CP's, or 0: e.extent */
    struct pair *pair;        /* of the directory */
    struct spool_file *next, *prev; /* in its queue */
    uint8_t state;
};

/* What waits in the line of the directory's writer. */
struct spool_work {
    struct spool_work *next;
    /* 0: it is part of the directory, to be written. Else it is called when all that was before it
     * in the line is on the volume; good: nothing failed. */
    void (*done)(struct spool_work *w, bool good);
    unsigned failures;
};

/* cp/spool/spool_space.c: data pages */
bool space_start(uint32_t pages);        /* false: no storage for their table */
bool space_mark(uint32_t first, uint32_t n); /* at IPL: in use; false: it was, or is outside */
/* Pages in a row, `after` if it is free, at most want: the first, and how many; 0: none is free */
uint32_t space_take(uint32_t after, uint32_t want, uint32_t *first);
void space_give(uint32_t first, uint32_t n);
uint32_t space_left(void);
uint32_t space_total(void);

/* cp/spool/spool_share.c */
struct spool_share {
    uint32_t files, pages;   /* of a user's, open ones too */
    uint32_t most_files, most_pages, percent;
};
void spool_share_start(void);            /* at IPL */
void spool_set_share(uint32_t per_cent); /* of everybody */
/* aside: spool_aside() of that user */
void spool_get_share(uint64_t origin, uint32_t aside, struct spool_share *s);
/* pages; 0: nor a file more */
uint32_t spool_share_left(const struct vm *vm, uint32_t aside);

/* cp/spool/spool_directory.c */
void spool_start(uint8_t volume, const struct vol_area *area); /* at IPL */
struct spool_file *spool_new(void);      /* SPOOL_WRITTEN; 0: no more */
uint32_t spool_files_total(void);        /* that there can be */
uint32_t spool_files_made(void);         /* that there were at one time, at most */
/* of open files no pages */
void spool_made_by(uint64_t origin, uint32_t *files, uint32_t *pages);
/* A bit for each id that a file of the owner has, whatever becomes of it. */
void spool_ids(uint64_t owner, uint8_t *taken, size_t size);
void spool_changed(struct spool_file *f); /* its part of the directory is to be written */
void spool_then(struct spool_work *w);   /* call it when what was changed is on the volume */
/* Read or write pages of 4096 bytes; done as of dasd.h, called later. False: no request is free. */
struct dasd_request;
bool spool_io(bool write, uint32_t page, uint8_t *data, void (*done)(struct dasd_request *r),
              struct vm *vm, void *arg);
uint32_t spool_page(const struct spool_file *f, uint32_t n); /* where its n-th page is */
void spool_free_pages(struct spool_file *f);

/* cp/spool/spool_queue.c */
extern const char *const queue_names[];  /* RDR PRT PUN, by SPOOL_ */
extern const char *const maker_names[];  /* by DEV_: RDR PRT PUN CON */
void spool_link(struct spool_file *f);   /* it is in the queue that its entry says */
void spool_unlink(struct spool_file *f);
void spool_on_link(struct task *t);      /* to be run when a file may be put out */
void spool_look(void);                   /* one may be, as it is held no more */
void spool_queued(struct spool_entry *e); /* its order becomes the last */
uint64_t spool_first(void);              /* the first of SPOOL_IDS orders before all that are */
char *spool_records(char text[8], uint32_t n); /* 0012, 012K, 012M */
uint64_t spool_key(const char *userid);  /* as entries have it */
bool spool_id_free(uint64_t owner, uint16_t id);
uint16_t spool_next_id(uint64_t owner);  /* 0: it has all */
/* The user's files in that queue, or with userid 0 everybody's, in their order; 0: no more. */
struct spool_file *spool_next(const char *userid, uint8_t queue, const struct spool_file *after);
bool spool_counts(const char *userid, char *text, size_t size); /* the line; false: no files */
void spool_purge(struct spool_file *f);
/* vm does nothing until what was changed is on the volume. */
void spool_wait(struct vm *vm);
void spool_hold(struct vm *vm);          /* until as many times: */
void spool_waited(struct vm *vm, uint64_t logon_tod);

/* cp/spool/spool_out.c */
struct spool_out;
long spool_write(struct vm *vm, struct spool_device *d, const uint8_t *records, uint64_t len);
void spool_line(struct vm *vm, const char *text, size_t len); /* to the console's file */
uint32_t spool_aside(uint64_t origin);   /* pages of its open files */
bool spool_line_room(const struct vm *vm);
/* The device's file is filed, or dropped; its machine waits until it is. */
void spool_close(struct vm *vm, struct spool_device *d, bool purge);
char *spool_name(struct spool_device *d); /* of the file being written: SPOOL_NAME characters */
void spool_logoff(struct vm *vm);        /* all that it has open is filed */

/* cp/spool/spool_in.c */
long spool_read(struct vm *vm, struct spool_device *d, uint64_t buffer, uint64_t len);
void spool_close_in(struct vm *vm, struct spool_device *d, bool keep);
void spool_reset(struct vm *vm);         /* the file that its reader has open stays in the queue */
__attribute__((noinline)) long spool_service(struct vm *vm, int op, uint16_t vaddr, uint64_t buffer,
                                              uint64_t len);

/* cp/spool/spool_unit.c */
void spool_units(void);                  /* at IPL */
int spool_unit(uint16_t raddr, bool start); /* 0; DIAG_ENODEV, DIAG_ELIMIT */

/* cp/spool/spool_device.c */
/* LOGON: its SPOOL statements, among u->devices */
void spool_devices(struct vm *vm, const struct dir_user *u, const struct dir_device *from);
struct spool_device *spool_device(struct vm *vm, uint16_t vaddr);
int spool_queue_word(const char *word);  /* READER, PRT, PUNCH...: SPOOL_ of it, or SPOOL_NONE */
/* SPOOL, CLOSE, TAG: the device that the word names; 0, or a message's number */
int spool_device_word(struct cmd *c, const char *module, const char *word,
                      struct spool_device **device);
#endif
