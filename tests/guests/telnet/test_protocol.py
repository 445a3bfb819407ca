# SPDX-License-Identifier: MIT
"""TELNET's protocol on the host: RFC 854, 855, 1091, 1143 and 1576, and bytes that follow none."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.harness import Harness

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
OURS = {0, 1, 3, 25}
THEIRS = {0, 3, 24, 25}
ASK_TYPE = bytes((IAC, SB, 24, 1, IAC, SE))
START = bytes((IAC, DO, 24))


class Said(NamedTuple):
    """What came of a sequence of bytes."""

    data: bytes
    answers: bytes
    events: str
    screen: bool
    type: bytes


def _bytes(word: str) -> bytes:
    return b"" if word == "-" else bytes.fromhex(word)


def said(talk: Harness, text: bytes, role: str = "s") -> Said:
    """Give the other side's bytes to the protocol."""
    data, answers, events, screen, kind = talk.line(f"{role} {text.hex()}").split()
    if role == "s" and text:
        sent = _bytes(answers)
        assert sent.startswith(START)
        answers = sent[len(START) :].hex() or "-"
    return Said(_bytes(data), _bytes(answers), events, screen == "1", _bytes(kind))


@given(st.binary(max_size=300))
def test_data_comes_through(talk: Harness, data: bytes) -> None:
    """What is escaped by doubling 255 is the data, with no answer and no event."""
    got = said(talk, b"x" + data.replace(b"\xff", b"\xff\xff"))
    assert got == (b"x" + data, b"", "-", False, b"")


@given(st.binary(max_size=300))
def test_escape_doubles_255(escape: Harness, data: bytes) -> None:
    """The other direction."""
    assert _bytes(escape.line(data.hex())) == data.replace(b"\xff", b"\xff\xff")


@given(st.integers(0, 255), st.sampled_from([DO, DONT, WILL, WONT]), st.integers(1, 5))
def test_requests_are_answered_once(talk: Harness, option: int, command: int, times: int) -> None:
    """A request that changes the state is answered, its repetition is not; unknown ones are refused
    each time, what is off already is not answered."""
    got = said(talk, bytes((IAC, command, option)) * times).answers
    if command in (DONT, WONT):
        assert got == b""
    elif command == DO:
        one = bytes((IAC, WILL if option in OURS else WONT, option))
        assert got == (one if option in OURS else one * times)
    elif option == 24:
        assert got == ASK_TYPE  # an answer to what was asked: no DO again
    else:
        one = bytes((IAC, DO if option in THEIRS else DONT, option))
        assert got == (one if option in THEIRS else one * times)


@given(
    st.lists(st.tuples(st.sampled_from([DO, DONT, WILL, WONT]), st.integers(0, 40)), max_size=60)
)
def test_two_sides_come_to_rest(talk: Harness, requests: list[tuple[int, int]]) -> None:
    """Answers of answers end: what a client says of the server's answers is answered by nothing
    that the client would answer again."""
    first = b"".join(bytes((IAC, *r)) for r in requests)
    answers = said(talk, b"." + first).answers
    back = said(talk, answers, "c").answers
    assert len(back) <= len(answers) + len(ASK_TYPE)
    assert len(said(talk, b"." + first + back).answers) <= len(answers) + len(back)


@pytest.mark.parametrize(
    ("name", "screen"),
    [(b"IBM-3278-2", True), (b"ibm-3279-2-e", True), (b"IBM-DYNAMIC", True), (b"vt100", False),
     (b"IBM-5250", False), (b"", False), (b"X" * 300, False)],
)  # fmt: skip
def test_terminal_types(talk: Harness, name: bytes, screen: bool) -> None:
    """The name is kept in upper case, cut to 40; a 3270's is known."""
    got = said(talk, bytes((IAC, WILL, 24, IAC, SB, 24, 0)) + name + bytes((IAC, SE)))
    assert got.answers == ASK_TYPE
    assert got.events == "oy"
    assert got.screen is screen
    assert got.type == name.upper()[:40]


@given(st.binary(max_size=60))
def test_broken_subnegotiations_are_nothing(talk: Harness, body: bytes) -> None:
    """One of another option, or cut short, says nothing and takes nothing with it."""
    body = body.replace(b"\xff", b"")
    if body[:1] == b"\x18":
        body = b"\x1f" + body
    got = said(talk, bytes((IAC, SB)) + body + bytes((IAC, SE)) + b"after")
    assert got == (b"after", b"", "-", False, b"")


def test_commands(talk: Harness) -> None:
    """BREAK and IP are attention, EOR ends a record, EC and EL erase, AYT is answered, the rest is
    nothing."""
    got = said(
        talk, bytes(b"".join(bytes((IAC, c)) for c in (243, 244, 239, 247, 248, 246, 241, 249)))
    )
    assert got.events == "aarek"
    assert got.answers == b"[yes]\r\n"
    assert got.data == b""


def test_no_text_between_records(talk: Harness) -> None:
    """AYT is not answered by text once records are agreed."""
    got = said(talk, bytes((IAC, DO, 25, IAC, 246)))
    assert got.answers == bytes((IAC, WILL, 25))


def test_client_lets_the_host_echo(talk: Harness) -> None:
    """The client agrees to ECHO and SGA of the host, echoes nothing itself, names no type."""
    asked = bytes((IAC, WILL, 1, IAC, WILL, 3, IAC, DO, 1, IAC, DO, 24, IAC, WILL, 1))
    assert said(talk, asked, "c").answers == bytes(
        (IAC, DO, 1, IAC, DO, 3, IAC, WONT, 1, IAC, WONT, 24)
    )


@given(st.binary(max_size=400), st.sampled_from("sc"))
def test_noise(talk: Harness, noise: bytes, role: str) -> None:
    """Any bytes: no more data than bytes, and answers that are bounded by what came."""
    got = said(talk, b"." + noise, role)
    assert len(got.data) <= 1 + len(noise)
    assert len(got.answers) <= 4 * (1 + len(noise))


def shown(lines: Harness, text: bytes) -> list[bytes]:
    """The lines that a host's characters make; the last is not finished."""
    words = lines.line(text.hex()).split()[0]
    return [_bytes(word) for word in words.split(",")]


def test_lines_of_a_typewriter(lines: Harness) -> None:
    """Backspace, overwriting, tabulation, ANSI sequences."""
    text = b"ab\x08c\r\n1%\r22%\r\n\tx\r\n\x1b[31mred\x1b[0m\x1b]0;title\x07!\r\nlast"
    assert shown(lines, text) == [b"ac", b"22%", b"        x", b"red!", b"last"]


@pytest.mark.parametrize(
    ("prompt", "secret"),
    [("Password:", True), ("root's password: ", True), ("Passphrase for key:", True),
     ("passing", False), ("login:", False), ("Password:\n", False), ("", False)],
)  # fmt: skip
def test_prompts_for_secrets(lines: Harness, prompt: str, secret: bool) -> None:
    """Only a line with such a word and a colon at its end."""
    assert lines.line(prompt.encode().hex()).endswith("S" if secret else ".")


@pytest.mark.parametrize(
    ("line", "prompt"),
    [("login: ", True), ("$ ", True), ("root@host:/#", True), ("Continue (y/n)? ", True),
     ("[sudo] ", True), ("the account of a virtual machine counts e", False), ("it. ", False),
     ("   ", False), ("", False), ("login: \n", False)],
)  # fmt: skip
def test_what_looks_like_a_prompt(lines: Harness, line: str, prompt: bool) -> None:
    """The end of a line that is not finished; a word cut in two is none."""
    assert lines.line(line.encode().hex()).split()[-1][0] == ("P" if prompt else ".")


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=600))
def test_no_character_of_a_line_is_lost(lines: Harness, text: str) -> None:
    """A long line comes in parts of 130."""
    got = shown(lines, text.encode() + b"\n")
    assert b"".join(got) == text.encode()
    assert all(len(line) <= 130 for line in got)


@pytest.mark.parametrize("n", [129, 130, 131, 260])
def test_a_line_that_just_fits_leaves_no_empty_one(lines: Harness, n: int) -> None:
    full = [b"x" * 130] * (n // 130) + [b"x" * (n % 130)] * (n % 130 > 0)
    assert shown(lines, b"x" * n + b"\r\n\r\nlast") == [*full, b"", b"last"]


@given(st.binary(max_size=400))
def test_noise_makes_printable_lines(lines: Harness, noise: bytes) -> None:
    """No control character reaches the console."""
    for line in shown(lines, noise):
        assert all(c >= 0x20 and not 0x7F <= c < 0xA0 for c in line)


@given(
    st.lists(
        st.one_of(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=200),
                  st.sampled_from(["\r\n", "\r", "\b", "\t", "\x1b[1m", "\n", "\xff"])),
        max_size=12,
    )
)  # fmt: skip
def test_many_characters_at_a_time_make_the_same_lines(
    lines: Harness, lines_by_run: Harness, pieces: list[str]
) -> None:
    text = "".join(pieces).encode("latin-1").hex()
    assert lines_by_run.line(text) == lines.line(text)


def _fuzz(program: Path, count: int, seed: int) -> None:
    done = subprocess.run(
        [program, "fuzz", str(seed), str(count)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_thousands_of_sequences(program: Path) -> None:
    """20 000 sequences of commands and noise: bounded, and nothing for the sanitizers to say."""
    _fuzz(program, 20_000, 1)


@pytest.mark.slow
def test_a_million_sequences(program: Path) -> None:
    """The same with a million."""
    _fuzz(program, 1_000_000, 2)
