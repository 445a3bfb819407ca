# SPDX-License-Identifier: MIT
"""The seam between TCPIP and its stack (service/tcpip/stack.h): no name of a stack stands outside
of its port, and each port has all that the seam asks of one."""

from __future__ import annotations

import re

import pytest

from tests.guests.harness import VMKB

TCPIP = VMKB / "service" / "tcpip"
PORTS = ("port", "freertos", "smoltcp")
#: What includes, types and functions of lwIP and of FreeRTOS-Plus-TCP are called.
THEIRS = re.compile(
    r'[<"](?:lwip|netif|FreeRTOS)|\bstruct (?:pbuf|netif|tcp_pcb|udp_pcb)\b'
    r"|\b(?:err|u8|u16|u32)_t\b"
    r"|\b(?:pbuf|tcp|udp|memp|sys|netif|lwip)_(?!of\b|summed)\w+\(|\bFreeRTOS_\w+\("
)
DECLARED = re.compile(r"^(?:static inline )?[\w* ]+?\b(stack_\w+)\(", re.M)


def asked() -> set[str]:
    """Functions that a port must have."""
    text = (TCPIP / "stack.h").read_text("utf-8")
    return set(DECLARED.findall(text.partition("what TCPIP does for a port")[0]))


def test_no_stack_has_a_name_outside_of_its_port() -> None:
    ours = {"udp_call", "udp_settle", "udp_let_go", "udp_path_gone", "udp_netstat", "udp_count"}
    found = [
        f"{path.name}: {word.group(0)}"
        for path in sorted(TCPIP.glob("*.[ch]"))
        for word in THEIRS.finditer(path.read_text("utf-8"))
        if word.group(0).rstrip("(") not in ours
    ]
    assert found == []


@pytest.mark.parametrize("port", PORTS)
def test_a_port_has_all_functions_of_the_seam(port: str) -> None:
    assert len(asked()) > 40
    text = "\n".join(path.read_text("utf-8") for path in (TCPIP / port).glob("*.[ch]"))
    has = set(re.findall(r"^(?:static inline )?[\w* ]+?\b(stack_\w+)\([^;{]*\)\s*\{", text, re.M))
    rust = "\n".join(path.read_text("utf-8") for path in (TCPIP / port).glob("*.rs"))
    has |= set(re.findall(r'^(?:unsafe )?extern "C" fn (stack_\w+)\(', rust, re.M))
    assert asked() - has == set()
