/* SPDX-License-Identifier: MIT */
/* SET for operators: dispatching of a user, the log message, the minidisk cache, the CPU model. */
#include "commands.h"
#include "dasd.h"
#include "lib.h"
#include "set.h"
#include "spool.h"

/* The user whom SET is about; 0 after a message, whose number is *rc. */
static struct vm *user_operand(struct cmd *c, int *rc)
{
    char word[USERID_WORD];

    *rc = 20;
    if (!cmd_userid(c, "CFS", word))
        return 0;
    *rc = 45;
    return cmd_user(c, "CFS", word);
}

int set_priority(struct cmd *c)
{
    int rc;
    struct vm *vm = user_operand(c, &rc);
    char word[8];
    uint32_t n;

    if (!vm)
        return rc;
    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (!cmd_number(word, &n) || n > 99)
        return set_invalid(c, word);
    vm->priority = (uint8_t)n;
    return 0;
}

/* SET FAVORED userid [OFF]: always in the first dispatch list. VM's percentage is not there. */
int set_favored(struct cmd *c)
{
    int rc;
    struct vm *vm = user_operand(c, &rc);
    char word[8];

    if (!vm)
        return rc;
    bool off = cmd_word(c, word, sizeof(word));
    if (off && strcmp(word, "OFF") != 0)
        return set_invalid(c, word);
    vm->favored = !off;
    return 0;
}

/* SET LOGMSG text | NULL */
int set_logmsg(struct cmd *c)
{
    if (!*c->args)
        return set_missing(c);
    bool none = strcmp(c->args, "NULL") == 0 || strcmp(c->args, "null") == 0;
    fmt(motd, sizeof(motd), "%s", none ? "" : c->args);
    return 0;
}

int set_mdc(struct cmd *c)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (strcmp(word, "PURGE") == 0)
        mdc_purge();
    else if (strcmp(word, "ON") == 0 || strcmp(word, "OFF") == 0)
        mdc_set(strcmp(word, "ON") == 0);
    else
        return set_invalid(c, word);
    if (strcmp(word, "ON") == 0 && !mdc_on)
        return cmd_error(c, 26, "DMKCFS026E NO REAL STORAGE FOR THE CACHE");
    return 0;
}

int set_ccwtran(struct cmd *c)
{
    char word[8];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (strcmp(word, "FAST") != 0 && strcmp(word, "SLOW") != 0)
        return set_invalid(c, word);
    if (cmd_end(c, "CFS") != 0)
        return 3;
    ccw_fast = strcmp(word, "FAST") == 0;
    return 0;
}

int set_model(struct cmd *c)
{
    char word[12];

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (!model_choose(word))
        return set_invalid(c, word);
    cmd_info(c, "MODEL %s IN FORCE", model_name());
    return 0;
}

/* SET MAXSPOOL n: per cent of the spool that one user's files may take */
int set_maxspool(struct cmd *c)
{
    char word[8];
    uint32_t n;

    if (!cmd_word(c, word, sizeof(word)))
        return set_missing(c);
    if (!cmd_number(word, &n) || n < 1 || n > 100)
        return set_invalid(c, word);
    if (cmd_end(c, "CFS") != 0)
        return 3;
    spool_set_share(n);
    return 0;
}
