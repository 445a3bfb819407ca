# SPDX-License-Identifier: MIT
"""What an early version of lwIP lacks of that which our port takes from it
(service/tcpip/port/older.h)."""

from __future__ import annotations

import re

from vmkb.guests.release.kinds import Files

LATER = ("LWIP_HOOK_TCP_INPACKET_PCB", "SYS_TIMEOUTS_SLEEPTIME_INFINITE", "TCPH_HDRLEN_BYTES",
         "TF_RTO", "tcp_listen_with_backlog_and_err")  # fmt: skip
"""What headers of later versions have."""
_IP, _HOOKS = "core/ipv4/ip4.c", b"LWIP_HOOK_FILENAME"


def lacks(files: Files) -> str:
    """Return a header that defines LACKS_NAME for each NAME that no header of the lwIP FILES
    has."""
    headers = b"\n".join(text for name, text in files.items() if name.startswith("include/"))
    known = set(re.findall(rb"\w+", headers))
    names = [name for name in LATER if name.encode() not in known]
    if _HOOKS not in files.get(_IP, b""):
        names.append("HOOKS_OF_IP")
    return "".join(f"#define LACKS_{name}\n" for name in names)
