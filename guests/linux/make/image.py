# SPDX-License-Identifier: MIT
"""From a kernel, its modules and the programs to what is IPLed: an .ins file and its pieces."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
from collections.abc import Sequence
from fcntl import LOCK_EX, flock
from pathlib import Path

from vmkb.guests.linux.make import cpio
from vmkb.guests.linux.make.own import is_uncompressed
from vmkb.guests.linux.make.packages import KERNEL
from vmkb.guests.linux.make.payload import PayloadError, stored
from vmkb.guests.linux.make.store import Say, unused
from vmkb.guests.linux.make.suites import FOLDER, suites
from vmkb.guests.release.making import COMPILER
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.installed import obtained

INITRAMFS_AT = 0x04000000
PAYLOAD_AT = 0x08000000
INITRAMFS_WORDS = 0x10408
COMMAND_LINE_AT = 0x10480
LEFT_OUT = ("load_system_certificate_list", "jent_mod_init", "trace_eval_init")
"""Steps of the start that nobody here asks for, and which are most of what 6.12 executes until it
is up: the certificates that Debian's modules are signed with (a module without is told of, and
loaded), the self-test of a source of random numbers for the kernel's cryptography, and the names of
numbers in descriptions of trace events. A kernel that has no such step takes no notice."""
COMMAND_LINE = (
    "console=ttyS0 condev=0x0009 conmode=3215 loglevel=4 nokaslr mitigations=off"
    " cryptomgr.notests rdinit=/init panic=0 possible_cpus=1"
    f" initcall_blacklist={','.join(LEFT_OUT)}"
)
PARAMETER_AT = 0x10580
"""Behind it: what one start wants besides. guest.toml says the same."""
_SCRIPTS = ("netup", "afsup", "loopback", "shares", "sums", "symbols")
_COMPILED = ("alike", "meter")
_COMPILED_WITHIN = 60.0
_PASSWORD = "$1$vmkb$oiZ078Xy3KIQ.YsBq0uLe."
"""crypt(3) of the word root, whose name is its password, as VM/KB's users have it."""
_PASSWD = (
    f"root:{_PASSWORD}:0:0::/:/bin/sh\n"
    "ftp:x:100:100::/srv/ftp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
)
_SERVICES = "ftp-data 20/tcp\nftp 21/tcp\ntelnet 23/tcp\n"
_GROUP = "root:x:0:\nftp:x:100:\nnogroup:x:65534:\n"


def image_name(version: str) -> str:
    """The .ins file of a kernel, from the guest's folder."""
    return f"build/linux-{version}.ins"


def pieces_folder(ins: Path) -> Path:
    """Where the pieces are that the file INS names."""
    return (ins.parent / ins.read_text("utf-8").split()[0]).parent


def make_image(version: str, kernel: Path, programs: Path, folder: Path, say: Say) -> Path:
    """The .ins file of a kernel, made in FOLDER unless it is there and of the same parts."""
    ins = folder / Path(image_name(version)).name
    stamp = folder / version / "stamp"
    wanted = _stamp(kernel, programs)
    new = folder / f"{version}.new"

    def is_made() -> bool:
        return ins.is_file() and stamp.is_file() and stamp.read_text("utf-8") == wanted

    if is_made():
        stamp.parent.touch()
        return ins
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            flock(lock, LOCK_EX)  # two runs at once make it once
            if not is_made():
                say(f"putting Linux {version} together")
                _make(version, kernel, programs, new, ins, wanted, say)
                for old in unused(folder):
                    shutil.rmtree(old, ignore_errors=True)
                    (folder / Path(image_name(old.name)).name).unlink(missing_ok=True)
    except OSError as error:
        raise EmulatorError(
            f"Linux {version} cannot be made in {folder}: {error.strerror}."
        ) from None
    return ins


def _make(
    version: str, kernel: Path, programs: Path, new: Path, ins: Path, stamp: str, say: Say
) -> None:
    """In NEW, which takes the place of what was there when all of it is written."""
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    try:
        pieces = _pieces(kernel, _initramfs(kernel, programs, new), version, say)
        for name, (_, data) in pieces.items():
            (new / name).write_bytes(data)
        (new / "stamp").write_text(stamp, "utf-8")
        shutil.rmtree(ins.parent / version, ignore_errors=True)
        new.replace(ins.parent / version)
        lines = "".join(f"{version}/{name} 0x{at:08X}\n" for name, (at, _) in pieces.items())
        ins.write_text(lines, "utf-8")
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _stamp(kernel: Path, programs: Path) -> str:
    total = hashlib.sha256(f"{kernel} {programs}".encode())
    ours = (
        FOLDER / "suites.toml",
        *sorted((FOLDER / "root").iterdir()),
        *sorted((FOLDER / "make").glob("*.py")),
    )
    for path in (kernel / "packages", programs / "packages", *ours):
        total.update(path.read_bytes())
    return total.hexdigest()


def _pieces(folder: Path, initramfs: bytes, version: str, say: Say) -> dict[str, tuple[int, bytes]]:
    """The files that are loaded, and where, in this order, of the kernel in FOLDER."""
    kernel = (folder / KERNEL).read_bytes()
    pieces = {"kernel.bin": (0, kernel)}
    try:
        if not is_uncompressed(folder):
            image, payload = stored(kernel, PAYLOAD_AT)
            pieces = {"kernel.bin": (0, image), "payload.bin": (PAYLOAD_AT, payload)}
    except PayloadError as error:
        say(f"Linux {version} boots as it was shipped, which takes longer: {error}")
    line = COMMAND_LINE.encode().ljust(PARAMETER_AT - COMMAND_LINE_AT) + b"\0"
    return {
        **pieces,
        "initramfs.bin": (INITRAMFS_AT, initramfs),
        "words.bin": (INITRAMFS_WORDS, struct.pack(">QQ", INITRAMFS_AT, len(initramfs))),
        "line.bin": (COMMAND_LINE_AT, line),
    }


def _initramfs(kernel: Path, programs: Path, scratch: Path) -> bytes:
    entries = [
        cpio.device("dev/console", 5, 1),
        cpio.text("etc/passwd", _PASSWD),
        cpio.text("etc/group", _GROUP),
        cpio.text("etc/services", _SERVICES),
        cpio.text("lib/modules/afs", " ".join(suites().afs_modules) + "\n"),
        cpio.program("init", (FOLDER / "root" / "init").read_bytes()),
        *(cpio.program(f"bin/{own}", (FOLDER / "root" / own).read_bytes()) for own in _SCRIPTS),
        *(
            cpio.program(f"bin/{own}", compiled(FOLDER / "root" / f"{own}.c", scratch))
            for own in _COMPILED
        ),
        cpio.link("bin/sh", "busybox"),
        cpio.link("bin/ftp", "/usr/bin/tnftp"),
        cpio.folder("tmp"),
    ]
    for path in sorted(kernel.glob("*.ko")):
        entries.append(cpio.program(f"lib/modules/{path.name}", path.read_bytes()))
    for path in sorted(programs.rglob("*")):
        name = str(path.relative_to(programs))
        if path.is_symlink():
            entries.append(cpio.link(name, str(path.readlink())))
        elif path.is_file() and "/" in name:
            entries.append(cpio.program(name, path.read_bytes()))
    return cpio.archive(cpio.with_folders(entries))


def compiled(source: Path, folder: Path, options: Sequence[str] = ()) -> bytes:
    """A program of the guest's that uses no library. EmulatorError."""
    made = folder / source.stem
    words = [COMPILER, "-m64", "-march=z10", "-O2", "-ffreestanding", "-fno-stack-protector",
             "-fno-pic", "-no-pie", "-nostdlib", "-static", "-s", "-Wl,--build-id=none",
             *options, "-o", str(made), str(source)]  # fmt: skip
    try:
        ran = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=_COMPILED_WITHIN
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EmulatorError(
            f"{COMPILER} cannot compile {source.name}: {error}; {obtained('gcc-s390x-linux-gnu')}."
        ) from None
    if ran.returncode != 0:
        raise EmulatorError(f"{COMPILER} cannot compile {source.name}: {ran.stderr.strip()}")
    return made.read_bytes()
