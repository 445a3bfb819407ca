/* SPDX-License-Identifier: MIT */
/* GMSSERVE PATTERN file pages: that many pages of 8192 bytes, which GMSBENCH knows, are here for
 * other systems. GMSSERVE FILE file fn ft fm: the pages of a CMS file are. GMSSERVE DIRECTORY file
 * node: that node has the file's pages, and requests for them are passed on to it. All stay until
 * the machine is IPLed or logged off. Return codes: 0; 24; 28 and others of the file; 100; 104. */
#include "gms_cms.h"

static int refused(const char *what, uint32_t n, long rc)
{
    return cms_error(100, "DMSGMS111E %s %u: %s (code %ld)", what, n, gms_why(rc), rc);
}

static int pattern(uint32_t file, uint32_t pages)
{
    uint32_t *at = cms_alloc(GMS_FRAME);

    if (!at)
        return cms_error(104, "DMSGMS109S Virtual storage capacity exceeded");
    for (uint32_t p = 0; p < pages; p++) {
        for (uint32_t i = 0; i < GMS_FRAME / 4; i++)
            at[i] = gms_word(file, p, i);
        long rc = diag_gms(GMS_PUT, file, p, D_(at), GMS_FRAME);
        if (rc != 0)
            return refused("Page", p, rc);
    }
    cms_say("GMSSERVE: %u pages of file %u are here", pages, file);
    return 0;
}

static int of_file(uint32_t file, const char *fn, const char *ft, const char *fm)
{
    struct cms_fileid id;
    uint8_t *at = cms_alloc(GMS_FRAME);
    uint64_t bytes = 0;
    uint32_t page = 0, sum = 0;
    int rc = cms_fileid(&id, fn, ft, fm, '*');

    if (rc != 0)
        return cms_fileid_error("GMS", rc, fn, ft, fm);
    if (!at)
        return cms_error(104, "DMSGMS109S Virtual storage capacity exceeded");
    struct cms_file *f = cms_open(&id, &rc);
    if (!f)
        return cms_file_error("GMS", rc, &id);
    for (;; page++) {
        memset(at, 0, GMS_FRAME);
        rc = fs_read(&f->fs, at, GMS_FRAME);
        if (rc < 0)
            return cms_file_error("GMS", rc, &id);
        if (rc == 0)
            break;
        bytes += (uint32_t)rc;
        sum = gms_sum(at, GMS_FRAME, sum);
        long put = diag_gms(GMS_PUT, file, page, D_(at), GMS_FRAME);
        if (put != 0)
            return refused("Page", page, put);
    }
    cms_close(f);
    cms_say("GMSSERVE: %u pages of file %u are here, %lu bytes, sum %08X", page, file, bytes, sum);
    return 0;
}

static int directory(uint32_t file, const char *node)
{
    char name[8];

    gms_node(name, node);
    long rc = diag_gms(GMS_SAYS, file, D_(name), 0, 0);
    if (rc != 0)
        return refused("File", file, rc);
    cms_say("GMSSERVE: file %u is at %s", file, node);
    return 0;
}

CMS_COMMAND("GMSSERVE", 8, cmd_gmsserve);
int cmd_gmsserve(struct cms_arg *arg)
{
    uint32_t file, pages;

    if (!arg->options && cms_number(arg->word[1], &file) && file && file <= GMS_FILES_MAX) {
        if (arg->n == 3 && cms_is(arg->word[0], "PATTERN", 1) && cms_number(arg->word[2], &pages))
            return pattern(file, pages);
        if (arg->n == 5 && cms_is(arg->word[0], "FILE", 1))
            return of_file(file, arg->word[2], arg->word[3], arg->word[4]);
        if (arg->n == 3 && cms_is(arg->word[0], "DIRECTORY", 1))
            return directory(file, arg->word[2]);
    }
    return cms_error(24, "DMSGMS029E Use GMSSERVE PATTERN file pages, GMSSERVE FILE file fn ft fm"
                     " or GMSSERVE DIRECTORY file node");
}
