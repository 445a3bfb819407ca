/* SPDX-License-Identifier: MIT */
/* What the files of gms_net's core have for each other. */
#ifndef VMKB_GMS_PARTS_H
#define VMKB_GMS_PARTS_H
#include "gms.h"
#include "lib.h"

static inline bool gms_same(const uint8_t a[6], const uint8_t b[6])
{
    return memcmp(a, b, 6) == 0;
}

/* The same address, in a register: the compiler would make it anew from its index at each use. */
static inline void *gms_kept(void *p)
{
    __asm__("" : "+r"(p));
    return p;
}

void gms_replied(struct gms *g, const struct gms_frame *f);   /* gms_call.c */
void gms_calls_tick(struct gms *g);
void gms_calls_forget(struct gms *g, const void *owner);
void gms_requested(struct gms *g, const struct gms_frame *f); /* gms_serve.c */
void gms_stations_tick(struct gms *g, unsigned ticks);
void gms_stored_forget(struct gms *g, const void *owner);
#endif
