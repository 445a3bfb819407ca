/* SPDX-License-Identifier: MIT */
/* PRINT fn ft [fm] [(CC|NOCC LINECOUN nn UPCASE]: a file to the virtual printer, lines of up to 132
 * characters. CC: the first character of each says where it goes, as in listings. */
#include "cards.h"
#include "commands.h"

enum { LINE = 132, OVERPRINT = 0x01, PAGE_OF = 55 };

struct job {
    bool cc, upcase;
    uint32_t per_page, on_page;
};

static int options(const struct cms_arg *arg, struct job *job)
{
    for (int i = 0; i < arg->options; i++) {
        const char *o = arg->option[i];
        if (cms_is(o, "CC", 2) || cms_is(o, "NOCC", 3)) {
            job->cc = o[0] == 'C';
        } else if (cms_is(o, "UPCASE", 2)) {
            job->upcase = true;
        } else if (cms_is(o, "LINECOUNT", 2)) {
            if (!cms_number(arg->option[++i], &job->per_page) || job->per_page > 99)
                return cms_error(24, "DMSPRT029E Invalid parameter %s in the option LINECOUNT",
                                 arg->option[i]);
        } else {
            return cms_bad_option("PRT", o);
        }
    }
    return 0;
}

static void put_line(struct cards_out *o, struct job *job, const uint8_t *record, uint32_t len)
{
    char line[LINE];
    uint8_t op = SPOOL_OP_LINE;

    if (job->cc && len) {
        if (*record == '1')
            cards_put(o, SPOOL_OP_PAGE, "", 0);
        else if (*record == '0' || *record == '-')
            cards_put(o, op, "", 0);
        if (*record == '-')
            cards_put(o, op, "", 0);
        if (*record == '+')
            op = OVERPRINT;
        record++;
        len--;
    } else if (!job->cc && job->per_page && job->on_page++ % job->per_page == 0) {
        cards_put(o, SPOOL_OP_PAGE, "", 0);
    }
    len = (uint32_t)blank_trim(record, len < LINE ? len : LINE);
    for (uint32_t i = 0; i < len; i++)
        line[i] = (char)(job->upcase ? to_upper((char)record[i]) : record[i]);
    cards_put(o, op, line, len);
}

CMS_COMMAND("PRINT", 2, cmd_print);
int cmd_print(struct cms_arg *arg)
{
    struct job job = {.per_page = PAGE_OF};
    struct cms_fileid id;
    struct fs_stat st;
    const uint8_t *record;
    uint32_t len, n = 0;
    char closing[40];
    int code, rc = cms_fileid_operands("PRT", arg, 2, 3, '*', &id);

    if (rc != 0)
        return rc;
    job.cc = strncmp(id.ft, "LIST", 4) == 0;
    if ((rc = options(arg, &job)) != 0)
        return rc;
    if ((code = cms_find(&id, &st, 0)) != FS_OK)
        return cms_file_error("PRT", code, &id);
    if (st.lrecl > LINE + (job.cc ? 1 : 0))
        return cms_error(32, "DMSPRT044E Record length exceeds allowable maximum");
    struct cms_file *f = cms_open(&id, &code);
    struct cards_out *o = f ? cards_open(CARDS_PRT) : 0;
    if (!o)
        return cms_file_error("PRT", f ? CMS_E_STORAGE : code, &id);
    while ((code = fs_next(&f->fs, &record, &len)) == FS_OK && !o->code) {
        put_line(o, &job, record, len);
        if (++n % 256 == 0 && cms_halted())
            break;
    }
    cms_close(f);
    bool bad = code != FS_OK && code != FS_EOF;
    fmt(closing, sizeof(closing), bad || cms_halted() ? "PURGE" : "NAME %s %s", id.fn, id.ft);
    rc = cards_close(o, "PRT", closing);
    return bad ? cms_file_error("PRT", code, &id) : rc;
}
