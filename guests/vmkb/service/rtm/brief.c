/* SPDX-License-Identifier: MIT */
/* Answers to special messages: at most RTM_BRIEF lines that fit on a screen behind MSG FROM. */
#include "rtm.h"

static void system_lines(struct rtm_text *t, const struct rtm_system *s)
{
    char at[9];

    rtm_clock(s->end_us, at);
    rtm_add(t, "%s CPU %s%% CP %s%% USR %s%% WAIT %s%%", at, rtm_num(rtm_busy(s, true), 0, 1),
            rtm_num(s->cp.model + s->own.model, 0, 1), rtm_num(s->virt.model, 0, 1),
            rtm_num(s->wait, 0, 1));
}

void rtm_brief(struct rtm_text *t, const struct rtm_command *c, const struct rtm_interval *i,
               const struct rtm_history *h)
{
    const struct rtm_system *s = &i->system, *p;

    if (c->what == RTM_SYSTEM) {
        system_lines(t, s);
        rtm_add(t, "I/O %s/S IUCV %s/S CONSOLE %s/S", rtm_num(s->io, 0, 2), rtm_num(s->iucv, 0, 2),
                rtm_num(s->console, 0, 2));
        rtm_add(t, "STORAGE %s%% READY %u USERS %u MODEL %s", rtm_num(s->storage, 0, 2),
                s->queue[0] + s->queue[1], s->users, s->model);
        rtm_add(t, "RTMSF ITSELF %s%%, %lu INSTRUCTIONS IN %s S", rtm_num(s->self.model, 0, 2),
                (unsigned long)s->self_instr, rtm_num(s->length_us / 10000, 0, 2));
    } else if (c->what == RTM_USER || c->what == RTM_ONE_USER) {
        for (unsigned n = 0; n < i->user_count && t->lines < RTM_BRIEF; n++) {
            const struct rtm_user *u = &i->user[n];
            if (c->what == RTM_USER || strcmp(c->name, u->userid) == 0)
                rtm_add(t, "%-8s TOT %s%% VIRT %s%% I/O %s %s", u->userid,
                        rtm_num(u->total.model, 0, 2), rtm_num(u->virt.model, 0, 2),
                        rtm_num(u->io, 0, 2), rtm_wait_word(u->wait));
        }
        if (!t->lines)
            rtm_add(t, "%s WAS NOT LOGGED ON WHEN THE INTERVAL ENDED", c->name);
    } else if (c->what == RTM_IO) {
        for (unsigned n = 0; n < i->device_count && t->lines < RTM_BRIEF; n++)
            rtm_add(t, "%04X %.6s %s STARTS/S %12lu STARTS", i->device[n].now->devno,
                    i->device[n].now->volser, rtm_num(i->device[n].rate, 0, 2),
                    (unsigned long)i->device[n].now->starts);
    } else if (c->what == RTM_LOG) {
        for (unsigned n = 0; n < RTM_BRIEF && (p = rtm_past(h, n)) != 0; n++)
            system_lines(t, p);
    } else {
        rtm_add(t, "DISPLAY SYSTEM, USER [userid], IO, LOG");
        rtm_add(t, "SET INTERVAL n, SET LOG ON [fn ft], SET LOG OFF");
    }
}
