/* SPDX-License-Identifier: MIT */
/* Sends back what comes to TCP's port 7, as VM/KB's ECHO SERVE does: says "ECHO: ready" when it
 * listens, and goes on behind who started it. */
#include "call.h"

enum {
    EXIT = 1, FORK = 2, READ = 3, WRITE = 4, CLOSE = 6, POLL = 168, SOCKET = 359, BIND = 361,
    LISTEN = 363, ACCEPT4 = 364
};
enum { AF_INET = 2, SOCK_STREAM = 1, POLLIN = 1, PORT = 7, ENDS = 64, BYTES = 16384 };

struct waits {
    int file;
    short for_what, found;
};

static char data[BYTES];

/* What has come on a connection goes back; whether it is still there. */
static int echoes(int file)
{
    long got = call(READ, file, (long)data, sizeof data, 0), sent = 0;

    while (sent < got) {
        long n = call(WRITE, file, (long)data + sent, got - sent, 0);

        if (n <= 0)
            return 0;
        sent += n;
    }
    return got > 0;
}

static void serve(int listener)
{
    struct waits on[ENDS + 1] = {{listener, POLLIN, 0}};
    long ends = 1;

    for (;;) {
        if (call(POLL, (long)on, ends, -1, 0) < 0)
            continue;
        for (long k = ends - 1; k > 0; k--)
            if (on[k].found && !echoes(on[k].file)) {
                call(CLOSE, on[k].file, 0, 0, 0);
                on[k] = on[--ends];
            }
        if (on[0].found && ends <= ENDS) {
            long file = call(ACCEPT4, listener, 0, 0, 0);

            if (file >= 0)
                on[ends++] = (struct waits){(int)file, POLLIN, 0};
        }
    }
}

void _start(void)
{
    static const struct {
        unsigned short family, port;
        unsigned address, rest[2];
    } here = {AF_INET, PORT, 0, {0, 0}};
    static const char ready[] = "ECHO: ready\n";
    long listener = call(SOCKET, AF_INET, SOCK_STREAM, 0, 0);

    if (call(BIND, listener, (long)&here, sizeof here, 0) < 0 ||
        call(LISTEN, listener, ENDS, 0, 0) < 0)
        call(EXIT, 1, 0, 0, 0);
    if (call(FORK, 0, 0, 0, 0) == 0)
        serve((int)listener);
    call(WRITE, 1, (long)ready, sizeof ready - 1, 0);
    call(EXIT, 0, 0, 0, 0);
}
