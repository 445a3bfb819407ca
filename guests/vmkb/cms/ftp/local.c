/* SPDX-License-Identifier: MIT */
/* Subcommands about this side: LCD, LPWD, LOCSITE, LOCSTAT. */
#include "client.h"

int sub_lpwd(struct ftp *f, struct words *w)
{
    const struct cms_disk *d = cms_disk(f->mode);
    (void)w;
    if (!d)
        cms_say("Local filemode is %c, not accessed", f->mode);
    else
        cms_say("Local filemode is %c (%.8s %03X), %s", f->mode, d->info.owner, d->vaddr,
                d->writable ? "read/write" : "read only");
    return 0;
}

int sub_lcd(struct ftp *f, struct words *w)
{
    char letter = (char)to_upper(w->w[1][0]);

    if (w->n != 2 || !is_alpha(letter) || w->w[1][1]) {
        cms_say("Usage: LCD filemode");
        return FTP_USAGE;
    }
    if (!cms_disk(letter)) {
        cms_say("Filemode %c is not accessed", letter);
        return FTP_FILE;
    }
    f->mode = letter;
    return sub_lpwd(f, w);
}

static void say_format(const struct ftp *f)
{
    if (!f->recfm)
        cms_say("Files are made RECFM V when ASCII, RECFM F LRECL 80 when binary");
    else if (f->recfm == FS_FIXED)
        cms_say("Files are made RECFM F LRECL %u", f->lrecl);
    else if (f->lrecl)
        cms_say("Files are made RECFM V, records up to %u", f->lrecl);
    else
        cms_say("Files are made RECFM V");
}

int sub_locsite(struct ftp *f, struct words *w)
{
    uint32_t n = 0;

    words_upper(w->w[1]);
    bool number = cms_number(w->w[2], &n) && n >= 1 && n < RECORD;
    if (w->n == 1) {
        f->recfm = 0;
    } else if (cms_is(w->w[1], "FIXRECFM", 3) && w->n == 3 && number) {
        f->recfm = FS_FIXED;
        f->lrecl = n;
    } else if (cms_is(w->w[1], "VARRECFM", 3) && (w->n == 2 || (w->n == 3 && number))) {
        f->recfm = FS_VARIABLE;
        f->lrecl = w->n == 3 ? n : 0;
    } else {
        cms_say("Usage: LOCSITE [FIXRECFM n | VARRECFM [n]], n up to %u", RECORD - 1);
        return FTP_USAGE;
    }
    say_format(f);
    return 0;
}

int sub_locstat(struct ftp *f, struct words *w)
{
    if (f->connected)
        cms_say("Connected to %u.%u.%u.%u, port %u", f->server.ip >> 24, f->server.ip >> 16 & 255,
                f->server.ip >> 8 & 255, f->server.ip & 255, f->server.port);
    else
        cms_say("Not connected");
    cms_say("Type is %s; mode Stream; structure File", f->ascii ? "ASCII" : "Image");
    cms_say("Data connections: %s",
            f->passive ? "we go to the server (EPSV, PASV)" : "the server comes to us (PORT)");
    cms_say("FTP DATA %u CONNECTIONS %lu BYTES IN %lu US", f->connections, f->data_bytes,
            f->data_us);
    cms_say("A silent server is given up after %u seconds", (unsigned)(f->timeout_us / 1000000));
    say_format(f);
    return sub_lpwd(f, w);
}
