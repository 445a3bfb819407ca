/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: the way to the world's clock (hercules/clock): storage that both have, in which
 * each has its turn, and a socket, which tells whether the other one is there and brings what
 * storage cannot. docs/reference/clock.md has the messages. An emulator whose clock is gone ends,
 * whatever its CPU does.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"
#include "channel.h"
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The environment names file descriptors: of the clock's socket, and of the log. */
#define SOCKET_VARIABLE "VMKB_CLOCK"
#define LOG_VARIABLE    "VMKB_LOG"

static int fd, log_fd = STDOUT_FILENO;
static struct channel *channel;
static U32 in_at;

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

void vt_receive(void *data, size_t length, int *with, int count)
{
    char control[CMSG_SPACE(4 * sizeof(int))];
    struct iovec into = {data, length};
    struct msghdr head = {.msg_iov = &into, .msg_iovlen = 1,
                          .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *came;
    ssize_t n;

    do
        n = recvmsg(fd, &head, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        _exit(0);                      /* the world is gone */
    came = CMSG_FIRSTHDR(&head);
    if ((size_t)n != length || !came || came->cmsg_len != CMSG_LEN(count * sizeof(int)))
        vt_fail("the other end speaks another protocol");
    memcpy(with, CMSG_DATA(came), count * sizeof(int));
}

void vt_share(int memory)
{
    if (channel)
        munmap(channel, sizeof(*channel));
    channel = mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (channel == MAP_FAILED)
        vt_fail("storage cannot be shared");
    close(memory);
    in_at = 0;
}

void vt_join(int socket, int memory)
{
    dup2(socket, fd);
    close(socket);
    vt_share(memory);
    watch_clock();
}

void vt_give(void)
{
    __atomic_store_n(&channel->turn, WORLDS_TURN, __ATOMIC_RELEASE);
    syscall(SYS_futex, &channel->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The clock's turn, until it is this emulator's again. */
static void take_turns(void)
{
    vt_give();
    while (__atomic_load_n(&channel->turn, __ATOMIC_ACQUIRE) != EMULATORS_TURN)
        syscall(SYS_futex, &channel->turn, FUTEX_WAIT, WORLDS_TURN, NULL, NULL, 0);
    in_at = 0;
}

static void put(const void *data, U32 length)
{
    memcpy(channel->out + channel->out_length, data, length);
    channel->out_length += length;
}

void vt_say(char kind, const void *head, U32 head_length, const void *data, U32 length)
{
    U64 now = vt_now();
    U32 all = sizeof(now) + head_length + length;

    if (channel->out_length + 5 + all > CHANNEL_ROOM)
        take_turns();                  /* it has its time still: it is at once this one's again */
    put(&kind, 1);
    put(&all, 4);
    put(&now, 8);
    put(head, head_length);
    put(data, length);
}

struct message *vt_hear(void)
{
    static struct message message;
    const BYTE *at;

    if (in_at == channel->in_length)
        take_turns();
    if (in_at == channel->in_length)
        return NULL;
    at = channel->in + in_at;
    message.kind = at[0];
    memcpy(&message.length, at + 1, 4);
    if (message.length < 8 || message.length > MESSAGE_MAX)
        vt_fail("a message is too long");
    memcpy(&message.when, at + 5, 8);
    in_at += 5 + message.length;
    message.length -= 8;
    memcpy(message.content, at + MESSAGE_HEAD, message.length);
    message.content[message.length] = 0;
    memcpy(&message.devnum, message.content, 2);
    return &message;
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
