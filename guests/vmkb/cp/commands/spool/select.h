/* SPDX-License-Identifier: MIT */
/* Which spool files a command is about: spoolid, CLASS c or ALL, in one queue of the issuer's. */
#ifndef VMKB_SPOOL_SELECT_H
#define VMKB_SPOOL_SELECT_H
#include "commands.h"
#include "spool.h"

struct selection {
    uint8_t queue;
    char class;              /* or 0 */
    uint16_t id;             /* or 0; neither: ALL */
};

/* The queue that the next word names: SPOOL_, or SPOOL_NONE after a message of that module. */
uint8_t select_queue(struct cmd *c, const char *module);
/* One selector: the word, and what follows CLASS. 0, or the number of the message. */
int select_files(struct cmd *c, const char *module, const char *word, struct selection *s);
/* Its files one after another; 0: there are no more. */
struct spool_file *select_next(struct cmd *c, const struct selection *s, struct spool_file *after);
/* For each selector of the rest of the line: what is done to each file, which may leave the queue.
 * Says how many it was done to: 0001 FILES PURGED. Returns 0 or the number of the message. */
int select_each(struct cmd *c, const char *module, uint8_t queue, const char *done,
                void (*act)(struct cmd *c, struct spool_file *f));
/* nnnn FILES PURGED, and the machine waits until the volume has it. */
void select_told(struct cmd *c, unsigned n, const char *done);
/* A class is a letter or a digit; false after DMKxxx028E. */
bool select_class(struct cmd *c, const char *module, char *class);
bool select_copies(struct cmd *c, const char *module, uint8_t *copies);
bool select_dist(struct cmd *c, const char *module, char dist[9]);
/* A userid of the directory, * the issuer's; 0, or the number of a message. */
int select_user(struct cmd *c, const char *module, char userid[9]);
/* NAME fn [ft], or dsname: the rest of the line; false after a message. */
bool select_name(struct cmd *c, const char *module, char name[SPOOL_NAME]);

int cmd_change(struct cmd *c);
int cmd_close(struct cmd *c);
int cmd_drain(struct cmd *c);
int cmd_order(struct cmd *c);
int cmd_purge(struct cmd *c);
int cmd_spool(struct cmd *c);
int cmd_start(struct cmd *c);
int cmd_tag(struct cmd *c);
int cmd_transfer(struct cmd *c);
#endif
