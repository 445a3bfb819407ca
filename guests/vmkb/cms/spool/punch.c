/* SPDX-License-Identifier: MIT */
/* PUNCH fn ft [fm] [(HEADER|NOHEADER]: a file to the virtual punch, records of up to 80 characters.
 * The header card says what READCARD and RECEIVE shall call it. */
#include "cards.h"
#include "commands.h"
#include "listing.h"

static int options(const struct cms_arg *arg, bool *header)
{
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "NOHEADER", 3))
            *header = false;
        else if (!cms_is(arg->option[i], "HEADER", 1))
            return cms_bad_option("PUN", arg->option[i]);
    }
    return 0;
}

/* :READ  fn       ft       fm label  mm/dd/yy hh:mm:ss */
static void put_header(struct cards_out *o, const struct cms_fileid *id, const struct fs_stat *st,
                       const struct cms_disk *d)
{
    struct fs_usage u;
    char card[CARD + 1], line[LISTING_LINE];
    unsigned n = listing_line(line, LIST_DATE, st, id->letter, 0);

    fs_usage(&d->fs, &u);
    int len = fmt(card, sizeof(card), ":READ  %-8s %-8s %c%d %-6.6s %.17s", id->fn, id->ft,
                  id->letter, id->number, (const char *)u.label, line + n - 17);
    cards_put_card(o, card, (unsigned)len);
}

CMS_COMMAND("PUNCH", 2, cmd_punch);
int cmd_punch(struct cms_arg *arg)
{
    struct cms_fileid id;
    struct cms_disk *disk;
    struct fs_stat st;
    const uint8_t *record;
    uint32_t len, n = 0;
    bool header = true;
    char closing[40];
    int code, rc = cms_fileid_operands("PUN", arg, 2, 3, '*', &id);

    if (rc == 0)
        rc = options(arg, &header);
    if (rc != 0)
        return rc;
    if ((code = cms_find(&id, &st, &disk)) != FS_OK)
        return cms_file_error("PUN", code, &id);
    if (st.lrecl > CARD)
        return cms_error(32, "DMSPUN044E Record length exceeds allowable maximum");
    struct cms_file *f = cms_open(&id, &code);
    struct cards_out *o = f ? cards_open(CARDS_PUN) : 0;
    if (!o)
        return cms_file_error("PUN", f ? CMS_E_STORAGE : code, &id);
    if (header)
        put_header(o, &id, &st, disk);
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK && !o->code) {
        cards_put_card(o, record, len);
        if (++n % 256 == 0 && cms_halted())
            break;
    }
    cms_close(f);
    bool bad = code != FS_OK && code != FS_EOF;
    fmt(closing, sizeof(closing), bad || cms_halted() ? "PURGE" : "NAME %s %s", id.fn, id.ft);
    rc = cards_close(o, "PUN", closing);
    return bad ? cms_file_error("PUN", code, &id) : rc;
}
