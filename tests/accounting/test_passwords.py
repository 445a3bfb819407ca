# SPDX-License-Identifier: MIT
"""A card of type 04 or 06 holds a password: no form of it is in anything that comes out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from vmkb.accounting.input.ebcdic import encode
from vmkb.accounting.input.reading import items
from vmkb.accounting.records import ParseError, Record, Text
from vmkb.workloads.cli.parse import command as parse

PASSWORD = "HUSHHUSH"
FORMS = ("binary", "image", "hex", "words", "dump", "dump with text", "with origin")


def image(code: str, word: str = PASSWORD, date: str = "112226") -> str:
    head = f"{'MALLORY':8}{'ACCT':8}{date}101500{'0700':4}"
    return f"{head}{word:8}{'MAINT':8}{'191' if code != '04' else '   '}0305{'':23}{code}"


def written(code: str, form: str, **more: str) -> bytes:
    """A card of CODE in FORM."""
    text = image(code, **more)
    card = encode(text)
    digits = card.hex().upper()
    rows = [
        f"{at:04X}  {card[at : at + 16].hex(' ').upper()}"
        + (f"  |{text[at : at + 16]}|" if form == "dump with text" else "")
        for at in range(0, 80, 16)
    ]
    return {
        "binary": card,
        "image": f"{text}\n".encode(),
        "hex": f"{digits}\n".encode(),
        "words": (" ".join(digits[at : at + 8] for at in range(0, 160, 8)) + "\n").encode(),
        "dump": ("\n".join(rows) + "\n").encode(),
        "dump with text": ("\n".join(rows) + "\n").encode(),
        "with origin": f"10:15:00 OPERATNS: {digits}\n".encode(),
    }[form]


def shown(found: Record | Text | ParseError) -> str:
    """Everything of an item that anybody gets to see."""
    if isinstance(found, ParseError):
        return f"{found} {found.raw} {found.found}"
    return " ".join(map(str, found))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("code", ["04", "06"])
@pytest.mark.parametrize("date", ["112226", "999999"])
def test_no_form_of_a_card_gives_its_password_away(form: str, code: str, date: str) -> None:
    if form.startswith("dump") and date == "999999":
        pytest.skip("what only looks like a dump is no card: it stays text")
    found = list(items(io.BytesIO(written(code, form, date=date)), keep_text=True))
    cards = [f for f in found if isinstance(f, Record)]
    assert len(cards) == (1 if date == "112226" else 0), found
    if cards:
        assert cards[0].word("userid") == "MALLORY"
    for item in found:
        assert PASSWORD not in shown(item)
        digits = "".join(shown(item).split()).upper()
        assert encode(PASSWORD).hex().upper()[:12] not in digits


@pytest.mark.parametrize("form", FORMS)
def test_blanks_and_what_is_no_password_stay(form: str) -> None:
    for data in (written("04", form, word=" "), written("05", form, word=PASSWORD)):
        (card,) = items(io.BytesIO(data))
        assert isinstance(card, Record)
        kept = card.raw.replace("\n", "") if form != "binary" else card.raw
        want = data.decode("latin-1").replace("\n", "") if form != "binary" else data.hex().upper()
        assert kept == want


@pytest.mark.parametrize("to", ["json", "csv", "table"])
def test_no_output_of_parse_has_it(to: str, tmp_path: Path) -> None:
    log = tmp_path / "cards.txt"
    log.write_bytes(written("04", "image") + written("06", "dump with text"))
    done = CliRunner().invoke(parse, ["--to", to, str(log)])
    assert done.exit_code == 0, done.output
    assert "MALLORY" in done.output
    assert PASSWORD not in done.output
    if to == "json":
        kinds = [json.loads(line).get("kind") for line in done.stdout.splitlines()]
        assert kinds == ["card_04", "card_06"]
