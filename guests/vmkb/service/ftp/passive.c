/* SPDX-License-Identifier: MIT */
#include "passive.h"
#include "ctype.h"
#include "lib.h"

static bool number(const char **t, unsigned max, unsigned *v)
{
    unsigned digits = 0;

    for (*v = 0; is_digit(**t) && digits < 6; digits++)
        *v = *v * 10 + (unsigned)(*(*t)++ - '0');
    return digits && *v <= max;
}

static bool ends(const char *t)
{
    return !*t || *t == ' ';
}

static bool ports(const char *t, uint16_t *first, uint16_t *last)
{
    unsigned a, b;

    if (!number(&t, 65535, &a) || *t++ != '-' || !number(&t, 65535, &b) || !ends(t) || a < 1024
        || b < a)
        return false;
    *first = (uint16_t)a;
    *last = (uint16_t)b;
    return true;
}

static bool address(const char **t, uint32_t *ip)
{
    unsigned v;

    *ip = 0;
    for (int i = 0; i < 4; i++) {
        if ((i && *(*t)++ != '.') || !number(t, 255, &v))
            return false;
        *ip = *ip << 8 | v;
    }
    return *ip != 0;
}

static bool translation(const char *t, uint32_t *through, uint32_t *outside)
{
    return address(&t, through) && *t++ == ',' && address(&t, outside) && ends(t);
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
