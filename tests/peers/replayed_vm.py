# SPDX-License-Identifier: MIT
"""A VM system replayed for tests: screens in the words of manuals, real 3270 data streams, and an
account of CPU whose every step is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.peers.host3270 import page_write

ROWS = 22


@dataclass(frozen=True)
class Words:
    """What one kind of system says."""

    logo: tuple[str, ...]
    password: str
    banner: str
    ready: str
    waiting: str
    wrong: str
    elsewhere: str
    cms: str = "CMS"


VM370 = Words(
    logo=("", "            VM/370 ONLINE"),
    password="ENTER PASSWORD:",
    banner="LOGON AT 12:34:56 EST FRIDAY 06/11/82",
    ready="R; T={v:.2f}/{t:.2f} 12:34:56",
    waiting="VM READ",
    wrong="DMKLOG050E PASSWORD INCORRECT - REINITIATE LOGON PROCEDURE",
    elsewhere="DMKLOG054E ALREADY LOGGED ON LINE 0C1",
)
ZVM = Words(
    logo=("z/VM ONLINE", "", "Fill in your USERID and PASSWORD and press ENTER"),
    password="Enter your password,",
    banner="LOGON AT 12:34:56 EST FRIDAY 06/11/21",
    ready="Ready; T={v:.2f}/{t:.2f} 12:34:56",
    waiting="RUNNING",
    wrong="HCPLGA050E LOGON unsuccessful--incorrect userid and/or password",
    elsewhere="HCPLGA054E Already logged on L0003",
)


@dataclass
class ReplayedVm:
    """One user's console. `costs` are (virtual, total) hundredths of a second of a command, each
    time that it is given; what is not there costs nothing. `quirk` may answer a command otherwise:
    it gets the text and returns what to send, or None.
    """

    words: Words = VM370
    costs: dict[str, tuple[float, float]] = field(default_factory=dict)
    quirk: Callable[[ReplayedVm, str], list[bytes] | None] = lambda vm, text: None
    left: bool = False
    system: str = ""
    virtual: float = 0.0
    total: float = 0.0
    state: str = "logo"
    page: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)

    @property
    def logo(self) -> bytes:
        """The first screen."""
        return page_write(list(self.words.logo), "RUNNING")

    def __call__(self, key: str, text: str) -> list[bytes]:
        if self.waiting and key in ("PA2", "CLEAR"):
            self.page, more, self.waiting = [], self.waiting, []
            return self.show(*more, status=self._status)
        if key == "CLEAR":
            self.page = []
            return self.show(status=self._status)
        return getattr(self, f"at_{self.state}")(text) if key == "ENTER" else []

    def show(self, *lines: str, status: str) -> list[bytes]:
        """LINES on the console, page by page; STATUS when all of them are there."""
        self._status = status
        room = ROWS - len(self.page)
        self.page += lines[:room]
        if len(lines) > room:
            self.waiting = list(lines[room:])
            return [page_write(self.page, "MORE...")]
        return [page_write(self.page, f"{status:<11}{self.system}"[:20])]

    def ready(self, rc: int = 0) -> str:
        """CMS's message, with the CPU of everything as VM prints it."""
        text = self.words.ready.format(v=self.virtual / 100, t=self.total / 100)
        return text.replace(";", f"({rc:05d});", 1) if rc else text

    def at_logo(self, text: str) -> list[bytes]:
        self.state, self.page = "cp", []
        return self.show(status="CP READ")

    def at_cp(self, text: str) -> list[bytes]:
        if text.startswith("LOGON "):
            self.state = "password"
            return self.show(text, self.words.password, status="CP READ")
        if text.startswith("IPL "):
            self.state = "first"
            return self.show(text, self.words.cms, status="VM READ")
        if text == "BEGIN":
            self.state = "cms"
            return self.show(text, status=self.words.waiting)
        return self.show(text, f"DMKCFM001E ?CP: {text}", status="CP READ")

    def at_password(self, text: str) -> list[bytes]:
        if text == "ELSEWHERE":
            self.state = "cp"
            return self.show(self.words.elsewhere, status="CP READ")
        if text != "SECRET":
            self.state = "cp"
            return self.show(self.words.wrong, status="CP READ")
        self.state = "cp"
        if self.left:
            return self.show("RECONNECTED AT 12:34:56", status="CP READ")
        return self.show(self.words.banner, status="CP READ")

    def at_first(self, text: str) -> list[bytes]:
        self.state = "cms"
        return self.show(self.ready(), status=self.words.waiting)

    def at_cms(self, text: str) -> list[bytes]:
        self.given.append(text)
        other = self.quirk(self, text)
        if other is not None:
            return other
        if text in ("LOGOFF", "CP DISCONN"):
            self.state, self.left = "logo", text != "LOGOFF"
            return [self.logo]
        virtual, total = self.costs.get(text, (0.0, 0.0))
        self.virtual += virtual
        self.total += total
        if text == "CP QUERY TIME":
            return self.show(text, *self.time(), self.ready(), status=self.words.waiting)
        if text.startswith("CP "):
            unknown = f"DMKCFM001E ?CP: {text[3:]}"
            return self.show(text, unknown, self.ready(1), status=self.words.waiting)
        return self.show(text, f"did {text}", self.ready(), status=self.words.waiting)

    def time(self) -> tuple[str, str]:
        """QUERY TIME's answer; hundredths are cut off as CP does."""
        virtual, total = (int(x) for x in (self.virtual, self.total))
        passed = 60 + int(self.total / 100 * 1.5)  # the machine waits a third of the time
        at = 34 * 60 + 56 + passed
        spent = [f"{x // 6000:03d}:{x // 100 % 60:02d}.{x % 100:02d}" for x in (virtual, total)]
        return (
            f"TIME IS 12:{at // 60:02d}:{at % 60:02d} EST FRIDAY 06/11/82",
            f"CONNECT= 00:{passed // 60:02d}:{passed % 60:02d} VIRTCPU= {spent[0]}"
            f" TOTCPU= {spent[1]}",
        )
