# SPDX-License-Identifier: MIT
"""How Linux in a machine of VM/KB is made and used: as Linux by its console, which is the
operator's by SEND, and counted by CP, which tells the machine's own instructions from its own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from vmkb.guests.base import Ability, Choice, Running, Wishes, driver
from vmkb.guests.linux.driver import LinuxDriver, say, short
from vmkb.guests.linux.make.image import image_name, make_image
from vmkb.guests.linux.make.store import PackageStore, cache_folder
from vmkb.guests.linux.make.suites import suites
from vmkb.guests.vmkb.disk.build import build, now_1900
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest

USER, SYSTEM = "LINUX1", "LINUX"
VOLUME = "linuxkb.fba"
STORAGE_MB = 256
"""Of the machine, as user.direct has it."""
SAID = f"{USER}  : "
UP_WITHIN = 240.0
ANSWERS_WITHIN = 60.0
_SUFFIX, SLOW = "KB", "KBSLOW"
_USED = re.compile(r"^(VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)
_SUM = r"^SUM \d+ US"
_UP = f"^{SAID}VMKB: Linux .* is up"
OWN = "IP=10.17.0.1/24 GW=10.17.0.254 MTU=4000"
"""As guest.toml has the network, for who boots it alone."""


class LinuxKbDriver(LinuxDriver):
    """What is typed for Linux goes through its secondary user."""

    abilities = frozenset({Ability.TCP, Ability.FTP, Ability.COUNT})
    takes_paths = False

    def build(self) -> None:
        """VM/KB with the kernel of the first suite."""
        made = self._with(suites().kernels[0])
        self.guest.image.write_text(made.guest.image.read_text("utf-8"), "utf-8")

    def choices(self, wanted: Sequence[str]) -> Sequence[Choice]:
        """Kernels as guest linux names them, or with KB or KBSLOW behind that: in KBSLOW CP
        translates each channel program anew."""
        ends = (_SUFFIX, SLOW)
        mine = [n for n in wanted if n.endswith(ends)]
        names = list(
            dict.fromkeys(n.removesuffix(SLOW).removesuffix(_SUFFIX) for n in mine or wanted)
        )
        kernels = driver(load_guest("linux")).choices(names)
        modes = {SLOW if n.endswith(SLOW) else _SUFFIX for n in wanted} or {_SUFFIX}
        return [self._under(choice, mode) for choice in kernels for mode in sorted(modes)]

    def _with(self, suite: str) -> Choice:
        store = PackageStore(suites(), cache_folder(), say)
        version = store.kernel(suite)
        linux = load_guest("linux")
        make_image(version, store.kernel_folder(version), store.programs(),
                   linux.folder / "build", say)  # fmt: skip
        return self._under(Choice(short(version), f"Linux {version}",
                                  linux.with_image(image_name(version))))  # fmt: skip

    def _under(self, linux: Choice, mode: str = _SUFFIX) -> Choice:
        kb = load_guest("vmkb")
        kb.check_built()
        made = self.guest.folder / "build"
        hosted = hosting(kb, {SYSTEM: linux.guest}, made / linux.name, STORAGE_MB)
        image = self.guest.path(self.guest.files[VOLUME])
        if not image.is_file():
            new = image.with_name(f"{image.name}.{os.getpid()}")
            build(self.guest.folder, new, now_1900())
            new.replace(image)
        guest = self.guest.with_image(str(hosted.image)).model_copy(
            update={"title": f"{linux.title} under VM/KB"}
        )
        slow = mode == SLOW
        title = f"{guest.title}, slow CCW translation" if slow else guest.title
        return Choice(f"{linux.name}{mode}", title, guest, SLOW if slow else "")

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
        running = super().start(name, folder, disk, lines, None, emulator, holds, virtual)
        words = (parameter or "").split()
        if SLOW in words:
            words.remove(SLOW)
            running.machine.operator("SET CCWTRAN SLOW")
        self._start_linux(running.machine, " ".join(words))
        return running

    def _start_linux(self, machine: Hercules, parameter: str) -> None:
        machine.operator(f"XAUTOLOG {USER} IPL {SYSTEM} PARM {parameter}".rstrip())
        machine.wait_log(f"{_UP}|^DMKALG", UP_WITHIN)
        if machine.log.find(_UP) is None:
            raise EmulatorError(f"VM/KB does not start {USER}: {machine.log.find('^DMKALG')}.")

    def bring_up(self, machine: Hercules) -> None:
        """Linux, unless it is up, and its network."""
        if machine.log.find(_UP) is None:
            self._start_linux(machine, OWN)
        super().bring_up(machine)

    def begin_count(self, running: Running) -> None:
        """CP counts always."""

    def count(self, running: Running, word: str) -> str:
        mark = running.machine.log.mark()
        running.machine.operator(f"QUERY TIME {USER} (FULL", "^MODEL ", ANSWERS_WITHIN)
        running.machine.operator("QUERY ACNT", _SUM, ANSWERS_WITHIN)
        return "\n".join(running.machine.log.since(mark))

    def end_count(self, running: Running) -> None:
        """CP goes on counting."""

    def shares(self, running: Running) -> Mapping[str, float]:
        """Instructions of Linux itself, and of CP on its behalf."""
        mark = running.machine.log.mark()
        running.machine.operator(f"QUERY TIME {USER} (FULL", "^MODEL ", ANSWERS_WITHIN)
        found = dict(_USED.findall("\n".join(running.machine.log.since(mark))))
        virt, total = float(found["VIRT"]), float(found["TOTAL"])
        return {"Linux": virt, "CP for it": total - virt}

    def _answers(
        self, running: Running, line: str, last: str, within: float = ANSWERS_WITHIN
    ) -> list[str]:
        """What Linux says of LINE, up to its LAST line. On the host's clock LINE may be given
        twice: what is typed may be lost."""
        mark = running.machine.log.mark()
        last = last.replace("^", f"^{SAID}", 1)
        lost = running.machine.virtual is None
        running.machine.operator(f"SEND {USER} {line}", last if lost else "", within)
        running.machine.wait_log(last, within, mark)
        said = [each.removeprefix(SAID) for each in running.machine.log.since(mark)
                if each.startswith(SAID)]  # fmt: skip
        end = last.replace(f"^{SAID}", "^", 1)
        return said[: next(n for n, each in enumerate(said, 1) if re.search(end, each))]


DRIVER = LinuxKbDriver
