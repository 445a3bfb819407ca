/* SPDX-License-Identifier: MIT */
/* FBA volumes: requests that overlap with the CPU, and the minidisk cache in front of them. */
#ifndef VMKB_DASD_H
#define VMKB_DASD_H
#include "defs.h"

struct dasd_request {
    struct dasd_request *next;
    uint8_t volume, write;
    int8_t result;           /* 0 or DIAG_EIO */
    uint32_t block, count;   /* of the volume, 512 bytes; at most DASD_CHAIN */
    uint8_t *data;           /* real */
    struct account *owner;
    void (*done)(struct dasd_request *r);
    struct vm *vm;
    uint32_t left;           /* for mdisk.c: blocks still to be asked for */
    void *arg;               /* for spool/ */
};

struct dasd_volume {
    char volser[7];
    uint32_t blocks;         /* that the label speaks of */
    uint64_t reads, writes;  /* channel programs */
};

struct dasd_request *dasd_get(void);         /* 0: all in use */
void dasd_start(struct dasd_request *r);     /* done() is called later, never from here */
void dasd_disown(const struct account *closed);
int dasd_read_now(uint8_t volume, uint32_t block, uint32_t count, void *data); /* IPL only */
struct dasd_volume *dasd_volume(int i);      /* 0: not there */
unsigned dasd_queue(int volume);

extern bool mdc_on;
extern uint64_t mdc_hits, mdc_misses;
void mdc_init(void);
/* Copy blocks from the cache; false if one is not there. */
bool mdc_read(uint8_t volume, uint32_t block, uint32_t count, uint8_t *to);
/* What was read goes in; what was written brings blocks that are cached up to date. */
void mdc_note(uint8_t volume, uint32_t block, uint32_t count, const uint8_t *from, bool written);
void mdc_purge(void);
void mdc_set(bool on);
#endif
