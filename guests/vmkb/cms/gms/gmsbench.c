/* SPDX-License-Identifier: MIT */
/* GMSBENCH node file WAIT|CONT|DEFER|NAP SOLICITED|UNSOLICITED|COPY bytes count callers: calls to a
 * node's CP, each of which draws 0, 4096 or 8192 bytes of a file that GMSSERVE PATTERN has made.
 * WAIT: the machine sleeps for each. CONT, DEFER: a continuation of CP starts the next. NAP: there
 * are no calls, the machine sleeps as WAIT does and CP wakes it: what that costs alone. Return
 * codes: 0; 24; 100 calls failed; 102 other bytes came; 104. */
#include "gms_cms.h"

#define SPAN 8                   /* pages asked for in turn */
enum { WAIT = 2, NAP };          /* beside enum gms_wait */

struct bench {
    struct gms_parm p;
    uint32_t how;
    uint8_t copy[GMS_FRAME] __attribute__((aligned(8)));
};

static int word(const char *given, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (cms_is(given, names[i], 1))
            return (int)i;
    return -1;
}

/* Whole pages of the file, whichever they are. */
static bool right(const struct bench *b, const uint32_t *at)
{
    uint32_t n = b->p.pages * 1024;
    uint32_t page = ((at[0] ^ (b->p.file << 24)) >> 11) % SPAN;

    for (uint32_t i = 0; i < n; i++)
        if (at[i] != gms_word(b->p.file, page, i))
            return false;
    return true;
}

static const uint32_t *slot(long i)
{
    return (const uint32_t *)(VM_WINDOW + (uint64_t)i * GMS_FRAME);
}

/* One after the other, the machine asleep for each. Failed, or 0. */
static long wait_calls(struct bench *b, long *where)
{
    long failed = 0;

    for (uint32_t i = 0; i < b->p.count; i++) {
        b->p.page = i % SPAN;
        long rc = b->how == NAP ? diag_gms(GMS_NAP, 0, 0, 0, 0) : diag_gms_call(&b->p, where);
        if (rc != 0) {
            b->p.status = (uint32_t)rc;
            failed++;
            if (rc < 0 || cms_halted())
                return failed + b->p.count - 1 - i;
        }
    }
    return failed;
}

static int check(const struct bench *b, long where)
{
    bool good = true;

    if (!b->p.pages)
        return 0;
    if (b->p.receive == GMS_COPIED)
        good = right(b, (const uint32_t *)b->copy);
    else if (b->how == WAIT)
        good = right(b, slot(where));
    else if (b->p.receive == GMS_TO_SLOT)
        for (uint32_t i = 0; i < b->p.callers && good; i++)
            good = right(b, slot(i));
    return good ? 0 : cms_error(102, "DMSGMS113E Other bytes came");
}

static int run(struct bench *b)
{
    long where = 0;
    uint64_t begun = gms_now_us();
    long failed = b->how >= WAIT ? wait_calls(b, &where) : diag_gms(GMS_RUN, D_(&b->p), 0, 0, 0);
    uint64_t us = gms_now_us() - begun;

    if (failed < 0)
        return cms_error(100, "DMSGMS111E %s (code %ld)", gms_why(failed), failed);
    cms_say("GMS CALLS %u OF %u BYTES BY %u IN %lu US FAILED %ld", b->p.count,
            b->p.pages * 4096, b->p.callers, us, failed);
    if (failed)
        return cms_error(100, "DMSGMS112E %ld of %u calls failed: %s", failed, b->p.count,
                         gms_why((int32_t)b->p.status));
    if (b->p.callers > 1)
        cms_say("EACH CALLER HAD %u TO %u", b->p.least, b->p.most);
    return check(b, where);
}

CMS_COMMAND("GMSBENCH", 8, cmd_gmsbench);
int cmd_gmsbench(struct cms_arg *arg)
{
    static const char *const hows[] = {"CONT", "DEFER", "WAIT", "NAP"};
    static const char *const kinds[] = {"SOLICITED", "UNSOLICITED", "COPY"};
    struct bench *b = cms_alloc(sizeof(*b));
    uint32_t bytes;

    if (!b)
        return cms_error(104, "DMSGMS109S Virtual storage capacity exceeded");
    memset(b, 0, sizeof(*b));
    int how = word(arg->word[2], hows, 4), kind = word(arg->word[3], kinds, 3);
    if (arg->n != 7 || arg->options || how < 0 || kind < 0 || !cms_number(arg->word[1], &b->p.file)
        || !cms_number(arg->word[4], &bytes) || bytes > GMS_FRAME || bytes % 4096
        || !cms_number(arg->word[5], &b->p.count) || !b->p.count
        || !cms_number(arg->word[6], &b->p.callers) || !b->p.callers
        || b->p.callers > (bytes ? GMS_SOLICITED : GMS_CALLERS) || b->p.callers > b->p.count
        || (how >= WAIT && b->p.callers > 1) || (how == NAP && bytes))
        return cms_error(24, "DMSGMS029E Use GMSBENCH node file WAIT|CONT|DEFER|NAP"
                         " SOLICITED|UNSOLICITED|COPY 0|4096|8192 count callers; 1 caller with"
                         " WAIT and NAP, no bytes with NAP; %u with bytes, %u else", GMS_SOLICITED,
                         GMS_CALLERS);
    gms_node(b->p.node, arg->word[0]);
    b->how = (uint32_t)how;
    b->p.wait = how >= WAIT ? GMS_CONT : (uint8_t)how;
    b->p.receive = (uint8_t)kind;
    b->p.pages = bytes / 4096;
    b->p.span = SPAN;
    b->p.buffer = (uintptr_t)b->copy;
    long rc = diag_gms(GMS_OPEN, 0, 0, 0, 0);
    if (rc != 0)
        return cms_error(100, "DMSGMS111E %s (code %ld)", gms_why(rc), rc);
    return run(b);
}
