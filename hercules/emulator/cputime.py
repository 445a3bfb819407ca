# SPDX-License-Identifier: MIT
"""Which kernel thread of a Hercules process is the emulated CPU.

Hercules names its CPU thread in the log by the C library's thread address. That address lies
at the top of the thread's own stack, so the thread whose stack pointer is the nearest below it
is the one. (Nice values do not tell: the CPU, the devices and the main thread all run at 0.)
"""

from __future__ import annotations

from pathlib import Path

from vmkb.hercules.deadline import EmulatorError, wait_until

# Seen on 3.13: stacks are 1 MB apart, and a waiting CPU thread has 56 KB of its stack in use.
NEAR = 512 << 10


def nearest_below(address: int, pointers: dict[int, int]) -> int | None:
    """The key of `pointers` whose value is the nearest below `address` and within NEAR of it."""
    gaps = {key: address - value for key, value in pointers.items() if value < address}
    best = min(gaps, key=gaps.__getitem__, default=None)
    return best if best is not None and gaps[best] <= NEAR else None


def stack_pointers(pid: int) -> dict[int, int]:
    """Stack pointers of the threads of `pid` by thread id; a thread that runs now has none."""
    pointers = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        words = (task / "syscall").read_text().split()
        if words and words[0] != "running":
            pointers[int(task.name)] = int(words[-2], 16)
    return pointers


def emulated_cpu_thread(pid: int, address: int) -> int:
    """The kernel's id of the thread of `pid` that the C library knows by `address`.

    Ask before the guest runs: a busy thread shows no stack pointer. Raises EmulatorError when
    the kernel does not show the process or the thread does not come to rest within a second.
    """
    try:
        return wait_until(
            lambda: nearest_below(address, stack_pointers(pid)),
            1.0,
            f"the CPU thread of pid {pid} to come to rest",
        )
    except OSError as error:
        raise EmulatorError(
            f"The threads of Hercules (pid {pid}) cannot be told apart: {error.strerror}; "
            "host CPU time needs the right to look at the process."
        ) from None


def _scheduled(pid: int, thread: int) -> tuple[int, int]:
    """Nanoseconds in which THREAD had a processor, and in which it waited for one."""
    used, waited, _ = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()
    return int(used), int(waited)


def used_seconds(pid: int, thread: int) -> float:
    """CPU time that the kernel has given to THREAD of PID; it is brought up to date at each tick of
    the kernel: 10 ms apart at most.

    Raises OSError when the thread has ended or the kernel does not count so.
    """
    return _scheduled(pid, thread)[0] / 1e9


def wanted_seconds(pid: int, thread: int) -> float:
    """Seconds in which THREAD of PID had a processor or waited for one: on a busy computer, too,
    they tell a thread that works from one that sleeps. Raises OSError as `used_seconds`."""
    return sum(_scheduled(pid, thread)) / 1e9
