/* SPDX-License-Identifier: MIT */
/* Turns between the world and an emulator. Both are mostly on one processor, so who has given his
 * turn away sleeps at once. */
#define _GNU_SOURCE
#include "engine.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Waits until it is whose TURN; 0 if it is not within SECONDS, or a signal came. */
int channel_waits(struct channel *c, uint32_t turn, double seconds)
{
    struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    uint32_t *word = &c->turn, other = !turn;

    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != turn)
        if (syscall(SYS_futex, word, FUTEX_WAIT, other, &most, NULL, 0) < 0
            && (errno == ETIMEDOUT || errno == EINTR))
            return __atomic_load_n(word, __ATOMIC_ACQUIRE) == turn;
    return 1;
}

/* The storage in the file MEMORY, whose first turn is the emulator's; NULL if there is none. */
struct channel *channel_map(int memory)
{
    struct channel *c;

    if (ftruncate(memory, sizeof(*c)) < 0)
        return NULL;
    c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->turn = EMULATORS_TURN;
    return c;
}

void channel_unmap(struct channel *c)
{
    munmap(c, sizeof(*c));
}

void channel_give(struct channel *c, uint32_t turn)
{
    __atomic_store_n(&c->turn, turn, __ATOMIC_RELEASE);
    syscall(SYS_futex, &c->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#define WHOLE_S 5.0                    /* an emulator takes in what it is told so soon */

static void put(struct channel *c, const void *data, uint32_t length)
{
    memcpy(c->in + c->in_length, data, length);
    c->in_length += length;
}

/* Something will happen there at TIME; it goes with the next turn. What does not fit goes in a turn
 * of its own. */
void node_tell(struct node *n, int kind, uint64_t time, const void *head, uint32_t head_length,
               const void *content, uint32_t length)
{
    struct channel *c = n->channel;
    uint32_t rest = 8 + head_length + length;
    uint64_t at = time == NEVER ? NEVER : time - n->began;
    uint8_t letter = (uint8_t)kind;

    if (n->ended || n->stopped)
        return;
    if (c->in_length + MESSAGE_HEAD + head_length + length > CHANNEL_ROOM) {
        channel_give(c, EMULATORS_TURN);
        if (!channel_waits(c, WORLDS_TURN, WHOLE_S))
            return;                    /* it is found out when it should ask */
        c->in_length = 0;
    }
    put(c, &letter, 1);
    put(c, &rest, 4);
    put(c, &at, 8);
    if (head_length)
        put(c, head, head_length);
    if (length)
        put(c, content, length);
    if (kind == KIND_GRANT || kind == KIND_FORK)
        return;
    n->world->late |= time < n->granted;
    if (time < n->next)
        n->next = time;
}

/* Another emulator is to go on from where this one waits for time. */
void node_fork(struct node *n)
{
    node_tell(n, KIND_FORK, 0, NULL, 0, NULL, 0);
    channel_give(n->channel, EMULATORS_TURN);
}

/* The process of that emulator, which has the channel C, or 0 if there is none within SECONDS. */
int64_t node_forked(struct node *n, struct channel *c, double seconds)
{
    uint32_t pid;

    if (!channel_waits(n->channel, WORLDS_TURN, seconds))
        return 0;
    n->channel->in_length = 0;
    if (!channel_waits(c, WORLDS_TURN, seconds) || c->out[0] != KIND_FORKED)
        return 0;
    memcpy(&pid, c->out + MESSAGE_HEAD, sizeof(pid));
    c->out_length = 0;
    return pid;
}
