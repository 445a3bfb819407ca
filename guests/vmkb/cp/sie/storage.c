/* SPDX-License-Identifier: MIT */
/* Real storage above CP's own: whole megabytes for machines under SIE, and the systems that the
 * .ins file loaded there (guests/vmkb/hosted.py writes it). Without such a file there is none, and
 * CP looks at one doubleword. */
#include "sie.h"
#include "lib.h"
#include "psa.h"
#include "translate.h"

#define HOST_BASE  REAL_STORAGE
#define HOST_MBS   8192UL
#define HOST_MAGIC 0x564d4b42484f5354UL /* "VMKBHOST" in ASCII */
#define PIECES     8

struct host_system {
    uint64_t magic;
    char name[8];
    uint64_t end;            /* real: first byte behind its pieces */
    uint64_t least;          /* storage that it needs */
    uint64_t parm_at, parm_max; /* where its parameter goes, in ASCII, ended by a zero */
    uint64_t entry;
    uint64_t pieces;
    struct {
        uint64_t to, from, size;
    } piece[PIECES];
};

static uint8_t used[HOST_MBS];
static uint64_t host_mbs;    /* megabytes of real storage */

extern const char storage_probe[]; /* boot/entry.S */

static bool there(uint64_t at)
{
    struct context c = {.psw = {0x0000000180000000UL, (uintptr_t)storage_probe}};

    c.gr[2] = at;
    return run(&c) == RUN_SVC;
}

void host_storage_init(void)
{
    uint64_t mb = HOST_BASE / MB;

    if (!there(HOST_BASE))
        return;
    while (mb < HOST_MBS && there(mb * MB))
        mb++;
    host_mbs = mb;
    memset(used, 1, HOST_BASE / MB);
    for (const struct host_system *h = (const void *)HOST_BASE; h->magic == HOST_MAGIC;) {
        uint64_t next = (h->end + MB - 1) & ~(MB - 1);
        memset(used + (uintptr_t)h / MB, 1, (next - (uintptr_t)h) / MB);
        if (next / MB >= host_mbs)
            break;
        h = (const void *)next;
    }
}

const struct host_system *host_system(const char *name)
{
    char padded[9];

    if (!host_mbs)
        return 0;
    fmt(padded, sizeof(padded), "%-8.8s", name);
    for (const struct host_system *h = (const void *)HOST_BASE; h->magic == HOST_MAGIC;) {
        if (memcmp(h->name, padded, 8) == 0)
            return h;
        uint64_t next = (h->end + MB - 1) & ~(MB - 1);
        if (next / MB >= host_mbs)
            break;
        h = (const void *)next;
    }
    return 0;
}

bool sie_system(const char *name)
{
    return host_system(name) != 0;
}

uint64_t host_system_end(const struct host_system *h)
{
    return h->least;
}

uint8_t *host_get(uint64_t bytes)
{
    uint64_t mbs = (bytes + MB - 1) / MB, run_of = 0;

    for (uint64_t i = 0; mbs && i < host_mbs; i++) {
        run_of = used[i] ? 0 : run_of + 1;
        if (run_of == mbs) {
            uint64_t first = i + 1 - mbs;
            memset(used + first, 1, mbs);
            memset((void *)(first * MB), 0, mbs * MB);
            acct_moved(mbs * MB);
            return (uint8_t *)(first * MB);
        }
    }
    return 0;
}

void host_free(uint8_t *at, uint64_t bytes)
{
    if (at)
        memset(used + (uintptr_t)at / MB, 0, (bytes + MB - 1) / MB);
}

void host_load(const struct host_system *h, struct sie *s, const char *parm)
{
    for (uint64_t i = 0; i < h->pieces && i < PIECES; i++) {
        memcpy(s->store + h->piece[i].to, (const void *)h->piece[i].from, h->piece[i].size);
        acct_moved(h->piece[i].size);
    }
    if (parm[0]) {
        size_t n = strlen(parm);
        if (n >= h->parm_max)
            n = h->parm_max - 1;
        memcpy(s->store + h->parm_at, parm, n);
        translate(s->store + h->parm_at, n, latin1_of_ebcdic);
        s->store[h->parm_at + n] = 0;
    }
    s->sd.psw.mask = 0x0000000080000000UL; /* 31-bit, as IPL begins */
    s->sd.psw.addr = h->entry;
}
