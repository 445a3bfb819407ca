# SPDX-License-Identifier: MIT
"""Whole programs under the interpreter and under Regina: what they say and how they end.

corpus/ has the written ones; programs.py makes the others. A difference that regina.toml does not
list with its reason fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.guests.rexx import programs
from tests.guests.rexx.rexx import Rexx

HERE = Path(__file__).parent
LISTED: dict[str, Any] = tomllib.loads((HERE / "regina.toml").read_text())
KNOWN: list[dict[str, Any]] = LISTED["program"]
MADE = range(1, 401)
DEADLINE = 20.0  # seconds regina may take for one program
NAME = re.compile(r"^/\* -- (.+) -- \*/\n", re.M)
REPORTED = re.compile(r"DMSREX\d+E Error (\d+) running TEST EXEC, line (\d+):")
REGINA_REPORTED = re.compile(
    r'^Error (\d+) running "[^"]*"(?:, line (\d+)|.*\n.*at line (\d+)\])', re.M
)


def corpus() -> dict[str, str]:
    """The written programs by "file/name"; a line with the name stands before each."""
    found = {}
    for path in sorted((HERE / "corpus").glob("*.rexx")):
        pieces = NAME.split(path.read_text())[1:]
        for name, text in zip(pieces[::2], pieces[1::2], strict=True):
            assert f"{path.stem}/{name}" not in found
            found[f"{path.stem}/{name}"] = text
    return found


def here(rexx: Rexx, text: str) -> list[str]:
    result = rexx.run(text)
    if not result.error:
        return result.lines
    *said, _, message = result.lines  # the clause, and the message
    reported = REPORTED.match(message)
    assert reported and int(reported[1]) == result.error, message
    return [*said, f"error {reported[1]} line {reported[2]}"]


def regina(where: Path, text: str) -> list[str]:
    command = shutil.which("regina")
    if command is None:
        pytest.skip("needs regina (Debian's regina-rexx)")
    where.write_text(text, encoding="latin-1")
    # It does not always end at SIGTERM: subprocess's own limit kills it.
    ran = subprocess.run(
        [command, str(where)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        encoding="latin-1",
    )
    said = ran.stdout.split("\n")[:-1]
    reported = REGINA_REPORTED.search(ran.stderr)
    if reported:
        said.append(f"error {reported[1]} line {reported[2] or reported[3]}")
    elif ran.returncode < 0:
        said.append(f"died of signal {-ran.returncode}")
    return said


def release() -> list[int]:
    """Regina's own, as [3, 6]."""
    said = subprocess.run(["regina", "-v"], capture_output=True, text=True, timeout=DEADLINE)
    found = re.search(r"Regina_(\d+)\.(\d+)", said.stdout + said.stderr)
    assert found is not None, said
    return [int(found[1]), int(found[2])]


def differences(rexx: Rexx, tmp_path: Path, texts: dict[str, str]) -> dict[str, list[list[str]]]:
    """The lines that differ, [ours, regina's], by the program's name."""
    with ThreadPoolExecutor(2) as several:
        theirs = several.map(
            lambda item: regina(tmp_path / f"{item[0]}.rexx", item[1]), enumerate(texts.values())
        )
        found = {}
        for (name, text), other in zip(texts.items(), theirs, strict=True):
            pairs = zip_longest(here(rexx, text), other, fillvalue="(nothing)")
            lines = [[x, y] for x, y in pairs if x != y]
            if lines:
                found[name] = lines
    return found


def test_made_programs(rexx: Rexx, tmp_path: Path) -> None:
    texts = {f"seed {seed}": programs.program(seed) for seed in MADE}
    found = differences(rexx, tmp_path, texts)
    assert not found, "\n\n".join(
        f"{name}: {lines}\n{texts[name]}" for name, lines in found.items()
    )


def test_corpus(rexx: Rexx, tmp_path: Path) -> None:
    """Each written program is alike on both sides, or differs as listed."""
    texts = corpus()
    found = differences(rexx, tmp_path, texts)
    it = release()
    known = {case["name"]: case["lines"] for case in KNOWN if case.get("since", it) <= it}
    unknown = {name: lines for name, lines in found.items() if lines != known.get(name)}
    assert not unknown, "\n\n".join(f"{name}: {lines}" for name, lines in unknown.items())
    assert set(known) <= set(found)  # no listed difference is gone
    assert {case["because"] for case in KNOWN} == set(LISTED["because"])
    assert len(texts) > 200
