/* SPDX-License-Identifier: MIT */
/* DISK DUMP fn ft [fm]: a file to the virtual punch, as its minidisk has it. DISK LOAD [= = fm]
 * [(REPLACE]: such files out of the reader. Each card has X'02'CMS, 50 bytes of the file, its name
 * and a number; the card behind the last has an N in column 5. As files are made here with their
 * form, a card with an H goes before the first. */
#include "commands.h"
#include "deck.h"

enum { KIND = 4, DATA = 5, DATA_BYTES = 50, NAME = 57, NUMBER = 75, NUMBERS = 100000 };
static const char begins[] = "\x02" "CMS";

/* In the cards H and N, from DATA on. */
struct form {
    uint8_t recfm, mode, zero[2];
    uint32_t lrecl, records, size;
};

struct dumped {
    uint32_t number;
    uint8_t card[CARD];
    unsigned n;              /* bytes of the file in it */
};

static void card(struct dumped *u, struct cards_out *o, char kind)
{
    char text[6];

    memcpy(u->card, begins, sizeof(begins) - 1);
    u->card[KIND] = (uint8_t)kind;
    fmt(text, sizeof(text), "%05u", ++u->number % NUMBERS);
    memcpy(u->card + NUMBER, text, CARD - NUMBER);
    cards_put(o, SPOOL_OP_CARD, u->card, CARD);
    memset(u->card + DATA, ' ', DATA_BYTES);
    u->n = 0;
}

static void form_card(struct dumped *u, struct cards_out *o, const struct fs_stat *st, char kind)
{
    struct form form = {.recfm = st->recfm, .mode = st->mode, .lrecl = st->lrecl,
                        .records = st->records, .size = st->size};

    memcpy(u->card + DATA, &form, sizeof(form));
    card(u, o, kind);
}

/* FS_OK, or what reading the file has found. */
static int put_file(struct cards_out *o, struct cms_file *f, const struct fs_stat *st)
{
    struct dumped u = {.number = 0};
    char name[CARD - NAME + 1];
    uint32_t cards = 0;
    int n;

    memset(u.card, ' ', CARD);
    fmt(name, sizeof(name), "%-8s%-8s%c%d", f->id.fn, f->id.ft, f->id.letter, st->mode);
    memcpy(u.card + NAME, name, strlen(name));
    form_card(&u, o, st, 'H');
    while (o->code == 0 && (n = fs_read(&f->fs, u.card + DATA, DATA_BYTES)) != 0) {
        if (n < 0)
            return n;
        card(&u, o, ' ');
        if (++cards % 256 == 0 && cms_halted())
            return FS_OK;
    }
    form_card(&u, o, st, 'N');
    return FS_OK;
}

static int dump(struct cms_arg *arg)
{
    struct cms_fileid id;
    struct fs_stat st;
    char closing[40];
    int code;

    if (arg->n < 3)
        return cms_error(24, "DMSDSK054E Incomplete fileid specified");
    int rc = cms_fileid(&id, arg->word[1], arg->word[2], arg->word[3], '*');
    if (rc)
        return cms_fileid_error("DSK", rc, arg->word[1], arg->word[2], arg->word[3]);
    if ((code = cms_find(&id, &st, 0)) != FS_OK)
        return cms_file_error("DSK", code, &id);
    struct cms_file *f = cms_open(&id, &code);
    struct cards_out *o = f ? cards_open(CARDS_PUN) : 0;
    if (!o)
        return cms_file_error("DSK", f ? CMS_E_STORAGE : code, &id);
    code = put_file(o, f, &st);
    cms_close(f);
    bool whole = code == FS_OK && !cms_halted();
    fmt(closing, sizeof(closing), whole ? "NAME %s %s" : "PURGE", id.fn, id.ft);
    rc = cards_close(o, "DSK", closing);
    return code == FS_OK ? rc : cms_file_error("DSK", code, &id);
}

/* ---- reading */

bool dumped_is(const struct deck *d)
{
    return d->text && d->len == CARD && memcmp(d->text, begins, sizeof(begins) - 1) == 0
           && d->text[KIND] == 'H';
}

static int invalid(const struct deck *d, uint32_t number)
{
    if (d->in->code)
        return cms_error(100, "DMS%s124S Error %ld reading the card reader", d->module,
                         -d->in->code);
    return cms_error(32, "DMS%s078E Invalid card in input deck: card %u", d->module, number);
}

struct cards_of {
    struct deck *deck;
    uint32_t number, left;   /* cards read; bytes of the file that must still come */
    unsigned at;             /* in the card's data; DATA_BYTES: the next one is needed */
};

static bool next(struct cards_of *s, char kind)
{
    struct deck *d = s->deck;
    char number[6];

    if (!cards_next(d->in, &d->op, &d->text, &d->len))
        d->text = 0;
    fmt(number, sizeof(number), "%05u", ++s->number % NUMBERS);
    s->at = 0;
    return d->text && d->len == CARD && memcmp(d->text, begins, sizeof(begins) - 1) == 0
           && d->text[KIND] == (uint8_t)kind && memcmp(d->text + NUMBER, number, 5) == 0;
}

static bool take(struct cards_of *s, uint8_t *to, uint32_t len)
{
    if (len > s->left)
        return false;
    for (s->left -= len; len;) {
        if (s->at == DATA_BYTES && !next(s, ' '))
            return false;
        uint32_t n = DATA_BYTES - s->at < len ? DATA_BYTES - s->at : len;
        memcpy(to, s->deck->text + DATA + s->at, n);
        s->at += n;
        to += n;
        len -= n;
    }
    return true;
}

/* The next record, all of it; false: the cards have none. */
static bool record(struct cards_of *s, const struct form *form, uint8_t *to, uint32_t *len)
{
    uint8_t prefix[2];

    *len = form->lrecl;
    if (form->recfm == FS_VARIABLE) {
        if (!take(s, prefix, 2))
            return false;
        *len = (uint32_t)prefix[0] << 8 | prefix[1];
    }
    return *len <= form->lrecl && take(s, to, *len);
}

static int records(struct cards_of *s, const struct form *form, uint8_t *to)
{
    struct deck *d = s->deck;
    uint32_t len;
    int code;

    for (uint32_t i = 0; i < form->records; i++) {
        if (!record(s, form, to, &len))
            return invalid(d, s->number);
        code = deck_put(d, to, len);
        if (code == FS_EOF)
            return 0;
        if (code != FS_OK)
            return cms_file_error(d->module, code, &d->id);
        if (i % 256 == 255 && cms_halted())
            return 4;
    }
    if (s->left || !next(s, 'N'))
        return cms_error(32, "DMS%s077E End card missing from input deck", d->module);
    code = deck_end(d);
    return code == FS_OK ? 0 : cms_file_error(d->module, code, &d->id);
}

int dumped_read(struct deck *d, char was[24])
{
    struct cards_of s = {.deck = d, .number = 1, .at = DATA_BYTES};
    char fn[9] = "", ft[9] = "";
    struct form form;

    memcpy(&form, d->text + DATA, sizeof(form));
    memcpy(fn, d->text + NAME, 8);
    memcpy(ft, d->text + NAME + 8, 8);
    fn[blank_trim(fn, 8)] = 0;
    ft[blank_trim(ft, 8)] = 0;
    bool right = (form.recfm == FS_FIXED || form.recfm == FS_VARIABLE) && form.lrecl
                 && form.lrecl <= FS_LRECL_MAX && form.mode <= 6;
    if (!right || (!d->named && cms_fileid(&d->id, fn, ft, 0, d->id.letter) != 0))
        return invalid(d, 1);
    fmt(was, 24, "%s %s %.2s", fn, ft, (const char *)d->text + NAME + 16);
    s.left = form.size;
    uint8_t *to = cms_alloc(form.lrecl);
    if (!to)
        return cms_error(104, "DMS%s109S Virtual storage capacity exceeded", d->module);
    if (!d->named)
        d->id.number = form.mode;
    int rc = deck_begin(d, form.recfm, form.lrecl);
    return rc ? rc : records(&s, &form, to);
}

/* [[= =] fm] */
static int load(struct cms_arg *arg)
{
    struct deck *d = cms_alloc(sizeof(*d));
    const char *fm = arg->n > 1 ? arg->word[arg->n - 1] : "A";
    char was[24];

    if (!d)
        return cms_error(104, "DMSDSK109S Virtual storage capacity exceeded");
    *d = (struct deck){.module = "DSK"};
    for (int i = 0; i < arg->options; i++) {
        if (!cms_is(arg->option[i], "REPLACE", 3))
            return cms_bad_option("DSK", arg->option[i]);
        d->replace = true;
    }
    if (arg->n != 1 && arg->n != 2 && arg->n != 4)
        return cms_error(24, "DMSDSK070E Invalid parameter %s", arg->word[arg->n - 1]);
    int rc = cms_fileid(&d->id, "DISK", "LOAD", fm, 'A');
    if (rc != 0)
        return cms_fileid_error("DSK", rc, "=", "=", fm);
    rc = deck_open(d);
    if (rc != 0)
        return rc;
    if (!dumped_is(d))
        rc = invalid(d, 1);
    while (rc == 0 && dumped_is(d)) {
        rc = dumped_read(d, was);
        if (rc == 0)
            cms_say("%s %s %c%d", d->id.fn, d->id.ft, d->id.letter, d->id.number);
        if (rc == 0 && !cards_next(d->in, &d->op, &d->text, &d->len))
            d->text = 0;
    }
    cards_done(rc != 0);
    if (d->out)
        cms_close(d->out);
    return rc;
}

CMS_COMMAND("DISK", 4, cmd_disk);
int cmd_disk(struct cms_arg *arg)
{
    if (arg->n == 0)
        return cms_error(24, "DMSDSK047E No function specified");
    if (cms_is(arg->word[0], "DUMP", 4))
        return dump(arg);
    if (cms_is(arg->word[0], "LOAD", 4))
        return load(arg);
    return cms_error(24, "DMSDSK014E Invalid function %s", arg->word[0]);
}
