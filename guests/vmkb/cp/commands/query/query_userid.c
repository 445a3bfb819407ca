/* SPDX-License-Identifier: MIT */
/* QUERY NAMES, USERS, USERID, userid, PRIVCLASS, SECUSER. Addresses have four digits as z/VM's: the
 * list has z/VM's columns, "USERID   - 0700, USERID   - DSC , " four to a line. */
#include "query.h"
#include "lib.h"

static const char *where(const struct vm *vm)
{
    return vm->term ? vm->term->name : "DSC";
}

int query_userid(struct cmd *c, const char *word)
{
    const struct vm *vm = strcmp(word, "*") == 0 ? c->vm : vm_find(word);

    if (strlen(word) > 8)
        return cmd_bad_option(c, "CQG", word);
    if (cmd_end(c, "CQG") != 0)
        return 3;
    if (!vm)
        return cmd_error(c, 45, "DMKCQG045E %s NOT LOGGED ON", word);
    cmd_say(c, "%-8s - %s", vm->userid, where(vm));
    return 0;
}

int query_names(struct cmd *c)
{
    struct query_row row = {.c = c};
    char item[20];

    if (cmd_end(c, "CQG") != 0)
        return 3;
    for (int i = 0; i < VM_MAX; i++) {
        if (vms[i].state != VM_HERE)
            continue;
        fmt(item, sizeof(item), "%-8s - %-4s", vms[i].userid, where(&vms[i]));
        query_item(&row, item);
    }
    query_item(&row, 0);
    return 0;
}

int query_users(struct cmd *c)
{
    char word[10];

    if (cmd_word(c, word, sizeof(word)))
        return query_userid(c, word);
    cmd_say(c, "%03u USERS, 000 DIALED", users_count());
    return 0;
}

int query_own_userid(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    cmd_say(c, "%s AT %s", c->vm->userid, system_node);
    return 0;
}

/* Only the directory gives classes: those of now are the directory's. */
int query_privclass(struct cmd *c)
{
    char classes[9];
    unsigned n = 0;

    if (cmd_end(c, "CQG") != 0)
        return 3;
    for (unsigned i = 0; i < 8; i++)
        if (c->vm->classes & CLASS(i))
            classes[n++] = "ABCDEFGH"[i];
    classes[n] = 0;
    cmd_say(c, "PRIVILEGE CLASSES FOR USER %s", c->vm->userid);
    cmd_say(c, "             CURRENTLY: %s", classes);
    cmd_say(c, "             DIRECTORY: %s", classes);
    return 0;
}

int query_secuser(struct cmd *c)
{
    if (cmd_end(c, "CQG") != 0)
        return 3;
    if (c->vm->secuser[0])
        cmd_say(c, "SECUSER OF %s IS %s", c->vm->userid, c->vm->secuser);
    else
        cmd_say(c, "SECUSER NOT DEFINED FOR %s", c->vm->userid);
    return 0;
}
