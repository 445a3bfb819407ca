/* SPDX-License-Identifier: MIT */
/* How much of the spool one user's files may take, whoever has them: SET MAXSPOOL, per cent of the
 * files and of the pages. Operators (A, D) have no limit, and with 100 nobody has. */
#include "spool.h"

#define USUAL 25

static uint32_t percent = USUAL;

static uint32_t share(uint32_t all)
{
    return (uint32_t)((uint64_t)all * percent / 100);
}

/* IPL may say MAXSPOOL=n. */
void spool_share_start(void)
{
    char value[4];
    uint32_t n;

    if (!ipl_parm_value("MAXSPOOL", value, sizeof(value)))
        return;
    if (cmd_number(value, &n) && n >= 1 && n <= 100)
        percent = n;
    else
        operator_say("DMKCPI003E INVALID OPTION - MAXSPOOL; %u PERCENT IS IN FORCE", percent);
}

void spool_set_share(uint32_t per_cent)
{
    percent = per_cent;
}

void spool_get_share(uint64_t origin, uint32_t aside, struct spool_share *s)
{
    spool_made_by(origin, &s->files, &s->pages);
    s->pages += aside;
    s->percent = percent;
    s->most_files = share(spool_files_total());
    s->most_pages = share(space_total());
}

/* Files are looked through only when all together have more than one's share. */
uint32_t spool_share_left(const struct vm *vm, uint32_t aside)
{
    struct spool_share s;

    if (percent == 100 || vm->classes & (CLASS(CLASS_A) | CLASS(CLASS_D)))
        return UINT32_MAX;
    uint32_t used = space_total() - space_left(), most = share(space_total());
    if (used < most && spool_files_made() <= share(spool_files_total()))
        return most - used;
    spool_get_share(spool_key(vm->userid), aside, &s);
    return s.files > s.most_files || s.pages >= s.most_pages ? 0 : s.most_pages - s.pages;
}
