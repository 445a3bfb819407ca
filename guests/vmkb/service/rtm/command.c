/* SPDX-License-Identifier: MIT */
/* What is typed on RTMSF's command line, on its console or in an SMSG. */
#include "rtm.h"
#include "ctype.h"

struct words {
    const char *next, *end;
};

/* The next word in upper case, cut to size - 1; its whole length, 0 at the end. */
static unsigned word(struct words *w, char *to, unsigned size)
{
    unsigned n = 0;

    while (w->next < w->end && (*w->next == ' ' || !*w->next))
        w->next++;
    for (; w->next < w->end && *w->next != ' ' && *w->next; w->next++, n++)
        if (n + 1 < size)
            to[n] = (char)to_upper(*w->next);
    to[n < size ? n : size - 1] = 0;
    return n;
}

static bool is(const char *text, const char *name, size_t least)
{
    size_t n = strlen(text);

    return n >= least && n <= strlen(name) && memcmp(text, name, n) == 0;
}

static int invalid(char why[RTM_WIDTH + 1], const char *what)
{
    if (*what)
        fmt(why, RTM_WIDTH + 1, "RTMCMD003E INVALID OPERAND - %s", what);
    else
        fmt(why, RTM_WIDTH + 1, "RTMCMD026E OPERAND MISSING; HELP LISTS THE COMMANDS");
    return 3;
}

static bool file_word(const char *text, unsigned len, unsigned most)
{
    if (len < 1 || len > most)
        return false;
    for (unsigned i = 0; i < len; i++)
        if (!is_alnum(text[i]) && !strchr("$#@+-:_", text[i]))
            return false;
    return true;
}

static int display(struct words *w, struct rtm_command *c, char why[RTM_WIDTH + 1])
{
    char text[12];

    word(w, text, sizeof(text));
    if (is(text, "SYSTEM", 1)) {
        c->what = RTM_SYSTEM;
    } else if (is(text, "USER", 1)) {
        unsigned n = word(w, text, sizeof(text));
        if (n > 8)
            return invalid(why, text);
        c->what = n ? RTM_ONE_USER : RTM_USER;
        memcpy(c->name, text, 9);
    } else if (is(text, "IO", 1) || strcmp(text, "I/O") == 0) {
        c->what = RTM_IO;
    } else if (is(text, "LOG", 1)) {
        c->what = RTM_LOG;
    } else if (is(text, "HELP", 1)) {
        c->what = RTM_HELP;
    } else {
        return invalid(why, text);
    }
    return 0;
}

static int set_log(struct words *w, struct rtm_command *c, char why[RTM_WIDTH + 1])
{
    char text[12];
    unsigned n;

    word(w, text, sizeof(text));
    if (strcmp(text, "OFF") == 0) {
        c->what = RTM_LOG_OFF;
        return 0;
    }
    if (strcmp(text, "ON") != 0)
        return invalid(why, text);
    c->what = RTM_LOG_ON;
    n = word(w, text, sizeof(text));
    if (!n)
        return 0;
    if (!file_word(text, n, 8))
        return invalid(why, text);
    memcpy(c->name, text, 9);
    n = word(w, text, sizeof(text));
    if (!n)
        return 0;
    if (!file_word(text, n, 7))  /* one more digit makes the name of an older part */
        return invalid(why, text);
    memcpy(c->type, text, 9);
    return 0;
}

static int set(struct words *w, struct rtm_command *c, char why[RTM_WIDTH + 1])
{
    char text[12];

    word(w, text, sizeof(text));
    if (is(text, "INTERVAL", 1)) {
        unsigned n = word(w, text, sizeof(text)), value = 0;
        for (unsigned i = 0; i < n && n <= 4; i++) {
            if (!is_digit(text[i]))
                return invalid(why, text);
            value = value * 10 + (unsigned)(text[i] - '0');
        }
        if (n > 4 || value < 1 || value > RTM_SECONDS_MAX)
            return invalid(why, text);
        c->what = RTM_INTERVAL;
        c->seconds = value;
        return 0;
    }
    if (is(text, "LOG", 1))
        return set_log(w, c, why);
    if (is(text, "CONSOLE", 1)) {
        word(w, text, sizeof(text));
        if (strcmp(text, "ON") != 0 && strcmp(text, "OFF") != 0)
            return invalid(why, text);
        c->what = text[1] == 'N' ? RTM_CONSOLE_ON : RTM_CONSOLE_OFF;
        return 0;
    }
    return invalid(why, text);
}

int rtm_parse(const char *text, size_t len, struct rtm_command *c, char why[RTM_WIDTH + 1])
{
    struct words w = {text, text + len};
    char name[12];
    int rc = 0;

    memset(c, 0, sizeof(*c));
    if (!word(&w, name, sizeof(name)))
        return 0;
    if (is(name, "DISPLAY", 1))
        rc = display(&w, c, why);
    else if (is(name, "SET", 3))
        rc = set(&w, c, why);
    else if (is(name, "HELP", 1))
        c->what = RTM_HELP;
    else if (is(name, "QUERY", 1))
        c->what = RTM_QUERY;
    else if (is(name, "SCREEN", 2))
        c->what = RTM_SCREEN;
    else if (is(name, "END", 1) || is(name, "QUIT", 4))
        c->what = RTM_END;
    else {
        fmt(why, RTM_WIDTH + 1, "RTMCMD001E UNKNOWN COMMAND - %s; HELP LISTS THE COMMANDS", name);
        rc = 1;
    }
    if (rc == 0 && word(&w, name, sizeof(name)))
        rc = invalid(why, name);
    if (rc != 0)
        c->what = RTM_NOTHING;
    return rc;
}

bool rtm_is_view(int what)
{
    return what >= RTM_SYSTEM && what <= RTM_HELP;
}
