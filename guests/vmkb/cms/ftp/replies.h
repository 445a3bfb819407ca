/* SPDX-License-Identifier: MIT */
/* Replies of an FTP server (RFC 959 section 4.2), as bytes of the wire; pure. */
#ifndef VMKB_FTP_REPLIES_H
#define VMKB_FTP_REPLIES_H
#include "lib.h"

#define REPLY_LINE 240       /* of a longer line the rest is passed over */

struct reply_reader {
    uint8_t line[REPLY_LINE];/* ISO 8859-1, without its end */
    unsigned len;
    bool whole;              /* line is a whole one; the next call begins a new one */
    int code;                /* of the reply: 100 to 599 */
    bool more;               /* within a reply of several lines */
    bool final;              /* that line ends the reply */
    bool bad;                /* that line is no part of any reply */
};

void reply_init(struct reply_reader *r);
/* Takes bytes up to the end of a line at most; returns how many. Look at r->whole. */
unsigned reply_feed(struct reply_reader *r, const uint8_t *p, unsigned n);

/* The text of replies 227 and 229, in the program's characters: port and address. False: not
 * understood. */
bool reply_passive(const char *text, uint32_t *ip, uint16_t *port);
bool reply_extended_passive(const char *text, uint16_t *port);
/* "(2097152 bytes)" as many servers' 150 says. */
bool reply_size(const char *text, uint64_t *size);
#endif
