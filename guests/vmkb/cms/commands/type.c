/* SPDX-License-Identifier: MIT */
/* TYPE fn ft [fm] [first [last]] [(HEX) (COL m-n]: records of a file on the console. */
#include "commands.h"

struct job {
    uint32_t first, last; /* records, from 1 */
    uint32_t from, to;    /* columns, from 1 */
    bool hex;
};

static bool columns(const char *a, const char *b, struct job *job)
{
    char first[12];
    const char *dash = strchr(a, '-');
    unsigned n = dash ? (unsigned)(dash - a) : (unsigned)strlen(a);

    if (n >= sizeof(first))
        return false;
    memcpy(first, a, n);
    first[n] = 0;
    const char *last = dash && dash[1] ? dash + 1 : dash ? "*" : b;
    if (!cms_number(first, &job->from) || job->from == 0)
        return false;
    if (!*last || strcmp(last, "*") == 0 || strcmp(last, "END") == 0)
        return true;
    return cms_number(last, &job->to) && job->to >= job->from;
}

static int options(struct cms_arg *arg, struct job *job)
{
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "HEX", 1)) {
            job->hex = true;
        } else if (cms_is(arg->option[i], "COL", 1)) {
            const char *a = arg->option[i + 1], *b = strchr(a, '-') ? "" : arg->option[i + 2];
            if (!columns(a, b, job))
                return cms_error(24, "DMSTYP009E Column %s is invalid", a);
            i += *b ? 2 : 1;
        } else {
            return cms_bad_option("TYP", arg->option[i]);
        }
    }
    return 0;
}

static int range(struct cms_arg *arg, struct job *job)
{
    uint32_t *to[2] = {&job->first, &job->last};

    for (int i = 0; i < 2 && arg->n > 3 + i; i++) {
        const char *w = arg->word[3 + i];
        if (strcmp(w, "*") != 0 && (!cms_number(w, to[i]) || *to[i] == 0))
            return cms_error(24, "DMSTYP049E Invalid line number %s", w);
    }
    if (job->first > job->last)
        return cms_error(24, "DMSTYP009E First record %u is behind the last, %u", job->first,
                         job->last);
    return 0;
}

/* Sixteen bytes a line: four groups of eight digits, then the characters. */
static void hex_record(const uint8_t *p, uint32_t len, uint32_t number)
{
    static const char digits[] = "0123456789ABCDEF";
    char line[64];

    cms_say("RECORD %u LENGTH=%u", number, len);
    for (uint32_t at = 0; at < len; at += 16) {
        memset(line, ' ', sizeof(line));
        for (uint32_t i = 0; i < 16 && at + i < len; i++) {
            uint8_t c = p[at + i];
            char *to = line + 2 * i + i / 4;
            to[0] = digits[c >> 4];
            to[1] = digits[c & 15];
            line[40 + i] = is_print(c) ? (char)c : '.';
        }
        cms_say_text(line, 56);
    }
}

CMS_COMMAND("TYPE", 1, cmd_type);
int cmd_type(struct cms_arg *arg)
{
    struct job job = {.first = 1, .last = ~0u, .from = 1, .to = ~0u};
    struct cms_fileid id;
    const uint8_t *record;
    uint32_t len;
    int code;

    int rc = cms_fileid_operands("TYP", arg, 2, 5, '*', &id);
    if (rc == 0)
        rc = options(arg, &job);
    if (rc == 0)
        rc = range(arg, &job);
    if (rc != 0)
        return rc;
    struct cms_file *f = cms_open(&id, &code);
    if (!f)
        return cms_file_error("TYP", code, &id);
    for (uint32_t n = 1; n <= job.last && (code = fs_next(&f->fs, &record, &len)) == FS_OK; n++) {
        if (n < job.first)
            continue;
        if (job.from > 1 || job.to < len) {
            if (len > job.to)
                len = job.to;
            uint32_t skip = job.from - 1 < len ? job.from - 1 : len;
            record += skip;
            len -= skip;
        }
        if (job.hex)
            hex_record(record, len, n);
        else
            cms_say_text((const char *)record, len);
        if (n % 64 == 0 && cms_halted())
            break;
    }
    cms_close(f);
    if (code != FS_OK && code != FS_EOF)
        return cms_file_error("TYP", code, &id);
    return 0;
}
