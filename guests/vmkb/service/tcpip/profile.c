/* SPDX-License-Identifier: MIT */
/* PROFILE TCPIP. Statements may go on over lines; PORT, HOME, GATEWAY and AUTOLOG lists end where
 * the next statement begins (ENDAUTOLOG closes AUTOLOG). A line that is wrong is said with its
 * number and left out. */
#include "ctype.h"
#include "disk.h"
#include "tcpip.h"
#include "words.h"

struct profile profile = {.mtu = 1500,
                          .data_buffers = 16,
                          .data_buffer_size = 8192,
                          .mask = 0xffffff00,
                          .device = "CTC1",
                          .link = "LAN1",
                          .peer_device = 0x502};

static enum { IN_NONE, IN_HOME, IN_GATEWAY, IN_PORT, IN_AUTOLOG } list;

static void wrong(unsigned number, const char *why, const char *word)
{
    say("DTCPAR001E PROFILE TCPIP LINE %u: %s - %s", number, why, word);
}

#define MTU_MIN 68           /* RFC 791: what every link carries */

static void mask_bits(const char *w, unsigned number)
{
    uint32_t m;

    if (!words_ip(w, &m))
        wrong(number, "SUBNET MASK EXPECTED", w);
    else
        profile.mask = m;
}

/* HOME: address link */
static void home(char w[][WORD_MAX], unsigned n, unsigned number)
{
    uint32_t a;

    if (n < 2 || !words_ip(w[0], &a) || strcmp(w[1], profile.link) != 0)
        wrong(number, "HOME NEEDS AN ADDRESS AND THE NAME OF A LINK", w[0]);
    else
        profile.address = a;
}

/* GATEWAY: address = link mtu HOST, of the second link */
static bool peer(char w[][WORD_MAX], unsigned n)
{
    uint32_t a;

    if (n < 5 || !profile.peer_link[0] || strcmp(w[2], profile.peer_link) != 0
        || strcmp(w[4], "HOST") != 0 || !words_ip(w[0], &a))
        return false;
    profile.peer = a;
    return true;
}

/* GATEWAY: network first-hop link mtu [subnet mask]; first hop `=` is the link's own net */
static void gateway(char w[][WORD_MAX], unsigned n, unsigned number)
{
    uint32_t mtu, a;

    if (peer(w, n))
        return;
    if (n < 4 || strcmp(w[2], profile.link) != 0 || !words_number(w[3], &mtu) || mtu < MTU_MIN
        || mtu > 32767) {
        wrong(number, "GATEWAY NEEDS NETWORK, FIRST HOP, LINK AND MTU 68-32767", w[0]);
        return;
    }
    profile.mtu = (uint16_t)mtu;
    if (strcmp(w[1], "=") == 0) {
        if (n > 4)
            mask_bits(w[4], number);
    } else if (words_ip(w[1], &a)) {
        profile.gateway = a;
    } else {
        wrong(number, "FIRST HOP EXPECTED", w[1]);
    }
}

/* PORT: number [TCP|UDP] userid */
static void port(char w[][WORD_MAX], unsigned n, unsigned number)
{
    uint32_t p;
    const char *user = n > 2 ? w[2] : w[1];

    if (n < 2 || !words_number(w[0], &p) || p == 0 || p > 65535 || strlen(user) > 8) {
        wrong(number, "PORT NEEDS A NUMBER, TCP OR UDP AND A USERID", w[0]);
    } else if (profile.port_count == PROFILE_PORTS) {
        wrong(number, "TOO MANY PORTS", w[0]);
    } else {
        profile.ports[profile.port_count].port = (uint16_t)p;
        profile.ports[profile.port_count].udp = n > 2 && strcmp(w[1], "UDP") == 0;
        fmt(profile.ports[profile.port_count++].userid, 9, "%s", user);
    }
}

static void autologs(char w[][WORD_MAX], unsigned n, unsigned number)
{
    for (unsigned i = 0; i < n; i++)
        if (strlen(w[i]) > 8 || profile.autolog_count == PROFILE_AUTOLOG)
            wrong(number, "NOT A USERID, OR TOO MANY", w[i]);
        else
            fmt(profile.autolog[profile.autolog_count++], 9, "%s", w[i]);
}

static void in_list(char w[][WORD_MAX], unsigned n, unsigned number)
{
    switch (list) {
    case IN_HOME:    home(w, n, number); break;
    case IN_GATEWAY: gateway(w, n, number); break;
    case IN_PORT:    port(w, n, number); break;
    case IN_AUTOLOG: autologs(w, n, number); break;
    default:         wrong(number, "NOT A STATEMENT", w[0]); break;
    }
}

static bool pool(char w[][WORD_MAX], unsigned n, unsigned number)
{
    uint32_t count, size = 8192;

    if (n < 2 || !words_number(w[1], &count) || count == 0 || count > 512
        || (n > 2 && (!words_number(w[2], &size) || size < 4096 || size > 262144)))
        wrong(number, "DATABUFFERPOOLSIZE NEEDS A NUMBER 1-512 AND A SIZE 4096-262144",
              n > 1 ? w[1] : "");
    else {
        profile.data_buffers = count;
        profile.data_buffer_size = size;
    }
    return true;
}

static void name(char to[17], char w[][WORD_MAX], unsigned n, unsigned number)
{
    if (n < 2 || strlen(w[1]) > 16)
        wrong(number, "A NAME OF UP TO 16 LETTERS EXPECTED", n > 1 ? w[1] : w[0]);
    else
        fmt(to, 17, "%s", w[1]);
}

/* DEVICE name CTC address, LINK name type number device: the second of each is the virtual CTC. */
static void device(char w[][WORD_MAX], unsigned n, unsigned number)
{
    static bool any;
    unsigned at = 0;

    if (!any)
        name(profile.device, w, n, number);
    else
        name(profile.peer_name, w, n, number);
    for (const char *p = n > 3 ? w[3] : ""; any && hex_value(*p) >= 0; p++)
        at = at << 4 | (unsigned)hex_value(*p);
    if (any)
        profile.peer_device = (uint16_t)at;
    any = true;
}

static void link(char w[][WORD_MAX], unsigned n, unsigned number)
{
    bool second = n > 4 && strcmp(w[4], profile.peer_name) == 0;

    name(second ? profile.peer_link : profile.link, w, n, number);
}

static void behaviors(char w[][WORD_MAX], unsigned n, unsigned number)
{
    const char *why = stack_behavior(w, n);

    if (why)
        wrong(number, why, n ? w[0] : "");
}

static bool statement(char w[][WORD_MAX], unsigned n, unsigned number)
{
    if (strcmp(w[0], "DATABUFFERPOOLSIZE") == 0)
        return pool(w, n, number);
    if (strcmp(w[0], "TCPBEHAVIOR") == 0) {
        behaviors(w + 1, n - 1, number);
    } else if (strcmp(w[0], "DEVICE") == 0) {
        device(w, n, number);
    } else if (strcmp(w[0], "LINK") == 0) {
        link(w, n, number);
    } else if (strcmp(w[0], "START") == 0 || strcmp(w[0], "ENDAUTOLOG") == 0) {
        list = IN_NONE;
        return true;
    } else {
        list = strcmp(w[0], "HOME") == 0      ? IN_HOME
               : strcmp(w[0], "GATEWAY") == 0 ? IN_GATEWAY
               : strcmp(w[0], "PORT") == 0    ? IN_PORT
               : strcmp(w[0], "AUTOLOG") == 0 ? IN_AUTOLOG
                                              : IN_NONE;
        if (list == IN_NONE)
            return false;
        if (n > 1)
            in_list(w + 1, n - 1, number);
        return true;
    }
    list = IN_NONE;
    return true;
}

static void line(const char *text, unsigned len, unsigned number)
{
    char w[8][WORD_MAX];
    unsigned n = words_split(text, len, w, 8);

    if (!n)
        return;
    if (list != IN_NONE) {
        int was = list;
        if (statement(w, n, number))
            return;
        list = was;
        in_list(w, n, number);
        return;
    }
    if (!statement(w, n, number))
        wrong(number, "NOT A STATEMENT", w[0]);
}

/* BEHAVIOR=name,switch,... as in TCPBEHAVIOR's statement, with commas. */
static void behavior_from(const char *text)
{
    char words[8][WORD_MAX], line[WORD_MAX * 2];
    unsigned k = 0;

    for (; text[k] && k + 1 < sizeof(line); k++)
        line[k] = text[k] == ',' ? ' ' : text[k];
    unsigned n = words_split(line, k, words, 8);
    const char *why = stack_behavior(words, n);
    if (why)
        say("DTCPAR004E IPL PARAMETER BEHAVIOR: %s - %s", why, n ? words[0] : "");
}

/* IPL parameters that a run of measurements sets without a new volume: IP=a.b.c.d MTU=n
 * PEER=a.b.c.d BEHAVIOR=name,switch,... */
static void from_ipl(void)
{
    struct diag_id id;
    char w[24][WORD_MAX];
    uint32_t v;

    diag_id(&id);
    unsigned n = words_split(id.parm, (unsigned)strnlen(id.parm, sizeof(id.parm)), w, 24);
    for (unsigned i = 0; i < n; i++) {
        if (strncmp(w[i], "IP=", 3) == 0 && words_ip(w[i] + 3, &v))
            profile.address = v;
        if (strncmp(w[i], "PEER=", 5) == 0 && words_ip(w[i] + 5, &v))
            profile.peer = v;
        if (strncmp(w[i], "MTU=", 4) == 0 && words_number(w[i] + 4, &v) && v >= MTU_MIN
            && v <= 32767)
            profile.mtu = (uint16_t)v;
        if (strncmp(w[i], "BEHAVIOR=", 9) == 0)
            behavior_from(w[i] + 9);
    }
}

void profile_read(void)
{
    if (!disk_read("PROFILE", "TCPIP", line))
        say("DTCPAR002E NO PROFILE TCPIP ON DISK 191 OR 198");
    from_ipl();
    if (!profile.address)
        say("DTCPAR003E NO HOME ADDRESS: NOTHING WILL BE SENT OR RECEIVED");
}
