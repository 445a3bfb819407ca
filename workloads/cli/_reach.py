# SPDX-License-Identifier: MIT
"""How people reach a guest that runs, as vmkb boot prints it and vmkb status prints it again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmkb.guests.passwords import PASSWORDS
from vmkb.hercules.emulator.config import LOOPBACK
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.network import Plan

WIDTH = 9


class _Words(dict[str, Any]):
    """The values of the names in a command line; an unknown userid stands for itself."""

    def __missing__(self, name: str) -> str:
        return name


def line(what: str, text: str) -> str:
    """One line: what it is about, and that."""
    return f"  {what:<{WIDTH}}  {text}".rstrip()


def terminal_lines(guest: Guest, machine: Hercules) -> list[str]:
    """The 3270 displays, if it has some, and the command for those with sessions."""
    if not guest.machine.terminals:
        return []
    if not guest.session.logo:
        return [line("3270", f"c3270 {LOOPBACK}:{machine.terminal_port}")]
    console = "vmkb console" if guest.name == "vmkb" else f"vmkb console --guest {guest.name}"
    return [line("3270", f"c3270 {LOOPBACK}:{machine.terminal_port}, or {console}")]


def exposed_lines(machine: Hercules) -> list[str]:
    """That the emulator's own ports are not shut off, and why; nothing where they are."""
    if not machine.exposed:
        return []
    return [
        line("", "(other users can reach the emulator's own ports: there is no network namespace"),
        line("", f"for it: {machine.exposed})"),
    ]


def lan_lines(guest: Guest, on_lan: bool) -> list[str]:
    """The ports of the guest's LAN that it can hear."""
    if not on_lan or (guest.network is not None and guest.network.link != "lan"):
        return []
    return [line("LAT", "vmkb lat, a terminal at 9600 baud on the guest's LAN")]


def network_lines(guest: Guest, plan: Plan | None, passwords: Mapping[str, str]) -> list[str]:
    """The servers: command lines that work as they stand. PASSWORDS: by userid."""
    if guest.network is None:
        return []
    if plan is None:
        return [line("network", "none")]
    lines = []
    for service in guest.network.services:
        port = plan.port(service.port)
        for i, use in enumerate(service.use):
            text = use.format_map(_Words(passwords, host=plan.address, port=port))
            lines.append(line("" if i else service.name, text))
    named = {service.port for service in guest.network.services}
    for each in plan.published:
        if each.guest not in named:
            lines.append(line("TCP", f"{plan.address}:{each.host} is port {each.guest}"))
    return lines


def password_lines(folder: Path) -> list[str]:
    """Where the passwords are, if they are not those that everybody knows."""
    path = folder / PASSWORDS
    return [line("passwords", f"each userid's and minidisk's own: {path}")] if path.exists() else []


def end_lines(guest: Guest, folder: Path, capture: str | None) -> list[str]:
    """The files, and how to end it."""
    stop = "vmkb stop" if guest.name == "vmkb" else f"vmkb stop {guest.name}"
    captured = [] if capture is None else [line("capture", capture)]
    return [*captured, line("log", str(folder / "log")), line("end it", stop)]
