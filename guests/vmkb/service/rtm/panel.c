/* SPDX-License-Identifier: MIT */
/* RTMSF's full screen: paint, keys. */
#include "act.h"
#include "diag.h"
#include "say.h"

static struct rtm_text text;
static struct rtm_page page;
static uint8_t stream[RTM_STREAM];

static void title(char line[RTM_WIDTH + 1])
{
    static const char *const names[] = {"", "SYSTEM", "USER", "USER", "I/O", "LOG", "HELP"};
    const struct rtm_system *s = &rtm.last.system;
    char day[11] = "", at[9] = "";

    if (rtm.have) {
        rtm_date(s->end_us, day);
        rtm_clock(s->end_us, at);
    }
    fmt(line, RTM_WIDTH + 1, "RTMSF %-8s %-10s %-8s UTC   INTERVAL %s S   MODEL %-8s",
        names[rtm.view], day, at, rtm_num(s->length_us / 10000, 6, 1), rtm.have ? s->model : "");
}

void panel_paint(void)
{
    char line[RTM_WIDTH + 1];

    title(line);
    act_build(&text, rtm.view, rtm.user);
    rtm.top = rtm_layout(&page, &text, rtm.top, line, rtm.message);
    for (int attempt = 0; attempt < 2; attempt++) {
        unsigned n = rtm_stream(stream, &page, &rtm.shown, rtm.erase, rtm.unlock);
        long rc = n ? diag_full(FULL_WRITE, stream, n, rtm.erase) : 0;
        rtm.busy = rc == DIAG_EBUSY && rtm.unlock;
        if (rc == 0) {
            rtm.shown = page;
            rtm.erase = rtm.unlock = false;
        } else if (rc == FULL_LOST && !rtm.erase) {
            rtm.erase = true;    /* CP wrote on the screen: all of it again */
            continue;
        } else if (rc != DIAG_EBUSY) {
            rtm.screen = false;  /* no 3270 there, or no more */
        }
        return;
    }
}

void panel_start(void)
{
    if (rtm.screen)
        return;
    rtm.screen = rtm.erase = true;
    rtm.message[0] = 0;
    if (!rtm.view)
        rtm.view = RTM_SYSTEM;
    panel_paint();
}

void panel_end(void)
{
    if (!rtm.screen)
        return;
    rtm.screen = false;
    diag_full(FULL_END, 0, 0, 0);
    say("RTMSCR002I LINE MODE; SCREEN FOR THE FULL SCREEN, HELP FOR THE COMMANDS");
}

static void view(int what)
{
    rtm.view = what;
    rtm.top = 0;
}

static void key(int pf)
{
    static const uint8_t views[] = {
        [9] = RTM_SYSTEM, [10] = RTM_USER, [11] = RTM_IO, [12] = RTM_LOG};
    unsigned room = RTM_BODY - text.head;

    if (pf > 12)
        pf -= 12;
    if (pf == 1)
        view(RTM_HELP);
    else if (pf == 3)
        panel_end();
    else if (pf == 7)
        rtm.top = rtm.top > room ? rtm.top - room : 0;
    else if (pf == 8)
        rtm.top += room;
    else if (pf >= 9)
        view(views[pf]);
    else
        fmt(rtm.message, sizeof(rtm.message), "RTMSCR006E PF%d HAS NO MEANING HERE", pf);
}

void panel_input(void)
{
    static uint8_t data[256];
    struct rtm_input in;
    long n = diag_full(FULL_POLL, data, sizeof(data), 0);

    if (n == DIAG_EBUSY)
        return;
    rtm.message[0] = 0;
    rtm.unlock = true;
    if (n < 0) {
        rtm.erase = true;
    } else {
        rtm_input(&in, data, (size_t)n);
        if (in.pf > 0)
            key(in.pf);
        else if (in.pf == 0)
            act_command(in.text, in.len, 0);
        else
            rtm.erase = true;    /* CLEAR emptied the screen */
    }
    if (rtm.screen)
        panel_paint();
}
