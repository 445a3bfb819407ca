/* SPDX-License-Identifier: MIT */
/* A 3270 screen that somebody sits at: the display's logic (display.h) joined to CP's terminal,
 * whatever carries its data streams - a local device, or TN3270 in a service machine. */
#ifndef VMKB_STATION_H
#define VMKB_STATION_H
#include "display.h"
#include "terminal.h"

/* many times what a device needs to greet, less than a person notices */
#define STATION_GREET_US 100000u

struct station {
    struct display display;
    struct terminal *term;
    struct display_io io;    /* the channel program under way, or last */
    struct timer timer;
    /* Start io. 0, or not 0 when that failed at once. The end is told by station_ended. */
    int (*start)(struct station *s);
    bool (*busy)(struct station *s);
    /* whose work it is from now on */
    void (*charge)(struct station *s, struct account *owner);
    void *carrier;           /* the driver's own */
    const uint8_t *held;     /* the display's line, for which its machine had no room; 0: none */
    size_t held_len;
    uint8_t in_pump, connected, fs_len_set;
    uint8_t told_lost;       /* the program knows that CP's lines stand in its full screen */
    uint8_t fresh;           /* somebody sat down since the program under way was started */
    uint64_t greeted_by; /* until then nothing is started: the device may still be about to greet */
    uint16_t fs_len;
    uint8_t fs_data[DISPLAY_IO_MAX];  /* full-screen input not yet taken by the program */
};

/* Give s a terminal named name; start, busy, charge and carrier are set. False: TERMINALS are in
 * use. */
bool station_init(struct station *s, uint16_t devno, const char *name);
/* Somebody sits down (again): who was there is disconnected, the logo is shown. */
void station_connected(struct station *s);
/* Another has sat down, and the device may not have said so to the end: nothing is written to it
 * before that is said (station_connected), a key is pressed, or STATION_GREET_US have passed. */
void station_replaced(struct station *s);
void station_attention(struct station *s);
/* io has ended; got: bytes that a read brought. */
void station_ended(struct station *s, bool ok, size_t got);
void station_pump(struct station *s);
#endif
