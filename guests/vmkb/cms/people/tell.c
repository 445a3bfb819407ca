/* SPDX-License-Identifier: MIT */
/* TELL name [AT node] text: a message to a user, or to all that a nickname of the file userid NAMES
 * means. */
#include "commands.h"
#include "people.h"

enum { REPLY = 400 };

/* CP's answer is an error, or nothing. */
static int tell(const char *userid, const char *text)
{
    char line[CMS_LINE], reply[REPLY];
    unsigned got = 0;
    int n = fmt(line, sizeof(line), "MESSAGE %s %s", userid, text);

    int rc = cms_cp(line, (unsigned)n < sizeof(line) ? (unsigned)n : sizeof(line) - 1, reply,
                    sizeof(reply), &got);
    if (rc == 45)
        return cms_error(45, "DMSTEL045E %s not logged on", userid);
    if (rc != 0 && got)
        cms_say_text(reply, got - 1);
    return rc;
}

/* The word that the text begins with; what is behind it. */
static const char *word_of(const char *text, char word[CMS_LINE])
{
    for (; *text && *text != ' '; text++)
        *word++ = *text;
    *word = 0;
    while (*text == ' ')
        text++;
    return text;
}

CMS_COMMAND("TELL", 4, cmd_tell);
int cmd_tell(struct cms_arg *arg)
{
    struct names names;
    struct names_users users = {.n = 0};
    char name[CMS_LINE], node[CMS_LINE] = "";
    const char *text = word_of(arg->rest, name);

    if (to_upper(text[0]) == 'A' && to_upper(text[1]) == 'T' && text[2] == ' ')
        text = word_of(word_of(text, node), node);
    if (!*name)
        return cms_error(24, "DMSTEL647E No userid specified");
    if (!*text)
        return cms_error(24, "DMSTEL644E No message specified");
    int rc = *node ? names_node("TEL", node) : 0;
    if (rc == 0)
        rc = names_read(&names, "TEL", cms_userid());
    if (rc == 0)
        rc = names_users(&names, "TEL", name, &users);
    for (int i = 0; i < users.n && rc != 24 && !cms_halted(); i++) {
        int one = tell(users.user[i], text);
        rc = one ? one : rc;
    }
    return rc;
}
