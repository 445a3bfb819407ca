/* SPDX-License-Identifier: MIT */
/* The commands of RFC 959, and REST, SIZE, MDTM, MLSD, FEAT (RFC 3659, 2389) and EPRT, EPSV (RFC
 * 2428). */
#include "address.h"
#include "ctype.h"
#include "server.h"
#include "say.h"

#define NEEDS_USER 1         /* only after PASS */
#define BETWEEN    2         /* may come between REST and the command that it is for */

static void leave(struct session *s)
{
    if (s->disk)
        disk_leave(s->disk);
    s->disk = 0;
}

static void c_user(struct session *s, char *arg)
{
    unsigned n = 0;

    leave(s);
    s->logged_in = s->renaming = false;
    for (; arg[n] && n < 9; n++)
        arg[n] = (char)to_upper(arg[n]);
    if (n == 0 || (n == 9 && strncmp(arg, "ANONYMOUS", 9) != 0) || strchr(arg, ' ')) {
        reply(s, 501, "A userid has 1 to 8 characters.");
        return;
    }
    s->anonymous = strncmp(arg, "ANONYMOU", 8) == 0;
    fmt(s->user, sizeof(s->user), "%.8s", arg);
    s->named = true;
    if (s->anonymous && !anonymous_allowed) {
        s->named = false;
        reply(s, 530, "Anonymous is not served here.");
        return;
    }
    reply(s, 331, s->anonymous ? "Send your name as password, please." : "Send password, please.");
}

static void at_disk(struct session *s, int code, const char *what)
{
    reply(s, code, "%s %s.%03X %s.", what, s->disk->owner, s->disk->vaddr,
          s->disk->writable && !s->anonymous ? "read/write" : "read only");
}

void login_wrong(struct session *s)
{
    if (++s->tries >= LOGIN_TRIES) {
        say("DTCFTS0031W %u WRONG PASSWORDS FOR %s FROM %u.%u.%u.%u", s->tries, s->user,
            s->peer.ip >> 24, s->peer.ip >> 16 & 255, s->peer.ip >> 8 & 255, s->peer.ip & 255);
        reply(s, 421, "Password not correct; too many tries.");
        control_end(s);
        return;
    }
    reply(s, 530, "Password not correct.");
}

void login_right(struct session *s)
{
    const char *why = "";

    s->tries = 0;
    s->logged_in = true;
    s->disk = disk_use(s->anonymous ? "ANONYMOU" : s->user, s->anonymous,
                       s->anonymous ? "ANONYMOU" : s->user, 0x191, &why);
    if (s->disk)
        at_disk(s, 230,
                s->anonymous ? "Guest logged in; working minidisk" : "Logged in; working minidisk");
    else
        reply(s, 230, "%s logged in; no working minidisk (%s).", s->user, why);
}

static void c_pass(struct session *s, char *arg)
{
    if (!s->named) {
        reply(s, 503, "USER first.");
        return;
    }
    s->named = false;
    if (s->anonymous)
        login_right(s);
    else
        login_password(s, arg);
}

static void c_quit(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 221, "Quit command received. Goodbye.");
    control_end(s);
}

static void c_noop(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 200, "OK.");
}

static void c_acct(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 202, "ACCT is not needed here.");
}

static void c_type(struct session *s, char *arg)
{
    char t = to_upper(arg[0]);

    if (t == 'A' && (!arg[1] || (arg[1] == ' ' && to_upper(arg[2]) == 'N'))) {
        s->ascii = true;
        reply(s, 200, "Representation type is ASCII.");
    } else if (t == 'I' || (t == 'L' && arg[1] == ' ' && arg[2] == '8')) {
        s->ascii = false;
        reply(s, 200, "Representation type is Image.");
    } else {
        reply(s, 504, "Type A, I and L 8 are known.");
    }
}

static void c_mode(struct session *s, char *arg)
{
    reply(s, to_upper(arg[0]) == 'S' ? 200 : 504,
          to_upper(arg[0]) == 'S' ? "Mode is Stream." : "Only mode S is known.");
}

static void c_stru(struct session *s, char *arg)
{
    reply(s, to_upper(arg[0]) == 'F' ? 200 : 504,
          to_upper(arg[0]) == 'F' ? "Structure is File." : "Only structure F is known.");
}

/* RFC 2577: data goes to the client that asks, not to others, and not to services. */
static void use_port(struct session *s, struct sock_address *a)
{
    a->ip = passive_client(&passive, s->peer.ip, a->ip);
    if (a->ip != s->peer.ip || a->port < 1024) {
        reply(s, 504, "PORT must name your own host and a port over 1023.");
        return;
    }
    data_port(s, a);
    reply(s, 200, "Port request OK.");
}

static void c_port(struct session *s, char *arg)
{
    const char *p = arg;
    unsigned v[6];

    if (s->own.ipv6) {
        reply(s, 501, "PORT has no room for an address of IPv6: use EPRT.");
        return;
    }
    for (int i = 0; i < 6; i++) {
        if (!number_read(&p, 255, &v[i]) || *p != (i < 5 ? ',' : 0)) {
            reply(s, 501, "PORT needs six numbers h1,h2,h3,h4,p1,p2.");
            return;
        }
        p++;
    }
    struct sock_address a = {v[0] << 24 | v[1] << 16 | v[2] << 8 | v[3],
                             (uint16_t)(v[4] << 8 | v[5]), 0};
    use_port(s, &a);
}

/* What EPRT and EPSV call IP's version by (RFC 2428). */
static unsigned family(const struct session *s)
{
    return s->own.ipv6 ? 2 : 1;
}

static void other_family(struct session *s)
{
    reply(s, 522, "Network protocol not supported, use (%u).", family(s));
}

/* EPRT |1|10.17.0.254|40000|, or over IPv6 |2|fd00::10.17.0.254|40000| */
static void c_eprt(struct session *s, char *arg)
{
    const char *p = arg;
    char bar = *p ? *p++ : 0;
    unsigned named = 0, port;
    uint32_t ip = 0;

    if (bar && number_read(&p, 9, &named) && named != family(s)) {
        other_family(s);
        return;
    }
    if (!named || *p++ != bar || !(s->own.ipv6 ? ip6_read : ip4_read)(&p, &ip) || *p++ != bar
        || !number_read(&p, 65535, &port)) {
        reply(s, 501, "EPRT needs |%u|address|port|.", family(s));
        return;
    }
    struct sock_address a = {ip, (uint16_t)port, 0};
    use_port(s, &a);
}

static void c_pasv(struct session *s, char *arg)
{
    (void)arg;
    if (s->own.ipv6) {
        reply(s, 425, "PASV has no room for an address of IPv6: use EPSV.");
        return;
    }
    int port = data_passive(s);
    uint32_t ip = passive_announced(&passive, s->peer.ip, s->own.ip);
    if (port <= 0)
        reply(s, 425, "No port for the data connection: %s.", net_error(port));
    else
        reply(s, 227, "Entering Passive Mode (%u,%u,%u,%u,%u,%u).", ip >> 24, ip >> 16 & 255,
              ip >> 8 & 255, ip & 255, (unsigned)port >> 8, (unsigned)port & 255);
}

static void c_epsv(struct session *s, char *arg)
{
    if (arg[0] && strcmp(arg, s->own.ipv6 ? "2" : "1") != 0) {
        other_family(s);
        return;
    }
    int port = data_passive(s);
    if (port <= 0)
        reply(s, 425, "No port for the data connection: %s.", net_error(port));
    else
        reply(s, 229, "Entering Extended Passive Mode (|||%u|)", (unsigned)port);
}

static void c_cwd(struct session *s, char *arg)
{
    struct path p;
    const char *why = path_disk(arg, s->user, &p);

    if (why) {
        reply(s, why == path_no_levels ? 550 : 501, "'%.60s': %s.", arg, why);
        return;
    }
    if (!p.named && !s->disk) {
        reply(s, 550, "There is no working minidisk.");
        return;
    }
    if (p.named) {
        struct disk *d = disk_use(s->user, s->anonymous, p.owner, p.vaddr, &why);
        if (!d) {
            reply(s, 550, "%s.%03X: %s.", p.owner, p.vaddr, why);
            return;
        }
        leave(s);
        s->disk = d;
    }
    at_disk(s, 250, "Working minidisk is");
}

static void c_cdup(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 550, "Minidisks have no levels; CD owner.vaddr goes to another one.");
}

static void c_mkd(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 550,
          "A minidisk is made by an MDISK statement in CP's directory, not by FTP; files need no "
          "levels.");
}

static void c_rmd(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 550,
          "A minidisk is taken away by its MDISK statement in CP's directory, not by FTP; DELE "
          "deletes files.");
}

/* REST n: RETR begins, and STOR goes on, behind n bytes of the file in the type in force (RFC 3659,
 * 5). */
static void c_rest(struct session *s, char *arg)
{
    uint64_t n = 0;
    unsigned digits = 0;

    for (; is_digit(arg[digits]) && digits < 18; digits++)
        n = n * 10 + (uint64_t)(arg[digits] - '0');
    if (!digits || arg[digits]) {
        reply(s, 501, "REST needs a number of bytes.");
        return;
    }
    s->restart = n;
    reply(s, 350, "Restarting behind %lu bytes; RETR or STOR next.", (unsigned long)n);
}

static void c_pwd(struct session *s, char *arg)
{
    (void)arg;
    if (s->disk)
        reply(s, 257, "\"%s.%03X\" is the working minidisk.", s->disk->owner, s->disk->vaddr);
    else
        reply(s, 550, "There is no working minidisk.");
}

static const char site_forms[] = "SITE FIXRECFM n, VARRECFM [n] and LISTFORMAT VM or UNIX";

static void site_list(struct session *s, char *arg)
{
    for (char *p = arg; *p; p++)
        *p = (char)to_upper(*p);
    if (strcmp(arg, "VM") != 0 && strcmp(arg, "UNIX") != 0) {
        reply(s, 501, "SITE LISTFORMAT VM or UNIX.");
        return;
    }
    s->list_told = true;
    s->unix_list = *arg == 'U';
    reply(s, 200, "LIST is in %s format.", arg);
}

/* SITE FIXRECFM n, SITE VARRECFM [n]: how the next STORs make files; SITE alone: by type. SITE
 * LISTFORMAT. */
static void c_site(struct session *s, char *arg)
{
    char word[12];
    unsigned n = 0, value = 0;

    while (*arg && *arg != ' ' && n < sizeof(word) - 1)
        word[n++] = (char)to_upper(*arg++);
    word[n] = 0;
    while (*arg == ' ')
        arg++;
    const char *p = arg;
    bool number = number_read(&p, 65535, &value);
    bool fixed = n >= 3 && strncmp("FIXRECFM", word, n) == 0;
    if (n >= 5 && strncmp("LISTFORMAT", word, n) == 0) {
        site_list(s, arg);
    } else if (strcmp(word, "HELP") == 0) {
        reply(s, 214, "%s.", site_forms);
    } else if ((fixed && (!number || !value)) || value > RECORD) {
        reply(s, 501, "A record length is 1 to %u.", RECORD);
    } else if (fixed) {
        s->site_recfm = FS_FIXED;
        s->site_lrecl = value;
        reply(s, 200, "Files are stored RECFM F LRECL %u.", value);
    } else if (n >= 3 && strncmp("VARRECFM", word, n) == 0) {
        s->site_recfm = FS_VARIABLE;
        s->site_lrecl = number ? value : 0;
        reply(s, 200, "Files are stored RECFM V.");
    } else if (n == 0) {
        s->site_recfm = 0;
        reply(s, 200, "Files are stored V when ASCII, F 80 when binary.");
    } else {
        reply(s, 500, "%s are known.", site_forms);
    }
}

static void c_syst(struct session *s, char *arg)
{
    (void)arg;
    reply(s, 215, "VM/KB is the operating system of this server.");
}

static void c_feat(struct session *s, char *arg)
{
    static const char *const lines[] = {"EPRT", "EPSV", "MDTM", "REST STREAM", "SIZE"};
    (void)arg;
    reply_raw(s, "211-Extensions:");
    for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        reply_raw(s, " %s", lines[i]);
    reply_raw(s, " MLST type%s;size%s;modify%s;", s->facts & FACT_TYPE ? "*" : "",
              s->facts & FACT_SIZE ? "*" : "", s->facts & FACT_MODIFY ? "*" : "");
    reply(s, 211, "End.");
}

/* OPTS MLST fact;fact; : which facts MLST and MLSD tell from now on (RFC 3659, 7.9). */
static void c_opts(struct session *s, char *arg)
{
    static const char *const facts[] = {"TYPE;", "SIZE;", "MODIFY;"};
    unsigned chosen = 0;

    for (char *p = arg; *p; p++)
        *p = (char)to_upper(*p);
    if (strncmp(arg, "MLST", 4) != 0 || (arg[4] && arg[4] != ' ')) {
        reply(s, 501, "OPTS MLST is known.");
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        if (strstr(arg + 4, facts[i]))
            chosen |= 1u << i;
    s->facts = (uint8_t)chosen;
    reply(s, 200, "MLST OPTS %s%s%s", chosen & FACT_TYPE ? "type;" : "",
          chosen & FACT_SIZE ? "size;" : "", chosen & FACT_MODIFY ? "modify;" : "");
}

static void c_stat(struct session *s, char *arg)
{
    (void)arg;
    reply_raw(s, "211-VM/KB FTPSERVE");
    reply_raw(s, " %s, type %s, %s", s->logged_in ? s->user : "not logged in",
              s->ascii ? "ASCII" : "Image",
              s->xfer == XFER_NONE ? "no transfer" : "a transfer is under way");
    reply(s, 211, "End.");
}

static void c_abor(struct session *s, char *arg)
{
    (void)arg;
    if (s->xfer != XFER_NONE)
        data_abort(s, 426, "Transfer aborted; nothing was kept.");
    reply(s, 226, "Abort done.");
}

static void c_rein(struct session *s, char *arg)
{
    (void)arg;
    leave(s);
    data_forget(s);
    s->logged_in = s->named = s->renaming = false;
    s->ascii = true;
    s->files_ascii = s->unix_list = s->list_told = false;
    s->site_recfm = 0;
    reply(s, 220, "Ready for a new user.");
}

static void c_help(struct session *s, char *arg);

/* Command, what it needs, and what HELP says of it. */
static const struct {
    char name[5];
    uint8_t flags;
    void (*run)(struct session *s, char *arg);
    const char *form;
} table[] = {
    {"ABOR", NEEDS_USER, c_abor, ""},
    {"ACCT", 0, c_acct, "text; not needed"},
    {"ALLO", NEEDS_USER, c_noop, "bytes; not needed"},
    {"APPE", NEEDS_USER, file_appe, "fn.ft; adds to a file, or makes it"},
    {"CDUP", NEEDS_USER, c_cdup, "is refused: minidisks have no levels"},
    {"CWD", NEEDS_USER, c_cwd, "owner.vaddr"},
    {"DELE", NEEDS_USER, file_dele, "fn.ft"},
    {"EPRT", NEEDS_USER | BETWEEN, c_eprt, "|1|address|port|, over IPv6 |2|"},
    {"EPSV", NEEDS_USER | BETWEEN, c_epsv, "[1], over IPv6 [2]"},
    {"FEAT", 0, c_feat, ""},
    {"HELP", 0, c_help, "[command]"},
    {"LIST", NEEDS_USER, file_list,
     "[pattern | owner.vaddr]; -l, or any option of ls, makes it UNIX's"},
    {"MDTM", NEEDS_USER, file_mdtm, "fn.ft"},
    {"MKD", NEEDS_USER, c_mkd, "is refused: CP's directory has the minidisks"},
    {"MLSD", NEEDS_USER, file_mlsd, "[owner.vaddr]"},
    {"MLST", NEEDS_USER, file_mlst, "[fn.ft | owner.vaddr]"},
    {"MODE", NEEDS_USER | BETWEEN, c_mode, "S"},
    {"NLST", NEEDS_USER, file_nlst, "[pattern | owner.vaddr]"},
    {"NOOP", BETWEEN, c_noop, ""},
    {"OPTS", 0, c_opts, "MLST [fact;...]"},
    {"PASS", 0, c_pass, "password"},
    {"PASV", NEEDS_USER | BETWEEN, c_pasv, ""},
    {"PORT", NEEDS_USER | BETWEEN, c_port, "h1,h2,h3,h4,p1,p2"},
    {"PWD", NEEDS_USER, c_pwd, ""},
    {"QUIT", 0, c_quit, ""},
    {"REIN", 0, c_rein, ""},
    {"REST", NEEDS_USER | BETWEEN, c_rest, "bytes; RETR or STOR next"},
    {"RETR", NEEDS_USER, file_retr, "[owner.vaddr/]fn.ft"},
    {"RMD", NEEDS_USER, c_rmd, "is refused: CP's directory has the minidisks"},
    {"RNFR", NEEDS_USER, file_rnfr, "fn.ft; RNTO next"},
    {"RNTO", NEEDS_USER, file_rnto, "fn.ft"},
    {"SITE", NEEDS_USER | BETWEEN, c_site, site_forms + 5},
    {"SIZE", NEEDS_USER, file_size, "fn.ft; bytes in the type in force"},
    {"STAT", 0, c_stat, ""},
    {"STOR", NEEDS_USER, file_stor, "[owner.vaddr/]fn.ft"},
    {"STOU", NEEDS_USER, file_stou, "[fn.ft]; a number makes a name that no file has"},
    {"STRU", NEEDS_USER | BETWEEN, c_stru, "F"},
    {"SYST", 0, c_syst, ""},
    {"TYPE", NEEDS_USER | BETWEEN, c_type, "A | I | L 8"},
    {"USER", 0, c_user, "userid"},
    {"XCUP", NEEDS_USER, c_cdup, "as CDUP"},
    {"XCWD", NEEDS_USER, c_cwd, "as CWD"},
    {"XMKD", NEEDS_USER, c_mkd, "as MKD"},
    {"XPWD", NEEDS_USER, c_pwd, "as PWD"},
    {"XRMD", NEEDS_USER, c_rmd, "as RMD"},
};
#define COMMANDS (sizeof(table) / sizeof(*table))

/* Where each command is in the table, one more than that, by its name: in the place that this says,
 * or in one of those behind it. */
#define PLACES 128           /* a power of two, more than twice as many as there are commands */
static uint8_t places[PLACES];
_Static_assert(PLACES > 2 * COMMANDS, "PLACES");

static unsigned place_of(uint32_t name)
{
    return (name * 0x9e3779b1U) >> 25;
}

static void fill_places(void)
{
    uint32_t name;

    for (unsigned i = 0; i < COMMANDS; i++) {
        memcpy(&name, table[i].name, 4);
        unsigned at = place_of(name);
        while (places[at])
            at = (at + 1) % PLACES;
        places[at] = (uint8_t)(i + 1);
    }
}

/* The place in the table, COMMANDS if there is no such command. Names are compared as the four
 * bytes that they are, the zero behind a short one with it. */
static unsigned find(const char *name)
{
    static bool filled;
    uint32_t word, known;

    if (strnlen(name, 5) > 4)
        return COMMANDS;
    if (!filled)
        fill_places();
    filled = true;
    memcpy(&word, name, 4);
    for (unsigned at = place_of(word); places[at]; at = (at + 1) % PLACES) {
        memcpy(&known, table[places[at] - 1].name, 4);
        if (known == word)
            return places[at] - 1U;
    }
    return COMMANDS;
}

static void help_all(struct session *s)
{
    char line[80];
    int n = 0;

    reply_raw(s, "214-These commands are known; HELP command tells more:");
    for (unsigned i = 0; i < COMMANDS; i++) {
        n += fmt(line + n, sizeof(line) - (size_t)n, " %s", table[i].name);
        if (n < 60 && i + 1 < COMMANDS)
            continue;
        reply_raw(s, "%s", line);
        n = 0;
    }
    reply(s, 214, "End.");
}

static void c_help(struct session *s, char *arg)
{
    for (char *p = arg; *p; p++)
        *p = (char)to_upper(*p);
    if (!*arg) {
        help_all(s);
        return;
    }
    unsigned i = find(arg);
    if (i == COMMANDS)
        reply(s, 502, "Unknown command '%.20s'.", arg);
    else
        reply(s, 214, "%s %s", table[i].name, table[i].form);
}

void command_run(struct session *s, char *name, char *arg)
{
    if (!*name) {
        reply(s, 500, "A command is needed.");
        return;
    }
    unsigned i = find(name);
    if (i == COMMANDS) {
        reply(s, 500, "Unknown command '%.20s'.", name);
        return;
    }
    if ((table[i].flags & NEEDS_USER) && !s->logged_in)
        reply(s, 530, "USER and PASS first.");
    else
        table[i].run(s, arg);
    if (s->away && s->xfer == XFER_NONE)
        away_done(s);
    if (s->restart && !(table[i].flags & BETWEEN))
        s->restart = 0;
}
