# SPDX-License-Identifier: MIT
"""What a person's keys mean, and what a terminal's characters are on the person's screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.lat.seat import Keys, Typed


@pytest.mark.parametrize(
    ("keys", "typed"),
    [
        ("query time\r", Typed(b"query time\r")),
        ("\x03", Typed(b"\x03")),
        ("ab\x1dqcd", Typed(b"ab", leave=True)),
        ("\x1dQ", Typed(b"", leave=True)),
        ("\x1d\x1dq", Typed(b"\x1dq")),
        ("a\x1dxb", Typed(b"ab", help=True)),
        ("größer \u20ac", Typed("größer ?".encode("latin-1"))),
    ],
)
def test_keys(keys: str, typed: Typed) -> None:
    assert Keys("utf-8").typed(keys.encode()) == typed


@given(st.text(st.characters(max_codepoint=0xFF, exclude_characters="qQ")), st.data())
def test_keys_mean_the_same_in_any_pieces(text: str, data: st.DataObject) -> None:
    """A character of several bytes, or the escape, may come in two reads."""
    keys, rest, pieces = Keys("utf-8"), text.encode(), []
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        pieces.append(keys.typed(rest[:n]))
        rest = rest[n:]
    together = Typed(b"".join(p.text for p in pieces), help=any(p.help for p in pieces))
    assert together == Keys("utf-8").typed(text.encode())


def test_what_a_window_cannot_show_is_replaced() -> None:
    assert Keys("utf-8").shown("größer\r\n".encode("latin-1")) == "größer\r\n".encode()
    assert Keys("ascii").shown("größer\r\n".encode("latin-1")) == b"gr??er\r\n"
