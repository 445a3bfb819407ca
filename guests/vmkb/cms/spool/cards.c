/* SPDX-License-Identifier: MIT */
#include "cards.h"

struct cards_out *cards_open(int vaddr)
{
    struct cards_out *o = cms_alloc(sizeof(*o));

    if (o) {
        o->vaddr = vaddr;
        o->n = 0;
        o->code = 0;
    }
    return o;
}

static void flush(struct cards_out *o)
{
    if (o->n && !o->code)
        o->code = diag_spool(SPOOL_WRITE, o->vaddr, o->page, o->n);
    o->n = 0;
}

bool cards_put(struct cards_out *o, uint8_t op, const void *text, unsigned len)
{
    if (o->n + SPOOL_HEAD + len > sizeof(o->page))
        flush(o);
    o->page[o->n++] = op;
    o->page[o->n++] = (uint8_t)len;
    memcpy(o->page + o->n, text, len);
    o->n += len;
    return o->code == 0;
}

void cards_put_card(struct cards_out *o, const void *text, unsigned len)
{
    char card[CARD];

    memset(card, ' ', sizeof(card));
    memcpy(card, text, len < CARD ? len : CARD);
    cards_put(o, SPOOL_OP_CARD, card, CARD);
}

static int cp_close(const char *what, unsigned vaddr, const char *closing)
{
    char line[CMS_LINE];
    int n = fmt(line, sizeof(line), "%s %03X %s", what, vaddr, closing);

    return cms_cp(line, (unsigned)n, 0, 0, 0);
}

/* What CP took goes; says why it did not take all. */
static int failed(const struct cards_out *o, const char *module)
{
    const char *what = o->vaddr == CARDS_PUN ? "punch" : "print";

    if (o->code == DIAG_ENODEV)
        return cms_error(36, "DMS%s008E Device %03X is invalid or does not exist", module,
                         o->vaddr);
    cp_close("CLOSE", (unsigned)o->vaddr, "PURGE");
    if (o->code == DIAG_ELIMIT)
        return cms_error(100, "DMS%s118S Cannot %s file: the spool space is full", module, what);
    return cms_error(100, "DMS%s118S Cannot %s file: error %ld", module, what, -o->code);
}

int cards_end(struct cards_out *o, const char *module, bool close)
{
    flush(o);
    if (o->code)
        return failed(o, module);
    return close ? cp_close("CLOSE", (unsigned)o->vaddr, "") : 0;
}

int cards_close(struct cards_out *o, const char *module, const char *closing)
{
    flush(o);
    if (o->code)
        return failed(o, module);
    int rc = cp_close("CLOSE", (unsigned)o->vaddr, closing);
    if (rc)
        cp_close("CLOSE", (unsigned)o->vaddr, "PURGE");
    return rc;
}

struct cards_in *cards_read(struct diag_spool *about, long *code)
{
    struct cards_in *in = cms_alloc(sizeof(*in));

    *code = DIAG_ELIMIT;
    if (!in)
        return 0;
    *code = diag_spool(SPOOL_INFO, CARDS_RDR, about, sizeof(*about));
    in->at = in->end = 0;
    in->code = 0;
    return *code == 0 ? in : 0;
}

/* What is left of this page goes before the next one; false: there is none. */
static bool more(struct cards_in *in)
{
    unsigned left = in->end - in->at;

    memmove(in->data + CARDS_CARRY - left, in->data + in->at, left);
    in->at = CARDS_CARRY - left;
    in->end = CARDS_CARRY;
    long n = diag_spool(SPOOL_READ_PAGE, CARDS_RDR, in->data + CARDS_CARRY, CARDS_PAGE);
    if (n < 0)
        in->code = n;
    else
        in->end += (unsigned)n;
    return n > 0;
}

bool cards_next(struct cards_in *in, uint8_t *op, const uint8_t **text, unsigned *len)
{
    const uint8_t *p = in->data + in->at;

    while (in->end - in->at < SPOOL_HEAD || in->end - in->at < SPOOL_HEAD + (unsigned)p[1]) {
        if (!more(in))
            return false;
        p = in->data + in->at;
    }
    in->at += SPOOL_HEAD + p[1];
    if (p[0] == SPOOL_OP_TAG)
        return cards_next(in, op, text, len);
    *op = p[0];
    *text = p + SPOOL_HEAD;
    *len = p[1];
    return true;
}

void cards_done(bool keep)
{
    cp_close("CLOSE", CARDS_RDR, keep ? "HOLD" : "NOHOLD");
}
