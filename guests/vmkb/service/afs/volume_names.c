/* SPDX-License-Identifier: MIT */
/* Names, one record behind the other in the order in which they were made: the directory's slot,
 * the slot that is named, the length, the bytes. */
#include "volume.h"
#include "xdr.h"

#define HEAD 6u

bool volume_next_name(const struct volume *v, uint32_t *at, struct volume_name *n)
{
    const uint8_t *p = v->names + *at;

    if (v->names_len - *at < HEAD)
        return false;
    *n = (struct volume_name){.of = rx_get16(p), .slot = rx_get16(p + 2), .len = rx_get16(p + 4),
                              .bytes = p + HEAD};
    if (n->len > v->names_len - *at - HEAD)
        return false;
    *at += HEAD + n->len;
    return true;
}

bool volume_find_name(const struct volume *v, uint32_t of, const uint8_t *name, uint32_t len,
                      struct volume_name *n)
{
    for (uint32_t at = 0; volume_next_name(v, &at, n);)
        if (n->of == of && n->slot != VOLUME_TEXT && n->len == len
            && memcmp(n->bytes, name, len) == 0)
            return true;
    return false;
}

bool volume_text(const struct volume *v, uint32_t of, struct volume_name *n)
{
    for (uint32_t at = 0; volume_next_name(v, &at, n);)
        if (n->of == of && n->slot == VOLUME_TEXT)
            return true;
    return false;
}

bool volume_is_empty(const struct volume *v, uint32_t of)
{
    struct volume_name n;

    for (uint32_t at = 0; volume_next_name(v, &at, &n);)
        if (n.of == of && n.slot != VOLUME_TEXT)
            return false;
    return true;
}

bool volume_add_name(struct volume *v, uint32_t of, uint32_t slot, const uint8_t *name,
                     uint32_t len)
{
    uint8_t *p = v->names + v->names_len;

    if (len + HEAD > VOLUME_NAMES - v->names_len)
        return false;
    rx_put16(p, (uint16_t)of);
    rx_put16(p + 2, (uint16_t)slot);
    rx_put16(p + 4, (uint16_t)len);
    memcpy(p + HEAD, name, len);
    v->names_len += HEAD + len;
    return true;
}

static void drop(struct volume *v, const struct volume_name *n)
{
    uint8_t *p = v->names + (n->bytes - v->names) - HEAD;
    uint32_t size = HEAD + n->len;

    v->names_len -= size;
    memmove(p, p + size, v->names_len - (uint32_t)(p - v->names));
}

void volume_drop_name(struct volume *v, uint32_t of, const uint8_t *name, uint32_t len)
{
    struct volume_name n;

    if (volume_find_name(v, of, name, len, &n))
        drop(v, &n);
}

void volume_drop_text(struct volume *v, uint32_t of)
{
    struct volume_name n;

    if (volume_text(v, of, &n))
        drop(v, &n);
}
