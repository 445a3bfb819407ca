/* SPDX-License-Identifier: MIT */
#include "rtm.h"

static const char *const help[] = {
    "COMMANDS; CAPITALS ARE THE LEAST ABBREVIATION",
    "Display System         the last interval: processor, rates, storage, queues",
    "Display User [userid]  a line for each machine, most TOTCPU first; or only one",
    "Display Io             devices, volumes, minidisk cache",
    "Display Log            the last 120 intervals",
    "Display Help           this",
    "SET Interval n         sample every n seconds, 1 to 3600",
    "SET Log ON [fn ft]     log to a file on its 191 (RTMSF LOG);  SET Log OFF",
    "SET Console ON | OFF   the lines of the log on the console too, in line mode",
    "Query                  the settings",
    "SCreen, End            full screen, line mode",
    "",
    "PF1 help  PF3 line mode  PF7 back  PF8 forward",
    "PF9 system  PF10 user  PF11 I/O  PF12 log",
    "",
    "WHAT THE COLUMNS SAY",
    "100 % is one engine. TIMER: CPU-timer time, host noise in it. MODEL: what the",
    "CPU model in force makes of instructions and bytes, as QUERY TIME has it; the",
    "title names it. HOST is no model: both are the CPU timer.",
    "CPU is by the timer, TOTCPU and VIRTCPU are by the model.",
    "TOTCPU = VIRTCPU and CP's work for the machine; T/V = TOTCPU / VIRTCPU.",
    "WAIT, by the timer: CP had nothing to do. CP, NOBODY'S: for no machine.",
    "I/O: channel programs (system); disk and device requests (machine).",
    "IUCV, CONSOLE: sums over machines logged on when the interval ended.",
    "READY: machines that could run when the sample was taken; RTMSF not counted.",
    "MDC: 4K blocks asked of the minidisk cache; a hit needs no channel program.",
    "STORAGE IN USE: taken from the dynamic area. STOR-K: virtual storage.",
    "WAIT of a machine: READY runs or could; CONS for a line, EVENT for a message",
    "or the like; DISK; OUTPT its screen is full; CPRD in CP READ; SLEEP; NOIPL",
    "nothing is IPLed; GOING it logs off.",
    "",
    "SMSG RTMSF command: a short answer by MSG; SET only from OPERATOR and MAINT.",
};

void rtm_view_help(struct rtm_text *t)
{
    t->head = 0;
    for (unsigned i = 0; i < sizeof(help) / sizeof(*help); i++)
        rtm_add(t, "%s", help[i]);
}
