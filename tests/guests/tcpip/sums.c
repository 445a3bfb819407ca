/* SPDX-License-Identifier: MIT */
/* The port's checksums: `packet FROM TO PROTO HEX...` answers that of a TCP or UDP packet in as
 * many pieces, `plain HEX` that of bytes, `chain HEX...` that of pieces alone; all as numbers. */
#include <stdio.h>
#include <stdlib.h>
#include "lwip/inet_chksum.h"
#include "lwip/pbuf.h"
#include "tcpip.h"

#define PIECES 16

static struct pbuf pieces[PIECES];

/* Each piece in storage of its own, so that a byte read behind it is found. */
static struct pbuf *read_pieces(char *words)
{
    unsigned n = 0;
    uint16_t rest = 0;

    for (char *hex = strtok(words, " \n"); hex && n < PIECES; hex = strtok(NULL, " \n")) {
        unsigned len = *hex == '-' ? 0 : (unsigned)strlen(hex) / 2;
        uint8_t *bytes = malloc(len ? len : 1);
        for (unsigned i = 0; i < len; i++) {
            unsigned byte;
            sscanf(hex + 2 * i, "%2x", &byte);
            bytes[i] = (uint8_t)byte;
        }
        pieces[n++] = (struct pbuf){.payload = bytes, .len = (uint16_t)len};
    }
    for (unsigned i = n; i-- > 0;) {
        rest = (uint16_t)(rest + pieces[i].len);
        pieces[i].tot_len = rest;
        pieces[i].next = i + 1 < n ? &pieces[i + 1] : NULL;
    }
    return pieces;
}

static void drop(struct pbuf *p)
{
    for (; p; p = p->next)
        free(p->payload);
}

int main(void)
{
    static char line[400000];
    int at;

    while (fgets(line, sizeof(line), stdin)) {
        unsigned from, to, proto, sum;
        struct pbuf *p;
        if (sscanf(line, "packet %u %u %u%n", &from, &to, &proto, &at) == 3) {
            ip4_addr_t a = {from}, b = {to};
            p = read_pieces(line + at);
            sum = ip_chksum_pseudo(p, (u8_t)proto, p->tot_len, &a, &b);
        } else if (strncmp(line, "chain", 5) == 0) {
            p = read_pieces(line + 5);
            sum = inet_chksum_pbuf(p);
        } else {
            p = read_pieces(line + 5);
            sum = inet_chksum(p->payload, p->len);
        }
        printf("%u\n", sum);
        fflush(stdout);
        drop(p);
    }
    return 0;
}
