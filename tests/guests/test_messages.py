# SPDX-License-Identifier: MIT
"""docs/cp-commands.md lists every message of CP as CP has it, and none that CP does not have."""

from __future__ import annotations

import re
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


def messages() -> set[str]:
    """What CP's sources can say with a message number."""
    said: set[str] = set()
    for path in sorted(CP.rglob("*.[ch]")):
        for text in strings(path.read_text("ascii")):
            if found := CODE.search(text):
                said.add(as_read(text[found.start() :]))
    return said


def test_strings_are_joined_and_comments_are_none() -> None:
    assert strings('say("A %s" /* "no" */, \'"\', "B"\n    "C");') == ["A %s", "BC"]
    assert as_read("DMKLNK%dE %s %03X LINKED, %lu %-8.8s") == "DMKLNK...E ... ... LINKED, ... ..."


def test_every_message_is_in_the_document_and_nothing_else() -> None:
    document = (ROOT / "docs" / "cp-commands.md").read_text("utf-8")
    section = document.split("\n## Messages\n")[1].split("\n## ")[0]
    listed = re.findall(r"^    (DMK.*)$", section, re.MULTILINE)
    assert listed == sorted(set(listed))
    assert set(listed) == messages()
    assert len(listed) > 80
