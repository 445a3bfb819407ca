/* SPDX-License-Identifier: MIT */
/* LINK [TO] userid vaddr [AS] vaddr [mode] [[PASS=] password]: another user's minidisk, as the
 * directory and its passwords allow. No password gives a write link to a minidisk that users of
 * more privileges run programs from. After PASSWORD_TRIES wrong passwords in one session LINK
 * refuses all. */
#include "commands.h"
#include "dasd.h"
#include "directory.h"
#include "lib.h"

struct request {
    char userid[USERID_WORD], password[10];
    uint16_t vaddr, as;
    int mode;
};

static int mode_of(const char *word)
{
    static const char *const names[] = {"", "R", "RR", "W", "WR", "M", "MR", "MW"};

    for (int i = DIR_R; i <= DIR_MW; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return 0;
}

/* 0, or the number of the message that said what is wrong. */
static int parse(struct cmd *c, struct request *r)
{
    char word[16];

    if (!cmd_userid(c, "LNK", r->userid)
        || (cmd_is(r->userid, "TO", 1) && !cmd_userid(c, "LNK", r->userid)))
        return 20;
    if (strcmp(r->userid, "*") == 0)
        fmt(r->userid, sizeof(r->userid), "%s", c->vm->userid);
    if (!cmd_word(c, word, sizeof(word)) || !cmd_vaddr(word, &r->vaddr))
        return cmd_error(c, 22, "DMKLNK022E VADDR MISSING OR INVALID");
    if (cmd_word(c, word, sizeof(word)) && cmd_is(word, "AS", 2))
        cmd_word(c, word, sizeof(word));
    if (!cmd_vaddr(word, &r->as))
        return cmd_error(c, 22, "DMKLNK022E VADDR MISSING OR INVALID");
    while (cmd_word(c, word, sizeof(word))) {
        bool pass = strncmp(word, "PASS=", 5) == 0;
        const char *value = pass ? word + 5 : word;
        if (!pass && !r->mode && (r->mode = mode_of(word)) != 0)
            continue;
        if (pass && !*value && cmd_word(c, word, sizeof(word)))
            value = word;
        if (r->password[0] || !*value || strlen(value) > 8)
            return cmd_bad_option(c, "LNK", word);
        fmt(r->password, sizeof(r->password), "%s", value);
    }
    return 0;
}

static bool is(const uint8_t field[8], const char *word)
{
    char padded[9];

    fmt(padded, sizeof(padded), "%-8.8s", word);
    return memcmp(field, padded, 8) == 0;
}

static void journal(struct cmd *c, const struct request *r)
{
    char where[12];

    if (c->vm->link_tries < 255)
        c->vm->link_tries++;
    operator_say("%s WRONG PASSWORD %u IN LINK TO %s %03X BY %s", vm_where(c->vm, where),
                 c->vm->link_tries, r->userid, r->vaddr, c->vm->userid);
    if (c->vm->link_tries == PASSWORD_TRIES)
        card_journal("06", c->vm->userid, c->vm->account, c->vm->term, r->userid, r->vaddr,
                     PASSWORD_TRIES, PASSWORD_TRIES);
}

/* May the issuer link in this mode? 0, or the number of the message. */
static int allowed(struct cmd *c, const struct request *r, const struct dir_user *owner,
                   const struct dir_mdisk *m)
{
    static const char *const kinds[] = {"READ", "WRITE", "MULT"};
    int kind = r->mode <= DIR_RR ? 0 : r->mode <= DIR_WR ? 1 : 2;
    const uint8_t *field = kind == 0   ? m->read_password
                           : kind == 1 ? m->write_password
                                       : m->multi_password;

    if (strcmp(r->userid, c->vm->userid) == 0 || (c->vm->dir_flags & DIR_LNKNOPAS))
        return 0;
    if (kind && directory_lacks(c->vm->classes, owner, r->vaddr))
        return cmd_error(c, 298, "DMKLNK298E %s %03X NOT LINKED; PRIVILEGED USERS RUN ITS PROGRAMS",
                         r->userid, r->vaddr);
    if (is(field, "ALL"))
        return 0;
    if (is(field, ""))
        return cmd_error(c, 111 + kind, "DMKLNK%dE %s %03X NOT LINKED; NO %s PASSWORD", 111 + kind,
                         r->userid, r->vaddr, kinds[kind]);
    if (c->vm->link_tries >= PASSWORD_TRIES)
        return cmd_error(c, 115, "DMKLNK115E LINK INVALID; EXCESSIVE INCORRECT PASSWORDS");
    if (is(field, r->password))
        return 0;
    if (r->password[0])
        journal(c, r);
    return cmd_error(c, 114, "DMKLNK114E %s %03X NOT LINKED; %s PASSWORD INCORRECT", r->userid,
                     r->vaddr, kinds[kind]);
}

int cmd_link(struct cmd *c)
{
    struct request r = {.mode = 0};
    char line[LINE_MAX];
    int rc = parse(c, &r);

    if (rc)
        return rc;
    const struct dir_user *u = directory_find(r.userid);
    const struct dir_mdisk *m = u ? directory_mdisk(u, r.vaddr) : 0;
    if (!u)
        return cmd_error(c, 53, "DMKLNK053E %s NOT IN CP DIRECTORY", r.userid);
    if (!m)
        return cmd_error(c, 107, "DMKLNK107E %s %03X NOT LINKED; NOT IN CP DIRECTORY", r.userid,
                         r.vaddr);
    if (mdisk_find(c->vm, r.as))
        return cmd_error(c, 110, "DMKLNK110E %s %03X NOT LINKED; DASD %03X ALREADY DEFINED",
                         r.userid, r.vaddr, r.as);
    if (!r.mode)
        r.mode = strcmp(r.userid, c->vm->userid) == 0 ? m->mode : DIR_R;
    rc = allowed(c, &r, u, m);
    if (rc)
        return rc;
    int access = directory_access(m, r.mode);
    if (access < 0) {
        int number = link_refusal(r.userid, m, r.vaddr, line, sizeof(line));
        return cmd_error(c, number, "%s", line);
    }
    if (directory_attach(c->vm, u, m, r.as, access) != 0)
        return cmd_error(c, 117,
                         "DMKLNK117E %s %03X NOT LINKED; %d MINIDISKS ARE ALL A MACHINE CAN HAVE",
                         r.userid, r.vaddr, VM_MDISKS);
    link_line(c->vm, mdisk_find(c->vm, r.as), line, sizeof(line));
    cmd_info(c, "%s", line);
    return 0;
}
