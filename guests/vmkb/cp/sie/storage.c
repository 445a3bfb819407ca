/* SPDX-License-Identifier: MIT */
/* Real storage above CP's own: whole megabytes for machines under SIE, and the systems that the
 * .ins file loaded there (guests/vmkb/hosted.py writes it). Without such a file there is none. */
#include "sie.h"
#include "lib.h"
#include "translate.h"

#define HOST_BASE  REAL_STORAGE
#define HOST_MBS   8192UL
#define HOST_MAGIC 0x564d4b42484f5354UL /* "VMKBHOST" in ASCII */
#define PIECES     16

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

/* What the .ins file says of the machine; nothing else is ever there. */
struct host_storage {
    uint64_t magic, mbs;
};
#define HOST_STORAGE_ADDR 0x9000UL

static uint8_t used[HOST_MBS];
static uint64_t host_mbs;    /* megabytes of real storage; 0: only CP's own */

static const struct host_system *at_mb(uint64_t at)
{
    const struct host_system *h = (const void *)at;

    return at / MB < host_mbs && h->magic == HOST_MAGIC ? h : 0;
}

static uint64_t next_mb(const struct host_system *h)
{
    return (h->end + MB - 1) & ~(MB - 1);
}

void host_storage_init(void)
{
    const struct host_storage *h = (const void *)HOST_STORAGE_ADDR;

    if (h->magic != HOST_MAGIC || h->mbs > HOST_MBS || pages_total() > HOST_BASE / PAGE_SIZE)
        return;
    host_mbs = h->mbs;
    memset(used, 1, HOST_BASE / MB);
    for (const struct host_system *s = at_mb(HOST_BASE); s; s = at_mb(next_mb(s)))
        memset(used + (uintptr_t)s / MB, 1, (next_mb(s) - (uintptr_t)s) / MB);
}

const struct host_system *host_system(const char *name)
{
    char padded[9];

    fmt(padded, sizeof(padded), "%-8.8s", name);
    for (const struct host_system *h = at_mb(HOST_BASE); h; h = at_mb(next_mb(h)))
        if (memcmp(h->name, padded, 8) == 0)
            return h;
    return 0;
}

uint64_t host_system_least(const struct host_system *h)
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
    for (uint64_t i = 0; i < h->pieces && i < PIECES; i++)
        memcpy(s->store + h->piece[i].to, (const void *)h->piece[i].from, h->piece[i].size);
    if (parm[0] && h->parm_max) {
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
