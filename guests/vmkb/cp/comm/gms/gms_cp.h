/* SPDX-License-Identifier: MIT */
/* gms_net in CP: its state, and the machines that have windows. */
#ifndef VMKB_GMS_CP_H
#define VMKB_GMS_CP_H
#include "gms.h"

struct vm;

extern struct gms *gms;          /* 0 until a machine has asked for something of it */
bool gms_start(void);            /* there is a LAN, and it is there now */

/* gms_window.c. A machine's frames: what the page table of its window says. */
struct gms_user {
    struct vm *vm;               /* 0: nobody's */
    uint64_t *page_table;
    struct gms_slot {
        struct counted *of;      /* 0: no frame there */
        uint8_t busy;            /* a call is under way to it */
        uint8_t status;          /* of the last */
    } slot[GMS_SLOTS];
    uint16_t first_token;        /* that of slot 0: the others' follow */
    uint8_t next;                /* of the slots for what is not solicited: where to look first */
    uint16_t last;               /* where the payload of the last GMS_CALL is */
    uint16_t awaited;            /* the slot that the machine sleeps for */
};
struct gms_user *gms_user_open(struct vm *vm); /* 0: GMS_USERS are there, or no storage */
void gms_user_close(struct gms_user *u);
unsigned gms_token(const struct gms_user *u, unsigned slot);
unsigned gms_land(struct gms_call *c, unsigned token, unsigned place, unsigned pages);
void gms_slot_free(struct gms_user *u, unsigned slot);
/* Where the frame in a slot is in real storage. */
const uint8_t *gms_slot_at(const struct gms_user *u, unsigned slot);

/* gms_run.c. Chains of calls by continuations, for GMS_RUN. */
long gms_run(struct vm *vm, uint64_t parm);
void gms_runs_forget(struct vm *vm);
struct gms_call *gms_call_for(struct vm *vm, const struct gms_parm *p); /* 0: none is free */
void gms_aim(struct gms_call *c, const struct gms_user *u, unsigned slot);
bool gms_copy_out(struct gms_user *u, struct gms_call *c, uint64_t buffer);
void gms_wake(struct vm *vm, long result, long more);
#endif
