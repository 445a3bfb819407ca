/* SPDX-License-Identifier: MIT */
/* The other subcommands, and the table of all. */
#include "client.h"

static int ask(struct ftp *f, const char *verb, const char *rest)
{
    int rc = control_ask(f, *rest ? "%s %s" : "%s", verb, rest);

    while (rc >= 100 && rc < 200)
        rc = control_reply(f);
    return rc < 0 || rc >= 400 ? rc : 0;
}

static int needs(const char *text)
{
    cms_say("Usage: %s", text);
    return FTP_USAGE;
}

static int sub_acct(struct ftp *f, struct words *w) { return ask(f, "ACCT", w->rest); }
static int sub_noop(struct ftp *f, struct words *w) { (void)w; return ask(f, "NOOP", ""); }
static int sub_pwd(struct ftp *f, struct words *w) { (void)w; return ask(f, "PWD", ""); }
static int sub_site(struct ftp *f, struct words *w) { return ask(f, "SITE", w->rest); }
static int sub_status(struct ftp *f, struct words *w) { return ask(f, "STAT", w->rest); }
static int sub_system(struct ftp *f, struct words *w) { (void)w; return ask(f, "SYST", ""); }

static int sub_cd(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("CD directory") : ask(f, "CWD", w->rest);
}

static int sub_cdup(struct ftp *f, struct words *w) { (void)w; return ask(f, "CDUP", ""); }

static int sub_mkdir(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("MKDIR directory") : ask(f, "MKD", w->rest);
}

static int sub_rmdir(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("RMDIR directory") : ask(f, "RMD", w->rest);
}

static int sub_delete(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("DELETE foreignfile") : ask(f, "DELE", w->rest);
}

static int sub_size(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("SIZE foreignfile") : ask(f, "SIZE", w->rest);
}

static int sub_quote(struct ftp *f, struct words *w)
{
    return w->n < 2 ? needs("QUOTE command") : ask(f, w->rest, "");
}

static int sub_rename(struct ftp *f, struct words *w)
{
    if (w->n != 3)
        return needs("RENAME foreignfile newname");
    int rc = ask(f, "RNFR", w->w[1]);
    return rc ? rc : ask(f, "RNTO", w->w[2]);
}

static int type(struct ftp *f, bool ascii)
{
    int rc = ask(f, "TYPE", ascii ? "A" : "I");

    if (rc == 0)
        f->ascii = ascii;
    return rc;
}

static int sub_ascii(struct ftp *f, struct words *w) { (void)w; return type(f, true); }
static int sub_binary(struct ftp *f, struct words *w) { (void)w; return type(f, false); }

static int sub_type(struct ftp *f, struct words *w)
{
    words_upper(w->w[1]);
    if (cms_is(w->w[1], "ASCII", 1))
        return type(f, true);
    if (cms_is(w->w[1], "IMAGE", 1) || cms_is(w->w[1], "BINARY", 1))
        return type(f, false);
    return needs("TYPE ASCII | IMAGE");
}

static int sub_mode(struct ftp *f, struct words *w)
{
    words_upper(w->w[1]);
    return cms_is(w->w[1], "STREAM", 1) ? ask(f, "MODE", "S")
                                        : needs("MODE S: only stream mode is known");
}

static int sub_struct(struct ftp *f, struct words *w)
{
    words_upper(w->w[1]);
    return cms_is(w->w[1], "FILE", 1) ? ask(f, "STRU", "F")
                                      : needs("STRUCT F: only files without structure are known");
}

static int set_passive(struct ftp *f, struct words *w, bool when_on)
{
    words_upper(w->w[1]);
    if (w->n == 1)
        f->passive = !f->passive;
    else if (strcmp(w->w[1], "ON") == 0)
        f->passive = when_on;
    else if (strcmp(w->w[1], "OFF") == 0)
        f->passive = !when_on;
    else
        return needs("SENDPORT or PASSIVE [ON | OFF]");
    cms_say(f->passive ? "PORT is not sent: we go to the server"
                       : "PORT is sent: the server comes to us");
    return 0;
}

static int sub_passive(struct ftp *f, struct words *w) { return set_passive(f, w, true); }
static int sub_sendport(struct ftp *f, struct words *w) { return set_passive(f, w, false); }

static int sub_user(struct ftp *f, struct words *w)
{
    return w->n < 2 || w->n > 3 ? needs("USER userid [password]")
                                : ftp_login(f, w->w[1], w->n == 3 ? w->w[2] : 0);
}

static int sub_pass(struct ftp *f, struct words *w)
{
    int rc = control_send(f, "PASS ********", "PASS %s", w->rest);

    rc = rc ? rc : control_reply(f);
    return rc < 0 || rc >= 400 ? rc : 0;
}

static int sub_open(struct ftp *f, struct words *w)
{
    uint32_t port = 21;

    if (w->n < 2 || w->n > 3
        || (w->n == 3 && (!cms_number(w->w[2], &port) || port == 0 || port > 65535)))
        return needs("OPEN host [port]");
    if (f->connected) {
        cms_say("Already connected; CLOSE first");
        return FTP_STATE;
    }
    int rc = control_open(f, w->w[1], (uint16_t)port);
    if (rc < 0 || rc >= 400 || rc < 100)
        return rc;
    return ftp_login(f, 0, 0);
}

static int sub_close(struct ftp *f, struct words *w)
{
    int rc = ask(f, "QUIT", "");
    (void)w;
    control_close(f);
    return rc < 0 ? 0 : rc;  /* some servers close without a word */
}

static int sub_quit(struct ftp *f, struct words *w)
{
    if (f->connected)
        sub_close(f, w);
    f->ended = true;
    return 0;
}

static int sub_cms(struct ftp *f, struct words *w)
{
    int rc = cms_command(w->rest, (unsigned)strlen(w->rest), CMS_TYPED);
    (void)f;
    if (rc != 0)
        cms_say("Return code %d", rc);
    return 0;
}

static int sub_help(struct ftp *f, struct words *w)
{
    char line[80];
    int n = 0;
    (void)f;
    (void)w;
    cms_say("Subcommands:");
    for (const struct ftp_sub *s = ftp_subs; s->name; s++) {
        n += fmt(line + n, sizeof(line) - (size_t)n, "%-10s", s->name);
        if (n < 70 && s[1].name)
            continue;
        cms_say_text(line, (unsigned)n);
        n = 0;
    }
    cms_say("Under (EXIT the first that fails ends FTP with 1000 times its number (below) plus the "
            "reply's code");
    cms_say("or 1 usage, 2 local file, 3 network, 4 TCPIP, 6 not now. GET 16, PUT 27, APPEND 4, "
            "MGET 22, MPUT 24, CD 7, USER 19.");
    return 0;
}

/* The numbers are those that IBM's FTP user's guides list for (EXIT as far as is known; not
 * verified. CDUP, PASSIVE, RMDIR and SIZE, of which that is not known, got free ones. Those used
 * most come first. */
const struct ftp_sub ftp_subs[] = {
    {"ACCT", 2, 3, 1, sub_acct},
    {"ASCII", 2, 5, 1, sub_ascii},
    {"BINARY", 1, 6, 1, sub_binary},
    {"CD", 2, 7, 1, sub_cd},
    {"CWD", 2, 7, 1, sub_cd},
    {"CLOSE", 2, 8, 1, sub_close},
    {"CMS", 3, 9, 0, sub_cms},
    {"DELETE", 3, 13, 1, sub_delete},
    {"DIR", 2, 14, 1, sub_dir},
    {"GET", 1, 16, 1, sub_get},
    {"HELP", 1, 17, 0, sub_help},
    {"LCD", 2, 41, 0, sub_lcd},
    {"LOCSITE", 5, 42, 0, sub_locsite},
    {"LOCSTAT", 5, 18, 0, sub_locstat},
    {"LPWD", 2, 43, 0, sub_lpwd},
    {"LS", 1, 20, 1, sub_ls},
    {"MGET", 2, 22, 1, sub_mget},
    {"MODE", 3, 23, 1, sub_mode},
    {"MPUT", 2, 24, 1, sub_mput},
    {"NOOP", 1, 25, 1, sub_noop},
    {"OPEN", 1, 10, 0, sub_open},
    {"PASSIVE", 5, 50, 0, sub_passive},
    {"PASS", 2, 26, 1, sub_pass},
    {"PUT", 2, 27, 1, sub_put},
    {"PWD", 2, 28, 1, sub_pwd},
    {"QUIT", 2, 29, 0, sub_quit},
    {"QUOTE", 3, 30, 1, sub_quote},
    {"RENAME", 3, 31, 1, sub_rename},
    {"SENDPORT", 5, 32, 0, sub_sendport},
    {"SITE", 3, 34, 1, sub_site},
    {"SIZE", 3, 51, 1, sub_size},
    {"STATUS", 4, 35, 1, sub_status},
    {"STRUCT", 4, 36, 1, sub_struct},
    {"SYSTEM", 2, 38, 1, sub_system},
    {"TYPE", 1, 40, 1, sub_type},
    {"USER", 1, 19, 1, sub_user},
    {"APPEND", 2, 4, 1, sub_append},
    {"CDUP", 3, 52, 1, sub_cdup},
    {"MKDIR", 2, 44, 1, sub_mkdir},
    {"RMDIR", 2, 53, 1, sub_rmdir},
    {0, 0, 0, 0, 0},
};
