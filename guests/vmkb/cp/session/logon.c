/* SPDX-License-Identifier: MIT */
/* LOGON: userid, password (never shown), the machine, its first IPL; and AUTOLOG's half of the
 * same. */
#include "command.h"
#include "ctype.h"
#include "directory.h"
#include "lib.h"
#include "spool.h"
#include "vctc.h"

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
    if (t->logon_tries >= LOGON_TRIES) {
        char where[12];
        operator_say("%s %u WRONG PASSWORDS FOR %s", terminal_label(t, where), t->logon_tries,
                     t->logon_user);
        card_journal("04", t->logon_user, "", t, "", 0, t->logon_tries, LOGON_TRIES);
    }
    timer_set(&t->delay, us_now() + LOGON_DELAY_US, refuse_later, t);
}

bool password_right(const struct dir_user *u, const char *text, size_t len)
{
    uint8_t differ = 0;

    if (u->flags & (DIR_NOLOG | DIR_AUTOONLY) || len > 8)
        return false;
    for (size_t i = 0; i < 8; i++)
        differ |= (uint8_t)(i < len ? to_upper(text[i]) : ' ') ^ u->password[i];
    return differ == 0;
}

/* VM says at LOGON which minidisks others have read/write too, and which could not be had at
 * all. */
static void tell_links(struct vm *vm)
{
    char line[LINE_MAX];
    const struct dir_user *u = directory_find(vm->userid);
    const struct dir_mdisk *m;

    for (int i = 0; i < VM_MDISKS; i++)
        if (vm->mdisk[i].vaddr && link_line(vm, &vm->mdisk[i], line, sizeof(line)))
            console_line(vm, line, strlen(line), 0);
    for (uint32_t i = 0; u && (m = directory_mdisk_at(u, i)) != 0; i++)
        if (!mdisk_find(vm, m->vaddr)) {
            link_refusal(vm->userid, m, m->vaddr, line, sizeof(line));
            console_line(vm, line, strlen(line), 0);
        }
}

/* A machine as its entry says; 0: VM_MAX are logged on. */
static void adapters(struct vm *vm, const struct dir_user *u)
{
    const struct dir_device *d;

    for (uint32_t i = 0; (d = directory_device_at(u, i)) != 0; i++)
        if (d->kind == DIR_CTCA) {
            char with[9];
            name_string(with, (const char *)d->type);
            vctc_define(vm, d->vaddr, with, d->raddr);
        }
}

struct vm *machine_of(const struct dir_user *u)
{
    struct vm *vm = vm_create();

    if (vm) {
        directory_fill(vm, u);
        spool_devices(vm, u, directory_device_at(u, 0));
        adapters(vm, u);
    }
    return vm;
}

static void vm_ipl_default(struct vm *vm);

/* The machine is made or found: messages, accounts, IPL. */
void logon_complete(struct terminal *t, struct vm *vm, bool ipl)
{
    char line[LINE_MAX], where[12];

    t->logon_tries = 0;
    timer_cancel(&vm->hung_up);
    if (vm->logged_on) {
        time_line("RECONNECTED AT", line, sizeof(line));
        console_attach(vm, t);
        console_line(vm, line, strlen(line), 0);
        session_tell(vm_where(vm, where), "RECONNECT", vm, users_count(), "");
        vm_hold(vm, WAIT_CP); /* as VM does: the user types BEGIN */
        if (vm->set & SET_RUN)
            vm_release(vm, WAIT_CP);
        console_mode(vm);
        return;
    }
    vm->logged_on = 1;
    console_attach(vm, t);
    if (motd[0])
        console_say(vm, "* %s", motd);
    if (spool_counts(vm->userid, line, sizeof(line)))
        console_say(vm, "%s", line);
    tell_links(vm);
    time_line("LOGON AT", line, sizeof(line));
    console_line(vm, line, strlen(line), 0);
    session_tell(vm_where(vm, where), "LOGON  AS", vm, users_count(), "");
    if (ipl && vm->ipl_name[0])
        vm_ipl_default(vm);
    console_mode(vm);
}

char motd[80];

static void vm_ipl_default(struct vm *vm)
{
    char name[9], parm[64];

    fmt(name, sizeof(name), "%s", vm->ipl_name);
    fmt(parm, sizeof(parm), "%s", vm->ipl_parm);
    if (vm_ipl(vm, name, parm) != 0)
        console_say(vm, "DMKLOG044E %s NOT FOUND OR CANNOT BE LOADED", name);
}

/* Options kept from LOGON while the password was asked for: a letter each, N NOIPL and H HERE. */
static bool wants(const struct terminal *t, char option)
{
    return strchr(t->logon_rest, option) != 0;
}

static void proceed(struct terminal *t, const struct dir_user *u)
{
    struct vm *vm = vm_find(t->logon_user);
    bool made = false;

    char where[12];

    if (vm && vm->term && wants(t, 'H'))
        vm_disconnect(vm);
    if (vm && vm->term) {
        terminal_say(t, "DMKLOG054E ALREADY LOGGED ON %s", vm_where(vm, where));
        t->ops->mode(t, TMODE_CPREAD, false);
        return;
    }
    if (!vm) {
        vm = machine_of(u);
        made = true;
    }
    if (!vm) {
        terminal_say(t, "DMKLOG148E MAXIMUM USERS EXCEEDED; %d ARE LOGGED ON", VM_MAX);
        t->ops->mode(t, TMODE_CPREAD, false);
        return;
    }
    struct account *who = acct_current();
    acct_change(&vm->acct);
    logon_complete(t, vm, made && !wants(t, 'N'));
    acct_change(who);
}

void logon_password(struct terminal *t, const char *text, size_t len)
{
    const struct dir_user *u = directory_find(t->logon_user);

    len = blank_trim(text, len);
    t->awaiting_password = 0;
    t->ops->mode(t, TMODE_CPREAD, false);
    if (!u || !password_right(u, text, len)) {
        refuse(t);
        return;
    }
    proceed(t, u);
}

/* LOGON userid [password] [NOIPL] [HERE]. HERE takes the machine from the terminal that has it. */
int logon_start(struct cmd *c)
{
    char word[USERID_WORD], password[10];
    struct terminal *t = c->term;

    if (!directory_there())
        return cmd_error(c, 53, "DMKLOG051E CP HAS NO DIRECTORY; NOBODY CAN LOG ON");
    if (!cmd_userid(c, "LOG", word))
        return 20;
    fmt(t->logon_user, sizeof(t->logon_user), "%s", word);
    t->logon_rest[0] = 0;
    password[0] = 0;
    while (cmd_word(c, word, sizeof(word))) {
        size_t n = strlen(t->logon_rest);
        bool option = cmd_is(word, "NOIPL", 3) || cmd_is(word, "HERE", 4);
        if (option && n + 1 < sizeof(t->logon_rest)) {
            t->logon_rest[n] = word[0];
            t->logon_rest[n + 1] = 0;
        }
        else if (!option && !password[0])
            fmt(password, sizeof(password), "%s", word);
        else if (!option)
            return cmd_bad_option(c, "LOG", word);
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
struct vm *autolog(const struct dir_user *u, const char *name, const char *parm, const char *by)
{
    struct vm *vm = machine_of(u);

    if (!vm)
        return 0;
    vm->logged_on = 1;
    vm->autologged = 1;
    operator_say("AUTO LOGON   ***   %-8s USERS = %03u  BY  %s", vm->userid, users_count(), by);
    if (name)
        fmt(vm->ipl_name, sizeof(vm->ipl_name), "%s", name);
    if (parm)
        fmt(vm->ipl_parm, sizeof(vm->ipl_parm), "%s", parm);
    if (vm->ipl_name[0])
        vm_ipl_default(vm);
    return vm;
}

/* DIAG_AUTHENT, for servers that ask for a user's password themselves (FTP). */
long authenticate(struct vm *vm, uint64_t userid, uint64_t password)
{
    const char *name = vm_source(vm, userid, 8), *given = vm_source(vm, password, 8);
    char key[9];

    if (!(vm->classes & 0x1f))
        return DIAG_EPRIV;
    if (!name || !given)
        return DIAG_EADDR;
    name_string(key, name);
    for (int i = 0; i < 8; i++)
        key[i] = (char)to_upper(key[i]);
    size_t len = blank_trim(given, 8);
    const struct dir_user *u = directory_find(key);
    return u && password_right(u, given, len) ? 0 : 1;
}
