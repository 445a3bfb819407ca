/* SPDX-License-Identifier: MIT */
/* SYNONYM [fn [ft [fm]]] [(STD|NOSTD CLEAR]: other names for commands and EXECs, from a file whose
 * lines are command, synonym, and how many characters of the synonym do. Without operands they are
 * shown. */
#include "commands.h"
#include "nucleus.h"

struct synonym {
    char command[9], name[9];
    uint8_t min;
};

enum { MOST = 4096 / sizeof(struct synonym) };

static struct synonym *table;
static unsigned count;

/* Of EXECs of the system disk, whose names are abbreviated as commands' are. */
static const struct synonym standard[] = {
    {"FILELIST", "FILELIST", 5}, {"FILELIST", "FLIST", 2}, {"NAMES", "NAMES", 3},
    {"RDRLIST", "RDRLIST", 4},   {"RDRLIST", "RLIST", 2},  {"SENDFILE", "SFILE", 2},
};

static const char *found(const struct synonym *s, unsigned n, const char *name)
{
    for (; n; n--, s++)
        if (cms_is(name, s->name, s->min))
            return s->command;
    return 0;
}

const char *synonym_find(const char *name)
{
    const char *own = found(table, count, name);

    if (own || !cms_state.abbrev)
        return own;
    return found(standard, sizeof(standard) / sizeof(*standard), name);
}

int synonym_list(void)
{
    if (!count) {
        cms_say("DMSSYN712I No synonyms are in effect");
        return 0;
    }
    cms_say("COMMAND  SYNONYM  SHORTEST FORM");
    for (unsigned i = 0; i < count; i++)
        cms_say("%-8s %-8s %.*s", table[i].command, table[i].name, table[i].min, table[i].name);
    return 0;
}

static unsigned word(const uint8_t *record, uint32_t len, uint32_t *at, char to[9])
{
    unsigned n = 0;

    while (*at < len && record[*at] == ' ')
        ++*at;
    for (; *at < len && record[*at] != ' '; ++*at)
        if (n++ < 8)
            to[n - 1] = (char)to_upper((char)record[*at]);
    to[n < 8 ? n : 8] = 0;
    return n;
}

/* False: the line is none. */
static bool take(struct synonym *s, const uint8_t *record, uint32_t len)
{
    uint32_t at = 0, min = 0;
    char number[9];

    unsigned command = word(record, len, &at, s->command), n = word(record, len, &at, s->name);
    if (word(record, len, &at, number) && (!cms_number(number, &min) || min == 0 || min > n))
        return false;
    s->min = (uint8_t)(min ? min : n);
    return command && n && command <= 8 && n <= 8;
}

static int load(struct cms_file *f, const struct cms_fileid *id)
{
    const uint8_t *record;
    uint32_t len, n = 0;
    int code, rc = 0;

    count = 0;
    while (rc == 0 && (code = fs_next(&f->fs, &record, &len)) == FS_OK) {
        n++;
        if (blank_trim(record, len) == 0 || *record == '*')
            continue;
        if (count == MOST)
            rc = cms_error(32, "DMSSYN056E File %s %s has more than %u synonyms", id->fn, id->ft,
                           (unsigned)MOST);
        else if (!take(&table[count], record, len))
            rc = cms_error(32, "DMSSYN056E Line %u of file %s %s is no synonym", n, id->fn, id->ft);
        else
            count++;
    }
    cms_close(f);
    if (rc != 0)
        count = 0;
    return rc || code == FS_EOF ? rc : cms_file_error("SYN", code, id);
}

CMS_COMMAND("SYNONYM", 3, cmd_synonym);
int cmd_synonym(struct cms_arg *arg)
{
    struct cms_fileid id;
    int code, rc = 0;

    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "STD", 3) || cms_is(arg->option[i], "NOSTD", 5))
            cms_state.abbrev = arg->option[i][0] == 'S';
        else if (strcmp(arg->option[i], "CLEAR") == 0)
            count = 0;
        else
            return cms_bad_option("SYN", arg->option[i]);
    }
    if (!arg->n)
        return arg->options ? 0 : synonym_list();
    if (arg->n > 3)
        return cms_error(24, "DMSSYN070E Invalid parameter %s", arg->word[3]);
    const char *ft = arg->n > 1 ? arg->word[1] : "SYNONYM";
    rc = cms_fileid(&id, arg->word[0], ft, arg->word[2], '*');
    if (rc != 0)
        return cms_fileid_error("SYN", rc, arg->word[0], ft, arg->word[2]);
    if (!table && !(table = heap_permanent(sizeof(*table) * MOST)))
        return cms_error(104, "DMSSYN109S Virtual storage capacity exceeded");
    struct cms_file *f = cms_open(&id, &code);
    return f ? load(f, &id) : cms_file_error("SYN", code, &id);
}
