# SPDX-License-Identifier: MIT
"""What TCP/IP stacks beside each other cost, how fast they are and what they take, as tables and
plots. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Measure, instructions_of, part_cpu, throughput, value
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.grown import Program
from vmkb.accounting.tables.listing import Columns, Shown, listing, span
from vmkb.accounting.tables.table import Cell, Plot, Table, printed

GET, PUT, FEW, FEW_PUT = "G2M_B", "P2M_B", "G24KB", "P24KB"
TRIP, MANY, CONNECT = "1B", "RR64", "CRR1"
LOSS, SEEDS = 0.01, 3
"""The part of the frames that the lossy link loses each way, and trials on it."""
LINUX_NOTE = (
    "Linux: all that its guest executes, with the kernel's scheduler, vsftpd or a program that"
    " echoes, and files in memory. It serves, so its get is what its client puts, and it accepts"
    " the connections that stacks make. Its window is 64 KB, its driver the kernel's ctcm. What of"
    " it is TCP/IP, and sizes of that, are not told apart."
)
LIMITS = (
    "What this does not say: how stacks rank on another processor, with caches, or with a network"
    " card and its driver. It counts the instructions of s390x code by gcc -O3 (smoltcp: rustc),"
    " and a CPU model prices them. Windows and buffers are those of our ports, or of the rooms in"
    " vmkb.toml."
)


class Stack(NamedTuple):
    """What is known of a release: costs by part and case, all those of the machines called LABEL,
    instructions per KB of what it got by where they are written, and sizes. Of Linux the last two
    are not known."""

    release: str
    title: str
    label: str
    costs: Mapping[tuple[str, str], Sequence[TrialCost]]
    where: Mapping[str, float] = {}
    program: Program | None = None


def lost(label: str, whole: Sequence[TrialCost], lossy: Sequence[TrialCost]) -> list[float]:
    """Instructions of what is measured for each frame that its link lost, in each LOSSY trial: what
    it took more than a WHOLE one."""
    lossless = [_instructions(cost, label) for cost in whole[:1]]
    return [
        (_instructions(cost, label) - base) / frames
        for base in lossless
        for cost in lossy
        if (frames := _dropped(cost.trial))
    ]


def _instructions(cost: TrialCost, label: str) -> float:
    counts = (p.instructions for p in cost.parts if p.label == label)
    return sum(count.value for count in counts if count is not None)


def _dropped(trial: Trial) -> float:
    return sum(r.value("dropped").value for r in trial.records if r.kind == "wire")


def tables(stacks: Sequence[Stack], about: str) -> list[Table]:
    """What STACKS cost, how fast they are and what they take; ABOUT: the MTU and the wire."""
    names = "; ".join(f"{s.release}: {s.title}" for s in stacks)
    linux = [LINUX_NOTE] if any(s.program is None for s in stacks) else []
    files = [("Get", GET), ("Put", PUT), ("Small get", FEW), ("Small put", FEW_PUT)]
    trips = [("One", TRIP), ("Of 64", MANY), ("Connection", CONNECT)]
    made = [
        _table("stacks", "CPU of TCPIP, files", stacks, _costs("whole", files), (
            f"{names}.", f"Files of 2 MB, and small ones of 24 KB. {about}.", *linux, LIMITS,
        ), plots=[_bars("CPU of a file", "us/KB", "whole", files, stacks)]),
        _table("stacks-trips", "CPU of TCPIP, round trips", stacks, _costs("echo", trips), (
            "A byte there and back: over one connection, over one of 64 side by side, and with a"
            " connection each.",
        ), plots=[_bars("CPU of a round trip", "us", "echo", trips, stacks)]),
        _table("stacks-where", "Instructions of TCPIP", stacks, [
            ("Put", _of("whole", PUT, instructions_of)),
            ("Get", _of("whole", GET, instructions_of)),
            ("of it stack", _written("stack")),
            ("port", _written("port")),
            ("rest", _written("rest")),
        ], ("The rest is TCPIP's own code, and CP's work for it.",)),
        _table("stacks-lost", "A lost frame, instructions", stacks, [
            *((head, _lost("", case)) for head, case in files), ("Of 64", _lost("-echo", MANY)),
        ], (
            f"Of TCPIP, for each frame that its link loses, of {100 * LOSS:g} % each way, {SEEDS}"
            " seeds: what a trial takes more than one without loss. Less than nothing says that"
            " something else changed by more.",
        )),
        _table("stacks-rates", "Rates", stacks, [
            (f"{head}{word}", _of(part, case, lambda label: throughput))
            for head, case in files for part, word in (("whole", ""), ("lossy", ", lossy"))
        ], once=True),
        _table("stacks-sizes", "Sizes", stacks, _sizes(), (
            "text: instructions of the stack's own files; data, bss: of the whole program; RAM:"
            " heap and pools at most, which only lwIP tells.",
        ), once=True),
    ]  # fmt: skip
    return [table for table in made if table is not None]


def _costs(part: str, cases: Sequence[tuple[str, str]]) -> Columns[Stack]:
    return [(head, _of(part, case, part_cpu)) for head, case in cases]


def _bars(
    title: str, unit: str, part: str, cases: Sequence[tuple[str, str]], stacks: Sequence[Stack]
) -> Plot:
    """The costs of CASES in PART, a bar for each of STACKS."""
    known = {
        head: [
            (s.release, cell.value)
            for s in stacks
            if isinstance(cell := _of(part, case, part_cpu)(s), Cell) and cell.value is not None
        ]
        for head, case in cases
    }
    bars = tuple((head, tuple((x, v, v, v) for x, v in xs)) for head, xs in known.items() if xs)
    return Plot("bars", title, unit, bars)


def _table(
    name: str, title: str, stacks: Sequence[Stack], columns: Columns[Stack],
    notes: Sequence[str] = (), once: bool = False, plots: Sequence[Plot] = (),
) -> Table | None:  # fmt: skip
    named: Columns[Stack] = [("Release", lambda s: s.release)]
    return listing(
        name, title, stacks, [*named, *columns], notes, keys=0, once=once,
        plots=[p for p in plots if p.series],
    )  # fmt: skip


def _of(part: str, case: str, measure: Callable[[str], Measure]) -> Callable[[Stack], Shown]:
    def cell(stack: Stack) -> Shown:
        group = stack.costs.get((part, case))
        return value(measure(stack.label))(group) if group else None

    return cell


def _written(place: str) -> Callable[[Stack], Shown]:
    return lambda s: printed(s.where[place], "instr/KB", "(IC)") if s.where else None


def _lost(kind: str, case: str) -> Callable[[Stack], Shown]:
    def cell(stack: Stack) -> Shown:
        parts = kind.removeprefix("-") or "whole", f"lossy{kind}"
        whole, lossy = (stack.costs.get((part, case), ()) for part in parts)
        return span(lost(stack.label, whole, lossy), "instr", "(IC/WI)")

    return cell


def _sizes() -> Columns[Stack]:
    def size(of: Callable[[Program], int | None]) -> Callable[[Stack], Shown]:
        def cell(stack: Stack) -> Shown:
            number = of(stack.program) if stack.program else None
            return None if number is None else Cell(f"{number:,}", number, "B")

        return cell

    return [
        ("text", size(lambda p: p.text)),
        ("data", size(lambda p: p.data)),
        ("bss", size(lambda p: p.bss)),
        ("largest frame", size(lambda p: p.frame)),
        ("RAM", size(lambda p: p.ram)),
    ]
