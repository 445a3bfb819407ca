# SPDX-License-Identifier: MIT
"""The kinds of releases of the user's own: lwIP, FreeRTOS-Plus-TCP, smoltcp or VM/KB. What tells
one from the others, and which of its files programs are built from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from vmkb.guests.release.errors import SourceError

Files = Mapping[str, bytes]
"""The content of each file by its path: below lwIP's src, or in VM/KB's project."""


@dataclass(frozen=True)
class SourceKind:
    """A kind of source. A tree that has the file `mark` is one. `roots` are the folders and files
    of a tree that are looked through. Wanted files lie below `used`, outside of `left_out`.
    `inside` gives the path of a wanted file as Files has it, or nothing; `version` reads the
    version (SourceError). The Makefile looks for a stack's files in the folder `where`."""

    name: str
    mark: str
    roots: tuple[str, ...]
    used: tuple[str, ...]
    left_out: tuple[str, ...]
    inside: Callable[[str], str]
    version: Callable[[Files, str], str]
    where: str = ""
    beside: tuple[str, ...] = (".c", ".h")
    """How files end that are told apart although no program is built from them."""

    @property
    def logged(self) -> tuple[str, ...]:
        """The paths that git is asked about."""
        return (*self.used, *(f":(exclude){name}" for name in self.left_out))

    def passed_over(self, name: str) -> str:
        """The path that Files would have of a C file or header NAME that no program is built from,
        or nothing."""
        root, slash, below = name.partition("/")
        if not slash or root not in self.roots or not name.endswith(self.beside):
            return ""
        whole = self.inside(self.mark) == self.mark
        return "" if self.inside(name) else name if whole else below

    def holds(self, name: str) -> bool:
        """Whether NAME is where wanted files lie, so that a link or a device there is in the
        way."""
        return f"{name}/".startswith(self.used) and not f"{name}/".startswith(self.left_out)


# lwIP

_WANTED = ("core/", "include/", "netif/ethernet.c")
_OF_IP = {4: "core/ipv4/", 6: "core/ipv6/"}
_INIT = "include/lwip/init.h"
_NUMBERS = re.compile(r"^#define\s+LWIP_VERSION_(MAJOR|MINOR|REVISION|RC)\s+(\w+)", re.M)
_SUFFIXES = {"LWIP_RC_RELEASE": "", "255": "", "LWIP_RC_DEVELOPMENT": "d", "0": "d"}


def _in_lwip(unused: str, name: str) -> str:
    """The path below src of NAME, if it is not in the folder UNUSED there."""
    inside = name.removeprefix("src/") if name.startswith("src/") else ""
    wanted = inside.startswith(_WANTED) and not inside.startswith(unused)
    return inside if wanted and inside.endswith((".c", ".h")) else ""


def _lwip_version(files: Files, where: str) -> str:
    """The version that FILES say they are. SourceError if they are no lwIP, or too old a one."""
    head = files.get(_INIT)
    if head is None or "core/tcp.c" not in files:
        raise SourceError(
            f"{where} is not lwIP: it has no src/{_INIT} and src/core; nor is it"
            f" FreeRTOS-Plus-TCP, smoltcp or a clone of vmkb: it has no {FREERTOS.mark}, no"
            f" {SMOLTCP.mark} and no {VMKB.mark}"
        )
    said = dict(_NUMBERS.findall(head.decode("utf-8", "replace")))
    numbers = [said.get(key, "").rstrip("Uu") for key in ("MAJOR", "MINOR", "REVISION")]
    if not all(n.isdigit() for n in numbers):
        raise SourceError(f"{where}: src/{_INIT} does not say a version")
    version = ".".join(numbers)
    if int(numbers[0]) < 2:
        raise SourceError(f"{where} is lwIP {version}; TCPIP is built with 2.0.0 and later ones")
    candidate = said.get("RC", "255")
    return version + _SUFFIXES.get(candidate, f"rc{candidate}")


def _lwip(unused: str) -> SourceKind:
    return SourceKind(
        "lwIP", f"src/{_INIT}", ("src",), tuple(f"src/{name}" for name in _WANTED),
        (f"src/{unused}",), partial(_in_lwip, unused), _lwip_version, "lwip/lwip-own/src",
    )  # fmt: skip


LWIP = _lwip(_OF_IP[6])

# FreeRTOS-Plus-TCP

_SOURCE = "source/"
_IP = f"{_SOURCE}include/FreeRTOS_IP.h"
_BUFFERS = f"{_SOURCE}portable/BufferManagement/BufferAllocation_1.c"
_COMPILED = re.compile(
    rf"{_SOURCE}([^/]+\.c|include/[^/]+\.h|portable/Compiler/GCC/[^/]+\.h)|{re.escape(_BUFFERS)}"
)
_NUMBER = re.compile(rb'^#define\s+ipFR_TCP_VERSION_NUMBER\s+"V?([\w.+-]+)"', re.M)


def _in_freertos(name: str) -> str:
    """The path with `source`."""
    return name if _COMPILED.fullmatch(name) else ""


def _freertos_version(files: Files, where: str) -> str:
    found = _NUMBER.search(files[_IP])
    if found is None:
        raise SourceError(f"{where}: {_IP} does not say a version")
    if int(found[1].split(b".")[0]) < 4:
        raise SourceError(
            f"{where} is FreeRTOS-Plus-TCP {found[1].decode()}; TCPIP is built with 4.0.0 and later"
        )
    return found[1].decode()


FREERTOS = SourceKind(
    "FreeRTOS-Plus-TCP", _IP, ("source",), (_SOURCE,), (), _in_freertos, _freertos_version,
    "freertos/freertos-own",
)  # fmt: skip

# smoltcp

_CRATE = ("Cargo.toml", "build.rs")


def _in_smoltcp(name: str) -> str:
    """The path in the crate."""
    return name if name in _CRATE or name.startswith("src/") and name.endswith(".rs") else ""


def _smoltcp_version(files: Files, where: str) -> str:
    try:
        package = tomllib.loads(files["Cargo.toml"].decode("utf-8"))["package"]
        name, version = package["name"], package["version"]
        numbers = tuple(int(n) for n in version.split(".")[:2])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SourceError(f"{where}: Cargo.toml does not say a name and a version") from None
    if name != "smoltcp" or not re.fullmatch(r"[\w.+-]+", version):
        raise SourceError(f"{where}: Cargo.toml is not smoltcp's")
    if numbers < (0, 11):
        raise SourceError(f"{where} is smoltcp {version}; TCPIP is built with 0.11 and later ones")
    return str(version)


SMOLTCP = SourceKind(
    "smoltcp", "src/iface/interface/mod.rs", ("src", *_CRATE), ("src/", *_CRATE), (), _in_smoltcp,
    _smoltcp_version, "smoltcp/smoltcp-own", (),
)  # fmt: skip

# VM/KB

_SYSTEM = "guests/vmkb/"
_MACHINES = "accounting/machines.toml"
_LEFT_OUT = (f"{_SYSTEM}build/", f"{_SYSTEM}volume/")
_SUFFIX = re.compile(r"(\.(c|h|S|ld|py|sh)|/Makefile|/lto-wrapper)$")
_TOOLS = re.compile(r"(vmkb|guests)/(__init__|errors|contents)\.py")
"""The modules that the build's Python imports."""
_LEVEL = re.compile(rb'cp_level\[\] = "VM/KB VERSION ([\w.]+)"')


def _in_vmkb(name: str) -> str:
    """The path in the project."""
    built = name.startswith(_SYSTEM) and not name.startswith(_LEFT_OUT)
    wanted = built and _SUFFIX.search(name) or name == _MACHINES or _TOOLS.fullmatch(name)
    return name if wanted else ""


def _vmkb_version(files: Files, where: str) -> str:
    found = next(filter(None, (_LEVEL.search(text) for text in files.values())), None)
    return found[1].decode("ascii") if found else "of no version"


VMKB = SourceKind(
    "VM/KB", f"{_SYSTEM}Makefile", ("guests", "vmkb", "accounting"),
    (_SYSTEM, _MACHINES), _LEFT_OUT, _in_vmkb, _vmkb_version,
)  # fmt: skip
KINDS = (VMKB, FREERTOS, SMOLTCP, LWIP)
"""A tree that has the marks of several is of the first of these."""
KINDS_OF_IPV6 = (*KINDS[:-1], _lwip(_OF_IP[4]))
"""The same, of lwIP's the files for IPv6."""
