# SPDX-License-Identifier: MIT
"""VM/KB's NETSTAT: connections, pools, the device, and the protocols' counters since IPL.

Our own form; only the columns of CONN are those of TCP/IP for VM.  A line of COUNTERS is a
record by itself, so that it is read wherever it stands.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

_N = r"\d{1,18}"
_COUNTERS = ("sent", "received", "dropped", "checksum", "length", "memory", "route")
LEXICON = [
    (
        "COUNTERS",
        r"(?:LINK|ARP|ND|IP|ICMP|TCP) "
        + "".join(rf" *{n.upper()} {_N}" for n in _COUNTERS)
        + r"(?!\S)",
        "a protocol with SENT n RECEIVED n and so on",
    ),
    ("CONNECTIONS", r"User Id +Conn +Foreign Socket +Local Socket +State(?!\S)", "the heading"),
    (
        "CONNECTION",
        rf"[A-Z0-9@#$_+:-]{{1,8}} +{_N} +(?:\*|\S+\.\.\d+) +\S+\.\.\d+ +[A-Z0-9-]+(?!\S)",
        "a connection",
    ),
    ("WAITING", rf"{_N} MORE IN TIME-WAIT(?!\S)", "n MORE IN TIME-WAIT"),
    ("POOLS", r"TCPIP Free pool status:(?!\S)", "the heading"),
    (
        "POOL",
        rf"[A-Z][A-Z0-9_ ]{{0,15}} +{_N} OF +{_N} FREE, "
        rf"(?: *{_N} BYTES EACH|MOST USED {_N}, FAILED {_N})(?!\S)",
        "a pool with n OF n FREE",
    ),
    ("DEVICES", r"Device and link status:(?!\S)", "the heading"),
    ("DEVICE", rf"DEVICE \S+ LINK \S+ MTU {_N} (?:NOT )?READY(?!\S)", "DEVICE name LINK name"),
    (
        "FRAMES",
        rf"FRAMES IN {_N} OUT {_N} BYTES IN {_N} OUT {_N}(?!\S)",
        "FRAMES IN n OUT n BYTES IN n OUT n",
    ),
    (
        "BLOCKS",
        rf"BLOCKS IN {_N} OUT {_N} BAD {_N} NO BUFFER {_N} NO ROOM {_N}(?!\S)",
        "BLOCKS IN n OUT n BAD n NO BUFFER n NO ROOM n",
    ),
]
BLANK = r"[ \t\r\f\0\n]"
tokens = [name for name, _, _ in LEXICON]
_FRAMES = ("frames_in", "frames_out", "bytes_in", "bytes_out")
_BLOCKS = ("blocks_in", "blocks_out", "bad_blocks", "no_buffer", "no_room")
_POOL = re.compile(r"(.+?) +(\d+) OF +(\d+) FREE, (?: *(\d+) BYTES|MOST USED (\d+), FAILED (\d+))")


def _count(number: str, unit: Unit = Unit.COUNT) -> Value:
    return Value(int(number), unit, Source.RT, 1)


def _numbers(names: tuple[str, ...], text: str) -> dict[str, Field]:
    """The numbers in TEXT, in order, by NAMES."""
    found = zip(names, re.findall(r"\d+", text), strict=True)
    return {n: _count(v, Unit.BYTE if n.startswith("bytes") else Unit.COUNT) for n, v in found}


def p_counters(p: Any) -> None:
    "answer : COUNTERS"
    protocol, _, rest = p[1].partition(" ")
    p[0] = [("netstat_counters", {"protocol": protocol, **_numbers(_COUNTERS, rest)}, (), 0)]


def p_connections(p: Any) -> None:
    "answer : CONNECTIONS peers"
    text = p.lexer.text
    made: list[Any] = []
    for token in p[2]:
        at = text.count("\n", 0, token.lexpos) if made else 0
        words = token.value.split()
        fields: dict[str, Field]
        if token.type == "WAITING":
            fields = {"state": "TIME-WAIT", "connections": _count(words[0])}
        else:
            user, _, foreign, local, state = words
            fields = {
                "userid": user, "foreign": foreign, "local": local, "state": state,
                "connections": _count("1"),
            }  # fmt: skip
        made.append(("netstat_connection", fields, (), at))
    p[0] = made


def p_pools(p: Any) -> None:
    "answer : POOLS pools"
    text = p.lexer.text
    made: list[Any] = []
    for token in p[2]:
        at = text.count("\n", 0, token.lexpos) if made else 0
        match = _POOL.match(token.value)
        assert match, "the POOL token and _POOL differ"
        name, free, size, each, most, failed = match.groups()
        fields: dict[str, Field] = {"pool": name, "free": _count(free), "size": _count(size)}
        if each is not None:
            fields["bytes_each"] = _count(each, Unit.BYTE)
        else:
            fields |= {"most_used": _count(most), "failed": _count(failed)}
        made.append(("netstat_pool", fields, (), at))
    p[0] = made


def p_device(p: Any) -> None:
    "answer : DEVICES DEVICE FRAMES BLOCKS"
    _, device, _, link, _, mtu, *state = p[2].split()
    fields: dict[str, Field] = {
        "device": device, "link": link, "mtu": _count(mtu, Unit.BYTE), "state": " ".join(state),
        **_numbers(_FRAMES, p[3]), **_numbers(_BLOCKS, p[4]),
    }  # fmt: skip
    p[0] = [("netstat_device", fields, (), 0)]


def p_rows(p: Any) -> None:
    """peers : peers peer
    | peer
    pools : pools pool
    | pool"""
    if len(p) == 3:
        p[1].append(p[2])
    p[0] = p[1] if len(p) == 3 else [p[1]]


def p_row(p: Any) -> None:
    """peer : CONNECTION
    | WAITING
    pool : POOL"""
    p[0] = p.slice[1]
