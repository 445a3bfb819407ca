# SPDX-License-Identifier: MIT
"""A 3350 whose IPL text plays the operator's console of a starting VM/370: recorded lines, typed
answers, a terminal's logo, a write on the disk, a card on the punch. A real S/370 program on a real
emulated disk; of VM/370 it has nothing but the words.

Lines as published: the log of an IPL of VM/370 Community Edition 1.1.2 of 2022, and the questions
of the VM/370 Operator's Guide (GC20-1806).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.peers.host3270 import page_write

CONSOLE, PUNCH, TERMINAL, DISK = 0x009, 0x00D, 0x0C0, 0x6A1
HEADER, TRACK, HEADS = 512, 19456, 30  # bytes of a 3350's image, and tracks of a cylinder
PROGRAM, CHANNEL = 0x1000, 0xF00  # where the IPL text puts the program, and its own channel program
SILI, CHAIN = 0x20, 0x40
RECORD = 80
#: What the record of cylinder 1 holds before the guest has ever written it, and after.
COLD, WARM = "SPOOL AREA EMPTY", "SPOOL AREA SAVED"

BEFORE = (
    "VM/370 Community Edition Version  1 Release  1.2 07/19/22 13:20:46",
    "Now 13:30:32 GMT TUESDAY 07/19/22",
)
CLOCK = "CHANGE TOD CLOCK (YES|NO) :"
START = "13:30:33 START ((WARM|CKPT|FORCE|COLD) (DRAIN))|(SHUTDOWN) :"
NO_WARM = "DMKWRM920I NO WARM START DATA; CKPT START FOR RETRY"
UP = (
    "DMKCPI971I System is Uniprocessor generated",
    "DMKUDR476I System Directory loaded from volume VM50-1",
    "13:30:32 AUTO LOGON   ***   OPERATOR USERS = 001  BY  SYSTEM",
    "DMKCPI957I Storage size = 16384 K,   Nucleus = 336 K,",
    "           Dynamic Paging = 14788 K, Trace Table = 240 K,",
    "DMKCPI966I Initialization complete",
)
ENABLED = "13:30:36 COMMAND COMPLETE"
DOWN = ("DMKCKP960I System WARM START data saved", "DMKCKP961W System Shutdown Complete")

# Each step is a device, whether the logo is shown meanwhile, its length, and a channel program.
CODE = """
        .text
begin:  balr 12,0
base:   lr   2,12
        al   2,first-base(12)
loop:   lh   4,0(2)
        ltr  4,4
        bc   8,stop-base(12)
        la   5,8(2)
        st   5,72
sio:    .short 0x9c00,0x4000            # SIO 0(4)
        bc   2,sio-base(12)
wait:   .short 0x9d00,0x4000            # TIO 0(4)
        bc   9,next-base(12)            # it has ended, or is not there
        lh   6,2(2)
        ltr  6,6
        bc   8,wait-base(12)
        l    5,logoat-base(12)
        st   5,72
        .short 0x9c00,{terminal}        # SIO, to a terminal that may not be connected
        l    7,pause-base(12)
spin:   bct  7,spin-base(12)
        bc   15,wait-base(12)
next:   ah   2,4(2)
        bc   15,loop-base(12)
stop:   .short 0x8200,0xc000+halt-base  # LPSW
        .balign 8
halt:   .long 0x000a0000,0
first:  .long steps-base
logoat: .long logo
pause:  .long 100000
        .balign 8
logo:   .long 0x05000000+screen, 0x20000000+{screen_bytes}
screen: .byte {screen}
        .balign 8
steps:
{steps}
        .short 0
"""


def _bytes(data: bytes) -> str:
    return ",".join(str(b) for b in data)


class Console:
    """What happens at the operator's console and elsewhere, in order."""

    def __init__(self) -> None:
        self._steps: list[str] = []

    def _step(self, device: int, program: str, data: str, logo: bool = False) -> None:
        k = len(self._steps)
        text = f"s{k}: .short {device},{int(logo)},e{k}-s{k},0\n{program}{data}\n.balign 8\ne{k}:\n"
        self._steps.append(text.replace("@", f"d{k}"))

    def say(self, *lines: str) -> None:
        """Write lines."""
        for line in lines:
            self._write(0x09, line)

    def _write(self, command: int, line: str, device: int = CONSOLE) -> None:
        self.send(device, command, line.encode("cp037"))

    def send(self, device: int, command: int, data: bytes) -> None:
        """One command with DATA to a device."""
        ccw = f".long {command << 24}+@, {SILI << 24}+{len(data)}\n"
        self._step(device, ccw, f"@: .byte {_bytes(data)}")

    def ask(self, text: str, logo: bool = False) -> None:
        """Write a question, whose line is not ended, if there is one; read what is typed."""
        if text:
            self._write(0x01, text)
        self._step(CONSOLE, f".long {0x0A << 24}+@, {SILI << 24}+130\n", "@: .space 136", logo)

    def tell_record(self) -> None:
        """Write on the console what the record on the disk holds."""
        k = len(self._steps)
        self._record(0x06, bytes(RECORD))
        self._step(CONSOLE, f".long {0x09 << 24}+r{k}, {SILI << 24}+16\n", "")

    def write_record(self, text: str) -> None:
        """Write the record on the disk."""
        self._record(0x05, text.ljust(RECORD).encode("cp037"))

    def _record(self, command: int, data: bytes) -> None:
        k = len(self._steps)
        program = f""".long {0x07 << 24}+@, {CHAIN << 24}+6
f{k}: .long {0x31 << 24}+@+2, {CHAIN << 24}+5
.long {0x08 << 24}+f{k}, 0
.long {command << 24}+r{k}, {SILI << 24}+{RECORD}
"""
        self._step(DISK, program, f"@: .byte 0,0,0,1,0,0,1,0\nr{k}: .byte {_bytes(data)}")

    def program(self, folder: Path) -> bytes:
        """The S/370 program that plays it, for PROGRAM."""
        screen = page_write(["", "", f"{'':20}VM/370 ONLINE"], "RUNNING")[1:]
        text = CODE.format(
            terminal=TERMINAL, screen=_bytes(screen), screen_bytes=len(screen),
            steps="".join(self._steps),
        )  # fmt: skip
        (folder / "cp.s").write_text(text)
        for words in (
            ["as", "-m31", "-mesa", "-o", "cp.o", "cp.s"],
            ["ld", "-m", "elf_s390", f"-Ttext={PROGRAM:#x}", "--oformat", "binary", "-e", "0",
             "-o", "cp.bin", "cp.o"],
        ):  # fmt: skip
            subprocess.run(["s390x-linux-gnu-" + words[0], *words[1:]], cwd=folder, check=True)
        return (folder / "cp.bin").read_bytes()


def console(asks: tuple[str, ...] = (), record: bool = True) -> Console:
    """A whole session of the operator's, in which CP asks the questions ASKS at its start."""
    made = Console()
    made.say(*BEFORE)
    if record:
        made.tell_record()
    for k, question in enumerate(asks):
        if k and question == asks[k - 1] == START:
            made.say(NO_WARM)
        made.ask(question)
    made.say(*UP)
    made.ask("")  # ENABLE ALL
    made.say(ENABLED)
    made.ask("", logo=True)  # SHUTDOWN
    return made


def end(made: Console) -> Console:
    """What CP does on SHUTDOWN."""
    made.write_record(WARM)
    made.say(*DOWN)
    return made


def _count(cylinder: int, head: int, record: int, key: int, data: int) -> bytes:
    place = (n.to_bytes(2, "big") for n in (cylinder, head))
    return b"".join(place) + bytes([record, key]) + data.to_bytes(2, "big")


def _track(cylinder: int, head: int, data: bytes) -> bytes:
    """A track with one record."""
    made = bytes(1) + _count(cylinder, head, 0, 0, 0)[:4]
    made += _count(cylinder, head, 0, 0, 8) + bytes(8)
    made += _count(cylinder, head, 1, 0, len(data)) + data + b"\xff" * 8
    assert len(made) <= TRACK
    return made.ljust(TRACK, b"\0")


def make_disk(path: Path, made: Console, compressed: bool = True) -> None:
    """A 3350 of two cylinders at PATH that plays MADE when it is IPLed."""
    plain = path.with_suffix(".plain")
    plain.unlink(missing_ok=True)
    subprocess.run(["dasdinit", plain, "3350", "VM50-1", "2"], check=True, capture_output=True)
    image = bytearray(plain.read_bytes())
    program = made.program(path.parent)
    psw = bytes(4) + PROGRAM.to_bytes(4, "big")
    first = psw + _ccw(0x06, CHANNEL, CHAIN | SILI, 144) + _ccw(0x08, CHANNEL, 0, 1)
    second = (
        _ccw(0x07, CHANNEL + 0x40, CHAIN, 6) + _ccw(0x31, CHANNEL + 0x42, CHAIN, 5)
        + _ccw(0x08, CHANNEL + 8, 0, 1) + _ccw(0x06, PROGRAM, SILI, len(program))
    )  # fmt: skip
    second = (second.ljust(0x40, b"\0") + bytes([0, 0, 0, 0, 0, 1, 1])).ljust(144, b"\0")
    for number, text in ((1, first), (2, second)):
        head = _count(0, 0, number, 4, len(text))
        at = image.index(head, HEADER, HEADER + TRACK) + len(head) + 4
        image[at : at + len(text)] = text
    for cylinder, head_number, data in (
        (0, 1, program), (1, 0, COLD.ljust(RECORD).encode("cp037")),
    ):  # fmt: skip
        at = HEADER + (cylinder * HEADS + head_number) * TRACK
        image[at : at + TRACK] = _track(cylinder, head_number, data)
    plain.write_bytes(image)
    path.unlink(missing_ok=True)
    if compressed:
        subprocess.run(["ckd2cckd", plain, path], check=True, capture_output=True)
        plain.unlink()
    else:
        plain.rename(path)


def unloadable(disk: Path) -> None:
    """Take the IPL text from the plain DISK: its first track has no record."""
    image = bytearray(disk.read_bytes())
    empty = bytes(1) + bytes(4) + _count(0, 0, 0, 0, 8) + bytes(8) + b"\xff" * 8
    image[HEADER : HEADER + TRACK] = empty.ljust(TRACK, b"\0")
    disk.write_bytes(image)


def _ccw(command: int, address: int, flags: int, count: int) -> bytes:
    return (
        bytes([command]) + address.to_bytes(3, "big") + bytes([flags, 0])
        + count.to_bytes(2, "big")
    )  # fmt: skip
