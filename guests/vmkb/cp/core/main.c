/* SPDX-License-Identifier: MIT */
/* CP's start: the list of everything there is, in order; and CP's end when it is broken. */
#include "calibrate.h"
#include "defs.h"
#include "ctype.h"
#include "lib.h"
#include "psa.h"
#include "s390.h"

const char *ipl_parm;
uint64_t ipl_tod;

static char parm_text[IPL_PARM_MAX + 1];

/* The parameter file is ASCII or EBCDIC text, as the person who wrote the .ins had it. */
static void read_parm(void)
{
    static const char ascii[] = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";
    const uint8_t *p = (const uint8_t *)IPL_PARM_ADDR;
    size_t n = 0;
    int is_ascii = p[0] >= 0x20 && p[0] < 0x7f && p[0] != 0x40 && p[0] != 0x4b;

    for (size_t i = 0; i < IPL_PARM_MAX && p[i]; i++) {
        uint8_t c = p[i];
        if (is_ascii && c >= 0x61 && c <= 0x7a)
            c -= 0x20;       /* ASCII lower case: its letters are in one run */
        if (is_ascii)
            c = c >= 0x20 && c < 0x60 ? (uint8_t)ascii[c - 0x20] : (uint8_t)' ';
        parm_text[n++] = c < 0x40 ? ' ' : (char)to_upper((char)c);
    }
    parm_text[n] = 0;
    ipl_parm = parm_text;
}

bool ipl_parm_value(const char *name, char *value, size_t max)
{
    size_t n = strlen(name);

    for (const char *p = parm_text; *p; p++) {
        if ((p == parm_text || p[-1] == ' ') && strncmp(p, name, n) == 0 && p[n] == '=') {
            size_t k = 0;
            for (p += n + 1; *p && *p != ' ' && k + 1 < max; p++)
                value[k++] = *p;
            value[k] = 0;
            return true;
        }
    }
    return false;
}

_Noreturn void cp_stop(uint64_t code)
{
    disabled_wait(code);
}

_Noreturn void cp_abend(void)
{
    struct psa *p = psa();

    operator_say("DMKDMP908I SYSTEM FAILURE CODE PRG%03x AT %lx RETURN %lx ADDRESS %lx", p->pgm_code,
                 p->pgm_old.addr, p->abend_regs[14], p->trans_addr);
    console3215_flush();
    disabled_wait(0xabe00000UL | p->pgm_code);
}

void cp_main(void);
void cp_main(void)
{
    ipl_tod = us_now();
    read_parm();
    calibrate_counter();
    acct_init(&acct_system);
    storage_init();
    model_init();
    channel_init();
    nss_init();
    terminal_init();
    console3215_init();
    punch_init();
    iucv_init();
    dasd_init();
    ctca_init();
    display3270_init();
    directory_start();
    system_start();
    display3270_paint();
    dispatch();
}
