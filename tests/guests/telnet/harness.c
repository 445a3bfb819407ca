/* SPDX-License-Identifier: MIT */
/* Runs TELNET's pure parts (protocol.c, lines.c) on the host.
 *   harness talk     lines "ROLE HEX" from standard input: ROLE s (server) or c (client). Each
 *                    answer line says what came of the bytes: "DATA ANSWERS EVENTS 3270 TYPE", in
 *                    hexadecimal and one letter an event
 *   harness lines    lines "HEX": the console lines, each in hexadecimal, commas between, then S if
 *                    a secret is asked
 *   harness escape   lines "HEX": the same with 255 doubled
 *   harness fuzz SEED COUNT   COUNT sequences of bytes; ends with 1 at the first one that does
 *                             wrong */
#include "../chance.h"
#include "../words.h"
#include "lines.h"
#include "protocol.h"

enum { MOST = 65536 };
static uint8_t bytes[MOST];
static char text[2 * MOST + 4];

static void hex(const uint8_t *p, size_t n)
{
    if (!n)
        putchar('-');
    put_hex(p, n);
}

static void talk(const char *line)
{
    static uint8_t data[MOST], answers[MOST * 8];
    static char events[MOST + 1];
    struct telnet t = {.client = line[0] == 'c'};
    unsigned n = (unsigned)unhex(line + 2, bytes, MOST), got = 0, sent = 0, told = 0;

    if (!t.client)
        telnet_do(&t, OPT_TTYPE);
    for (unsigned i = 0; i < n; i++) {
        uint8_t c = 0;
        enum telnet_event e = telnet_byte(&t, bytes[i], &c);
        if (e == TELNET_DATA)
            data[got++] = c;
        else if (e != TELNET_NONE)
            events[told++] = "..arynoek"[e];
        memcpy(answers + sent, t.answer, t.answer_len);
        sent += t.answer_len;
        t.answer_len = 0;
    }
    events[told] = 0;
    hex(data, got);
    putchar(' ');
    hex(answers, sent);
    printf(" %s %d ", told ? events : "-", telnet_is_3270(&t));
    hex((const uint8_t *)t.type, strlen(t.type));
    putchar('\n');
}

static void show_lines(const char *line, int many)
{
    struct lines l = {0};
    unsigned n = (unsigned)unhex(line, bytes, MOST);

    for (unsigned i = 0; i < n; i++) {
        if (many)
            i += lines_run(&l, bytes + i, n - i);
        if (i < n && lines_put(&l, bytes[i])) {
            hex(l.text, l.len);
            putchar(',');
            lines_next(&l);
        }
    }
    hex(l.text, l.len);
    printf(" %c%c\n", lines_prompt(&l) ? 'P' : '.', lines_ask_secret(&l) ? 'S' : '.');
}

static void escape(const char *line)
{
    unsigned n = (unsigned)unhex(line, bytes, MOST);
    uint8_t *exact = malloc(2 * n + 1); /* no byte more than is promised */

    memcpy(exact, bytes, n);
    hex(exact, telnet_escape(exact, n));
    putchar('\n');
    free(exact);
}

/* Mostly commands and options, so that all states are met. */
static uint8_t random_byte(void)
{
    static const uint8_t often[] = {255, 255, 255, 250, 240, 251, 252, 253, 254, 239,
                                    246, 0,   1,   3,   24,  25,  31,  13,  10};

    return chance(3) ? often[chance(sizeof(often))] : (uint8_t)chance(256);
}

static int wrong(const struct telnet *t, unsigned i, unsigned k)
{
    if (t->answer_len <= sizeof(t->answer) && t->sub_len <= sizeof(t->sub)
        && memchr(t->type, 0, sizeof(t->type)))
        return 0;
    printf("sequence %u, byte %u: answer %u, subnegotiation %u\n", i, k, t->answer_len, t->sub_len);
    return 1;
}

static int fuzz(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct telnet t = {.client = i & 1};
        struct lines l = {0};
        unsigned n = 1 + chance(100), answered = 0;
        for (unsigned k = 0; k < n; k++) {
            uint8_t c = 0, before = t.answer_len;
            if (telnet_byte(&t, random_byte(), &c) == TELNET_DATA && lines_put(&l, c))
                lines_next(&l);
            if (wrong(&t, i, k) || t.answer_len - before > TELNET_ANSWER_MOST || l.len > LINES_MAX)
                return 1;
            answered += t.answer_len - before;
            if (t.answer_len > sizeof(t.answer) - TELNET_ANSWER_MOST && chance(2))
                t.answer_len = 0;
        }
        if (answered > 8 * n) /* no more is sent than a few bytes for each that came */
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fuzz") == 0) {
        chance_seed(strtoull(argv[2], 0, 10));
        return fuzz((unsigned)strtoul(argv[3], 0, 10));
    }
    if (argc != 2)
        return 2;
    while (fgets(text, sizeof(text), stdin)) {
        if (argv[1][0] == 't')
            talk(text);
        else if (argv[1][0] == 'l')
            show_lines(text, strcmp(argv[1], "lines") != 0);
        else
            escape(text);
        fflush(stdout);
    }
    return 0;
}
