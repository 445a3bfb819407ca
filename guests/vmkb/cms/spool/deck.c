/* SPDX-License-Identifier: MIT */
/* READCARD fn ft [fm] | *: the reader's first file, as a file of 80 columns. With * it is called
 * what its :READ cards say, and there may be several. */
#include "deck.h"
#include "commands.h"
#include "nucleus.h"

static bool next(struct deck *d)
{
    if (cards_next(d->in, &d->op, &d->text, &d->len))
        return true;
    d->text = 0;
    return false;
}

int deck_open(struct deck *d)
{
    long code;

    d->in = cards_read(&d->about, &code);
    if (!d->in)
        return code == DIAG_EBUSY
                   ? cms_error(8, "DMS%s205W Reader empty or not ready", d->module)
                   : cms_error(100, "DMS%s124S Error %ld reading the card reader", d->module,
                               -code);
    next(d);
    return 0;
}

static void name(char to[9], const uint8_t *from)
{
    unsigned n = 0;

    for (; n < 8 && from[n] != ' '; n++)
        to[n] = (char)to_upper((char)from[n]);
    to[n] = 0;
}

bool deck_header(struct deck *d)
{
    if (!d->text || d->len < 24 || memcmp(d->text, ":READ ", 6) != 0)
        return false;
    if (!d->named) {
        name(d->id.fn, d->text + 7);
        name(d->id.ft, d->text + 16);
    }
    return true;
}

int deck_begin(struct deck *d, uint8_t recfm, uint32_t lrecl)
{
    if (d->asked.fn[0])
        memcpy(d->id.fn, d->asked.fn, sizeof(d->id.fn));
    if (d->asked.ft[0])
        memcpy(d->id.ft, d->asked.ft, sizeof(d->id.ft));
    struct cms_fileid old = d->id;
    int code;

    old.number = -1;
    if (d->peek)
        return 0;
    if (!d->replace && !d->append && cms_find(&old, 0, 0) == FS_OK && old.letter == d->id.letter)
        return cms_error(28, "DMS%s024E File %s %s %c already exists; specify REPLACE", d->module,
                         d->id.fn, d->id.ft, d->id.letter);
    d->out = d->append ? lines_writer(&d->id, recfm, lrecl, &code)
                       : cms_create(&d->id, recfm, lrecl, &code);
    return d->out ? 0 : cms_file_error(d->module, code, &d->id);
}

int deck_put(struct deck *d, const void *record, uint32_t len)
{
    if (!d->peek)
        return fs_write_record(&d->out->fs, record, len);
    if (++d->records < d->from)
        return FS_OK;
    if (d->count == 0)
        return FS_EOF;
    d->count--;
    d->stacked++;
    len = (uint32_t)blank_trim(record, len);
    return cms_stack_put(false, record, len) == 0 ? FS_OK : CMS_E_STORAGE;
}

int deck_end(struct deck *d)
{
    struct cms_file *f = d->out;

    d->out = 0;
    return f ? cms_commit(f) : FS_OK;
}

int deck_copy(struct deck *d)
{
    bool lines = d->op != SPOOL_OP_CARD;
    char card[CARD];
    uint32_t n = 0;
    int code = FS_OK;

    if (deck_header(d))
        next(d);
    int rc = deck_begin(d, lines ? FS_VARIABLE : FS_FIXED, lines ? CARDS_RECORD : CARD);
    if (rc != 0)
        return rc;
    while (d->text && code == FS_OK) {
        if (!d->named && deck_header(d))
            break;
        memset(card, ' ', sizeof(card));
        if (!lines) {
            memcpy(card, d->text, d->len < CARD ? d->len : CARD);
            code = deck_put(d, card, CARD);
        } else if (d->op != SPOOL_OP_PAGE) {
            code = deck_put(d, d->text, d->len);
        }
        next(d);
        if (++n % 256 == 0 && cms_halted())
            return 4;
    }
    if (d->in->code)
        return cms_error(100, "DMS%s124S Error %ld reading the card reader", d->module,
                         -d->in->code);
    if (code == FS_OK)
        code = deck_end(d);
    return code == FS_OK || code == FS_EOF ? 0 : cms_file_error(d->module, code, &d->id);
}

CMS_COMMAND("READCARD", 2, cmd_readcard);
int cmd_readcard(struct cms_arg *arg)
{
    struct deck *d = cms_alloc(sizeof(*d));
    int rc;

    if (!d)
        return cms_error(104, "DMSRDC109S Virtual storage capacity exceeded");
    *d = (struct deck){.module = "RDC", .replace = true};
    bool each = arg->n == 1 && strcmp(arg->word[0], "*") == 0;
    if (each)
        rc = cms_fileid(&d->id, "READCARD", "CMSUT1", "A", 'A');
    else
        rc = cms_fileid_operands("RDC", arg, 2, 3, 'A', &d->id);
    d->named = !each;
    if (rc == 0)
        rc = deck_open(d);
    if (rc != 0)
        return rc;
    do {
        if (each && !deck_header(d))
            cms_say("DMSRDC702I READ control card missing; following assumed: READCARD CMSUT1 A1");
        rc = deck_copy(d);
    } while (rc == 0 && d->text);
    cards_done(rc != 0);
    return rc;
}
