/* SPDX-License-Identifier: MIT */
/* Numbers of foundation services and CTERM, and what both sides of it share. */
#ifndef VMKB_CTERM_WIRE_H
#define VMKB_CTERM_WIRE_H
#include "cterm.h"
#include "dn_wire.h"

/* foundation services, one in an NSP message */
#define FND_BIND    1
#define FND_UNBIND  2
#define FND_ACCEPT  4
#define FND_ENTER   5
#define FND_NO_MODE 8
#define FND_COMMON  9
#define FND_HEADER  2        /* of common data: its code and 0 */
#define FND_LOGOFF  3        /* reason of an unbind at the end of a session */
#define OS_VMS      7        /* there is no number for VM/KB: the one that every client knows */
#define PROTOCOL_CTERM 0x0010

#define CT_INITIATE 1
#define CT_START_READ 2
#define CT_READ_DATA 3
#define CT_OUT_OF_BAND 4
#define CT_UNREAD   5
#define CT_CLEAR_INPUT 6
#define CT_WRITE    7
#define CT_WRITE_COMPLETE 8
#define CT_DISCARD_STATE 9
#define CT_READ_CHARACTERISTICS 10
#define CT_CHARACTERISTICS 11
#define CT_CHECK_INPUT 12
#define CT_INPUT_COUNT 13
#define CT_INPUT_STATE 14

/* reasons why a read ended */
#define READ_TERMINATOR 0
#define READ_ESCAPE     1
#define READ_BAD_ESCAPE 2
#define READ_FULL       4
#define READ_UNREAD     6
#define READ_REASON     0x0f
/* code, flags, low water, vertical, horizontal, offset of the terminator */
#define READ_DATA_HEADER 8

/* flags of a start read (24 bits) */
#define SR_CLEAR      0x000004
#define SR_NO_ECHO    0x000800
#define SR_ECHO_END   0x001000
#define SR_TIMEOUT    0x002000
#define SR_SET        0x00c000
#define SR_SET_GIVEN  0x004000
#define SR_SET_ALL    0x008000   /* every control character */
#define SR_NO_ESCAPES 0x010000
#define SR_HEADER     17     /* up to and with the length of the terminator set */

#define WR_WHOLE 0x0030      /* first and last segment */
#define WR_NEWLINES_FIRST 0x0040 /* the prefix is a number of new lines */
#define WR_HEADER 5
#define CH_CR 0x0d
#define CH_LF 0x0a
#define CH_ATTENTION 0x03

/* Initiate: its text is the same from both sides. */
#define INITIATE_MAX 32
uint8_t *cterm_put_initiate(uint8_t *p);
/* The largest message that the other side takes; 0: it is no Initiate. */
unsigned cterm_initiate_max(const uint8_t *m, size_t n);
#endif
