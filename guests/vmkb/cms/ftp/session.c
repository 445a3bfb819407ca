/* SPDX-License-Identifier: MIT */
/* Where subcommands come from, logging on to the server, and running a subcommand. */
#include "client.h"

/* From the file of (FILE, or the program stack, or the console, which alone is prompted. */
int ftp_read(struct ftp *f, char *line, unsigned max, const char *prompt, bool hidden)
{
    int n;

    if (f->input) {
        const uint8_t *record;
        uint32_t len;
        if (fs_next(&f->input->fs, &record, &len) != FS_OK)
            return -1;
        if (len > max - 1)
            len = max - 1;
        memcpy(line, record, len);
        n = (int)len;
    } else if (cms_stack_count()) {
        n = cms_readline(line, max);
    } else {
        cms_say("%s", prompt);
        n = hidden ? cms_read_hidden(line, max) : cms_read_console(line, max);
    }
    if (cms_halted())
        f->halted = true;
    n = blank_trim(line, n);
    line[n] = 0;
    return f->halted ? -1 : n;
}

/* user 0: it is asked for. The password may be behind it in the same line. */
int ftp_login(struct ftp *f, const char *user, const char *password)
{
    char line[CMS_LINE], secret[CMS_LINE];
    struct words w;

    if (!user) {
        if (ftp_read(f, line, sizeof(line), "USER (identify yourself to the host):", false) < 0)
            return f->halted ? FTP_HALTED : FTP_USAGE;
        if (!words_cut(&w, line) || w.n < 1 || w.n > 2) {
            cms_say("No userid; use USER userid to log on");
            return FTP_USAGE;
        }
        user = w.w[0];
        password = w.n == 2 ? w.w[1] : 0;
    }
    int rc = control_ask(f, "USER %s", user);
    if (rc == 331) {
        if (!password) {
            if (ftp_read(f, secret, sizeof(secret), "Password:", true) < 0)
                return f->halted ? FTP_HALTED : FTP_USAGE;
            password = secret;
        }
        rc = control_send(f, "PASS ********", "PASS %s", password);
        if (rc == 0)
            rc = control_reply(f);
    }
    if (rc == 332)
        cms_say("The server wants an account: use ACCT");
    return rc < 0 || rc >= 400 ? rc : 0;
}

static const struct ftp_sub *find(char *word)
{
    words_upper(word);
    for (const struct ftp_sub *s = ftp_subs; s->name; s++)
        if (cms_is(word, s->name, s->min))
            return s;
    return 0;
}

static int run(struct ftp *f, const struct ftp_sub *s, struct words *w)
{
    if (w->bad_option) {
        cms_say("Unknown option %s", w->bad_option);
        return FTP_USAGE;
    }
    if (s->connected && !f->connected) {
        cms_say("Not connected: use OPEN host");
        return FTP_STATE;
    }
    return s->run(f, w);
}

int ftp_sub_run(struct ftp *f, const char *line)
{
    static const struct ftp_sub unknown = {"?", 1, 2, 0, 0};
    const struct ftp_sub *s = &unknown;
    struct words w;
    int rc = FTP_USAGE;
    char cms[CMS_LINE + 8];

    while (*line == ' ')
        line++;
    if (!*line || *line == '*')
        return 0;
    if (*line == '!') {
        fmt(cms, sizeof(cms), "CMS %s", line + 1);
        line = cms;
    }
    if (!words_cut(&w, line))
        cms_say("Too many words");
    else if ((s = find(w.w[0])) != 0)
        rc = run(f, s, &w);
    else
        cms_say("Unknown subcommand %s; HELP lists them", w.w[0]);
    if (rc == 0)
        return 0;
    return (s ? s->code : unknown.code) * 1000 + (rc < 0 ? -rc : rc);
}
