/* SPDX-License-Identifier: MIT */
/* LOGON: userid, password (never shown), the machine, its first IPL; and AUTOLOG's half of the same. */
#include "command.h"
#include "ctype.h"
#include "directory.h"
#include "lib.h"

static void refuse_later(void *arg)
{
    struct terminal *t = arg;

    t->delayed = 0;
    terminal_say(t, "DMKLOG050E PASSWORD INCORRECT - REINITIATE LOGON PROCEDURE");
    if (t->logon_tries >= LOGON_TRIES) {
        t->logon_tries = 0;
        t->ops->reset(t);
        return;
    }
    t->ops->mode(t, TMODE_CPREAD, false);
    if (t->ops->accept)
        t->ops->accept(t);
}

static void refuse(struct terminal *t)
{
    t->logon_tries++;
    t->delayed = 1;
    if (t->logon_tries >= LOGON_TRIES)
        operator_say("DMKLOG145I %s %u WRONG PASSWORDS FOR %s", t->name, t->logon_tries, t->logon_user);
    timer_set(&t->delay, us_now() + LOGON_DELAY_US, refuse_later, t);
}

static bool password_right(const struct dir_user *u, const char *text, size_t len)
{
    uint8_t differ = 0;

    if (u->flags & (DIR_NOLOG | DIR_AUTOONLY) || len > 8)
        return false;
    for (size_t i = 0; i < 8; i++)
        differ |= (uint8_t)(i < len ? to_upper(text[i]) : ' ') ^ u->password[i];
    return differ == 0;
}

static int users(void)
{
    int n = 0;

    for (int i = 0; i < VM_MAX; i++)
        n += vms[i].in_use == 1;
    return n;
}

/* The machine is made or found: messages, accounts, IPL. */
void logon_complete(struct terminal *t, struct vm *vm, bool ipl)
{
    char line[LINE_MAX];

    t->logon_tries = 0;
    if (vm->logged_on) {
        time_line("RECONNECTED AT", line, sizeof(line));
        console_attach(vm, t);
        console_line(vm, line, strlen(line), 0);
        operator_say("%s  RECONNECT %-8s USERS = %03d", t->name, vm->userid, users());
        vm_hold(vm, WAIT_CP); /* as VM does: the user types BEGIN */
        if (vm->set & SET_RUN)
            vm_release(vm, WAIT_CP);
        console_mode(vm);
        return;
    }
    vm->logged_on = 1;
    console_attach(vm, t);
    if (motd[0])
        console_line(vm, motd, strlen(motd), 0);
    time_line("LOGON AT", line, sizeof(line));
    console_line(vm, line, strlen(line), 0);
    operator_say("%s  LOGON  AS  %-8s USERS = %03d", t->name, vm->userid, users());
    if (ipl && vm->ipl_name[0])
        vm_ipl_default(vm);
    console_mode(vm);
}

char motd[80];

void vm_ipl_default(struct vm *vm)
{
    char name[9], parm[64];

    fmt(name, sizeof(name), "%s", vm->ipl_name);
    fmt(parm, sizeof(parm), "%s", vm->ipl_parm);
    if (vm_ipl(vm, name, parm) != 0)
        console_say(vm, "DMKLOG044E %s NOT FOUND OR CANNOT BE LOADED", name);
}

/* options kept from LOGON while the password was asked for: NOIPL */
static bool wants_ipl(const struct terminal *t)
{
    return !cmd_is(t->logon_rest, "NOIPL", 3) || !t->logon_rest[0];
}

static void proceed(struct terminal *t, const struct dir_user *u)
{
    struct vm *vm = vm_find(t->logon_user);
    bool made = false;

    if (vm && vm->term) {
        terminal_say(t, "DMKLOG054E ALREADY LOGGED ON %s", vm->term->name);
        t->ops->mode(t, TMODE_CPREAD, false);
        return;
    }
    if (!vm) {
        vm = vm_create(u);
        made = true;
    }
    if (!vm) {
        terminal_say(t, "DMKLOG148E MAXIMUM USERS EXCEEDED; %d ARE LOGGED ON", VM_MAX);
        t->ops->mode(t, TMODE_CPREAD, false);
        return;
    }
    struct account *who = acct_current();
    acct_change(&vm->acct);
    logon_complete(t, vm, made && wants_ipl(t));
    acct_change(who);
}

void logon_password(struct terminal *t, const char *text, size_t len)
{
    const struct dir_user *u = directory_find(t->logon_user);

    while (len && text[len - 1] == ' ')
        len--;
    t->awaiting_password = 0;
    t->ops->mode(t, TMODE_CPREAD, false);
    if (!u || !password_right(u, text, len)) {
        refuse(t);
        return;
    }
    proceed(t, u);
}

/* LOGON userid [password] [NOIPL] */
int logon_start(struct cmd *c)
{
    char word[10], password[10];
    struct terminal *t = c->term;

    if (!directory_there())
        return cmd_error(c, 53, "DMKLOG051E CP HAS NO DIRECTORY; NOBODY CAN LOG ON");
    if (!cmd_word(c, word, sizeof(word)))
        return cmd_error(c, 20, "DMKLOG020E USERID MISSING OR INVALID");
    if (strlen(word) > 8)
        return cmd_error(c, 20, "DMKLOG020E USERID MISSING OR INVALID");
    fmt(t->logon_user, sizeof(t->logon_user), "%s", word);
    t->logon_rest[0] = 0;
    password[0] = 0;
    while (cmd_word(c, word, sizeof(word))) {
        if (cmd_is(word, "NOIPL", 3))
            fmt(t->logon_rest, sizeof(t->logon_rest), "%s", word);
        else if (!password[0])
            fmt(password, sizeof(password), "%s", word);
        else
            return cmd_error(c, 3, "DMKLOG003E INVALID OPTION - %s", word);
    }
    if (!directory_find(t->logon_user))
        return cmd_error(c, 53, "DMKLOG053E %s NOT IN CP DIRECTORY", t->logon_user);
    if (password[0]) {
        logon_password(t, password, strlen(password));
        return 0;
    }
    terminal_say(t, "ENTER PASSWORD:");
    t->awaiting_password = 1;
    t->ops->mode(t, TMODE_CPREAD, true);
    return 0;
}

/* AUTOLOG and IPL's own machines: log u on without a terminal. */
struct vm *autolog(const struct dir_user *u)
{
    struct vm *vm = vm_create(u);

    if (!vm)
        return 0;
    vm->logged_on = 1;
    vm->autologged = 1;
    if (vm->ipl_name[0])
        vm_ipl_default(vm);
    return vm;
}

/* DIAG_AUTHENT, for servers that ask for a user's password themselves (FTP). */
long authenticate(struct vm *vm, uint64_t userid, uint64_t password)
{
    const char *name = vm_source(vm, userid, 8), *given = vm_source(vm, password, 8);
    char key[9];
    size_t len = 8;

    if (!(vm->classes & 0x1f))
        return DIAG_EPRIV;
    if (!name || !given)
        return DIAG_EADDR;
    for (int i = 0; i < 8; i++)
        key[i] = (char)to_upper(name[i]);
    key[8] = 0;
    for (int i = 7; i >= 0 && key[i] == ' '; i--)
        key[i] = 0;
    while (len && given[len - 1] == ' ')
        len--;
    const struct dir_user *u = directory_find(key);
    return u && password_right(u, given, len) ? 0 : 1;
}

void session_end(struct vm *vm, const char *by)
{
    char line[LINE_MAX];

    if (vm->set & SET_ACNT) {
        connect_line(vm, line, sizeof(line));
        console_line(vm, line, strlen(line), 0);
    }
    time_line("LOGOFF AT", line, sizeof(line));
    if (by)
        fmt(line + strlen(line), sizeof(line) - strlen(line), " BY %s", by);
    console_line(vm, line, strlen(line), 0);
    operator_say("%s  LOGOFF AS  %-8s USERS = %03d%s%s", vm->term ? vm->term->name : "DSC ", vm->userid,
                 users() - 1, by ? "  FORCED BY " : "", by ? by : "");
    card_session(vm);
    vm_destroy(vm);
}
