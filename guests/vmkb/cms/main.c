/* SPDX-License-Identifier: MIT */
/* CMS: IPL, and the loop that reads a line, runs it and says Ready. */
#include "nucleus.h"

static void identify(void)
{
    diag_id(&cms_state.id);
    for (int i = 0; i < 8 && cms_state.id.userid[i] != ' '; i++)
        cms_state.userid[i] = cms_state.id.userid[i];
}

static bool parm(const char *word)
{
    const char *p = cms_state.id.ipl_parm;
    size_t n = strlen(word);

    for (unsigned i = 0; i + n <= sizeof(cms_state.id.ipl_parm); i++)
        if (memcmp(p + i, word, n) == 0)
            return true;
    return false;
}

/* A disk that is there but cannot be used is said to be so; one that is not there is nothing to
 * say. */
static void access_at_ipl(uint16_t vaddr, char letter, char parent, bool read_only)
{
    int code = disk_access(vaddr, letter, parent, read_only);

    if (code != FS_OK && code != CMS_E_NODEVICE)
        cms_say("DMSACC112S Disk %c(%03X) device error: %s", letter, vaddr,
                code == CMS_E_STORAGE ? "no storage for its directory" : fs_strerror(code));
}

static int run_line(const char *line, unsigned len)
{
    int rc = cms_command(line, len, CMS_TYPED);

    if (rc == -3 && !cms_state.halted)
        cms_say("Unknown CP/CMS command");
    return rc;
}

/* After a command: everything that it could have left is put in order, whatever way it ended. */
static void ready(int rc, const struct diag_time *start)
{
    file_end_all();
    if (cms_state.halted)
        stack_clear();
    console_ready(rc, start);
}

static void start_command(struct diag_time *start)
{
    cms_state.halted = cms_state.muted = cms_state.interrupted = false;
    cms_state.lines = 0;
    diag_time(start);
}

/* A null line; and HX, HI, HT or RT typed when nothing runs that they could halt. */
static bool nothing(const char *line, int n)
{
    n = blank_trim(line, n);
    if (n != 2)
        return n == 0;
    char word[3] = {(char)to_upper(line[0]), (char)to_upper(line[1]), 0};
    return strcmp(word, "HX") == 0 || strcmp(word, "HI") == 0 || strcmp(word, "HT") == 0
           || strcmp(word, "RT") == 0;
}

void vm_main(void);
void vm_main(void)
{
    struct diag_time start;
    char line[CMS_LINE], letter;
    int rc = 0;

    cms_state =
        (struct cms_state){.long_ready = true, .impcp = true, .impex = true, .abbrev = true};
    start_command(&start);
    heap_init();
    stack_init();
    identify();
    cms_say("VM/KB CMS LEVEL 1");
    access_at_ipl(0x190, 'S', 'S', true);
    access_at_ipl(0x191, 'A', 'A', false);
    access_at_ipl(0x19e, 'Y', 'S', true);
    if (!parm("NOPROF") && command_exec_exists("PROFILE", &letter))
        rc = run_line("PROFILE", 7);
    for (;;) {
        ready(rc, &start);
        int n = cms_readline(line, sizeof(line));
        while (nothing(line, n)) {
            cms_say("CMS");
            n = cms_readline(line, sizeof(line));
        }
        start_command(&start);
        rc = run_line(line, (unsigned)n);
    }
}
