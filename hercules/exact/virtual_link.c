/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: the socket to the world's clock (hercules/clock). docs/reference/clock.md has the
 * messages. An emulator whose clock is gone ends, whatever its CPU does.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"
#include <poll.h>

/* The environment names file descriptors: of the clock's socket, and of the log. */
#define SOCKET_VARIABLE "VMKB_CLOCK"
#define LOG_VARIABLE    "VMKB_LOG"

static int fd, log_fd = STDOUT_FILENO;
static BYTE *out;
static size_t out_length, out_room;
static BYTE in[1 << 16];
static size_t in_at, in_end;
static int passed = -1;

void vt_fail(const char *why)
{
    fprintf(stderr, "HHCVM002S Virtual time: %s\n", why);
    _exit(1);
}

/* A CPU that is stopped, or works for long, does not look at the socket. */
static void *end_with_clock(void *unused)
{
    struct pollfd clock = {fd, POLLRDHUP, 0};

    UNREFERENCED(unused);
    while (poll(&clock, 1, -1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

static void watch_clock(void)
{
    pthread_t thread;

    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (pthread_create(&thread, NULL, end_with_clock, NULL))
        vt_fail("no thread");
}

int vt_link(void)
{
    const char *number = getenv(SOCKET_VARIABLE);

    if (!number)
        return 0;
    fd = atoi(number);
    if (getenv(LOG_VARIABLE))
        log_fd = atoi(getenv(LOG_VARIABLE)); /* standard output is a pipe to another thread */
    watch_clock();
    return 1;
}

void vt_join(int socket)
{
    dup2(socket, fd);
    close(socket);
    watch_clock();
}

static void put(const void *data, size_t length)
{
    if (out_length + length > out_room) {
        out_room = 2 * (out_length + length) + 4096;
        out = realloc(out, out_room);
        if (!out)
            vt_fail("no storage");
    }
    memcpy(out + out_length, data, length);
    out_length += length;
}

void vt_say(char kind, const void *head, U32 head_length, const void *data, U32 length)
{
    U64 now = vt_now();
    U32 all = sizeof(now) + head_length + length;

    put(&kind, 1);
    put(&all, 4);
    put(&now, 8);
    put(head, head_length);
    put(data, length);
}

void vt_flush(void)
{
    size_t at = 0;

    while (at < out_length) {
        ssize_t n = send(fd, out + at, out_length - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0);                  /* the world is gone */
        at += (size_t)n;
    }
    out_length = 0;
}

/* The next bytes, and a file descriptor if one comes with them. */
static ssize_t receive(void)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec into = {in, sizeof(in)};
    struct msghdr head = {.msg_iov = &into, .msg_iovlen = 1,
                          .msg_control = control, .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
    struct cmsghdr *with = n > 0 ? CMSG_FIRSTHDR(&head) : NULL;

    if (with && with->cmsg_type == SCM_RIGHTS)
        memcpy(&passed, CMSG_DATA(with), sizeof(passed));
    return n;
}

static void get(void *to, size_t length)
{
    BYTE *p = to;

    while (length) {
        if (in_at == in_end) {
            ssize_t n = receive();
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                _exit(0);
            in_at = 0;
            in_end = (size_t)n;
        }
        size_t some = in_end - in_at < length ? in_end - in_at : length;
        memcpy(p, in + in_at, some);
        in_at += some;
        p += some;
        length -= some;
    }
}

struct message *vt_hear(void)
{
    static struct message message;

    get(&message.kind, 1);
    get(&message.length, 4);
    if (message.length < 8 || message.length > MESSAGE_MAX)
        vt_fail("a message is too long");
    get(&message.when, 8);
    message.length -= 8;
    get(message.content, message.length);
    message.content[message.length] = 0;
    memcpy(&message.devnum, message.content, 2);
    return &message;
}

int vt_passed(void)
{
    int it = passed;

    passed = -1;
    return it;
}

void virtual_log(const char *text)
{
    size_t length = strlen(text);

    while (length) {
        ssize_t n = write(log_fd, text, length);
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}
