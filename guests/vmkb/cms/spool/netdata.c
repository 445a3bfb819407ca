/* SPDX-License-Identifier: MIT */
/* NETDATA, the form in which SENDFILE sends files and TSO's TRANSMIT data sets: control records
 * INMR01, 02, 03 and 06 of keyed fields, and the file's records, all cut into segments that run on
 * through the cards. */
#include "deck.h"
#include "nucleus.h"

enum { SEGMENT = 253, FIRST = 0x80, LAST = 0x40, CONTROL = 0x20 };
enum { INMDSNAM = 0x0002, INMDSORG = 0x003c, INMLRECL = 0x0042, INMRECFM = 0x0049,
       INMTNODE = 0x1001, INMTUID = 0x1002, INMFNODE = 0x1011, INMFUID = 0x1012,
       INMFTIME = 0x1024, INMUTILN = 0x1028, INMSIZE = 0x102c, INMNUMF = 0x102f };
enum { SEQUENTIAL = 0x4000, RECFM_F = 0x8000, RECFM_V = 0x4000 };

struct stream {
    struct cards_out *cards;
    uint8_t card[CARD];
    unsigned n;
    uint8_t control[SEGMENT]; /* a control record being made */
    unsigned len;
};

static void put(struct stream *s, const void *from, unsigned len)
{
    const uint8_t *p = from;

    for (; len; len--) {
        s->card[s->n++] = *p++;
        if (s->n == CARD) {
            cards_put(s->cards, SPOOL_OP_CARD, s->card, CARD);
            s->n = 0;
        }
    }
}

static void put_segments(struct stream *s, const uint8_t *p, uint32_t len, uint8_t flags)
{
    uint8_t place = FIRST;

    do {
        uint32_t n = len < SEGMENT ? len : SEGMENT;
        uint8_t head[2] = {(uint8_t)(n + 2), (uint8_t)(flags | place | (n == len ? LAST : 0))};
        put(s, head, 2);
        put(s, p, n);
        p += n;
        len -= n;
        place = 0;
    } while (len);
}

static void begin_control(struct stream *s, const char *name)
{
    memcpy(s->control, name, 6);
    s->len = 6;
}

static void half(struct stream *s, unsigned n)
{
    s->control[s->len++] = (uint8_t)(n >> 8);
    s->control[s->len++] = (uint8_t)n;
}

static void key(struct stream *s, unsigned key, unsigned values)
{
    half(s, key);
    half(s, values);
}

static void value(struct stream *s, const char *text)
{
    size_t n = blank_trim(text, strlen(text));

    half(s, (unsigned)n);
    memcpy(s->control + s->len, text, n);
    s->len += (unsigned)n;
}

static void field(struct stream *s, unsigned k, const char *text)
{
    key(s, k, 1);
    value(s, text);
}

static void number(struct stream *s, unsigned k, unsigned size, uint32_t n)
{
    key(s, k, 1);
    half(s, size);
    for (unsigned i = size; i--;)
        s->control[s->len++] = (uint8_t)(n >> 8 * i);
}

static void end_control(struct stream *s)
{
    put_segments(s, s->control, s->len, CONTROL);
}

static void sender(struct stream *s, const char *to)
{
    char node[9], time[20];
    struct diag_time t;

    diag_time(&t);
    name_string(node, cms_state.id.node);
    fmt(time, sizeof(time), "20%.2s%.2s%.2s%.2s%.2s%.2s", t.date + 6, t.date, t.date + 3, t.time,
        t.time + 3, t.time + 6);
    begin_control(s, "INMR01");
    number(s, INMLRECL, 4, CARD);
    field(s, INMFNODE, node);
    field(s, INMFUID, cms_userid());
    field(s, INMTNODE, node);
    field(s, INMTUID, to);
    field(s, INMFTIME, time);
    number(s, INMNUMF, 4, 1);
    end_control(s);
}

static void format(struct stream *s, const struct fs_stat *st)
{
    number(s, INMSIZE, 4, st->size);
    number(s, INMDSORG, 2, SEQUENTIAL);
    number(s, INMLRECL, 4, st->lrecl);
    number(s, INMRECFM, 2, st->recfm == FS_FIXED ? RECFM_F : RECFM_V);
}

static void describe(struct stream *s, const struct cms_fileid *id, const struct fs_stat *st)
{
    char mode[3] = {id->letter, (char)('0' + st->mode), 0};

    begin_control(s, "INMR02");
    half(s, 0);
    half(s, 1);              /* the first file */
    field(s, INMUTILN, "INMCOPY");
    format(s, st);
    key(s, INMDSNAM, 3);
    value(s, mode);
    value(s, id->fn);
    value(s, id->ft);
    end_control(s);
    begin_control(s, "INMR03");
    format(s, st);
    end_control(s);
}

int netdata_write(struct cards_out *o, struct cms_file *f, const struct fs_stat *st, const char *to)
{
    struct stream s = {.cards = o};
    const uint8_t *record;
    uint32_t len, n = 0;
    int code;

    sender(&s, to);
    describe(&s, &f->id, st);
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK && !o->code) {
        put_segments(&s, record, len, 0);
        if (++n % 256 == 0 && cms_halted())
            return FS_OK;
    }
    begin_control(&s, "INMR06");
    end_control(&s);
    if (s.n)
        cards_put_card(o, s.card, s.n);
    return code == FS_EOF ? FS_OK : code;
}

/* ---- reading */

struct source {
    struct deck *deck;
    unsigned at;             /* in the deck's card */
    uint8_t *record;         /* with room for `room` bytes */
    uint32_t len, room;
    bool control;
};

static int byte(struct source *s)
{
    struct deck *d = s->deck;

    while (d->text && s->at >= d->len) {
        s->at = 0;
        if (!cards_next(d->in, &d->op, &d->text, &d->len))
            d->text = 0;
    }
    return d->text ? d->text[s->at++] : -1;
}

/* A whole record, control or data: false when the segments make none. */
static bool next_record(struct source *s)
{
    int flags = 0;

    for (s->len = 0; !(flags & LAST);) {
        int n = byte(s);
        bool first = s->len == 0 && !flags;
        flags = n < 2 ? -1 : byte(s);
        if (flags < 0 || first != ((flags & FIRST) != 0) || s->len + (uint32_t)n - 2 > s->room)
            return false;
        s->control = (flags & CONTROL) != 0;
        for (n -= 2; n; n--) {
            int b = byte(s);
            if (b < 0)
                return false;
            s->record[s->len++] = (uint8_t)b;
        }
        flags |= 0x100;      /* no longer the first */
    }
    return true;
}

struct file_as {
    char name[3][9];
    unsigned names;
    uint32_t lrecl, recfm;
};

static uint32_t number_of(const uint8_t *p, uint32_t len)
{
    uint32_t n = 0;

    while (len--)
        n = n << 8 | *p++;
    return n;
}

static void take(struct file_as *as, unsigned key, unsigned i, const uint8_t *p, uint32_t len)
{
    if (key == INMLRECL && len <= 4)
        as->lrecl = number_of(p, len);
    else if (key == INMRECFM && len == 2)
        as->recfm = number_of(p, len);
    else if (key == INMDSNAM && i < 3 && len <= 8) {
        memcpy(as->name[i], p, len);
        as->name[i][len] = 0;
        as->names = i + 1;
    }
}

/* The keyed fields of a control record from `at` on. */
static bool fields(const struct source *s, uint32_t at, struct file_as *as)
{
    const uint8_t *p = s->record;

    while (at + 4 <= s->len) {
        unsigned key = number_of(p + at, 2), values = number_of(p + at + 2, 2);
        at += 4;
        for (unsigned i = 0; i < values; i++) {
            uint32_t n = at + 2 <= s->len ? number_of(p + at, 2) : 0xffff;
            if (n > s->len - at || at + 2 + n > s->len)
                return false;
            take(as, key, i, p + at + 2, n);
            at += 2 + n;
        }
    }
    return at == s->len;
}

bool netdata_is(const struct deck *d)
{
    return d->text && d->len > 8 && (d->text[1] & CONTROL) && memcmp(d->text + 2, "INMR01", 6) == 0;
}

static int bad(const struct deck *d)
{
    if (d->in->code)
        return cms_error(100, "DMS%s124S Error %ld reading the card reader", d->module,
                         -d->in->code);
    return cms_error(88, "DMS%s671E File %04u is damaged, or NETDATA of another kind", d->module,
                     d->about.id);
}

/* Data records up to INMR06. */
static int records(struct source *s, bool fixed, const struct file_as *as)
{
    struct deck *d = s->deck;
    uint32_t n = 0;

    for (;;) {
        if (!next_record(s))
            return bad(d);
        if (s->control)
            break;
        while (fixed && s->len < as->lrecl)
            s->record[s->len++] = ' ';
        int code = deck_put(d, s->record, s->len);
        if (code == FS_EOF)
            return 0;
        if (code != FS_OK)
            return cms_file_error(d->module, code, &d->id);
        if (++n % 256 == 0 && cms_halted())
            return 4;
    }
    if (s->len < 6 || memcmp(s->record, "INMR06", 6) != 0)
        return bad(d);
    int code = deck_end(d);
    return code == FS_OK ? 0 : cms_file_error(d->module, code, &d->id);
}

/* What NOTE has sent is added to ALL NOTEBOOK, as its sender keeps it. */
static void notebook(struct deck *d)
{
    if (d->named || strcmp(d->id.ft, "NOTE") != 0)
        return;
    d->append = true;
    fmt(d->id.fn, sizeof(d->id.fn), "ALL");
    fmt(d->id.ft, sizeof(d->id.ft), "NOTEBOOK");
}

int netdata_read(struct deck *d, char was[24])
{
    struct source s = {.deck = d, .room = SEGMENT * 4};
    struct file_as as = {.names = 0};
    int rc;

    s.record = cms_alloc(FS_LRECL_MAX);
    if (!s.record)
        return cms_error(104, "DMS%s109S Virtual storage capacity exceeded", d->module);
    for (;;) {
        if (!next_record(&s) || !s.control || s.len < 6)
            return bad(d);
        if (memcmp(s.record, "INMR02", 6) == 0 && (s.len < 10 || !fields(&s, 10, &as)))
            return bad(d);
        if (memcmp(s.record, "INMR03", 6) == 0)
            break;
    }
    if (!as.names || as.lrecl == 0 || as.lrecl > FS_LRECL_MAX)
        return bad(d);
    const char *fn = as.names == 1 ? as.name[0] : as.name[as.names - 2];
    const char *ft = as.names == 1 ? "NETDATA" : as.name[as.names - 1];
    fmt(was, 24, "%s %s %s", fn, ft, as.names == 3 ? as.name[0] : "A1");
    if (!d->named && cms_fileid(&d->id, fn, ft, 0, d->id.letter) != 0)
        return bad(d);
    if (as.lrecl > s.room)
        s.room = as.lrecl;
    bool fixed = (as.recfm & RECFM_F) != 0;
    notebook(d);
    rc = deck_begin(d, fixed ? FS_FIXED : FS_VARIABLE, fixed ? as.lrecl : 0);
    return rc ? rc : records(&s, fixed, &as);
}
