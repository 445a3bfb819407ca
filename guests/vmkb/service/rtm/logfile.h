/* SPDX-License-Identifier: MIT */
/* The log on the machine's 191. A file is replaced whole or not at all, so the lines of the current
 * part are kept in storage and the part is written anew every LOG_INTERVALS intervals. A part that
 * is full becomes ft1, the one before it ft2 and so on to ft9, the oldest goes. What was not yet
 * written when the machine is logged off or CP ends is lost: at most LOG_INTERVALS - 1
 * intervals. */
#ifndef VMKB_RTM_LOGFILE_H
#define VMKB_RTM_LOGFILE_H
#include "rtm.h"

#define LOG_INTERVALS 10
#define LOG_LINES     1536           /* lines of one part */

uint64_t tod_us(void);           /* microseconds since 1900; the main program has it */
extern bool log_on;
extern char log_fn[9], log_ft[9];
/* Begins a log; a file of that name becomes an older part. 0, or an FS_ code. Empty names: as
 * before. */
int log_start(const char *fn, const char *ft);
int log_line(const char *text, unsigned len);
/* The interval's lines are all there. */
int log_interval(void);
int log_stop(void);
#endif
