/* SPDX-License-Identifier: MIT */
/* Passwords. The answer to a wrong one waits, and so does the next password from the same address,
 * whichever session gives it: more sessions, or sessions that do not wait for their answer, try no
 * more passwords in the same time. */
#include "diag.h"
#include "server.h"

#define ADDRESSES 16

static struct {
    uint32_t ip;
    uint64_t until;          /* no password from there is looked at before */
} slow[ADDRESSES];

uint64_t login_next = ~0UL;

static uint64_t slow_until(uint32_t ip)
{
    for (int i = 0; i < ADDRESSES; i++)
        if (slow[i].ip == ip)
            return slow[i].until;
    return 0;
}

/* In its own place, or in that of the address whose time is over first. */
static void slow_down(uint32_t ip, uint64_t until)
{
    int at = 0;

    for (int i = 0; i < ADDRESSES; i++) {
        if (slow[i].ip == ip) {
            at = i;
            break;
        }
        if (slow[i].until < slow[at].until)
            at = i;
    }
    slow[at].ip = ip;
    slow[at].until = until;
}

static void hold(struct session *s, uint64_t until)
{
    s->held_until = until;
    if (until < login_next)
        login_next = until;
}

static void look(struct session *s)
{
    uint64_t now = now_us(), until = slow_until(s->peer.ip);
    char user[9];

    if (until > now) {
        hold(s, until);
        return;
    }
    s->held_until = 0;
    fmt(user, sizeof(user), "%-8s", s->user);
    bool right = s->password[0] && diag_authent(user, s->password) == 0;
    memset(s->password, 0, sizeof(s->password));
    if (right) {
        login_right(s);
        return;
    }
    s->wrong = true;
    slow_down(s->peer.ip, now + WRONG_US);
    hold(s, now + WRONG_US);
}

void login_password(struct session *s, char *arg)
{
    s->password[0] = 0;      /* one that is too long is none */
    if (strlen(arg) <= 8)
        fmt(s->password, sizeof(s->password), "%-8s", arg);
    look(s);
}

static void due(struct session *s)
{
    if (!s->wrong) {
        look(s);
    } else {
        s->wrong = false;
        s->held_until = 0;
        login_wrong(s);
    }
    if (s->used && !s->held_until)
        control_more(s);
}

void login_due(struct session *sessions, unsigned count)
{
    uint64_t now = now_us();

    login_next = ~0UL;
    for (struct session *s = sessions; s < sessions + count; s++) {
        if (!s->used || !s->held_until)
            continue;
        if (s->held_until <= now)
            due(s);
        if (s->used && s->held_until && s->held_until < login_next)
            login_next = s->held_until;
    }
}
