# SPDX-License-Identifier: MIT
"""From a guest's description to a running machine: its files, its start, when it is up."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.deadline import EmulatorError, Timeout, wait_until
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import RETYPE, Hercules, read_state
from vmkb.hercules.emulator.shadow import check_shadow
from vmkb.hercules.emulator.sparse import copy_sparse
from vmkb.hercules.guest import NAME, PROJECT, Guest, guest_names, load_folder, load_guest
from vmkb.hercules.room import Room
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminals import HeldFront

RUNS = PROJECT / ".run"
"""Where `vmkb boot` keeps what a running guest writes; one folder for each guest."""


LOCK = "lock"
ENDS_WITHIN = 5.0
"""Seconds that what serves a guest has to end behind it."""


def run_dir(guest: str) -> Path:
    """The folder of the guest that `vmkb boot` starts."""
    return RUNS / guest


def find_guest(word: str) -> Guest:
    """The guest that WORD says: the name of one of the project's, a folder (`./my-vm`), or the name
    of one from a folder that vmkb boot has started. EmulatorError when there is none."""
    if "/" in word or word in (".", ".."):
        return load_folder(Path(word).expanduser())
    if word not in guest_names():
        state = read_state(run_dir(word)) if re.fullmatch(NAME, word) else None
        if state is not None and "folder" in state:
            return load_folder(Path(state["folder"]))
    return load_guest(word)


def place_files(guest: Guest, folder: Path, keep: bool) -> tuple[str, ...]:
    """Copy what the machine writes on (its volumes) into the run folder, and link what it reads.

    With `keep` a copy that is there already stays, unless the build has a newer original: then
    the old one is kept beside it with `.before` at its end. Returns the names of such files.
    EmulatorError when a disk has changed below its shadow file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    replaced = []
    for name, source in guest.files.items():
        original, copy = guest.path(source), folder / name
        if keep and copy.is_file():
            if copy.stat().st_mtime >= original.stat().st_mtime:
                continue
            copy.replace(copy.with_name(name + ".before"))
            replaced.append(name)
        copy_sparse(original, copy)
    for name, source in guest.read_only.items():
        below = tuple(map(guest.path, guest.shadows.get(name, ())))
        check_shadow(guest.path(source), folder, name, keep, below)
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(guest.path(source).resolve())
    return tuple(replaced)


def private(folder: Path) -> None:
    """Make a folder, or take one, that nobody else can look into: transcripts, and a volume with
    everybody's password."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)


@contextmanager
def claim(guest: Guest, folder: Path) -> Iterator[int]:
    """A file descriptor that makes the run folder this process' own, and theirs that hold it: the
    emulator, and what serves it. EmulatorError when others have it; those of a guest that has just
    ended are waited for."""
    private(folder)
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def ours() -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            check_free(guest, folder)
            return False
        return True

    try:
        try:
            wait_until(ours, ENDS_WITHIN, "the run folder", poll=0.01)
        except Timeout:
            raise EmulatorError(
                f"Guest '{guest.name}' is being started or ended by another command; try again."
            ) from None
        yield lock
    finally:
        os.close(lock)


def check_free(guest: Guest, folder: Path) -> None:
    """Raise EmulatorError when the guest is not built, or is running in that folder already."""
    guest.check_built()
    running = Hercules.attach(folder)
    if running is not None:
        raise EmulatorError(
            f"Guest '{guest.name}' is running already (pid {running.pid}): vmkb status says how to"
            " reach it, vmkb stop ends it."
        )


def boot(
    guest: Guest,
    folder: Path,
    keep: bool = False,
    ctce: Sequence[str] = (),
    parameter: str | None = None,
    holds: Sequence[int] = (),
    emulator: Emulator | None = None,
    front: HeldFront | None = None,
    room: Room | None = None,
    virtual: GuestClock | None = None,
) -> Hercules:
    """Start `guest` in `folder`, IPL it, and wait until its log says that it is up.

    `ctce` are the wire's lines for the machine's CTCE devices (none: it runs alone), `parameter`
    the IPL parameter text, `holds`, `emulator`, `room` and `virtual` what `Hercules.start`
    says; terminals
    connect at `front`, if there is one. A room that was refused is none, and the machine says so.
    Raises EmulatorError when the guest is not built, is running in that folder already, or does
    not start.
    """
    check_free(guest, folder)
    place_files(guest, folder, keep)
    machine = guest.machine.with_ctce(ctce).without_ctce()
    loaded = None
    if parameter is not None:
        loaded = (_parameter_address(guest, parameter), parameter)
    note: dict[str, Any] = {"guest": guest.name, "folder": str(guest.folder)}
    if front is not None:
        note["terminal_port"] = front.port
    if room is not None and room.refused:
        note["exposed"] = room.refused
        room = None
    source = guest.image if guest.ipl.device is None else guest.ipl.device
    running = Hercules.start(machine, folder, source, loaded, note, holds, emulator, room, virtual)
    said = running.dialect.messages
    failed = (guest.ipl.failed, said.ipl_failed, said.disabled_wait)
    running.failed = "|".join(filter(None, failed))
    running.symbols = guest.folder / guest.ipl.symbols if guest.ipl.symbols else None
    if front is not None:
        gone = bytes.fromhex(guest.session.gone)
        front.emulator(running.console_port, gone, room.path if room else None)
    try:
        at = _converse(guest, running)
        if guest.ipl.questions:
            _answer(guest, running, at)
        elif guest.ipl.up is not None:
            running.wait_log(guest.ipl.up, guest.session.up_within, expected="the guest to be up")
        running.failed = guest.ipl.failed or ""
        for line in guest.ipl.after:
            _type(running, line)
    except BaseException:
        running.stop()
        raise
    return running


def _converse(guest: Guest, machine: Hercules) -> int:
    """Answer what the guest asks its operator as it starts; the number of the log's line behind.
    Timeout when it does not ask."""
    at = 0
    for exchange in guest.ipl.dialogue:
        expected = f"the guest to ask /{exchange.expect}/"
        at = machine.wait_shown(exchange.expect, exchange.within, at, expected)
        machine.operator(exchange.answer)
    return at


def _answer(guest: Guest, machine: Hercules, at: int) -> None:
    """Answer each question that is asked before the guest is up. EmulatorError for one that is
    asked more often than there are answers, Timeout when nothing comes."""
    assert guest.ipl.up is not None
    asked = dict.fromkeys(guest.ipl.questions, 0)
    either = "|".join(f"(?:{p})" for p in (guest.ipl.up, *(q.expect for q in asked)))
    while True:
        within, expected = guest.session.up_within, "the guest to be up, or to ask"
        behind = machine.wait_shown(either, within, at, expected)
        line = machine.log.shown(behind - 1)
        question = next((q for q in asked if re.search(q.expect, line)), None)
        if question is None:
            return
        times = asked[question]
        if times == len(question.answers):
            said = ", ".join(question.answers)
            # The emulator's own prompt stands behind a question whose line is not ended.
            words = re.split(machine.dialect.messages.own, line)[0].strip()
            raise EmulatorError(
                f"Guest '{guest.name}' asks again, and has been answered with {said}: {words}"
            )
        _type(machine, question.answers[times])
        asked[question], at = times + 1, behind


def _type(machine: Hercules, text: str) -> None:
    """Type a line on the operator's console, once more when nothing has come behind its echo for
    RETYPE seconds: Hercules 3.13 wakes no READ of a 3215-C that begins as the line comes, and the
    next line takes the place of the one that waits for it."""
    mark = machine.log.mark()
    machine.operator(text)
    try:
        echo = machine.wait_shown(rf"(?:^|\s){re.escape(text)}$", RETYPE, mark, "the line's echo")
    except Timeout:
        return
    try:
        machine.wait_shown(".", RETYPE, echo, "what comes behind it")
    except Timeout:
        machine.operator(text)


def _parameter_address(guest: Guest, parameter: str) -> int:
    address = guest.ipl.parameter_address
    if address is None:
        raise EmulatorError(f"Guest '{guest.name}' takes no IPL parameter.")
    # One byte more: the zero that ends the text.
    if len(parameter) >= guest.ipl.parameter_max or not parameter.isascii():
        raise EmulatorError(
            f"The IPL parameter must be ASCII and shorter than {guest.ipl.parameter_max} "
            f"characters; this one has {len(parameter)}."
        )
    return address


def open_session(guest: Guest, machine: Hercules, device: int | None = None) -> UserSession:
    """A session on 3270 `device` (or any free one), waiting for the guest's logo.

    Raises EmulatorError when the machine has no such terminal.
    """
    if not guest.session.logo:
        raise EmulatorError(
            f"Guest '{guest.name}' has no 3270 sessions (no logo in its guest.toml)."
        )
    if device is not None and device not in guest.machine.terminals:
        known = guest.machine.terminals
        span = f"{known[0]:04X} to {known[-1]:04X}" if known else "none"
        raise EmulatorError(f"There is no terminal {device:04X} on '{guest.name}'; it has {span}.")
    link = machine.virtual.link() if machine.virtual else None
    session = UserSession(guest.session, machine.terminal_port, device, machine.log.tail, link)
    session.terminal.check = machine.check_running
    return session


def shut_down(guest: Guest, machine: Hercules) -> bool:
    """End the guest as its description says, then the emulator; False if it had to be cut off."""
    clean = True
    how = guest.shutdown
    if how is not None and machine.running:
        try:
            done = how.done or machine.dialect.messages.disabled_wait
            machine.operator(how.command, done, how.within)
        except EmulatorError:
            clean = False
    machine.stop()
    return clean
