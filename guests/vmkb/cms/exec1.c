/* SPDX-License-Identifier: MIT */
/* EXEC 1: each line is a command in which &1 to &30 are the arguments; &TYPE, &CONTROL OFF and
 * &EXIT. What other words with & would do is refused. */
#include "exec1.h"
#include "nucleus.h"

enum { ARGUMENTS = 30, TOKEN = 8 };

struct exec1 {
    char argument[ARGUMENTS][TOKEN + 1];
    bool shows;              /* commands, and their codes, as they run */
};

/* The next word of at most eight characters, as that language cuts them; false: none is left. */
static bool token(const char **at, const char *end, char word[TOKEN + 1])
{
    unsigned n = 0;

    while (*at < end && **at == ' ')
        (*at)++;
    if (*at == end)
        return false;
    for (; *at < end && **at != ' '; (*at)++)
        if (n < TOKEN)
            word[n++] = *(*at);
    word[n] = 0;
    return true;
}

bool exec1_is(const struct rexx_str *lines, uint32_t count)
{
    const char *p = count ? lines[0].p : "", *end = p + (count ? lines[0].n : 0);

    while (p < end && *p == ' ')
        p++;
    return p < end && *p == '&';
}

/* The line with its arguments in place; its first word says whether it is a command. */
static void fill(const struct exec1 *x, const struct rexx_str *line, char text[CMS_LINE])
{
    const char *at = line->p, *end = line->p + line->n;
    char word[TOKEN + 1];
    uint32_t n;

    text[0] = 0;
    while (token(&at, end, word)) {
        const char *said = word;
        if (word[0] == '&' && cms_number(word + 1, &n))
            said = n >= 1 && n <= ARGUMENTS ? x->argument[n - 1] : "";
        size_t len = strlen(text);
        if (*said && len + strlen(said) + 2 < CMS_LINE)
            fmt(text + len, CMS_LINE - len, "%s%s", len ? " " : "", said);
    }
}

static bool is(const char *text, const char *word)
{
    size_t n = strlen(word);

    return strncmp(text, word, n) == 0 && (text[n] == ' ' || text[n] == 0);
}

int exec1_run(const struct rexx_str *lines, uint32_t count, const char *args)
{
    struct exec1 x = {.shows = true};
    char text[CMS_LINE];
    uint32_t code = 0;

    for (unsigned i = 0; i < ARGUMENTS && token(&args, args + strlen(args), x.argument[i]); i++)
        for (char *p = x.argument[i]; *p; p++)
            *p = to_upper(*p);
    for (uint32_t i = 0; i < count && !cms_halted(); i++) {
        fill(&x, &lines[i], text);
        if (is(text, "&EXIT")) {
            cms_number(text[5] ? text + 6 : "", &code);
            return (int)code;
        }
        if (is(text, "&CONTROL")) {
            x.shows = !is(text + 8, " OFF");
        } else if (is(text, "&TYPE")) {
            cms_say("%s", text[5] ? text + 6 : "");
        } else if (text[0] == '&') {
            return cms_error(20, "DMSEXC636E Line %u: EXEC 1 has commands, &n, &TYPE, &CONTROL and"
                                 " &EXIT", i + 1);
        } else if (text[0] && text[0] != '*') {
            if (x.shows)
                cms_say("%s", text);
            int rc = cms_command(text, (unsigned)strlen(text), CMS_ADDRESS_CMS);
            if (rc && x.shows)
                cms_say("+++ R(%05d) +++", rc);
        }
    }
    return 0;
}
