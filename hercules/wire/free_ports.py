# SPDX-License-Identifier: MIT
"""Free TCP ports for the CTCE devices of guests: even numbers with the odd one above also free."""

from __future__ import annotations

import random
import socket
from collections.abc import Container

# Below the range from which Linux gives out ports by itself (32768 on), so that no outgoing
# connection of somebody else takes one between now and the start of Hercules.
FIRST, LAST = 20000, 32000


def _is_free(number: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(("127.0.0.1", number))
            sock.listen(1)
        except OSError:
            return False
    return True


def free_even_ports(count: int, taken: Container[int]) -> list[int]:
    """`count` even ports, free together with the next odd one, none of them in `taken`.

    OSError if there are not so many. The search starts at a random place: two wires rarely meet."""
    found: list[int] = []
    size = (LAST - FIRST) // 2
    start = random.randrange(size)
    for step in range(size):
        number = FIRST + 2 * ((start + step) % size)
        if number not in taken and _is_free(number) and _is_free(number + 1):
            found.append(number)
            if len(found) == count:
                return found
    raise OSError(f"fewer than {count} free pairs of TCP ports between {FIRST} and {LAST}")
