/* SPDX-License-Identifier: MIT */
#include "passive.h"
#include "address.h"
#include "lib.h"

static bool ends(const char *t)
{
    return !*t || *t == ' ';
}

static bool ports(const char *t, uint16_t *first, uint16_t *last)
{
    unsigned a, b;

    if (!number_read(&t, 65535, &a) || *t++ != '-' || !number_read(&t, 65535, &b) || !ends(t)
        || a < 1024 || b < a)
        return false;
    *first = (uint16_t)a;
    *last = (uint16_t)b;
    return true;
}

static bool translation(const char *t, uint32_t *through, uint32_t *outside)
{
    return ip4_read(&t, through) && *t++ == ',' && ip4_read(&t, outside) && ends(t) && *through
           && *outside;
}

bool passive_options(struct passive *p, const char *text)
{
    struct passive new = *p;

    for (const char *t = text; *t; t++) {
        if (t != text && t[-1] != ' ')
            continue;
        if (strncmp(t, "PASV=", 5) == 0 && !ports(t + 5, &new.first, &new.last))
            return false;
        if (strncmp(t, "NAT=", 4) == 0 && !translation(t + 4, &new.through, &new.outside))
            return false;
    }
    new.next = new.first;
    *p = new;
    return true;
}

uint16_t passive_next(struct passive *p)
{
    uint16_t port = p->next;

    p->next = port == p->last ? p->first : (uint16_t)(port + 1);
    return p->first ? port : 0;
}

unsigned passive_count(const struct passive *p)
{
    return p->first ? p->last - p->first + 1u : 1u;
}

uint32_t passive_announced(const struct passive *p, uint32_t peer, uint32_t own)
{
    return p->through && peer == p->through ? p->outside : own;
}

uint32_t passive_client(const struct passive *p, uint32_t peer, uint32_t ip)
{
    return p->through && peer == p->through && ip == p->outside ? peer : ip;
}
