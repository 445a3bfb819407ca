# SPDX-License-Identifier: MIT
"""guests/vmkb/cp/messages.txt lists every message of CP as CP has it, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CP = ROOT / "guests" / "vmkb" / "cp"
#: A comment, a character, or strings beside each other, which C joins.
TOKEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | '(?:\\.|[^'])*' | "(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*""",
    re.DOTALL | re.VERBOSE,
)
CODE = re.compile(r"DMK(?:[A-Z]{3}|%s)(?:\d{3}|%d)[AEIW] ")


def strings(source: str) -> list[str]:
    """The strings of a C file, joined as the compiler does."""
    tokens = (m[0] for m in TOKEN.finditer(source))
    return ["".join(re.findall(r'"((?:\\.|[^"\\])*)"', t)) for t in tokens if t[0] == '"']


def as_read(text: str) -> str:
    """A format as a person reads it: what is filled in is three dots."""
    return re.sub(r"%[-0-9.*]*l*[a-zA-Z]", "...", text)


def without_comments(source: str) -> str:
    return TOKEN.sub(lambda m: " " if m[0].startswith("/") else m[0], source)


def functions(source: str) -> Iterator[tuple[str, str]]:
    """Name and body of each function of a C file, as this project writes them."""
    for m in re.finditer(r"^\w[^;{}=]*?\b(\w+)\([^;{}]*\)\n\{\n.*?^\}", source, re.M | re.S):
        yield m[1], m[0]


def modules(bodies: list[tuple[str, str]]) -> dict[str, set[str]]:
    """For each function that is handed the letters of a module: those that it is handed."""
    handed: dict[str, set[str]] = {}
    passed: set[tuple[str, str]] = set()
    for name, body in bodies:
        for call in re.finditer(r'\b(\w+)\((?:\w+, )+(?:"([A-Z]{3})"|(module)\b)', body):
            if call[2]:
                handed.setdefault(call[1], set()).add(call[2])
            elif "const char *module" in body:
                passed.add((name, call[1]))
    while grown := [(by, to) for by, to in passed if handed.get(by, set()) - handed.get(to, set())]:
        for by, to in grown:
            handed.setdefault(to, set()).update(handed[by])
    return handed


def messages() -> set[str]:
    """What CP's sources can say with a message number, and every refusal of a command."""
    files = [
        without_comments(p.read_text("ascii")).replace("//", "") for p in sorted(CP.rglob("*.[ch]"))
    ]
    bodies = [f for source in files for f in functions(source)]
    handed = modules(bodies)
    said: set[str] = set()
    for source in files:
        for text in strings(source):
            if (found := CODE.search(text)) and not text.startswith("DMK%s"):
                said.add(as_read(text[found.start() :]))
    for name, body in bodies:
        for text in strings(body):
            if text.startswith("DMK%s"):
                said |= {as_read(text.replace("%s", m, 1)) for m in handed[name]}
        for call in re.finditer(r"\bcmd_error\(c, [^;]*;", body):
            said |= {as_read(text) for text in strings(call[0]) if re.match("[A-Z]+ [A-Z]+ ", text)}
    return said


def test_strings_are_joined_and_comments_are_none() -> None:
    assert strings('say("A %s" /* "no" */, \'"\', "B"\n    "C");') == ["A %s", "BC"]
    assert as_read("DMKLNK%dE %s %03X LINKED, %lu %-8.8s") == "DMKLNK...E ... ... LINKED, ... ..."


def test_every_message_is_in_the_list_and_nothing_else() -> None:
    lines = (CP / "messages.txt").read_text("ascii").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    assert listed == sorted(set(listed))
    assert set(listed) == messages()
    assert len(listed) > 80


def test_help_explains_each_number_of_cmss_messages() -> None:
    sources = "".join(p.read_text("ascii") for p in sorted((CP.parent / "cms").rglob("*.c")))
    said = set(re.findall(r"\bDMS(?:[A-Z]{3}|%s)(\d{3})[A-Z] ", sources))
    explained = (CP.parent / "volume" / "system" / "messages.helpmsg").read_text("ascii")
    assert len(said) > 40
    assert said == set(re.findall(r"^:: (\d{3})$", explained, re.M))
