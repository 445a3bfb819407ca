# SPDX-License-Identifier: MIT
"""How Linux in a machine of VM/KB is made and used: as Linux by its console, which is the
operator's by SEND, and counted by CP, which tells the machine's own instructions from its own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from vmkb.guests.base import Ability, Choice, Driver, Running, Wishes, driver
from vmkb.guests.compiled import PLAIN
from vmkb.guests.linux.driver import LinuxDriver
from vmkb.guests.release.sizes import Sizes
from vmkb.guests.vmkb.disk.build import build, now_1900
from vmkb.guests.vmkb.driver import LEVEL
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest

USER, SYSTEM = "LINUX1", "LINUX"
BEHIND, ROUTER = "LINUX2", "TCPIP"
"""Who is on the LAN by a virtual CTC to TCPIP, and TCPIP."""
ROUTER_HOST = 100
"""TCPIP's address is Linux' and so much."""
VOLUME = "linuxkb.fba"
STORAGE_MB = 256
"""Of the machine, as user.direct has it."""
UP_WITHIN = 240.0
ANSWERS_WITHIN = 60.0
_SUFFIX, SLOW, VIRTUAL = "KB", "KBSLOW", "KBVIRT"
_TITLES = {_SUFFIX: "", SLOW: ", slow CCW translation", VIRTUAL: ", virtual CTC to TCPIP"}
_USED = re.compile(r"^(VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)
_SUM = r"^SUM \d+ US"
OWN = "IP=10.17.0.1/24 GW=10.17.0.254 MTU=4000"
"""As guest.toml has the network, for who boots it alone."""


def _last(word: str, words: str) -> str:
    """The value behind WORD= in WORDS, or nothing."""
    return next((w.partition("=")[2] for w in words.split() if w.startswith(f"{word}=")), "")


class LinuxKbDriver(LinuxDriver):
    """Type for Linux through its secondary user."""

    abilities = frozenset({Ability.TCP, Ability.FTP, Ability.COUNT, Ability.SYMBOLS})
    takes_paths = False

    def build(self) -> None:
        """VM/KB with the kernel that guest linux boots when none is named."""
        linux = driver(load_guest("linux"))
        assert isinstance(linux, LinuxDriver)
        made = self._under(linux.usual(1)[0])
        self.guest.image.write_text(made.guest.image.read_text("utf-8"), "utf-8")

    def choices(self, wanted: Sequence[str], builds: int = PLAIN) -> Sequence[Choice]:
        """Kernels as guest linux names them, or with KB, KBSLOW or KBVIRT behind that: in KBSLOW CP
        translates each channel program anew, in KBVIRT TCPIP is between it and the LAN."""
        mine = [n for n in wanted if n.endswith(tuple(_TITLES))] or wanted
        parts = [next((n.removesuffix(e), e) for e in (VIRTUAL, SLOW, _SUFFIX, "")
                      if n.endswith(e)) for n in mine]  # fmt: skip
        kernels = driver(load_guest("linux")).choices(list(dict.fromkeys(n for n, _ in parts)))
        modes = {end or _SUFFIX for _, end in parts} or {_SUFFIX}
        return [self._under(choice, mode) for choice in kernels for mode in sorted(modes)]

    def _under(self, linux: Choice, mode: str = _SUFFIX) -> Choice:
        kb = load_guest("vmkb")
        kb.check_built()
        made = self.guest.folder / "build"
        hosted = hosting(kb, {SYSTEM: linux.guest}, made / linux.name, STORAGE_MB)
        image = self.guest.path(self.guest.files[VOLUME])
        if not image.is_file() or image.stat().st_mtime < max(
            path.stat().st_mtime for path in self.guest.folder.iterdir()
        ):
            new = image.with_name(f"{image.name}.{os.getpid()}")
            build(self.guest.folder, new, now_1900())
            new.replace(image)
        guest = self.guest.with_image(str(hosted.image)).model_copy(
            update={"title": f"{linux.title} under VM/KB"}
        )
        title = f"{guest.title}{_TITLES[mode]}"
        if mode == VIRTUAL:
            guest = _behind(guest, kb)
        return Choice(f"{linux.name}{mode}", title, guest, "" if mode == _SUFFIX else mode)

    @cached_property
    def _native(self) -> Driver:
        """The driver of guest linux with the same kernel."""
        (choice,) = driver(load_guest("linux")).choices([self.guest.image.parent.name])
        return driver(choice.guest)

    def symbols(self, emulator: Emulator) -> str:
        return self._native.symbols(emulator)

    def program_of_kernel(self) -> Path | None:
        return self._native.program_of_kernel()

    def sizes(self) -> Sizes | None:
        return self._native.sizes()

    def control_program(self) -> Guest | None:
        return load_guest("vmkb")

    def layers(self) -> str:
        return self._native.layers() + driver(load_guest("vmkb")).layers()

    @property
    def user(self) -> str:
        """Whose machine Linux is in."""
        return USER if self.guest.network and self.guest.network.link == "ctcm" else BEHIND

    @property
    def said(self) -> str:
        """How a line of its begins in the log."""
        return f"{self.user:<8}: "

    @property
    def _up(self) -> str:
        return f"^{self.said}VMKB: Linux .* is up"

    def parameter(self, wishes: Wishes) -> str:
        words = [f"IP={wishes.address}/24"] if wishes.address else []
        words += [f"MTU={wishes.mtu}"] if wishes.mtu is not None else []
        words += [SLOW] if wishes.level == SLOW else []
        return " ".join(words)

    def start(
        self, name: str, folder: Path, volume: Path, lines: Sequence[str], parameter: str | None,
        emulator: Emulator, holds: Sequence[int] = (), virtual: GuestClock | None = None,
    ) -> Running:  # fmt: skip
        """VM/KB, in which Linux is up with PARAMETER."""
        disk = self.guest.path(self.guest.files[VOLUME])
        words = (parameter or "").split()
        own = _router(" ".join(words)) if self.user == BEHIND else None
        running = super().start(name, folder, disk, lines, own, emulator, holds, virtual)
        if SLOW in words:
            words.remove(SLOW)
            running.machine.operator("SET CCWTRAN SLOW")
        self._start_linux(running.machine, " ".join(words))
        return running

    def _start_linux(self, machine: Hercules, parameter: str) -> None:
        if self.user == BEHIND:
            machine.operator(f"XAUTOLOG {ROUTER}")
            machine.wait_log(rf"^{ROUTER} +: DTCIPI009I", ANSWERS_WITHIN)
        machine.operator(f"XAUTOLOG {self.user} IPL {SYSTEM} PARM {parameter}".rstrip())
        machine.wait_log(f"{self._up}|^DMKALG", UP_WITHIN)
        if machine.log.find(self._up) is None:
            why = machine.log.find("^DMKALG")
            raise EmulatorError(f"VM/KB does not start {self.user}: {why}.")

    def bring_up(self, machine: Hercules) -> None:
        """Linux, unless it is up, and its network."""
        if machine.log.find(self._up) is None:
            self._start_linux(machine, OWN)
        super().bring_up(machine)

    def begin_count(self, running: Running) -> None:
        """CP counts always."""

    def count(self, running: Running, word: str) -> str:
        mark = running.machine.log.mark()
        running.machine.operator(f"QUERY TIME {self.user} (FULL", "^MODEL ", ANSWERS_WITHIN)
        running.machine.operator(f"INDICATE SIE {self.user}", "^TOTAL", ANSWERS_WITHIN)
        running.machine.operator("QUERY ACNT", _SUM, ANSWERS_WITHIN)
        return "\n".join(running.machine.log.since(mark))

    def end_count(self, running: Running) -> None:
        """CP goes on counting."""

    def shares(self, running: Running) -> Mapping[str, float]:
        """Instructions of Linux itself, and of CP on its behalf."""
        mark = running.machine.log.mark()
        running.machine.operator(f"QUERY TIME {self.user} (FULL", "^MODEL ", ANSWERS_WITHIN)
        found = dict(_USED.findall("\n".join(running.machine.log.since(mark))))
        virt, total = float(found["VIRT"]), float(found["TOTAL"])
        return {"Linux": virt, "CP for it": total - virt}

    def _answers(
        self, running: Running, line: str, last: str, within: float = ANSWERS_WITHIN
    ) -> list[str]:
        """The answer of Linux to LINE, up to its LAST line. On the host's clock LINE may be given
        twice: what is typed may be lost."""
        mark = running.machine.log.mark()
        last = last.replace("^", f"^{self.said}", 1)
        lost = running.machine.virtual is None
        running.machine.operator(f"SEND {self.user} {line}", last if lost else "", within)
        running.machine.wait_log(last, within, mark)
        said = [each.removeprefix(self.said) for each in running.machine.log.since(mark)
                if each.startswith(self.said)]  # fmt: skip
        end = last.replace(f"^{self.said}", "^", 1)
        return said[: next(n for n, each in enumerate(said, 1) if re.search(end, each))]


def _behind(guest: Guest, kb: Guest) -> Guest:
    """The same with VM/KB's own CTC pair, which is TCPIP's, in place of Linux'."""
    assert guest.network is not None
    pair = [d for d in kb.machine.devices if d.kind == "ctce"]
    rest = [d for d in guest.machine.devices if d.kind != "ctce"]
    services = tuple(
        s.model_copy(update={"ready": s.ready.replace(USER, BEHIND)})
        for s in guest.network.services
    )
    network = guest.network.model_copy(update={
        "link": "lan", "start": guest.network.start.replace(USER, BEHIND), "services": services,
    })  # fmt: skip
    machine = guest.machine.model_copy(update={"devices": tuple(rest + pair)})
    return guest.model_copy(update={"machine": machine, "network": network})


def _router(parameter: str) -> str:
    """The text for a TCPIP that routes to a Linux with PARAMETER."""
    peer = _last("IP", parameter).partition("/")[0]
    net, _, host = peer.rpartition(".")
    return f"{LEVEL} IP={net}.{int(host) + ROUTER_HOST} MTU={_last('MTU', parameter)} PEER={peer}"


DRIVER = LinuxKbDriver
