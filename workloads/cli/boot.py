# SPDX-License-Identifier: MIT
"""vmkb boot: start a guest to play with, and say how to reach it."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from vmkb.guests.base import driver
from vmkb.guests.passwords import give_passwords, passwords_in
from vmkb.hercules.deadline import Deadline, EmulatorError
from vmkb.hercules.emulator.boot import boot, check_free, claim, find_guest, place_files, run_dir
from vmkb.hercules.emulator.choice import Emulator, choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.installed import obtained
from vmkb.hercules.network import Joining, Plan, Publish, Reach, forget, keep, plan_passt, plan_tap
from vmkb.hercules.ports import Ports
from vmkb.hercules.room import Room
from vmkb.hercules.tn3270.terminals import HeldFront, shows
from vmkb.hercules.wire.held import HeldWire, join_lan
from vmkb.hercules.wire.pcapng import opened_privately
from vmkb.workloads.cli._reach import (
    end_lines,
    exposed_lines,
    lan_lines,
    line,
    network_lines,
    password_lines,
    terminal_lines,
)
from vmkb.workloads.command.output import discard_output, say
from vmkb.workloads.command.stopping import STOPPED, stop_in_order


@dataclass(frozen=True)
class _Wishes:
    """The request of the options."""

    keep: bool
    new_passwords: bool
    open_to_all: bool
    parameter: str
    network: bool
    tap: bool
    publish: tuple[Publish, ...]
    capture: Path | None
    emulator: Emulator


def _device(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    if value is not None and not re.fullmatch("[0-9A-Fa-f]{3,4}", value):
        raise click.BadParameter(f"{value!r} is no device number, such as 6A1")
    return None if value is None else int(value, 16)


def _publish(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[Publish, ...]:
    try:
        return tuple(Publish.parse(value) for value in values)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("guest", required=False)
@click.option(
    "--guest", "option", metavar="GUEST", help="The same: a guest's name, or its folder as ./my-vm."
)
@click.option("--parm", metavar="TEXT", help="IPL parameter, such as MODEL=2064-109.")
@click.option("--fresh", is_flag=True, help="Start from the built volumes, not from last time's.")
@click.option(
    "--publish", metavar="HOST:GUEST", multiple=True, callback=_publish,
    help="Let a TCP port of this computer lead to one of the guest's, as in 2121:21.",
)  # fmt: skip
@click.option("--tap", is_flag=True, help="Join the guest by a TAP device (root), not by passt.")
@click.option("--no-network", is_flag=True, help="Do not start the guest's TCP/IP.")
@click.option(
    "--capture", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Write what crosses the guest's LAN to FILE, for Wireshark.",
)  # fmt: skip
@click.option("--disks", metavar="DIR", type=click.Path(exists=True, path_type=Path),
              help="Your own disks, for a guest that has none: their folder, or your Hercules"
              " configuration. The guest writes beside them.")  # fmt: skip
@click.option("--write-disks", is_flag=True, help="Let the guest write on your disks themselves.")
@click.option("--ipl", metavar="CUU", callback=_device, help="Device of --disks to IPL from.")
@click.option("--new-passwords", is_flag=True, help="Give each userid and each minidisk other"
              " passwords, at random, on this guest's copy of its volume: who else can reach it"
              " knows none.")  # fmt: skip
@click.option("--open-to-all", is_flag=True, help="Let other users of this computer connect, too;"
              " think of --new-passwords.")  # fmt: skip
@click.option(
    "--emulator", default="", help="exact, stock, hyperion or the path of a hercules; default:"
    " exact, else stock (vmkb list emulators).",
)  # fmt: skip
def command(
    guest: str | None, option: str | None, parm: str | None, fresh: bool,
    publish: tuple[Publish, ...], tap: bool, no_network: bool, capture: Path | None,
    disks: Path | None, write_disks: bool, ipl: int | None, new_passwords: bool, open_to_all: bool,
    emulator: str,
) -> None:  # fmt: skip
    """Start GUEST (default vmkb), a name or a folder such as ./my-vm; it runs until vmkb stop.

    Its servers are reached through passt, at ports of this computer's loopback address that are
    printed; no root is needed.
    """
    if publish and (tap or no_network):
        raise click.UsageError("--publish is for a network through passt, without --tap.")
    if tap and no_network:
        raise click.UsageError("--tap and --no-network exclude each other.")
    if guest and option:
        raise click.UsageError("--guest and GUEST are the same; give one of them.")
    if (write_disks or ipl is not None) and disks is None:
        raise click.UsageError("--write-disks and --ipl are for --disks DIR.")
    described = find_guest(guest or option or "vmkb")
    if disks is not None:
        hands = driver(described)
        described = hands.with_disks(disks, write_disks, ipl)
        if rest := hands.left_out(disks):
            say(f"vmkb: {rest}", err=True)
    driver(described).build()
    folder = run_dir(described.name)
    wishes = _Wishes(
        not fresh,
        new_passwords,
        open_to_all,
        parm or "",
        not no_network,
        tap,
        publish,
        capture,
        choose(emulator or None),
    )
    stop_in_order()
    try:
        _start(described, folder, wishes)
    except KeyboardInterrupt:
        say(f"vmkb: stopped; guest '{described.name}' was not left running.", err=True)
        sys.exit(STOPPED)


def _start(guest: Guest, folder: Path, wishes: _Wishes) -> None:
    clock = Deadline(0)
    with contextlib.ExitStack() as until_up:
        check_free(guest, folder)  # before a folder is made for one that is not built
        lock = until_up.enter_context(claim(guest, folder))
        check_free(guest, folder)
        forget(folder)
        room = until_up.enter_context(Room((lock,)))  # is made while the volumes are copied
        _check_capture(wishes.capture)
        plan = _plan(guest, wishes, until_up.enter_context(Ports()))
        place_files(guest, folder, wishes.keep)
        give_passwords(guest, folder, wishes.new_passwords)
        front = None
        if guest.machine.terminals:
            front = until_up.enter_context(HeldFront(folder, (lock,), wishes.open_to_all))
        wire = _wire(guest, folder, lock, wishes, room)
        if wire is not None:
            until_up.enter_context(wire)
        joining = None
        if wire is not None and plan is not None and guest.network is not None:
            control = until_up.enter_context(contextlib.closing(join_lan(guest.name, folder)))
            joining = Joining(plan, guest.network, control, wishes.open_to_all)
        parameter = wishes.parameter
        if joining is not None and guest.network is not None and plan is not None:
            parameter = f"{parameter} {plan.parameter(guest.network)}".strip()
        machine = boot(
            guest, folder, True, wire.lines if wire else (), parameter or None,
            (lock, *[each.held for each in (room, front, wire) if each is not None]),
            wishes.emulator, front, room,
        )  # fmt: skip
        try:
            _tell(guest, folder, machine, wire is not None, clock)
            reached = None
            if joining is not None:
                reached = _network(guest, machine, joining, clock)
            capture = None if wishes.capture is None else str(wishes.capture.absolute())
            keep(folder, Reach(reached, capture))
            _say([*password_lines(folder), *end_lines(guest, folder, capture)])
            if front is not None:
                front.keep()
        except BaseException:
            machine.stop()
            forget(folder)
            raise


def _check_capture(path: Path | None) -> None:
    """EmulatorError when a capture file cannot be written."""
    if path is None:
        return
    try:
        opened_privately(path, "ab").close()
    except OSError as error:
        raise EmulatorError(f"The capture cannot be written to {path}: {error.strerror}.") from None


def _plan(guest: Guest, wishes: _Wishes, ports: Ports) -> Plan | None:
    """The PORTS for the guest's network, None if it is to have none."""
    if guest.network is None:
        if wishes.tap or wishes.publish:
            raise EmulatorError(f"Guest '{guest.name}' has no network to join.")
        return None
    if not wishes.network:
        return None
    if wishes.tap:
        return plan_tap(guest.network)
    if shutil.which("passt") is None:
        missing = "The program passt, which joins a guest without root, is not installed"
        if wishes.publish:
            raise EmulatorError(f"{missing}; {obtained('passt')}.")
        say(f"vmkb: {missing}: no network; {obtained('passt')}.", err=True)
        return None
    return plan_passt(guest.network, wishes.publish, ports)


def _wire(guest: Guest, folder: Path, lock: int, wishes: _Wishes, room: Room) -> HeldWire | None:
    """A LAN for the guest, None when there can be none and nobody insists on one."""
    if not any(device.kind == "ctce" for device in guest.machine.devices):
        return None
    try:
        link = guest.network.link if guest.network is not None else "lan"
        wire = HeldWire(folder, (lock,), link, None if room.refused else room.path)
    except EmulatorError as error:
        if wishes.tap or wishes.publish or wishes.capture:
            raise
        say(f"vmkb: no LAN for the guest: {error}", err=True)
        return None
    if wishes.capture is not None:
        with contextlib.closing(join_lan(guest.name, folder)) as control:
            control.start_capture(wishes.capture)
    return wire


def _tell(guest: Guest, folder: Path, machine: Hercules, on_lan: bool, clock: Deadline) -> None:
    """The terminals, as soon as they answer."""
    if guest.session.logo:
        shows(machine.terminal_port, guest.session.logo, guest.session.up_within)
    _say([f"{guest.title} is up after {clock.elapsed:.2f} s (pid {machine.pid})."])
    _say([*terminal_lines(guest, machine), *lan_lines(guest, on_lan), *exposed_lines(machine)])


def _network(guest: Guest, machine: Hercules, joining: Joining, clock: Deadline) -> Plan | None:
    """The servers, once each has answered. When passt or the guest's TCP/IP fails, the guest stays
    up alone, unless somebody has asked for a network of a certain kind."""
    try:
        joining.joined()
        driver(guest).bring_up(machine)
        joining.reached()
    except EmulatorError as error:
        if joining.plan.by == "tap":
            raise
        say(f"vmkb: the guest has no network: {error}", err=True)
        return None
    _say(network_lines(guest, joining.plan, passwords_in(guest, machine.run_dir)))
    _say([line("", f"(the network is up after {clock.elapsed:.2f} s)")])
    return joining.plan


def _say(lines: list[str]) -> None:
    """Print LINES. A reader who has seen enough (head) does not end the guest: vmkb status tells
    the rest."""
    try:
        for each in lines:
            say(each)
    except BrokenPipeError:
        discard_output()
