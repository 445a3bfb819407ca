/* SPDX-License-Identifier: MIT */
/*
 * The tables are written with character constants as indices, so the compiler's execution
 * character set (-fexec-charset=IBM1047, or ASCII on the host) places each entry; nothing here
 * depends on letters being next to each other.
 */
#include "ctype.h"

#define AT(c) [(unsigned char)(c)]

enum { UP = CT_UPPER | CT_PRINT, LO = CT_LOWER | CT_PRINT, DI = CT_DIGIT | CT_HEX | CT_PRINT };

const unsigned char ctype_class[256] = {
    AT('A') = UP | CT_HEX, AT('B') = UP | CT_HEX, AT('C') = UP | CT_HEX, AT('D') = UP | CT_HEX,
    AT('E') = UP | CT_HEX, AT('F') = UP | CT_HEX, AT('G') = UP, AT('H') = UP,
    AT('I') = UP, AT('J') = UP, AT('K') = UP, AT('L') = UP,
    AT('M') = UP, AT('N') = UP, AT('O') = UP, AT('P') = UP,
    AT('Q') = UP, AT('R') = UP, AT('S') = UP, AT('T') = UP,
    AT('U') = UP, AT('V') = UP, AT('W') = UP, AT('X') = UP,
    AT('Y') = UP, AT('Z') = UP, AT('a') = LO | CT_HEX, AT('b') = LO | CT_HEX,
    AT('c') = LO | CT_HEX, AT('d') = LO | CT_HEX, AT('e') = LO | CT_HEX, AT('f') = LO | CT_HEX,
    AT('g') = LO, AT('h') = LO, AT('i') = LO, AT('j') = LO,
    AT('k') = LO, AT('l') = LO, AT('m') = LO, AT('n') = LO,
    AT('o') = LO, AT('p') = LO, AT('q') = LO, AT('r') = LO,
    AT('s') = LO, AT('t') = LO, AT('u') = LO, AT('v') = LO,
    AT('w') = LO, AT('x') = LO, AT('y') = LO, AT('z') = LO,
    AT('0') = DI, AT('1') = DI, AT('2') = DI, AT('3') = DI,
    AT('4') = DI, AT('5') = DI, AT('6') = DI, AT('7') = DI,
    AT('8') = DI, AT('9') = DI, AT('\t') = CT_SPACE, AT('\n') = CT_SPACE,
    AT('\v') = CT_SPACE, AT('\f') = CT_SPACE, AT('\r') = CT_SPACE, AT(' ') = CT_SPACE | CT_PRINT,
    AT('!') = CT_PRINT, AT('"') = CT_PRINT, AT('#') = CT_PRINT, AT('$') = CT_PRINT,
    AT('%') = CT_PRINT, AT('&') = CT_PRINT, AT('\'') = CT_PRINT, AT('(') = CT_PRINT,
    AT(')') = CT_PRINT, AT('*') = CT_PRINT, AT('+') = CT_PRINT, AT(',') = CT_PRINT,
    AT('-') = CT_PRINT, AT('.') = CT_PRINT, AT('/') = CT_PRINT, AT(':') = CT_PRINT,
    AT(';') = CT_PRINT, AT('<') = CT_PRINT, AT('=') = CT_PRINT, AT('>') = CT_PRINT,
    AT('?') = CT_PRINT, AT('@') = CT_PRINT, AT('[') = CT_PRINT, AT('\\') = CT_PRINT,
    AT(']') = CT_PRINT, AT('^') = CT_PRINT, AT('_') = CT_PRINT, AT('`') = CT_PRINT,
    AT('{') = CT_PRINT, AT('|') = CT_PRINT, AT('}') = CT_PRINT, AT('~') = CT_PRINT,
};

const unsigned char ctype_fold_up[256] = {
    AT('a') = 'A', AT('b') = 'B', AT('c') = 'C', AT('d') = 'D', AT('e') = 'E',
    AT('f') = 'F', AT('g') = 'G', AT('h') = 'H', AT('i') = 'I', AT('j') = 'J',
    AT('k') = 'K', AT('l') = 'L', AT('m') = 'M', AT('n') = 'N', AT('o') = 'O',
    AT('p') = 'P', AT('q') = 'Q', AT('r') = 'R', AT('s') = 'S', AT('t') = 'T',
    AT('u') = 'U', AT('v') = 'V', AT('w') = 'W', AT('x') = 'X', AT('y') = 'Y',
    AT('z') = 'Z',
};

const unsigned char ctype_fold_down[256] = {
    AT('A') = 'a', AT('B') = 'b', AT('C') = 'c', AT('D') = 'd', AT('E') = 'e',
    AT('F') = 'f', AT('G') = 'g', AT('H') = 'h', AT('I') = 'i', AT('J') = 'j',
    AT('K') = 'k', AT('L') = 'l', AT('M') = 'm', AT('N') = 'n', AT('O') = 'o',
    AT('P') = 'p', AT('Q') = 'q', AT('R') = 'r', AT('S') = 's', AT('T') = 't',
    AT('U') = 'u', AT('V') = 'v', AT('W') = 'w', AT('X') = 'x', AT('Y') = 'y',
    AT('Z') = 'z',
};

int hex_value(int c)
{
    static const char letters[] = "ABCDEF";
    if (is_digit(c))
        return (c & 0xff) - '0'; /* digits are contiguous in both character sets */
    for (int i = 0; i < 6; i++)
        if (to_upper(c) == (unsigned char)letters[i])
            return 10 + i;
    return -1;
}
