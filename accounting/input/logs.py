# SPDX-License-Identifier: MIT
"""Somebody's own console log as trials: each stretch of work between two samples is one."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from vmkb.accounting.records import Item, ParseError, Record, Text, Value
from vmkb.accounting.store import Trial

#: A case's name is cut here.
NAME_MAX = 40
#: What --case-from takes besides a pattern.
COMMAND = "command"
#: The question itself, as a console echoes it, with a prompt or a clock before it or not.
_ASKED = re.compile(r"(?:^|[\s>:.])(?:CP\s+)?Q(?:UERY)?\s+T(?:IM|IME)?\b", re.IGNORECASE)
#: A question for the time costs less than this, in us: two steps of QUERY TIME.
IDLE_US = 20_000
#: Leaving is no work either: what LOGOFF's answer says since the last sample is no trial.
_LEFT = re.compile(r"^\s*(?:#?CP\s+)?LOG(?:OFF?)?(?:\s+HOLD)?\s*$", re.IGNORECASE)
#: Who the console is, as text says it: LOGON as it was typed, QUERY USERID's answer and the banners
#: that begin like it, VMS's accounting.
_WHO = (
    re.compile(r"^\s*(?:LOGON|LOGIN|LOG|L)\s+(?!AT\b)([A-Z0-9$#@_+-]{1,8})(?:\s|$)", re.IGNORECASE),
    re.compile(r"^\s*([A-Z0-9$#@_+-]{1,8})\s+AT\s+[A-Z0-9$#@_+-]{1,8}(?:\s+(?:VIA\s+\S+|\d\S*|"
               r"[A-Z]{2,4}|[A-Z]+DAY))*\s*$"),
    re.compile(r"^\s*User ?name:\s+([A-Z0-9$_]{1,12})\b", re.IGNORECASE),
)  # fmt: skip
_BESIDE = ("time_is", "connect", "ready")


def log_trials(
    name: str,
    items: Iterable[Item],
    user: str = "",
    data: Value | None = None,
    case_from: str = "",
) -> tuple[list[Trial], list[str]]:
    """The trials of one console text, and notes about what was not used. The release is NAME.

    Every machine with two samples is a part; samples that name nobody are USER's, else those of
    whoever the text says has logged on; DATA, in each
    trial, overrides the bytes of FTP's messages. A stretch is no trial if it shows nothing but
    questions for the time and no machine used more CPU than a question does, nor is one without a
    transfer where others have some; the notes count both. CASE_FROM:
    'command' names a stretch after the first thing typed in it, a regular expression (its first
    group) after the last line above its end that fits; without it all are trials of one case.
    """
    kept: list[Item] = []
    notes: list[str] = []
    told = ""
    for item in items:
        if isinstance(item, Text):
            told = _who(item) or told
        if isinstance(item, ParseError):
            notes.append(str(item))
        elif isinstance(item, Record) and item.kind == "connect":
            nobody = not item.word("userid") and not item.origin
            owner = user or told
            kept.append(item._replace(origin=owner) if nobody and owner else item)
        else:
            kept.append(item)
    places: dict[str, list[int]] = defaultdict(list)
    for k, item in enumerate(kept):
        if isinstance(item, Record) and item.kind == "connect":
            places[item.word("userid") or item.origin or "(console)"].append(k)
    notes += [
        f"{name}: only one sample of {m}: left out" for m, at in places.items() if len(at) < 2
    ]
    sampled = {m: at for m, at in places.items() if len(at) > 1}
    if not sampled:
        return _accounted(name, kept, user, data), notes
    parts = {m: m for m in sampled}
    cuts, uneven = _cuts(sampled), ""
    if cuts is None:
        counts = ", ".join(f"{m} {len(at)}" for m, at in sampled.items())
        uneven = f"machines were not sampled in turn ({counts}): taken as one trial"
        notes.append(f"{name}: {uneven}")
        cuts = [(min(a[0] for a in sampled.values()), max(a[-1] for a in sampled.values()))]
    stretches = [_stretch(kept, begin, end) for begin, end in cuts]
    worked = [s for s in stretches if _worked(s)] or stretches
    if len(worked) < len(stretches):
        notes.append(
            f"{name}: {len(stretches) - len(worked)} of {len(stretches)} stretches between samples"
            f" show no work (no command, at most {IDLE_US / 1e6:g} s of CPU): left out"
        )
    moved = [
        s for s in worked if any(isinstance(i, Record) and i.kind == "ftp_transfer" for i in s)
    ]
    if moved and data is None:
        if len(moved) < len(worked):
            notes.append(
                f"{name}: {len(worked) - len(moved)} of {len(worked)} stretches between samples"
                " moved no file: left out"
            )
        worked = moved
    naming = _naming(case_from, kept)
    made = []
    for number, stretch in enumerate(worked, start=1):
        why = _failed(stretch)
        if uneven and data is not None:  # the number given is of each trial
            why = f"{uneven}, so that the KB given are not those moved in it"
        made.append(
            Trial(
                id=f"{name}#{number}" if len(worked) > 1 else name, run=name,
                case=naming(stretch), release=name, seq=number, parts=parts, data=data,
                records=tuple(i for i in stretch if isinstance(i, Record)),
                status="untrusted" if why else "good", why=why,
            )
        )  # fmt: skip
    return made, notes


def _failed(stretch: Sequence[Item]) -> str:
    """Why the work of a stretch was perhaps not done: a command in it failed. Else nothing."""
    codes = [
        int(i.value("rc").value) for i in stretch if isinstance(i, Record) and i.kind == "ready"
    ]
    bad = [code for code in codes if code]
    if not bad:
        return ""
    which = f"{len(bad)} of {len(codes)} commands" if len(codes) > 1 else "the command"
    return f"{which} ended with Ready({bad[0]:05}), not with Ready;"


def _accounted(name: str, kept: Sequence[Item], user: str, data: Value | None) -> list[Trial]:
    """Trials of an input without samples: accounting cards of type 01 and VMS accounting blocks,
    each of which is one session's CPU. The k-th of every userid make trial k, if all have as
    many; else they are added up. Without these, what a VMS process used between two SHOW
    PROCESS/ACCOUNTINGs.
    """
    by_user: dict[str, list[Record]] = defaultdict(list)
    shown: dict[str, list[Record]] = defaultdict(list)
    logged_out = process = ""
    for item in kept:
        if not isinstance(item, Record):
            continue
        if item.kind == "vms_logout":
            logged_out = item.word("userid")
        elif item.kind == "vms_process":
            process = item.word("userid")
        elif item.kind == "vms_usage" and "cpu" in item.fields:
            owner = _of_vms(user or process or "(process)")
            shown[owner].append(item._replace(origin=owner))
        elif item.kind == "card_01":
            by_user[item.word("userid")].append(item)
        elif item.kind == "vms_accounting" and "cpu" in item.fields:
            owner = _of_vms(user or logged_out or "(job)")
            by_user[owner].append(item._replace(origin=owner))
    if not by_user:
        pairs = {u: list(zip(of, of[1:], strict=False)) for u, of in shown.items() if len(of) > 1}
        return [
            Trial(
                id=f"{name}#{number}", run=name, case="log", release=name, seq=number,
                parts={u: u.removesuffix(_VMS)}, data=data, records=pair, status="good",
            )
            for u, found in pairs.items()
            for number, pair in enumerate(found, start=1)
            if pair[0].value("cpu").value <= pair[1].value("cpu").value
        ]  # fmt: skip
    counts = {len(found) for found in by_user.values()}
    rounds = (
        list(zip(*by_user.values(), strict=True))
        if len(counts) == 1
        else [tuple(r for found in by_user.values() for r in found)]
    )
    return [
        Trial(
            id=f"{name}#{number}" if len(rounds) > 1 else name, run=name, case="log", release=name,
            seq=number, parts={u: u.removesuffix(_VMS) for u in by_user}, data=data,
            records=records, status="good",
        )
        for number, records in enumerate(rounds, start=1)
    ]  # fmt: skip


_VMS = " of VMS"


def _of_vms(user: str) -> str:
    """How a USER of VMS is told from a virtual machine: his SYSTEM is not the whole system."""
    return user + _VMS


def _cuts(sampled: dict[str, list[int]]) -> list[tuple[int, int]] | None:
    """From the first of each round of samples to the last of the next; None if the machines were
    not asked equally often, all of them before the next round.
    """
    rounds = list(zip(*sampled.values(), strict=False))
    if len({len(at) for at in sampled.values()}) > 1:
        return None
    ends = [(min(r), max(r)) for r in rounds]
    if any(a[1] >= b[0] for a, b in zip(ends, ends[1:], strict=False)):
        return None
    return [(a[0], b[1]) for a, b in zip(ends, ends[1:], strict=False)]


def _stretch(kept: Sequence[Item], begin: int, end: int) -> list[Item]:
    """The items of a trial, with the clock above its first sample."""
    before = kept[begin - 1] if begin else None
    if isinstance(before, Record) and before.kind == "time_is":
        begin -= 1
    return list(kept[begin : end + 1])


#: Answers that no cost is made of.
_UNUSED = {"indicate_load": "INDICATE LOAD", "indicate_user": "INDICATE USER"}
_QUEUES = re.compile(r"(?:^|[\s>:.])(?:CP\s+)?IND(?:ICATE)?\s+Q(?:UEUES)?\b", re.IGNORECASE)


def unused(name: str, items: Iterable[Item]) -> list[str]:
    """A note on each kind of answer in the log NAME that no cost is made of, and how many there
    are: CP smooths INDICATE's figures or cuts them to seconds."""
    told: Counter[str] = Counter()
    for item in items:
        if isinstance(item, Record) and item.kind in _UNUSED:
            told[_UNUSED[item.kind]] += 1
        elif isinstance(item, Text):
            told["INDICATE QUEUES"] += sum(map(bool, map(_QUEUES.search, item.raw.splitlines())))
    return [
        f"{name}: {count} answers to {asked} are not used" for asked, count in told.items() if count
    ]


def asks_time(line: str) -> bool:
    """Whether LINE, as a console echoes it, is QUERY TIME."""
    return bool(_ASKED.search(line))


def _who(item: Text) -> str:
    """The userid that the last line of ITEM which names one names, or nothing."""
    found = [m[1].upper() for x in item.raw.splitlines() for p in _WHO if (m := p.match(x))]
    return found[-1] if found else ""


def _lines(item: Item) -> list[str]:
    return [x.strip() for x in item.raw.splitlines() if x.strip()]


def _worked(stretch: Sequence[Item]) -> bool:
    """True if something was done in a stretch besides asking for the time.

    A log need not show what was typed. Then the CPU time says whether there was work, but not of
    LOGOFF alone: on a busy computer it takes any time.
    """
    left = False
    for item in stretch:
        if isinstance(item, Record) and item.kind not in _BESIDE:
            return True
        for line in _lines(item) if isinstance(item, Text) else ():
            if _LEFT.search(line):
                left = True
            elif not asks_time(line):
                return True
    return not left and _grown(stretch) > IDLE_US


def _grown(stretch: Sequence[Item]) -> float:
    """The most CPU time, in us, that a machine used between its first and last sample; endless
    if its counters restarted."""
    read: dict[str, list[float]] = defaultdict(list)
    for item in stretch:
        if isinstance(item, Record) and item.kind == "connect":
            total = item.fields.get("totcpu")
            read[item.word("userid") or item.origin].append(
                total.value if isinstance(total, Value) else 0.0
            )
    grown = [at[-1] - at[0] for at in read.values()]
    return math.inf if any(us < 0 for us in grown) else max(grown, default=0.0)


def _naming(case_from: str, kept: Sequence[Item]) -> Callable[[Sequence[Item]], str]:
    """How a stretch gets its case."""
    if not case_from:
        return lambda stretch: "log"
    if case_from == COMMAND:
        return _typed
    pattern = re.compile(case_from)
    marks: list[tuple[int, str]] = []
    for item in kept:
        for offset, line in enumerate(item.raw.splitlines()):
            if found := pattern.search(line):
                words = found[1] if pattern.groups else found[0]
                marks.append((item.where.line + offset, words.strip()))  # type: ignore[union-attr]

    def marked(stretch: Sequence[Item]) -> str:
        end = stretch[-1].where.line  # type: ignore[union-attr]
        return next((m for line, m in reversed(marks) if line <= end), "log")[:NAME_MAX]

    return marked


def _typed(stretch: Sequence[Item]) -> str:
    """The first line of a stretch that is no answer and no question for the time."""
    for item in stretch:
        if isinstance(item, Text):
            for line in _lines(item):
                if not asks_time(line):
                    return " ".join(line.split())[:NAME_MAX]
    return "log"
