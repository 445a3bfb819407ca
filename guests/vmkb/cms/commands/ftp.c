/* SPDX-License-Identifier: MIT */
/* FTP host [port] [(EXIT] [TIMEOUT n] [FILE fn ft [fm]]: files to and from another system. The
 * subcommands are in cms/ftp. Return codes: 0; with (EXIT that of the first subcommand that failed,
 * 1000 times its number and the reply's code; 10000 and more if the host was not reached; 24 usage;
 * 28 no such file. */
#include "client.h"
#include "cms_net.h"
#include "commands.h"

enum { OPEN_FAILED = 10000, TIMEOUT_S = 120 };

static int options(struct ftp *f, struct cms_arg *arg, const char **host, uint16_t *port)
{
    uint32_t n = 21;
    int code;

    if (arg->n > 2)
        return cms_error(24, "DMSFTP070E Invalid parameter %s", arg->word[2]);
    if (arg->n == 2 && (!cms_number(arg->word[1], &n) || n == 0 || n > 65535))
        return cms_error(24, "DMSFTP029E Invalid port %s", arg->word[1]);
    *host = arg->n ? arg->word[0] : 0;
    *port = (uint16_t)n;
    for (int i = 0; i < arg->options; i++) {
        if (cms_is(arg->option[i], "EXIT", 2)) {
            f->exit_on_error = true;
        } else if (cms_is(arg->option[i], "TIMEOUT", 1)) {
            if (!cms_number(arg->option[++i], &n) || n == 0 || n > 86400)
                return cms_error(24, "DMSFTP029E Invalid number of seconds %s", arg->option[i]);
            f->timeout_us = n * 1000000UL;
        } else if (cms_is(arg->option[i], "FILE", 2)) {
            struct cms_fileid id;
            bool fm = i + 3 < arg->options && strlen(arg->option[i + 3]) <= 2
                      && !cms_is(arg->option[i + 3], "EXIT", 2);
            if (cms_fileid(&id, arg->option[i + 1], arg->option[i + 2],
                           fm ? arg->option[i + 3] : "", '*')
                != 0)
                return cms_error(24, "DMSFTP054E Incomplete fileid %s %s", arg->option[i + 1],
                                 arg->option[i + 2]);
            f->input = cms_open(&id, &code);
            if (!f->input)
                return cms_file_error("FTP", code, &id);
            i += fm ? 3 : 2;
        } else {
            return cms_bad_option("FTP", arg->option[i]);
        }
    }
    return 0;
}

static int session(struct ftp *f, const char *host, uint16_t port)
{
    char line[CMS_LINE];
    int rc = 0;

    if (host) {
        rc = control_open(f, host, port);
        if (rc < 100 || rc >= 400)
            return OPEN_FAILED + (rc < 0 ? -rc : rc);
        rc = ftp_login(f, 0, 0);
        if (rc != 0 && f->exit_on_error && !f->halted)
            return 19000 + (rc < 0 ? -rc : rc);
    }
    while (!f->ended && !f->halted) {
        if (ftp_read(f, line, sizeof(line), "Command:", false) < 0) {
            ftp_sub_run(f, "QUIT");
            break;
        }
        rc = ftp_sub_run(f, line);
        if (rc != 0 && f->exit_on_error)
            return rc;
    }
    return 0;
}

CMS_COMMAND("FTP", 3, cmd_ftp);
int cmd_ftp(struct cms_arg *arg)
{
    static const char halted[] = "FTP halted; a file on its way was not kept";
    struct ftp *f = cms_alloc(sizeof(*f));
    const char *host = 0;
    uint16_t port = 0;

    if (!f)
        return cms_error(104, "DMSFTP109S Virtual storage capacity exceeded");
    memset(f, 0, sizeof(*f));
    f->timeout_us = TIMEOUT_S * 1000000UL;
    f->mode = 'A';
    f->control = f->listener = f->data = -1;
    int rc = options(f, arg, &host, &port);
    if (rc != 0)
        return rc;
    f->buffers = cms_alloc(sizeof(*f->buffers));
    f->record = cms_alloc(RECORD);
    if (!f->buffers || !f->record)
        return cms_error(104, "DMSFTP109S Virtual storage capacity exceeded: FTP needs %u KB",
                         (unsigned)((sizeof(*f->buffers) + RECORD) / 1024));
    if (tcpip_open("FTP", &f->net) != 0)
        return OPEN_FAILED + FTP_TCPIP;
    cms_say("VM/KB FTP");
    rc = session(f, host, port);
    net_close(&f->net);      /* takes all its sockets with it */
    if (f->halted)
        diag_write(halted, sizeof(halted) - 1, 0); /* CMS types nothing more after HX */
    return f->halted ? OPEN_FAILED + -FTP_HALTED : rc;
}
