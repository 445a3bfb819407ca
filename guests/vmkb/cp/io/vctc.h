/* SPDX-License-Identifier: MIT */
/* Virtual channel-to-channel adapters (cp/io/vctc.c). An end is a device of one machine. What is
 * written at one end is what is read at the end that it is coupled to, from storage to storage:
 * who comes first waits. */
#ifndef VMKB_VCTC_H
#define VMKB_VCTC_H
#include <stdbool.h>
#include <stdint.h>

struct vm;
struct vctc;

/* Who runs channel programs at an end; ends of other machines are used by DIAG_VCTC. */
struct vctc_user {
    /* The storage of the CCW that waits, from the byte DONE on, and how much of it lies in one
     * piece: 0, no more. */
    uint8_t *(*piece)(struct vctc *v, uint32_t done, uint32_t *len);
    /* So many bytes of it were moved: the program goes on. */
    void (*moved)(struct vctc *v, uint32_t len);
};

enum vctc_wait { VCTC_NOTHING, VCTC_READ_WAITS, VCTC_WRITE_WAITS };

struct vctc {
    struct vm *vm;           /* 0: there is none */
    uint16_t vaddr, with_vaddr;
    char with[9];            /* whom alone it may be coupled to; "": anybody */
    uint8_t waits;           /* enum vctc_wait */
    uint8_t refused;         /* a DIAGNOSE found no READ: an event when there is one */
    struct vctc *other;      /* it is coupled to that one */
    const struct vctc_user *user;
    void *arg;               /* his */
};

#define VCTC_MAX 32          /* ends in the system */

/* WITH "": anybody; WITH_VADDR 0: COUPLE says. Else it is coupled when both are there. 0: there
 * is no room. */
struct vctc *vctc_define(struct vm *vm, uint16_t vaddr, const char *with, uint16_t with_vaddr);
struct vctc *vctc_find(const struct vm *vm, uint16_t vaddr); /* or 0 */
struct vctc *vctc_of(const struct vm *vm, unsigned i); /* the machine's i-th by address, or 0 */
bool vctc_may(const struct vctc *a, const struct vctc *b); /* they may be coupled */
void vctc_couple(struct vctc *a, struct vctc *b);
void vctc_uncouple(struct vctc *v);
void vctc_detach(struct vctc *v);
void vctc_logoff(struct vm *vm);
void vctc_meet(struct vctc *v);          /* a program waits there now */
long vctc_service(struct vm *vm, int op, uint16_t vaddr, uint64_t at, uint64_t len);
#endif
