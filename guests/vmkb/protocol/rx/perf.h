/* SPDX-License-Identifier: MIT */
/* What RXPERF asks and RXPERFD does (docs/reference/rx.md). A request begins with two words, the
 * operation and a number of bytes. The bytes are those of one long pattern from its beginning, and
 * whoever gets them compares each: what is lost, doubled, exchanged or changed ends the call. Pure,
 * as the core. */
#ifndef VMKB_PERF_H
#define VMKB_PERF_H
#include "rx_core.h"

#define PERF_SERVICE 147
#define PERF_PORT    7009
#define PERF_CALLS   64          /* that are served at one time */
#define PERF_EBUSY   (-3)        /* there are more */
#define PERF_EBYTES  (-5)        /* not the pattern's */

enum {
    PERF_NULL = 0,   /* -> nothing */
    PERF_WRITE = 1,  /* that many bytes follow -> their number */
    PERF_READ = 2    /* -> that many bytes */
};

struct perf_serving {
    struct rx_call *call;        /* 0: free */
    uint32_t operation, head_len;
    uint32_t left, at;           /* bytes of the stream to come or to send, and those before them */
    uint8_t head[8];
};

struct perf_server {
    struct rx *rx;
    uint64_t calls[3];           /* that ended well, by operation */
    uint64_t bytes_in, bytes_out, failed;
    struct perf_serving serving[PERF_CALLS];
};

/* The server's part of rx_ops. */
void perf_server_event(struct perf_server *s, struct rx_call *call, enum rx_event what);
void perf_server_data(struct perf_server *s, struct rx_call *call, const uint8_t *bytes,
                      uint32_t len);

/* True: these bytes belong at place `at` of the stream. */
bool perf_right(const uint8_t *bytes, uint32_t at, uint32_t len);
/* Writes what rx takes of the stream from *at on, *left bytes at most. True: all of it was
 * taken. */
bool perf_send(struct rx *rx, struct rx_call *call, uint32_t *at, uint32_t *left);
#endif
