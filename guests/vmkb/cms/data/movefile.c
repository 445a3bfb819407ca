/* SPDX-License-Identifier: MIT */
/* MOVEFILE [ddname [ddname]]: records from what FILEDEF says of INMOVE to what it says of
 * OUTMOVE. */
#include "cards.h"
#include "commands.h"
#include "deck.h"
#include "filedef.h"

struct ends {
    const struct filedef *in, *out;
    struct cms_file *from, *to;
    struct deck deck;
    struct cards_out *device;
    uint32_t lrecl;          /* of a fixed output; 0: any length */
    char line[CMS_LINE];
};

static int open_in(struct ends *e)
{
    struct cms_fileid id = e->in->id;
    int code;

    if (e->in->device == FILEDEF_TERMINAL)
        cms_say("DMSMVE706I Terminal input; type null line for end of data");
    if (e->in->device == FILEDEF_READER) {
        e->deck = (struct deck){.module = "MVE"};
        return deck_open(&e->deck);
    }
    if (e->in->device != FILEDEF_DISK)
        return 0;
    e->from = cms_open(&id, &code);
    return e->from ? 0 : cms_file_error("MVE", code, &id);
}

static int open_out(struct ends *e)
{
    struct cms_fileid id = e->out->id;
    int code;

    if (e->out->device == FILEDEF_PRINTER || e->out->device == FILEDEF_PUNCH) {
        e->device = cards_open(e->out->device == FILEDEF_PUNCH ? CARDS_PUN : CARDS_PRT);
        return e->device ? 0 : cms_file_error("MVE", CMS_E_STORAGE, &id);
    }
    if (e->out->device != FILEDEF_DISK)
        return 0;
    const struct fs_entry *from = e->from ? &e->from->fs.entry : 0;
    uint8_t recfm = e->out->recfm ? e->out->recfm : from ? from->recfm : FS_FIXED;
    uint32_t lrecl = e->out->lrecl ? e->out->lrecl : from ? from->lrecl : CARD;
    e->lrecl = recfm == FS_FIXED ? lrecl : 0;
    e->to = cms_create(&id, recfm, e->lrecl, &code);
    return e->to ? 0 : cms_file_error("MVE", code, &id);
}

/* The next record; false: the end, or *code. */
static bool take(struct ends *e, const uint8_t **record, uint32_t *len, int *code)
{
    if (e->from) {
        *code = fs_next(&e->from->fs, record, len);
        return *code == FS_OK;
    }
    if (e->in->device == FILEDEF_READER) {
        *record = e->deck.text;
        *len = e->deck.len;
        return e->deck.text != 0;
    }
    if (e->in->device != FILEDEF_TERMINAL)
        return false;
    int n = cms_readline(e->line, sizeof(e->line));
    *record = (const uint8_t *)e->line;
    *len = (uint32_t)n;
    return n > 0;
}

static int give(struct ends *e, const uint8_t *record, uint32_t len, uint8_t *padded)
{
    if (e->device && e->out->device == FILEDEF_PUNCH)
        cards_put_card(e->device, record, len);
    else if (e->device)
        cards_put(e->device, SPOOL_OP_LINE, record, len < 132 ? len : 132);
    else if (e->out->device == FILEDEF_TERMINAL)
        cms_say_text((const char *)record, len);
    if (!e->to)
        return FS_OK;
    if (e->lrecl && len != e->lrecl) {
        memset(padded, ' ', e->lrecl);
        memcpy(padded, record, len < e->lrecl ? len : e->lrecl);
        record = padded;
        len = e->lrecl;
    }
    return fs_write_record(&e->to->fs, record, len);
}

static int move(struct ends *e)
{
    const uint8_t *record;
    uint32_t len, n = 0;
    int code = FS_OK, written = FS_OK;
    uint8_t *padded = e->lrecl ? cms_alloc(e->lrecl) : 0;

    if (e->lrecl && !padded)
        return cms_file_error("MVE", CMS_E_STORAGE, &e->out->id);
    while (take(e, &record, &len, &code) && (written = give(e, record, len, padded)) == FS_OK) {
        if (e->in->device == FILEDEF_READER
            && !cards_next(e->deck.in, &e->deck.op, &e->deck.text, &e->deck.len))
            e->deck.text = 0;
        if (++n % 256 == 0 && cms_halted())
            return 4;
    }
    if (code != FS_OK && code != FS_EOF)
        return cms_file_error("MVE", code, &e->in->id);
    if (written == FS_OK && e->to)
        written = cms_commit(e->to);
    if (written != FS_OK)
        return cms_file_error("MVE", written, &e->out->id);
    return e->device ? cards_close(e->device, "MVE", "") : 0;
}

CMS_COMMAND("MOVEFILE", 5, cmd_movefile);
int cmd_movefile(struct cms_arg *arg)
{
    struct ends *e = cms_alloc(sizeof(*e));
    const char *in = arg->n > 0 ? arg->word[0] : "INMOVE", *out = arg->n > 1 ? arg->word[1]
                                                                            : "OUTMOVE";
    if (!e)
        return cms_error(104, "DMSMVE109S Virtual storage capacity exceeded");
    *e = (struct ends){.in = filedef_find(in), .out = filedef_find(out)};
    if (!e->in || !e->out)
        return cms_error(28, "DMSMVE073E Unable to open file %s; FILEDEF defines it",
                         e->in ? out : in);
    int rc = open_in(e);
    if (rc == 0)
        rc = open_out(e);
    if (rc == 0)
        rc = move(e);
    if (e->in->device == FILEDEF_READER && e->deck.in)
        cards_done(rc != 0);
    return rc;
}
