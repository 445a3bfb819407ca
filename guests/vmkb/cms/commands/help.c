/* SPDX-License-Identifier: MIT */
/* HELP [CMS|CP|XEDIT] [name] [(NOSCREEN]: the file NAME HELPCMS, HELPCP or HELPXEDI; without a
 * name the list.
 * HELP MESSAGE id: a section of MESSAGES HELPMSG, by the number in a message of CMS. */
#include "commands.h"
#include "ctype.h"
#include "nucleus.h"
#include "xedit.h"

enum { PER_LINE = 8 };

/* On a screen HELP is XEDIT with the macro PROFHELP, which takes what it is to show from the stack:
 * 0, or -3 without a screen. */
static int panel(bool screen, const char *shows, const char *fn, const char *ft)
{
    char line[80];

    if (!screen)
        return -3;
    if (cms_stack_put(true, shows, (unsigned)strlen(shows)) != 0)
        return cms_error(104, "DMSHLP109S Virtual storage capacity exceeded");
    int n = fmt(line, sizeof(line), "XEDIT %s %s * (NOMSG PROFILE PROFHELP", fn, ft);
    return cms_command(line, (unsigned)n, CMS_ADDRESS_COMMAND);
}

/* What of a help text is to be shown: it is shown whole. */
static bool of_text(const char *option)
{
    static const char *const parts[] = {"ALL", "BRIEF", "DETAIL", "DESCRIPT", "FORMAT", "PARMS",
                                        "OPTIONS", "NOTES", "ERRORS"};

    for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (cms_is(option, parts[i], 3))
            return true;
    return false;
}

static bool on_screen(const struct cms_arg *arg, int *rc)
{
    struct cms_fileid id;
    bool wanted = true;

    *rc = 0;
    for (int i = 0; i < arg->options; i++)
        if (cms_is(arg->option[i], "NOSCREEN", 3))
            wanted = false;
        else if (!cms_is(arg->option[i], "SCREEN", 3) && !of_text(arg->option[i]))
            *rc = cms_bad_option("HLP", arg->option[i]);
    return wanted && diag_full(FULL_SIZE, 0, 0, 0) >= 0 && !cms_state.muted
           && cms_fileid(&id, "PROFHELP", "XEDIT", 0, '*') == 0 && cms_find(&id, 0, 0) == FS_OK;
}

static int menu(const char *ft, const char *title)
{
    struct cms_fileid id, found;
    struct cms_match m;
    struct fs_stat st;
    char line[80];
    unsigned n = 0;

    cms_fileid(&id, "*", ft, 0, '*');
    cms_match_start(&m, &id);
    cms_say("%s", title);
    while (cms_match_next(&m, &found, &st) == FS_OK) {
        fmt(line + 9 * (n % PER_LINE), 10, "%-8s ", found.fn);
        if (++n % PER_LINE == 0)
            cms_say_text(line, 9 * PER_LINE);
    }
    if (n % PER_LINE)
        cms_say_text(line, 9 * (n % PER_LINE));
    return 0;
}

static struct cms_file *find(const char *name, const char *ft, int *code)
{
    struct cms_fileid id;

    *code = FS_E_NOTFOUND;
    return cms_fileid(&id, name, ft, 0, '*') == 0 ? cms_open(&id, code) : 0;
}

/* LISTF finds LISTFILE: what may be typed for a command may be asked about. */
static const char *whole_name(const char *name)
{
    for (const struct cms_command *c = cms_commands; c->name; c++)
        if (cms_is(name, c->name, c->min))
            return c->name;
    return name;
}

static int show(bool screen, struct cms_file *f)
{
    struct cms_fileid id = f->id;
    const uint8_t *record;
    uint32_t len;

    if (screen) {
        cms_close(f);
        return panel(true, "FILE", id.fn, id.ft);
    }
    while (fs_next(&f->fs, &record, &len) == FS_OK && !cms_halted())
        cms_say_text((const char *)record, len);
    cms_close(f);
    return 0;
}

/* The lines from ":: number" to the next "::"; false: there are none. */
static bool section(struct cms_file *f, const char *number)
{
    const uint8_t *record;
    uint32_t len;
    bool found = false;

    while (fs_next(&f->fs, &record, &len) == FS_OK && !cms_halted()) {
        bool head = len >= 2 && memcmp(record, "::", 2) == 0;
        if (head && found)
            break;
        if (found)
            cms_say_text((const char *)record, len);
        found |= head && len >= 6 && memcmp(record + 3, number, 3) == 0;
    }
    cms_close(f);
    return found;
}

/* Whether there are; f is closed. */
static bool explained(struct cms_file *f, const char *number)
{
    const uint8_t *record;
    uint32_t len;
    bool found = false;

    while (!found && fs_next(&f->fs, &record, &len) == FS_OK)
        found = len >= 6 && memcmp(record, ":: ", 3) == 0 && memcmp(record + 3, number, 3) == 0;
    cms_close(f);
    return found;
}

/* DMSLST002E, or DMS002E: the component, perhaps the module, the number, perhaps the severity. */
static int message(bool screen, const char *id)
{
    const char *digits = id + 3;
    char number[4] = "", shows[40];
    struct cms_file *f = 0;
    int code;

    if (strncmp(id, "DMS", 3) == 0) {
        while (*digits && !is_digit(*digits))
            digits++;
        fmt(number, sizeof(number), "%.3s", digits);
        f = strlen(number) == 3 ? find("MESSAGES", "HELPMSG", &code) : 0;
    }
    if (f && screen && explained(f, number)) {
        fmt(shows, sizeof(shows), "MESSAGE %s %s", number, id);
        return panel(true, shows, "MESSAGES", "HELPMSG");
    }
    if (f && !screen && section(f, number))
        return 0;
    return cms_error(28, "DMSHLP254E There is no help for message %s", id);
}

/* A subcommand's help may stand in that of another. */
static struct cms_file *find_subcommand(const char *name, int *code)
{
    static const char *const within[][2] = {
        {"ALTER", "CHANGE"},     {"COMPRESS", "SHIFT"},   {"EXPAND", "SHIFT"},
        {"FFILE", "FILE"},       {"FINDUP", "FIND"},      {"LEFTADJ", "CENTER"},
        {"MODIFY", "SET"},       {"NEXT", "DOWN"},        {"NFIND", "FIND"},
        {"PRESERVE", "SET"},     {"PUTD", "PUT"},         {"RESTORE", "SET"},
        {"RIGHT", "LEFT"},       {"RIGHTADJ", "CENTER"},  {"SSAVE", "SAVE"},
        {"STATUS", "SET"},       {"UPPERCAS", "LOWERCAS"},
    };

    name = xcommand_name(name);
    for (unsigned i = 0; i < sizeof(within) / sizeof(*within); i++)
        if (strcmp(name, within[i][0]) == 0)
            name = within[i][1];
    return find(name, "HELPXEDI", code);
}

static int xedit(bool screen, const char *name)
{
    int code;

    if (strcmp(name, "MENU") == 0) {
        int rc = panel(screen, "MENU XEDIT", "XEDIT", "HELPMENU");
        return rc == -3 ? menu("HELPXEDI", "XEDIT subcommands:") : rc;
    }
    struct cms_file *f = find(name, "HELPXEDI", &code);
    if (!f)
        f = find_subcommand(name, &code);
    if (!f) /* PF1 of FILELIST, RDRLIST... */
        f = find(name, "HELPCMS", &code);
    return f ? show(screen, f) : cms_error(28, "DMSHLP002E File %s HELPXEDI * not found", name);
}

CMS_COMMAND("HELP", 1, cmd_help);
int cmd_help(struct cms_arg *arg)
{
    const char *name = arg->word[0];
    bool cms = true, cp = true;
    struct cms_file *f = 0;
    int code, rc;
    bool screen = on_screen(arg, &rc);

    if (rc != 0)
        return rc;
    if (arg->n == 2 && (cms_is(name, "MESSAGE", 3) || strcmp(name, "MSG") == 0))
        return message(screen, arg->word[1]);
    if (strcmp(name, "XEDIT") == 0 && arg->n > 1)
        return xedit(screen, arg->word[1]);
    if (strcmp(name, "CMS") == 0 || (strcmp(name, "CP") == 0 && arg->n > 1)) {
        cms = name[1] == 'M';
        cp = !cms;
        name = arg->word[1];
    }
    if (!*name || strcmp(name, "MENU") == 0) {
        rc = panel(screen, cms && cp ? "MENU CMS CP XEDIT" : cms ? "MENU CMS" : "MENU CP", "HELP",
                   "HELPMENU");
        if (rc != -3)
            return rc;
        if (cms)
            menu("HELPCMS", "CMS commands:");
        return cp ? menu("HELPCP", "CP commands:") : 0;
    }
    if (cms)
        f = find(name, "HELPCMS", &code);
    if (!f && cp)
        f = find(name, "HELPCP", &code);
    if (!f && cms)
        f = find(whole_name(name), "HELPCMS", &code);
    if (!f)
        return cms_error(28, "DMSHLP002E File %s %s * not found", name, cms ? "HELPCMS" : "HELPCP");
    return show(screen, f);
}
