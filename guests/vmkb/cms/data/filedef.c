/* SPDX-License-Identifier: MIT */
/* FILEDEF ddname DISK fn ft [fm] | TERMINAL | DUMMY | PRINTER | PUNCH | READER [(RECFM c LRECL n];
 * FILEDEF ddname|* CLEAR; without operands they are shown, as by QUERY FILEDEF. */
#include "commands.h"
#include "filedef.h"
#include "nucleus.h"

static struct filedef *table;
enum { MOST = 4096 / sizeof(struct filedef) };
static unsigned count;

static const struct {
    const char *name;
    uint8_t min;
} devices[] = {{"DISK", 2},    {"TERMINAL", 1}, {"DUMMY", 2},
               {"PRINTER", 2}, {"PUNCH", 2},    {"READER", 1}};

const struct filedef *filedef_find(const char *ddname)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(table[i].ddname, ddname) == 0)
            return &table[i];
    return 0;
}

int filedef_list(void)
{
    if (!count)
        cms_say("DMSQRY324I No user defined FILEDEF in effect");
    for (unsigned i = 0; i < count; i++) {
        const struct filedef *d = &table[i];
        if (d->device == FILEDEF_DISK)
            cms_say("%-8s %-8s %-8s %-8s %c1", d->ddname, devices[d->device].name, d->id.fn,
                    d->id.ft, d->id.letter);
        else
            cms_say("%-8s %s", d->ddname, devices[d->device].name);
    }
    return 0;
}

static int clear(const char *ddname)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (strcmp(ddname, "*") != 0 && strcmp(ddname, table[i].ddname) != 0)
            table[kept++] = table[i];
    if (kept == count && strcmp(ddname, "*") != 0)
        return cms_error(28, "DMSFLD704I Invalid CLEAR request: there is no %s", ddname);
    count = kept;
    return 0;
}

static int options(const struct cms_arg *arg, struct filedef *d)
{
    for (int i = 0; i < arg->options; i += 2) {
        const char *o = arg->option[i], *value = arg->option[i + 1];
        if (cms_is(o, "RECFM", 5) && (*value == 'F' || *value == 'V'))
            d->recfm = *value == 'F' ? FS_FIXED : FS_VARIABLE;
        else if (!(cms_is(o, "LRECL", 5) && cms_number(value, &d->lrecl) && d->lrecl
                   && d->lrecl <= FS_LRECL_MAX))
            return cms_error(24, "DMSFLD003E Invalid option: %s %s", o, value);
    }
    return 0;
}

static int define(const struct cms_arg *arg, struct filedef *d)
{
    const char *device = arg->word[1];
    unsigned i = 0;

    while (i < sizeof(devices) / sizeof(*devices)
           && !cms_is(device, devices[i].name, devices[i].min))
        i++;
    if (i == sizeof(devices) / sizeof(*devices))
        return cms_error(24, "DMSFLD027E Invalid device %s", device);
    if (arg->n > (i == FILEDEF_DISK ? 5 : 2))
        return cms_error(24, "DMSFLD070E Invalid parameter %s", arg->word[arg->n - 1]);
    d->device = (uint8_t)i;
    if (i == FILEDEF_DISK) {
        const char *fn = arg->n > 2 ? arg->word[2] : "FILE";
        const char *ft = arg->n > 3 ? arg->word[3] : d->ddname;
        int rc = cms_fileid(&d->id, fn, ft, arg->word[4], 'A');
        if (rc != 0)
            return cms_fileid_error("FLD", rc, fn, ft, arg->word[4]);
    }
    return options(arg, d);
}

CMS_COMMAND("FILEDEF", 2, cmd_filedef);
int cmd_filedef(struct cms_arg *arg)
{
    struct filedef d = {.device = 0}, *old;

    if (arg->n == 0)
        return filedef_list();
    if (arg->n == 1)
        return cms_error(24, "DMSFLD050E Parameter missing after %s", arg->word[0]);
    if (cms_is(arg->word[1], "CLEAR", 2))
        return clear(arg->word[0]);
    if (strlen(arg->word[0]) > 8)
        return cms_error(24, "DMSFLD070E Invalid parameter %s", arg->word[0]);
    fmt(d.ddname, sizeof(d.ddname), "%s", arg->word[0]);
    int rc = define(arg, &d);
    if (rc != 0)
        return rc;
    old = (struct filedef *)filedef_find(d.ddname);
    if (!old && !table)
        table = heap_permanent(MOST * sizeof(*table));
    if (!old && (!table || count == MOST))
        return cms_error(104, "DMSFLD109S Virtual storage capacity exceeded");
    *(old ? old : &table[count++]) = d;
    return 0;
}
