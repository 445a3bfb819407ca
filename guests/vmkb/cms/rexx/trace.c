/* SPDX-License-Identifier: MIT */
/* TRACE: its settings, the pauses of interactive tracing, and TRACE S. */
#include "rx.h"

/* Whether each clause is shown before it runs. */
bool rx_traces(const struct rx *rx)
{
    char t = rx->lv.trace;
    return (t == 'A' || t == 'R' || t == 'I') && !rx->lv.asked && rx->skip >= 0;
}

/* A clause that TRACE shows, or leaves out while TRACE -n counts. */
void rx_trace_step(struct rx *rx, const uint32_t *clause)
{
    if (rx->lv.asked)
        return;
    if (rx->skip < 0) {
        rx->skip++;
        return;
    }
    rx_trace_clause(rx, clause, "*-*");
    rx->traced = clause;
    rx->pause = rx->lv.interactive;
}

static void say(struct rx *rx, const char *text)
{
    rx_show(rx, text, (uint32_t)strlen(text));
}

/*
 * A pause before the clause at here: NULL to go on with it. "=" runs the clause before once more,
 * any other text is interpreted and then asks again; an empty line goes on.
 */
const uint32_t *rx_trace_pause(struct rx *rx, const uint32_t *here)
{
    if (!rx->lv.interactive || rx->skip > 0) {
        rx->skip -= rx->skip > 0;
        rx->pause = false;
        return NULL;
    }
    if (!rx->greeted)
        say(rx, "       +++ Interactive trace.  TRACE OFF to end debug, ENTER to continue. +++");
    rx->greeted = true;
    rx_val line = rx_strip(rx_pull(rx, true));
    if (!line.len) {
        rx->pause = false;
        return NULL;
    }
    if (line.len == 1 && line.s[0] == '=') {
        rx->pause = false;
        const struct rx_code *code = rx->lv.code;
        bool in_this = rx->traced >= code->code && rx->traced < code->code + code->size / 4;
        return in_this ? rx->traced : NULL;
    }
    const uint32_t *to = rx_interpret(rx, line, here);
    rx->frame->asked = rx->lv.asked = true;
    return to;
}

/* An error in a text that was typed in a pause is said, and the pause goes on. */
bool rx_trace_recover(struct rx *rx, int error)
{
    struct rx_frame *f = rx->frame;
    if (!rx->lv.asked || error < 0 || error == 4)
        return false;
    while (f && !(f->kind == F_INTERPRET && f->asked))
        f = f->prev;
    if (!f)
        return false;
    char out[80];
    int n = fmt(out, sizeof out, "       +++ Error %d: %s +++", error, rexx_error_text(error));
    rx_show(rx, out, (uint32_t)n);
    rx->pc = f->resume;
    rx->clause = f->resume_clause;
    rx_unwind(rx, f->prev);
    rx->sp = rx->lv.args + rx->lv.nargs;
    rx->top = rx->lv.temps;
    return true;
}

/* TRACE S: shows the clauses from pc to the end of the text without running them. */
void rx_trace_scan(struct rx *rx, const uint32_t *pc)
{
    for (;; pc++) {
        int op = *pc & 0xff;
        if (op == OP_CLAUSE)
            rx->clause = pc;
        if (op == OP_CLAUSE || op == OP_LABEL)
            rx_trace_clause(rx, pc, "*-*");
        if (op == OP_ERROR && *pc >> 8 != 7) /* 7 is what SELECT raises when it runs */
            rx_raise(rx, (int)(*pc >> 8));
        if (op == OP_END)
            break;
        pc += op == OP_CLAUSE || op == OP_LABEL || op == OP_CALL || op == OP_TRAP ||
              (op >= OP_ADD1 && op <= OP_ANY2);
    }
    rx->finished = true;
}

/*
 * TRACE's setting: each '?' turns pauses on or off, '!' is ignored, then the first letter counts.
 * In interactive tracing a whole number is a count to skip. Errors 24, 26.
 */
void rx_trace_setting(struct rx *rx, rx_val v)
{
    int64_t count;
    rx_val t = rx_strip(rx_as_text(rx, v));
    if (t.len && (is_digit(t.s[0]) || t.s[0] == '-' || t.s[0] == '+' || t.s[0] == '.')) {
        if (!rx_whole_rounded(rx, t, rx->lv.digits, &count))
            rx_raise(rx, 26);
        if (rx->lv.interactive) {
            rx->skip = count;
            rx->pause = false;
        }
        return;
    }
    bool interactive = rx->lv.interactive && t.len;
    for (; t.len && (t.s[0] == '?' || t.s[0] == '!'); t.s++, t.len--)
        interactive ^= t.s[0] == '?';
    char c = t.len ? (char)to_upper(t.s[0]) : v.kind == V_STR && v.len ? rx->lv.trace : 'N';
    if (!strchr("ACEFILNORS", c))
        rx_raise(rx, 24);
    rx->lv.trace = c;
    rx->lv.interactive = interactive && c != 'O';
    if (!rx->lv.interactive)
        rx->pause = rx->greeted = false;
    rx->skip = 0;
}

/* The setting as TRACE() answers it, in two bytes at most; returns its length. */
int rx_trace_name(const struct rx *rx, char *buf)
{
    int n = 0;
    if (rx->lv.interactive)
        buf[n++] = '?';
    buf[n++] = rx->lv.trace;
    return n;
}
