/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: 3270 terminals, which are real ones. How many bytes each was sent goes to the
 * clock; the console thread works only while the CPU thread waits for it.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"

#define SOCKETS 1024
#define LOOK_S  20                     /* how long the host may take to bring a key */
#define NOBODY  0xFFFF

static U64 sent[SOCKETS], taken[SOCKETS];
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int its_turn, turn_seen;
static U16 turn_device;

DEVBLK *vt_device(U16 devnum)
{
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (dev->allocated && dev->devnum == devnum)
            return dev;
    return NULL;
}

int vt_terminal_free(DEVBLK *dev)
{
    return !dev->busy && !IOPENDING(dev) && !(dev->scsw.flag3 & SCSW3_SC_PEND)
           && !dev->startpending;
}

static int connected(const DEVBLK *dev)
{
    return dev->allocated && dev->console && dev->connected;
}

void virtual_accepted(int socket)
{
    int one = 1;

    if (socket < 0 || socket >= SOCKETS)
        vt_fail("too many sockets");
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    virtual_received(socket, 0);
    sent[socket] = taken[socket] = 0;
}

/* The terminal's kernel sends nothing more until it has an acknowledgement: at once, then. */
void virtual_received(int socket, int length)
{
    int one = 1;

    if (socket >= 0 && socket < SOCKETS && length > 0)
        taken[socket] += (U64)length;
    setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

void virtual_sent(int socket, U32 length)
{
    if (socket < 0 || socket >= SOCKETS)
        return;
    sent[socket] += length;
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (connected(dev) && dev->fd == socket) { /* else it is still being asked what it is */
            vt_say(FROM_SENT, &dev->devnum, 2, &sent[socket], 8);
            vt_matters();
            return;
        }
}

void virtual_console_turn(int seen, U16 devnum)
{
    if (!virtual_on)
        return;
    pthread_mutex_lock(&turn_lock);
    if (seen) {
        turn_seen = seen;
        turn_device = devnum;
        its_turn = 0;
        pthread_cond_broadcast(&turn_changed);
    }
    while (!its_turn)
        pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);
}

/* Whoever waited here was a thread of the other emulator's, and so is what woke it. */
void vt_terminals_again(void)
{
    int wakes[2];

    if (pipe(wakes) < 0)
        vt_fail("no pipe");
    dup2(wakes[0], sysblk.cnslrpipe);
    dup2(wakes[1], sysblk.cnslwpipe);
    close(wakes[0]);
    close(wakes[1]);
    sysblk.cnslpipe_flag = 0;
    pthread_mutex_init(&turn_lock, NULL);
    pthread_cond_init(&turn_changed, NULL);
    its_turn = 0;
    if (virtual_console_again)
        virtual_console_again();
}

void vt_look(void)
{
    struct timespec until;
    U64 bytes[] = {0, 0};              /* sent to it, taken from it */
    U16 devnum;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_S;
    pthread_mutex_lock(&turn_lock);
    turn_seen = 0;
    turn_device = 0;
    its_turn = 1;
    pthread_cond_broadcast(&turn_changed);
    while (its_turn)
        if (pthread_cond_timedwait(&turn_changed, &turn_lock, &until) == ETIMEDOUT)
            break;
    devnum = turn_seen ? turn_device : NOBODY;
    pthread_mutex_unlock(&turn_lock);
    for (DEVBLK *dev = sysblk.firstdev; dev; dev = dev->nextdev)
        if (connected(dev) && dev->devnum == devnum && dev->fd >= 0 && dev->fd < SOCKETS)
        {
            bytes[0] = sent[dev->fd];
            bytes[1] = taken[dev->fd];
        }
    vt_say(FROM_SEEN, &devnum, 2, bytes, sizeof(bytes));
}
