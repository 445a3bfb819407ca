/* SPDX-License-Identifier: QPL-1.0 */
/* Virtual time: a second emulator that goes on from where this one is. The clock asks for it while
 * the CPU waits for time, so nothing else is under way. Storage, registers and devices are those of
 * fork(); what this emulator writes to files the other one has copies of, under the same names; the
 * terminals' thread begins anew, and nobody is at a terminal.
 *
 * Derived from Hercules 3.13 as count.patch is, under the same licence, the Q Public License
 * version 1.0. */
#include "hstdinc.h"
#include "hercules.h"
#include "opcode.h"
#include "virtual.h"
#include "virtual_parts.h"
#include <dirent.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#define FILES 256
#define GONE  " (deleted)"              /* behind a name in /proc, when another file has it now */

void (*virtual_console_again)(void);

static void copy_part(int from, int to, off_t at, off_t end)
{
    if (lseek(to, at, SEEK_SET) < 0)
        vt_fail("a copy of a file cannot be made");
    while (at < end) {
        ssize_t n = sendfile(to, from, &at, (size_t)(end - at));
        if (n <= 0)
            vt_fail("a copy of a file cannot be written: is the disk full?");
    }
}

/* Holes stay holes. */
static void copy_file(int from, int to)
{
    struct stat is;
    off_t at = 0, end;

    if (fstat(from, &is) < 0 || ftruncate(to, is.st_size) < 0)
        vt_fail("a copy of a file cannot be made");
    while (at < is.st_size && (at = lseek(from, at, SEEK_DATA)) >= 0) {
        end = lseek(from, at, SEEK_HOLE);
        copy_part(from, to, at, end < 0 ? is.st_size : end);
        at = end;
    }
}

static struct {
    int fd;
    ino_t was;
} owned[FILES];
static int owned_count;

/* The file in FOLDER that FD writes to, in a file of its own that has its name now. Descriptors of
 * one file are the same one. */
static void own_file(int fd, const char *folder)
{
    char link[64], name[PATH_MAX];
    off_t at = lseek(fd, 0, SEEK_CUR);
    int from, to, flags = fcntl(fd, F_GETFL);
    struct stat is;
    ssize_t length;

    if (fstat(fd, &is) < 0 || !S_ISREG(is.st_mode) || (flags & O_ACCMODE) == O_RDONLY)
        return;
    for (int i = 0; i < owned_count; i++)
        if (owned[i].was == is.st_ino) {
            dup2(owned[i].fd, fd);
            return;
        }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, name, sizeof(name) - 1);
    if (length < 0)
        vt_fail("a file that is written to cannot be found");
    name[length] = 0;
    if (strncmp(name, folder, strlen(folder)) != 0)
        return;
    from = open(link, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        vt_fail("a file that is written to cannot be read");
    if (!is.st_nlink && length > (ssize_t)strlen(GONE))
        name[length - strlen(GONE)] = 0;
    unlink(name);
    to = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | (flags & O_APPEND), is.st_mode & 0777);
    if (to < 0)
        vt_fail("a copy of a file cannot be made");
    copy_file(from, to);
    lseek(to, at, SEEK_SET);
    dup2(to, fd);
    close(to);
    close(from);
    owned[owned_count].fd = fd;
    owned[owned_count++].was = is.st_ino;
}

static void own_files(void)
{
    int fds[FILES], count = 0;
    char folder[PATH_MAX];
    DIR *open_files = opendir("/proc/self/fd");

    if (!open_files || !getcwd(folder, sizeof(folder)))
        vt_fail("there is no /proc, or no folder");
    for (struct dirent *d; (d = readdir(open_files)) && count < FILES;)
        if (isdigit((unsigned char)d->d_name[0]) && atoi(d->d_name) != dirfd(open_files))
            fds[count++] = atoi(d->d_name);
    closedir(open_files);
    while (count)
        own_file(fds[--count], folder);
}

/* fork() twice: the other one is nobody's here, so whoever drives it waits for it and has its CPU
 * time among his children's. */
static pid_t other_one(void)
{
    pid_t between = fork();

    if (between > 0)
        waitpid(between, NULL, 0);
    else if (between == 0 && fork() != 0)
        _exit(0);
    return between;
}

void vt_fork(void)
{
    enum { SOCKET, MEMORY, BOTH };
    int of_clock[BOTH];
    char nothing;
    U32 pid;

    vt_receive(&nothing, 1, of_clock, BOTH);
    if (other_one() != 0) {
        close(of_clock[SOCKET]);       /* where nothing is said if there is no other one */
        close(of_clock[MEMORY]);
        return;
    }
    pid = (U32)getpid();
    own_files();
    vt_join(of_clock[SOCKET], of_clock[MEMORY]);
    vt_terminals_again();
    vt_say(FROM_FORKED, &pid, sizeof(pid), NULL, 0);
}
