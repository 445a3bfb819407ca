/* SPDX-License-Identifier: MIT */
/* A sample is taken; a command is done. */
#include "act.h"
#include "diag.h"
#include "fs.h"
#include "logfile.h"
#include "say.h"
#include "sample.h"

struct rtm rtm;
static struct rtm_text text;

uint64_t tod_us(void)
{
    uint64_t t;

    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

void act_build(struct rtm_text *t, int view, const char *user)
{
    t->head = t->lines = 0;
    if (view == RTM_HELP)
        rtm_view_help(t);
    else if (!rtm.have)
        rtm_add(t, "NO INTERVAL HAS ENDED YET");
    else if (view == RTM_USER)
        rtm_view_users(t, &rtm.last);
    else if (view == RTM_ONE_USER)
        rtm_view_user(t, &rtm.last, user);
    else if (view == RTM_IO)
        rtm_view_io(t, &rtm.last);
    else if (view == RTM_LOG)
        rtm_view_log(t, &rtm.history);
    else
        rtm_view_system(t, &rtm.last, &rtm.history);
}

static void log_failed(int rc)
{
    log_on = false;
    fmt(rtm.message, sizeof(rtm.message), "RTMLOG010E %s %s STOPPED: %s", log_fn, log_ft,
        fs_strerror(rc));
    if (!rtm.screen)
        say("%s", rtm.message);
}

static void log_interval_lines(void)
{
    char line[RTM_RECORD];
    bool console = rtm.console && rtm.connected && !rtm.screen;
    int rc = FS_OK;

    if (!log_on && !console)
        return;
    for (unsigned i = 0; i <= rtm.last.user_count; i++) {
        int n = i ? rtm_record_user(line, &rtm.last.system, &rtm.last.user[i - 1])
                  : rtm_record_system(line, &rtm.last.system);
        if (console)
            diag_write(line, n, 0);
        if (log_on && rc == FS_OK)
            rc = log_line(line, (unsigned)n);
    }
    if (console)
        say("RTMSF END");        /* who reads along knows that the interval is whole */
    if (log_on && rc == FS_OK)
        rc = log_interval();
    if (rc != FS_OK)
        log_failed(rc);
}

static void note_terminal(void)
{
    bool before = rtm.connected;

    for (unsigned i = 0; i < rtm.last.user_count; i++)
        if (strcmp(rtm.last.user[i].userid, rtm.self) == 0)
            rtm.connected = rtm.last.user[i].connected;
    if (rtm.connected && !before && !rtm.screen)
        say("RTMSCR003I LINE MODE; SCREEN FOR THE FULL SCREEN, HELP FOR THE COMMANDS");
}

void act_sample(void)
{
    struct rtm_snapshot *next = &rtm.snap[!rtm.now];
    long rc = sample_take(next);

    if (rc < 0) {
        say("RTMSAM011E CP GIVES NO MONITOR DATA, RC %ld; PRIVILEGE CLASS E IS NEEDED", rc);
        diag_end(1);
    }
    bool good = rtm.snap[rtm.now].system.now_us
                && rtm_rates(&rtm.snap[rtm.now], next, rtm.self, &rtm.last);
    rtm.now = !rtm.now;
    if (good) {
        rtm.have = true;
        rtm_remember(&rtm.history, &rtm.last.system);
        note_terminal();
        log_interval_lines();
    } else {
        rtm.have = false;
    }
    if (rtm.screen)
        panel_paint();
}

static void query(char line[RTM_WIDTH + 1])
{
    if (log_on)
        fmt(line, RTM_WIDTH + 1, "INTERVAL %u S, LOG ON %s %s, CONSOLE %s", rtm.seconds, log_fn,
            log_ft, rtm.console ? "ON" : "OFF");
    else
        fmt(line, RTM_WIDTH + 1, "INTERVAL %u S, LOG OFF, CONSOLE %s", rtm.seconds,
            rtm.console ? "ON" : "OFF");
}

static void set(const struct rtm_command *c, char line[RTM_WIDTH + 1])
{
    int rc;

    switch (c->what) {
    case RTM_INTERVAL:
        rtm.seconds = c->seconds;
        rtm.due_us = tod_us() + (uint64_t)rtm.seconds * 1000000;
        break;
    case RTM_LOG_ON:
        rc = log_start(c->name, c->type);
        if (rc != FS_OK) {
            fmt(line, RTM_WIDTH + 1, "RTMLOG010E NO LOG: %s", fs_strerror(rc));
            return;
        }
        break;
    case RTM_LOG_OFF:
        rc = log_stop();
        if (rc != FS_OK) {
            fmt(line, RTM_WIDTH + 1, "RTMLOG010E %s %s NOT WRITTEN: %s", log_fn, log_ft,
                fs_strerror(rc));
            return;
        }
        break;
    case RTM_CONSOLE_ON:
    case RTM_CONSOLE_OFF:
        rtm.console = c->what == RTM_CONSOLE_ON;
        break;
    default:
        break;
    }
    query(line);
}

/* A line to another user; one who cannot have it does without. */
static void tell(const char *user, const char *line)
{
    char command[CMD_MAX], reply[LINE_MAX];
    int n = fmt(command, sizeof(command), "MSG %s %s", user, line);

    diag_cp(command, n, reply, sizeof(reply), 0);
}

static void answer_smsg(const char *user, const struct rtm_command *c, char line[RTM_WIDTH + 1])
{
    if (c->what == RTM_SCREEN || c->what == RTM_END || c->what == RTM_NOTHING) {
        tell(user, "RTMCMD005E NOT BY SMSG");
    } else if (!rtm_is_view(c->what) && c->what != RTM_QUERY && strcmp(user, "OPERATOR") != 0
               && strcmp(user, "MAINT") != 0) {
        tell(user, "RTMCMD004E ONLY OPERATOR AND MAINT MAY SET");
    } else if (!rtm_is_view(c->what)) {
        set(c, line);
        tell(user, line);
    } else if (!rtm.have && c->what != RTM_HELP) {
        tell(user, "NO INTERVAL HAS ENDED YET");
    } else {
        text.head = text.lines = 0;
        rtm_brief(&text, c, &rtm.last, &rtm.history);
        for (unsigned i = 0; i < text.lines; i++)
            tell(user, text.line[i]);
    }
}

static void show(const struct rtm_command *c)
{
    if (rtm.screen) {
        rtm.view = c->what;
        memcpy(rtm.user, c->name, sizeof(rtm.user));
        rtm.top = 0;
        return;
    }
    act_build(&text, c->what, c->name);
    for (unsigned i = 0; i < text.lines; i++)
        say("%s", text.line[i]);
}

static void start_screen(void)
{
    panel_start();
    if (!rtm.screen)
        say("RTMSCR001E THE CONSOLE IS NOT A 3270; LINE MODE");
}

void act_command(const char *typed, size_t len, const char *from)
{
    struct rtm_command c;
    char line[RTM_WIDTH + 1] = "";
    int rc = rtm_parse(typed, len, &c, line);

    if (from) {
        if (rc != 0)
            tell(from, line);
        else
            answer_smsg(from, &c, line);
        return;
    }
    if (rc == 0 && rtm_is_view(c.what))
        show(&c);
    else if (rc == 0 && c.what == RTM_SCREEN)
        start_screen();
    else if (rc == 0 && c.what == RTM_END)
        panel_end();
    else if (rc == 0 && c.what != RTM_NOTHING)
        set(&c, line);
    if (rtm.screen)
        memcpy(rtm.message, line, sizeof(rtm.message));
    else if (*line)
        say("%s", line);
}
