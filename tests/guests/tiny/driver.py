# SPDX-License-Identifier: MIT
"""Makes the program that guest.toml names: it takes no compiler, so nobody has to install one."""

from __future__ import annotations

from vmkb.guests.base import Ability, Driver

AT = 0x200
#: What the program does with the 3215, subchannel 0: two channel programs, each waited for.
CODE = bytes.fromhex(
    "0DC0"  # BASR  12,0          base 202
    "5810C036"  # L     1,SUBCHANNEL
    "B234C0A2"  # STSCH SCHIB
    "9680C0A7"  # OI    SCHIB+5,80    enable it
    "B232C0A2"  # MSCH  SCHIB
    "B233C03A"  # SSCH  ASK
    "B235C0D6A774FFFE"  # TSCH  IRB           until its status is there
    "B233C046"  # SSCH  GREET
    "B235C0D6A774FFFE"  # TSCH  IRB
    "8200C02E"  # LPSW  STOP
    "0707"
    "000A000000000000"  # STOP: a disabled wait
    "00010000"  # SUBCHANNEL
    "000000000000FF0000000258"  # ASK: operation request block
    "000000000000FF0000000268"  # GREET
    "00000000"
    "0100027840000010"  # 258: write the question, go on
    "0A00028E20000014"  #      read a line
    "0900028880000006"  # 268: write a line: the greeting,
    "0900028E20000014"  #      and what was read
)
QUESTION, GREETING = "WHO ARE YOU?".ljust(16), "HELLO "


def program() -> bytes:
    """Storage from 0 on: the PSW to begin with, the code, its texts, room for an answer."""
    psw = bytes.fromhex("0008000080000200")
    texts = (QUESTION + GREETING + 20 * " ").encode("cp037")
    return psw.ljust(AT, b"\0") + CODE + texts.ljust(192, b"\0")


class TinyDriver(Driver):
    """It answers when it is called, and can do nothing that a workload needs."""

    abilities: frozenset[Ability] = frozenset()

    def build(self) -> None:
        image = self.guest.image
        image.parent.mkdir(exist_ok=True)
        image.with_name("tiny.bin").write_bytes(program())
        image.write_text("tiny.bin 0x00000000\n", "utf-8")


DRIVER = TinyDriver
