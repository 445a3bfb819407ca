/* SPDX-License-Identifier: MIT */
/* Lines to and from the console; HT, RT and HX; the Ready message. */
#include <stdarg.h>
#include "nucleus.h"

enum { POLL_LINES = 8 }; /* lines written between two looks for HT or HX */


/* What was typed while the program ran: HX ends commands, HI procedures; HT stops typing, RT
 * resumes it. */
static void console_poll(void)
{
    long a = diag_attn();

    if (a == ATTN_HX)
        cms_state.halted = true;
    else if (a == ATTN_HI)
        cms_state.interrupted = true;
    else if (a == ATTN_HT)
        cms_state.muted = true;
    else if (a == ATTN_RT)
        cms_state.muted = false;
}

bool cms_halted(void)
{
    if (!cms_state.halted)
        console_poll();
    return cms_state.halted;
}

void cms_say_text(const char *text, unsigned len)
{
    if (cms_state.capture) {
        cms_state.capture(text, len);
        return;
    }
    if (++cms_state.lines >= POLL_LINES) {
        cms_state.lines = 0;
        console_poll();
    }
    if (cms_state.muted || cms_state.halted)
        return;
    len = blank_trim(text, len);
    diag_write(text, (long)len, 0);
}

static void say(const char *f, va_list ap)
{
    char text[CMS_LINE];

    cms_say_text(text, vfmt_kept(text, sizeof(text), f, ap));
}

void cms_say(const char *f, ...)
{
    va_list ap;

    va_start(ap, f);
    say(f, ap);
    va_end(ap);
}

int cms_error(int rc, const char *f, ...)
{
    va_list ap;

    va_start(ap, f);
    say(f, ap);
    va_end(ap);
    return rc;
}

static int read_line(char *buf, unsigned max, int flags)
{
    long n = diag_read(buf, max - 1, flags);

    if (n < 0)
        n = 0;
    buf[n] = 0;
    return (int)n;
}

int cms_read_console(char *buf, unsigned max)
{
    return read_line(buf, max, 0);
}

int cms_read_hidden(char *buf, unsigned max)
{
    return read_line(buf, max, READ_HIDDEN);
}

int cms_readline(char *buf, unsigned max)
{
    int n = cms_stack_get(buf, max - 1);

    if (n < 0)
        return cms_read_console(buf, max);
    buf[n] = 0;
    return n;
}

/* Ready(rc); T=virtual/total of the command that ended, in seconds under the model in force. */
void console_ready(int rc, const struct diag_time *from)
{
    struct diag_time now;
    char code[12] = "", text[60];
    int n;

    if (rc != 0)
        fmt(code, sizeof(code), "(%05d)", rc < 0 ? rc % 10000 : rc % 100000); /* five columns */
    if (!cms_state.long_ready) {
        n = fmt(text, sizeof(text), "R%s;", code);
    } else {
        diag_time(&now);
        uint64_t virt = (now.virt_us - from->virt_us) / 10000;
        uint64_t total = (now.total_us - from->total_us) / 10000;
        n = fmt(text, sizeof(text), "Ready%s; T=%lu.%02lu/%lu.%02lu %.8s", code, virt / 100,
                virt % 100, total / 100, total % 100, now.time);
    }
    diag_write(text, n, 0);
}
