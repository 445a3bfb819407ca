/* SPDX-License-Identifier: MIT */
/* AUTOLOG userid [password [parameter]] and XAUTOLOG userid [IPL name] [PARM text]: log a machine
 * on without a terminal. No password from classes A and B, nor from whom the directory's AUTOLOG
 * statement names. What follows AUTOLOG's password is the parameter of the system that is IPLed. */
#include "commands.h"
#include "directory.h"
#include "lib.h"

#define OPERATORS (CLASS(CLASS_A) | CLASS(CLASS_B))

static bool trusted(const struct cmd *c, const struct dir_user *u)
{
    return (c->vm->classes & OPERATORS) || directory_may_autolog(u, c->vm->userid);
}

/* The directory entry named by the next word, not logged on; or 0 and *rc. */
static const struct dir_user *target(struct cmd *c, int *rc)
{
    char word[USERID_WORD], where[12];

    *rc = 20;
    if (!cmd_userid(c, "ALG", word))
        return 0;
    const struct dir_user *u = directory_find(word);
    const struct vm *vm = vm_find(word);
    if (!u)
        *rc = cmd_error(c, 53, "DMKALG053E %s NOT IN CP DIRECTORY", word);
    else if (u->flags & DIR_NOLOG)
        *rc = cmd_error(c, 53, "DMKALG053E %s MAY NOT LOG ON", word);
    else if (vm)
        *rc = cmd_error(c, 54, "DMKALG054E %s ALREADY LOGGED ON %s", word, vm_where(vm, where));
    else
        return u;
    return 0;
}

static int start(struct cmd *c, const struct dir_user *u, const char *name, const char *parm)
{
    struct vm *vm = autolog(u, name, parm, c->vm->userid);

    if (!vm)
        return cmd_error(c, 148, "DMKALG148E MAXIMUM USERS EXCEEDED; %d ARE LOGGED ON", VM_MAX);
    if (vm->wait & WAIT_NOTREADY) {
        char why[LINE_MAX];
        int rc = vm->ipl_error ? vm->ipl_error : 44; /* 44: its entry has no IPL */
        vm_ipl_failure(vm, "ALG", why);
        cmd_error(c, rc, "%s; %s IS LOGGED OFF", why, vm->userid);
        session_end(vm, "SYSTEM");
        return rc;
    }
    cmd_info(c, "AUTO LOGON   ***   %-8s USERS = %03u", vm->userid, users_count());
    return 0;
}

int cmd_autolog(struct cmd *c)
{
    char password[10] = "";
    int rc;
    const struct dir_user *u = target(c, &rc);

    if (!u)
        return rc;
    bool given = cmd_word(c, password, sizeof(password));
    if (!given && !trusted(c, u))
        return cmd_error(c, 26, "DMKALG026E OPERAND MISSING OR INVALID; PASSWORD REQUIRED");
    if (given && c->vm->link_tries >= PASSWORD_TRIES)
        return cmd_error(c, 115, "DMKALG115E AUTOLOG INVALID; EXCESSIVE INCORRECT PASSWORDS");
    if (given && !password_right(u, password, strlen(password))) {
        c->vm->link_tries++;
        operator_say("WRONG PASSWORD %u IN AUTOLOG %.8s BY %s", c->vm->link_tries,
                     (const char *)u->userid, c->vm->userid);
        return cmd_error(c, 50, "DMKALG050E PASSWORD INCORRECT");
    }
    return start(c, u, 0, *c->args ? c->args : 0);
}

int cmd_xautolog(struct cmd *c)
{
    char word[10], name[10] = "";
    const char *parm = 0;
    int rc;
    const struct dir_user *u = target(c, &rc);

    if (!u)
        return rc;
    if (!trusted(c, u))
        return cmd_error(c, 261, "DMKALG261E NOT AUTHORIZED TO AUTOLOG %.8s",
                         (const char *)u->userid);
    while (!parm && cmd_word(c, word, sizeof(word))) {
        if (cmd_is(word, "PARM", 2))
            parm = c->args;
        else if (!cmd_is(word, "IPL", 3) || !cmd_word(c, name, sizeof(name)))
            return cmd_bad_option(c, "ALG", word);
    }
    if (name[0] && (strlen(name) > 8 || !ipl_known(u->flags, name)))
        return cmd_error(c, 44, "DMKALG044E %s NOT FOUND OR CANNOT BE LOADED", name);
    return start(c, u, name[0] ? name : 0, parm);
}
