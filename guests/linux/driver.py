# SPDX-License-Identifier: MIT
"""How Linux is made and used."""

from __future__ import annotations

import shutil
import sys

from guests.base import Ability, Driver, Wishes
from guests.linux.make.image import image_name, make_image
from guests.linux.make.store import PackageStore, cache_folder
from guests.linux.make.suites import suites
from hercules.guest import Guest


def say(line: str) -> None:
    """What takes its time, as it begins."""
    print(f"vmkb: linux: {line}", file=sys.stderr, flush=True)


class LinuxDriver(Driver):
    """It serves and uses FTP and TELNET; its CPU is counted from outside, by the whole guest."""

    abilities = frozenset({Ability.TCP, Ability.FTP, Ability.TELNET})

    def build(self) -> None:
        """The kernel of the first suite, as the guest that is booted when none is named."""
        made = self.release(suites().kernels[0])
        shutil.copyfile(made.image, self.guest.image)

    def release(self, suite: str) -> Guest:
        """The guest with the kernel that SUITE has, made if it is not here. EmulatorError."""
        store = PackageStore(suites(), cache_folder(), say)
        version = store.kernel(suite)
        kernel = store.kernel_folder(version)
        make_image(version, kernel, store.programs(), self.guest.folder / "build", say)
        made = self.guest.with_image(image_name(version))
        return made.model_copy(update={"title": f"Linux {version}"})

    def parameter(self, wishes: Wishes) -> str:
        words = [f"IP={wishes.address}/24"] if wishes.address else []
        words += [f"MTU={wishes.mtu}"] if wishes.mtu is not None else []
        return " ".join(words)


DRIVER = LinuxDriver
