/* SPDX-License-Identifier: MIT */
/* TELNET's commands and options, pure: bytes in, data and answers out (RFC 854, 857, 858, 1091,
 * 856, 885, 1576). Each option's state is asked, on or off, so that no answer is answered again
 * (RFC 1143). */
#ifndef VMKB_TELNET_PROTOCOL_H
#define VMKB_TELNET_PROTOCOL_H
#include "lib.h"

enum {
    TN_IAC = 255,
    TN_DONT = 254,
    TN_DO = 253,
    TN_WONT = 252,
    TN_WILL = 251,
    TN_SB = 250,
    TN_AYT = 246,
    TN_IP = 244,
    TN_BRK = 243,
    TN_EOR = 239,
    TN_SE = 240,
    TN_NOP = 241,
    TN_AO = 245,
    TN_EC = 247,
    TN_EL = 248
};
enum { OPT_BINARY = 0, OPT_ECHO = 1, OPT_SGA = 3, OPT_TTYPE = 24, OPT_EOR = 25 };

enum telnet_event {
    TELNET_NONE,
    TELNET_DATA,
    TELNET_ATTENTION,
    TELNET_RECORD,
    TELNET_TYPE,
    TELNET_NO_TYPE,
    TELNET_OPTION,
    TELNET_ERASE,
    TELNET_ERASE_LINE
};

struct telnet {
    bool client;             /* the side that types: it lets the host echo and refuses the rest */
    uint8_t state, command;
    uint8_t us[32], them[32];    /* WILL and DO of options 0-31: 0 off, 1 on, 2 we asked */
    uint8_t sub[48];
    uint8_t sub_len;
    char type[41];               /* terminal type, upper case in ISO 8859-1 */
    uint8_t answer[64];          /* to be sent before anything else */
    uint8_t answer_len;
};

#define TELNET_ANSWER_MOST 16 /* bytes that one call adds to t->answer at most */

/* One byte from the other side. *data is set for TELNET_DATA. Answers gather in t->answer: the
 * caller sends them when there is less room than TELNET_ANSWER_MOST, else the next one may be left
 * out. */
/* Is the next byte one of data, unless it is 255? */
bool telnet_in_data(const struct telnet *t);
enum telnet_event telnet_byte(struct telnet *t, uint8_t c, uint8_t *data);
void telnet_will(struct telnet *t, uint8_t option);
void telnet_do(struct telnet *t, uint8_t option);
/* Does the type name a 3270 (IBM-327x, IBM-DYNAMIC)? */
bool telnet_is_3270(const struct telnet *t);
/* Does it answer Read Partition (Query)? Those called IBM-327x-n-E and IBM-DYNAMIC do. */
bool telnet_is_extended(const struct telnet *t);
/* EOR and BINARY both ways, all asked for: agreed to, or one of them refused (RFC 1576). */
bool telnet_3270_agreed(const struct telnet *t);
bool telnet_3270_refused(const struct telnet *t);
/* Doubles the bytes 255 of n; there is room for 2 n. The new length. */
size_t telnet_escape(uint8_t *p, size_t n);
#endif
