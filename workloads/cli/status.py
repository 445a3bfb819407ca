# SPDX-License-Identifier: MIT
"""vmkb status: which guests run, how to reach them, and what their machines have used."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from functools import partial

import click
import psutil

from vmkb.guests.passwords import passwords_in
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import RUNS, find_guest
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.network import HOST_PORT, Plan, greets, noted
from vmkb.hercules.tn3270.terminals import shows
from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.held import join_lan
from vmkb.workloads.cli._machines import machine_lines
from vmkb.workloads.cli._reach import (
    end_lines,
    exposed_lines,
    lan_lines,
    line,
    network_lines,
    password_lines,
    terminal_lines,
)
from vmkb.workloads.command.output import say

ANSWERS_WITHIN = 3.0


@click.command()
def command() -> None:
    """Show the guests that vmkb boot has started, how to reach them, and their machines' CPU."""
    found = False
    for folder in sorted(RUNS.glob("*/")):
        machine = Hercules.attach(folder)
        if machine is None:
            continue
        if found:
            say()
        found = True
        _show(find_guest(folder.name), machine)
    if not found:
        say("No guest is running; vmkb boot starts one.")


def _show(guest: Guest, machine: Hercules) -> None:
    up = time.time() - psutil.Process(machine.pid).create_time()
    try:
        cpu = f"{machine.cpu_seconds():.2f} s (HT)"
    except EmulatorError:
        cpu = "not known"
    say(f"{guest.title}: up {up:.0f} s, pid {machine.pid}, CPU thread {cpu}")
    _echo(terminal_lines(guest, machine))
    _echo(exposed_lines(machine))
    if guest.session.logo:
        _tried(lambda: shows(machine.terminal_port, guest.session.logo, ANSWERS_WITHIN))
    reach = noted(machine.run_dir)
    _show_network(guest, machine, reach.plan)
    _echo([*password_lines(machine.run_dir), *end_lines(guest, machine.run_dir, reach.capture)])
    if guest.users is not None:
        try:
            _echo(f"  {row}" for row in machine_lines(guest.users, machine))
        except EmulatorError as error:
            _echo([line("", f"machines not known: {error}")])


def _show_network(guest: Guest, machine: Hercules, plan: Plan | None) -> None:
    ports = {}
    with (
        contextlib.suppress(WireError),
        contextlib.closing(join_lan(guest.name, machine.run_dir)) as wire,
    ):
        ports = wire.ports()
    _echo(lan_lines(guest, bool(ports)))
    _echo(network_lines(guest, plan, passwords_in(guest, machine.run_dir)))
    if plan is None or guest.network is None:
        return
    if not ports.get(HOST_PORT, {}).get("connected"):
        _echo([line("", f"NOT REACHED: {plan.by} is not on the guest's LAN")])
        return
    for service in guest.network.services:
        port = plan.port(service.port)
        _tried(partial(greets, plan.address, port, service.name, ANSWERS_WITHIN))


def _tried(ask: Callable[[], object]) -> None:
    """Says so when something that should answer does not."""
    try:
        ask()
    except EmulatorError as error:
        _echo([line("", f"NOT REACHED: {error}")])


def _echo(lines: Iterable[str]) -> None:
    for each in lines:
        say(each)
