/* SPDX-License-Identifier: MIT */
/* CP's end when it is broken: the operator reads where. */
#include "defs.h"
#include "psa.h"
#include "s390.h"

_Noreturn void cp_abend(void)
{
    struct psa *p = psa();

    operator_say("DMKDMP908I SYSTEM FAILURE CODE PRG%03x AT %lx RETURN %lx ADDRESS %lx",
                 p->pgm_code, p->pgm_old.addr, p->abend_regs[14], p->trans_addr);
    console3215_flush();
    disabled_wait(0xabe00000UL | p->pgm_code);
}
