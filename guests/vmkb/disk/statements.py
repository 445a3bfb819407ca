# SPDX-License-Identifier: MIT
"""The directory's statements: each function reads one and puts it into a User."""

from __future__ import annotations

from collections.abc import Callable

from vmkb.guests.vmkb.disk.codepage import encode
from vmkb.guests.vmkb.disk.model import (
    CLASS_LETTERS,
    DEVICE_TYPES,
    FBA_PER_BLOCK,
    FLAGS,
    MACHINE_Z_MAX_KB,
    MDISK_BLOCKS_MAX,
    MDISK_BLOCKS_MIN,
    MODES,
    Device,
    Link,
    Mdisk,
    User,
)
from vmkb.guests.vmkb.disk.source import Statement, Word

OPTIONS = ("ACCT", "QUICKDSP", "COMSRV", "SVMSTAT", "LNKNOPAS")
SPOOL_TYPES = dict.fromkeys(("2540R", "2540P", "3505", "3525", "1403", "3211", "3203", "4245"), 0)
SPECIAL_TYPES = dict.fromkeys(("3270", "3215", "CTCA", "TIMER"), 0)


def user(s: Statement) -> User:
    """USER userid password [storage [max [classes [priority [le [ld [cd [es]]]]]]]]."""
    name = s.name("a userid")
    u = User(name.text if name else "", name.where if name else s.keyword.where)
    u.account = u.distribution = u.userid
    password = s.name("a password")
    if password is not None:
        if password.text in ("NOLOG", "AUTOONLY"):
            u.flags |= FLAGS[password.text]
        else:
            u.password = password.text
    if s.peek():
        size = s.storage("a storage size", MACHINE_Z_MAX_KB)
        u.storage_kb = u.max_kb = size or u.storage_kb
    if word := s.peek():
        most = s.storage("a maximum storage size", MACHINE_Z_MAX_KB)
        if most is not None and most < u.storage_kb:
            s.problem(word.where, "expected a maximum not below the storage size")
        u.max_kb = most or u.max_kb
    if s.peek():
        u.classes = _classes(s)
    if s.peek():
        u.priority = s.number("a priority", 0, 99) or 0
    edit = bytearray(4)
    for i, what in enumerate(("line end", "line delete", "character delete", "escape")):
        if s.peek():
            edit[i] = _edit(s, what)
    u.edit = bytes(edit)
    s.end()
    return u


def _classes(s: Statement) -> int:
    word = s.word("privilege classes")
    bits = 0
    if word is None:
        return bits
    for i, letter in enumerate(word.text):
        if letter not in CLASS_LETTERS:
            where = type(word.where)(word.where.line, word.where.column + i)
            s.problem(where, f"expected privilege classes of A to Z and 1 to 6, found '{letter}'")
        else:
            bits |= 1 << CLASS_LETTERS.index(letter)
    return bits


def _edit(s: Statement, what: str) -> int:
    """An edit character: itself, two hexadecimal digits (EBCDIC), ON (default) or OFF (a blank)."""
    word = s.word(f"a {what} character")
    if word is None or word.text == "ON":
        return 0
    if word.text == "OFF":
        return 0x40
    if len(word.text) == 1:
        return encode(word.text)[0]
    if len(word.text) == 2 and all(c in "0123456789ABCDEF" for c in word.text):
        return int(word.text, 16)
    s.problem(
        word.where,
        f"expected a {what} character, two hexadecimal digits, ON or OFF, found '{word.text}'",
    )
    return 0


def account(s: Statement, u: User) -> None:
    """ACCOUNT number [distribution]."""
    if word := s.name("an account number"):
        u.account = word.text
    if s.peek() and (word := s.name("a distribution code")):
        u.distribution = word.text
    s.end()


def ipl(s: Statement, u: User) -> None:
    """IPL system [PARM text]."""
    name = s.name("a system name or device address")
    if name is not None:
        u.ipl_name = name.text
    word = s.peek()
    if word is None:
        return
    if word.text != "PARM":
        s.problem(word.where, f"expected PARM or end of line, found '{word.text}'")
        return
    s.word("PARM")
    first = s.word("text after PARM")
    if first is None:
        return
    u.ipl_parm = s.text_from(first)


def console(s: Statement, u: User) -> None:
    """CONSOLE vaddr 3215|3270 [class [userid]]."""
    if u.flags & FLAGS["CONSOLE"]:
        s.problem(s.keyword.where, "expected one CONSOLE statement, found a second")
    vaddr = s.address("a console address")
    kind = s.choice("a console type", {"3215": 0x3215, "3270": 0x3270})
    if vaddr is not None and kind is not None:
        u.flags |= FLAGS["CONSOLE"]
        u.console_vaddr, u.console_type = vaddr, kind
    if s.peek():
        _spool_class(s)
    if s.peek() and (word := s.name("a secondary userid")):
        u.secondary, u.secondary_where = word.text, word.where
    s.end()


def _spool_class(s: Statement) -> str:
    word = s.word("a spool class")
    if word is None:
        return "A"
    if len(word.text) != 1 or not (word.text.isalnum() or word.text == "*"):
        s.problem(word.where, f"expected a spool class of one letter, found '{word.text}'")
        return "A"
    return word.text


def mdisk(s: Statement, u: User) -> None:
    """MDISK vaddr devtype start|AUTO blocks volser [mode [read [write [multiple]]]]."""
    where = s.keyword.where
    vaddr = s.address("a virtual device address")
    kind = s.choice("a device type", DEVICE_TYPES)
    place = s.peek()
    start: int | None = None
    if place is not None and place.text == "AUTO":
        s.word("AUTO")
    else:
        start = s.number("a start block or AUTO", 0, 2**31 - 1)
        if start is not None and start % FBA_PER_BLOCK and place is not None:
            s.problem(place.where, f"expected a start block that is a multiple of {FBA_PER_BLOCK}")
    size = s.peek()
    blocks = s.number("a number of blocks", MDISK_BLOCKS_MIN, MDISK_BLOCKS_MAX)
    if blocks is not None and blocks % FBA_PER_BLOCK and size is not None:
        s.problem(size.where, f"expected a number of blocks that is a multiple of {FBA_PER_BLOCK}")
    volser = s.name("a volume serial")
    mode = MODES["W"]
    if s.peek():
        mode = s.choice("an access mode", MODES) or mode
    passwords = ["", "", ""]
    for i, what in enumerate(("read", "write", "multiple")):
        if s.peek() and (word := s.name(f"a {what} password")):
            passwords[i] = word.text
    s.end()
    good = vaddr is not None and kind is not None and blocks is not None and volser is not None
    if good and (start is not None or (place is not None and place.text == "AUTO")):
        assert vaddr is not None and kind is not None and blocks is not None and volser is not None
        read, write, multiple = passwords
        u.mdisks.append(
            Mdisk(
                vaddr, kind, start, blocks, volser.text, mode, (read, write, multiple), where,
                place.where if place else where,
            )
        )  # fmt: skip


def link(s: Statement, u: User) -> None:
    """LINK userid vaddr [vaddr [mode]]."""
    owner = s.name("the owner's userid")
    vaddr = s.address("the owner's device address")
    alias = s.address("a device address here") if s.peek() else vaddr
    mode = MODES["RR"]
    if s.peek():
        mode = s.choice("an access mode", MODES) or mode
    s.end()
    if owner is not None and vaddr is not None and alias is not None:
        u.links.append(Link(owner.text, vaddr, alias, mode, s.keyword.where))


def machine(s: Statement, u: User) -> None:
    """MACHINE Z: it runs systems of its own under SIE, not CP's named systems."""
    u.flags |= s.choice("a machine mode", {"Z": FLAGS["MACHINE_Z"]}) or 0
    s.end()


def option(s: Statement, u: User) -> None:
    """OPTION word..., where MAXCONN is followed by a number."""
    word = s.word("an option")
    while word is not None:
        if word.text == "MAXCONN":
            u.maxconn = s.number("a number of connections", 1, 65535) or u.maxconn
        elif word.text in OPTIONS:
            u.flags |= FLAGS[word.text]
        else:
            listed = " ".join((*OPTIONS, "MAXCONN"))
            s.problem(word.where, f"expected an option, one of {listed}, found '{word.text}'")
        word = s.word("an option") if s.peek() else None


def iucv(s: Statement, u: User) -> None:
    """IUCV ALLOW|ANY [MSGLIMIT n]."""
    kind = s.choice("ALLOW or ANY", {"ALLOW": FLAGS["IUCV_ALLOW"], "ANY": FLAGS["IUCV_ANY"]})
    u.flags |= kind or 0
    if s.peek() and s.choice("MSGLIMIT or end of line", {"MSGLIMIT": 1}):
        u.iucv_msglimit = s.number("a message limit", 1, 65535) or 0
    s.end()


def autolog(s: Statement, u: User) -> None:
    """AUTOLOG userid..."""
    word = s.name("a userid")
    while word is not None:
        u.autologs.append((word.text, word.where))
        word = s.name("a userid") if s.peek() else None


def spool(s: Statement, u: User) -> None:
    """SPOOL vaddr devtype [class]."""
    vaddr = s.address("a virtual device address")
    kind = _kind(s, "a spool device type", SPOOL_TYPES)
    letter = _spool_class(s) if s.peek() else "A"
    s.end()
    if vaddr is not None and kind is not None:
        u.devices.append(Device(vaddr, 1, kind.text, s.keyword.where, spool_class=letter))


def dedicate(s: Statement, u: User) -> None:
    """DEDICATE vaddr raddr."""
    vaddr = s.address("a virtual device address")
    raddr = s.address("a real device address")
    s.end()
    if vaddr is not None and raddr is not None:
        u.devices.append(Device(vaddr, 2, "", s.keyword.where, raddr=raddr))


def special(s: Statement, u: User) -> None:
    """SPECIAL vaddr type; SPECIAL vaddr CTCA [userid [vaddr]]."""
    vaddr = s.address("a virtual device address")
    kind = _kind(s, "a device type", SPECIAL_TYPES)
    if kind is not None and kind.text == "CTCA":
        other = s.name("a userid") if s.peek() else None
        there = s.address("a virtual device address") if other and s.peek() else None
        made = (4, other.text if other else "", there or 0)
    else:
        made = (3, kind.text if kind else "", 0)
    s.end()
    if vaddr is not None and kind is not None:
        u.devices.append(Device(vaddr, *made[:2], s.keyword.where, raddr=made[2]))


def _kind(s: Statement, expected: str, choices: dict[str, int]) -> Word | None:
    word = s.peek()
    return word if s.choice(expected, choices) is not None else None


STATEMENTS: dict[str, Callable[[Statement, User], None]] = {
    "ACCOUNT": account,
    "AUTOLOG": autolog,
    "CONSOLE": console,
    "DEDICATE": dedicate,
    "IPL": ipl,
    "IUCV": iucv,
    "LINK": link,
    "MACHINE": machine,
    "MDISK": mdisk,
    "OPTION": option,
    "SPECIAL": special,
    "SPOOL": spool,
}
