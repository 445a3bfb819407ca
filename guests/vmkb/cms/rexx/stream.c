/* SPDX-License-Identifier: MIT */
/*
 * What is half read or half written of a stream. The host knows lines only (records, and what is
 * typed or shown at a terminal); characters are taken from a line that is held here, and gathered
 * here until their line has ended. The stream without a name is the terminal.
 */
#include "rx.h"

/* Stands behind each line where a stream is read by characters: X'15' on CMS. */
enum { LINE_END = 'A' == 0xC1 ? 0x15 : '\n' };

struct rx_stream {
    struct rx_stream *next;
    char *in, *out; /* in the heap: a line read, of which a part is left; a line that was begun */
    uint32_t in_len, in_at, out_len;
    uint32_t name_len;
    char name[]; /* in capitals, one blank between words */
};

/* Writes the name as it is compared; returns its length, which is n at most. */
static uint32_t plain_name(const struct rexx_str *name, char *to)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < name->n; k++)
        if (name->p[k] != ' ')
            to[n++] = (char)to_upper(name->p[k]);
        else if (n && k + 1 < name->n && name->p[k + 1] != ' ')
            to[n++] = ' ';
    return n;
}

/* What is held of a stream. NULL: nothing, and it is not to be made. */
static struct rx_stream *find(struct rx *rx, const struct rexx_str *name, bool make)
{
    if (!rx->streams && !make)
        return NULL;
    char *mark = rx->top, *plain = rx_temp(rx, name->n);
    uint32_t n = plain_name(name, plain);
    struct rx_stream *s = rx->streams;
    while (s && !(s->name_len == n && memcmp(s->name, plain, n) == 0))
        s = s->next;
    if (!s && make) {
        s = rx_heap(rx, sizeof *s + n);
        *s = (struct rx_stream){.next = rx->streams, .name_len = n};
        memcpy(s->name, plain, n);
        rx->streams = s;
    }
    rx->top = mark;
    return s;
}

static uint32_t rest(const struct rx_stream *s)
{
    return s ? s->in_len - s->in_at : 0;
}

static void forget_in(struct rx *rx, struct rx_stream *s)
{
    rx_heap_free(rx, s->in, s->in_len);
    s->in = NULL;
    s->in_len = s->in_at = 0;
}

static void forget_out(struct rx *rx, struct rx_stream *s)
{
    rx_heap_free(rx, s->out, s->out_len);
    s->out = NULL;
    s->out_len = 0;
}

/* Nothing is held of the stream any more. */
static void forget(struct rx *rx, struct rx_stream *s)
{
    struct rx_stream **at = &rx->streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    forget_in(rx, s);
    forget_out(rx, s);
    rx_heap_free(rx, s, sizeof *s + s->name_len);
}

static void show(struct rx *rx, const char *p, uint32_t n)
{
    if (rx->env->say)
        rx->env->say(rx->env, p, n);
}

/* Writes one line; false when it cannot be. */
static bool put(struct rx *rx, const struct rexx_str *name, const char *p, uint32_t n)
{
    struct rexx_str text = {p, n};
    if (!name->n) {
        show(rx, p, n);
        return true;
    }
    return rx->env->lines_write && rx->env->lines_write(rx->env, name, &text) == 0;
}

/* Ends a line that was begun; false when it cannot be written. */
static bool end_line(struct rx *rx, struct rx_stream *s)
{
    if (!s || !s->out)
        return true;
    struct rexx_str name = {s->name, s->name_len};
    bool good = put(rx, &name, s->out, s->out_len);
    forget_out(rx, s);
    return good;
}

/* What CHAROUT showed of a line is a line before anything else appears or is asked. */
void rx_prompt(struct rx *rx)
{
    for (struct rx_stream *s = rx->streams; s; s = s->next)
        if (!s->name_len)
            end_line(rx, s);
}

/* A line on the terminal from REXX itself. */
void rx_show(struct rx *rx, const char *p, uint32_t n)
{
    rx_prompt(rx);
    show(rx, p, n);
}

/* Lines that were begun end with the program. */
void rx_streams_end(struct rx *rx)
{
    for (struct rx_stream *s = rx->streams; s; s = s->next)
        end_line(rx, s);
}

/* Writes v as a line, or as the end of the one that was begun; false when it cannot be. */
bool rx_line_out(struct rx *rx, const struct rexx_str *name, rx_val v)
{
    struct rx_stream *s = find(rx, name, false);
    if (!s || !s->out)
        return put(rx, name, v.s, v.len);
    char *p = rx_temp(rx, (size_t)s->out_len + v.len);
    memcpy(p, s->out, s->out_len);
    if (v.len)
        memcpy(p + s->out_len, v.s, v.len);
    uint32_t n = s->out_len + v.len;
    forget_out(rx, s);
    return put(rx, name, p, n);
}

/* Writes characters; returns how many could not be. */
uint32_t rx_chars_out(struct rx *rx, const struct rexx_str *name, rx_val v)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < v.len; k++)
        if (v.s[k] == (char)LINE_END) {
            if (!rx_line_out(rx, name, rx_text(v.s + at, k - at)))
                return v.len - at;
            at = k + 1;
        }
    if (at == v.len)
        return 0;
    struct rx_stream *s = find(rx, name, true);
    uint32_t n = v.len - at;
    char *p = rx_heap(rx, (size_t)s->out_len + n);
    if (s->out)
        memcpy(p, s->out, s->out_len);
    memcpy(p + s->out_len, v.s + at, n);
    n += s->out_len;
    forget_out(rx, s);
    s->out = p;
    s->out_len = n;
    return 0;
}

/* The next line of a stream, or the one of that number, until the next call; -1: there is none. */
static int next_line(struct rx *rx, const struct rexx_str *name, uint32_t line, const char **text)
{
    if (name->n) {
        end_line(rx, find(rx, name, false));
        return rx->env->lines_read ? rx->env->lines_read(rx->env, name, line, text) : -1;
    }
    char *p = rx_temp(rx, RX_LINE);
    rx_prompt(rx);
    int n = rx->env->pull_terminal ? rx->env->pull_terminal(rx->env, p, RX_LINE) : -1;
    *text = p;
    return n > RX_LINE ? RX_LINE : n;
}

/* The next line or what is left of one; with a number that line. False: there is none. */
bool rx_line_in(struct rx *rx, const struct rexx_str *name, uint32_t line, rx_val *v)
{
    struct rx_stream *s = find(rx, name, false);
    const char *text;
    if (rest(s) && !line) {
        *v = rx_keep(rx, rx_text(s->in + s->in_at, rest(s) - 1));
        forget_in(rx, s);
        return true;
    }
    if (s)
        forget_in(rx, s);
    int n = next_line(rx, name, line, &text);
    *v = rx_text(text, n < 0 ? 0 : (size_t)n);
    if (n >= 0 && name->n)
        *v = rx_keep(rx, *v);
    return n >= 0;
}

/* Takes up to n characters to p (or nowhere: NULL); returns how many there were. */
static uint32_t take(struct rx *rx, const struct rexx_str *name, char *p, uint32_t n)
{
    uint32_t got = 0;
    while (got < n) {
        struct rx_stream *s = find(rx, name, true);
        if (!rest(s)) {
            const char *text;
            char *mark = rx->top;
            forget_in(rx, s);
            int len = next_line(rx, name, 0, &text);
            if (len < 0)
                break;
            s->in = rx_heap(rx, (size_t)len + 1);
            s->in_len = (uint32_t)len + 1;
            if (len)
                memcpy(s->in, text, (size_t)len);
            s->in[len] = (char)LINE_END;
            rx->top = mark;
        }
        uint32_t some = rest(s) < n - got ? rest(s) : n - got;
        if (p)
            memcpy(p + got, s->in + s->in_at, some);
        s->in_at += some;
        got += some;
    }
    return got;
}

/*
 * The next n characters, or fewer at the end; from is the place of the first, counted from 1, or
 * 0 to go on.
 */
rx_val rx_chars_in(struct rx *rx, const struct rexx_str *name, uint32_t from, uint32_t n)
{
    if (from && name->n) {
        rx_stream_close(rx, name);
        if (take(rx, name, NULL, from - 1) < from - 1)
            return rx_text("", 0);
    }
    if (name->n) {
        uint32_t left = rx_chars_left(rx, name);
        n = n < left ? n : left;
    }
    char *p = rx_temp(rx, n);
    return rx_text(p, take(rx, name, p, n));
}

/* Characters not yet read, with one for the end of each line; of the terminal, whether any are. */
uint32_t rx_chars_left(struct rx *rx, const struct rexx_str *name)
{
    struct rx_stream *s = find(rx, name, false);
    struct rexx_env *env = rx->env;
    if (!name->n)
        return rest(s) ? rest(s) : env->terminal_lines && env->terminal_lines(env) > 0;
    end_line(rx, s);
    return rest(s) + (env->chars_left ? env->chars_left(env, name) : 0);
}

/* Lines not yet read whole; of the terminal, those typed ahead. */
uint32_t rx_lines_left(struct rx *rx, const struct rexx_str *name)
{
    struct rx_stream *s = find(rx, name, false);
    struct rexx_env *env = rx->env;
    uint32_t begun = rest(s) != 0;
    if (!name->n)
        return begun + (env->terminal_lines ? (uint32_t)env->terminal_lines(env) : 0);
    end_line(rx, s);
    return begun + (env->lines_left ? env->lines_left(env, name) : 0);
}

/* Ends what is half done and closes the stream; false when what was written could not be kept. */
bool rx_stream_close(struct rx *rx, const struct rexx_str *name)
{
    struct rx_stream *s = find(rx, name, false);
    bool good = end_line(rx, s);
    if (s)
        forget(rx, s);
    if (!name->n || !rx->env->lines_close)
        return good;
    return rx->env->lines_close(rx->env, name) == 0 && good;
}
