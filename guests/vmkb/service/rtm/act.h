/* SPDX-License-Identifier: MIT */
/* The monitor's state and what is done in it (act.c), and its 3270 (panel.c). */
#ifndef VMKB_RTM_ACT_H
#define VMKB_RTM_ACT_H
#include "rtm.h"

struct rtm {
    char self[9];
    unsigned seconds;
    uint64_t due_us;             /* TOD microseconds of the next sample */
    bool console;                /* SET CONSOLE ON */
    bool connected;
    bool have;                   /* an interval is there */
    struct rtm_snapshot snap[2];
    unsigned now;                /* index of the last snapshot */
    struct rtm_interval last;
    struct rtm_history history;

    bool screen;                 /* in full-screen mode */
    bool erase, unlock;          /* what the next write must do */
    bool busy;                   /* a write could not be taken: try again soon */
    int view;
    char user[9];
    unsigned top;
    char message[RTM_WIDTH + 1];
    struct rtm_page shown;
};
extern struct rtm rtm;

/* act.c */
uint64_t tod_us(void);
void act_sample(void);
/* A command of its own console (from 0) or, by SMSG, of another user. */
void act_command(const char *text, size_t len, const char *from);
void act_build(struct rtm_text *t, int view, const char *user);

/* panel.c */
void panel_start(void);
void panel_end(void);
void panel_paint(void);
void panel_input(void);
#endif
