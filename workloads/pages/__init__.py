# SPDX-License-Identifier: MIT
"""A file read or written in order at another guest: by gms_net's pages, some ahead, or by FTP.

A trial is one run of GMSREAD, GMSWRITE or FTP in the reading guest, whose procedure asks CP for CPU
around it; the operator of the serving guest is asked before and after.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, cast

from pydantic import Field

from vmkb.accounting.analysis.specification import Brief, Given, Specification
from vmkb.accounting.compare import Lookup, Ours
from vmkb.accounting.costs import costs as costs_of
from vmkb.accounting.costs import took as finer
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import total_cpu, value
from vmkb.accounting.models import model as find_model
from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial, clock_of
from vmkb.accounting.tables.group import Column, columns, releases
from vmkb.accounting.tables.listing import Columns, Shown, listing
from vmkb.accounting.tables.table import Plot, Table
from vmkb.accounting.units import Figure
from vmkb.guests.base import Ability, Contents, Driver, FileName, Role, Running, Wishes
from vmkb.guests.contents import Content, Fixed, Text
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base import definition, workload
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.guest import in_rexx
from vmkb.workloads.base.pair import PairBench
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.workload import Outcome, Planned, Stage

READER, SERVER = "READER", "SERVER"
ADDRESS, HOST = "10.17.0.11", "10.17.0.2"
FILE, WRITTEN = 1, 2
PAGE = 8192
MOVED = ("gms_read", "gms_write", "ftp_transfer")
DONE, SERVED = "PGTRY ENDED RC=", "PGSRV ENDED RC="
_NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.CPU, Ability.FTP, Ability.GMS})
TEXT = "gms_net_text"
Points = tuple[tuple[str | float, float, float, float], ...]
"""Of a plot's series: x, value, lo, hi."""
_SUM = re.compile(r"GMSSERVE: .* (\d+) bytes, sum ([0-9A-F]{8})")
READ = """\
/* SPDX-License-Identifier: MIT */
/* PGTRY ahead bytes what: one trial; ahead FTP: by FTP; WRITE: to other pages, read then */
parse arg ahead bytes what .
'CP DISCONN'
if ahead = 'FTP' then do
  queue '{user} {user}'
  queue 'TYPE I'
  queue 'GET BIG.DATA /dev/null'
  queue 'QUIT'
end
{before}
if ahead = 'FTP' then 'FTP {host} (EXIT'
else if what = 'WRITE' then 'GMSWRITE {server}' {written} bytes ahead
else 'GMSREAD {server}' {file} bytes ahead
code = rc
{after}
if what = 'WRITE' & code = 0 then do
  'GMSREAD {server}' {written} bytes 8
  code = rc
end
say '{done}' || code
"""
SERVE = """\
/* SPDX-License-Identifier: MIT */
/* PGSRV: the file's pages are here for others, and as many to be written */
'CP DISCONN'
'GMSSERVE FILE' {file} 'BIG DATA A'
code = rc
'GMSSERVE PATTERN' {written} {pages}
say '{served}' || max(code, rc)
"""


class Case(definition.Case):
    """Pages asked for ahead, or written; without that FTP."""

    ahead: int | None = Field(default=None, ge=0, le=15)
    what: Literal["read", "write"] = "read"


class Definition(definition.Definition):
    """pages.toml."""

    user: str
    entry: str
    bytes: int = Field(ge=8192, le=3_000_000, multiple_of=8192)
    case: tuple[Case, ...] = Field(min_length=1)


class Workload(workload.Workload[Definition, Planned]):
    """Sequential reading by pages and by FTP."""

    kind = Definition
    roles = (Role("guest that reads", _NEEDED), Role("guest that has the file", _NEEDED))

    def contents(self, driver: Driver) -> Contents:
        """The user with the file and both procedures."""
        known = self.definition
        user = known.user
        before, after = map(in_rexx, driver.cpu_questions(["TCPIP", SYSTEM, user], user))
        read = READ.format(before=before, after=after, done=DONE, user=user, host=HOST,
                           server=SERVER, file=FILE, written=WRITTEN)  # fmt: skip
        serve = SERVE.format(
            file=FILE, served=SERVED, written=WRITTEN, pages=-(-known.bytes // PAGE)
        )
        data = struct.pack(f">{known.bytes // 4}I", *range(known.bytes // 4))
        files: dict[FileName, Content] = {
            ("PGTRY", "EXEC"): Text(read),
            ("PGSRV", "EXEC"): Text(serve),
            ("BIG", "DATA"): Fixed(data, 4096),
        }
        return Contents(added=known.entry, files={user: files})

    def start(self, planned: Planned) -> Hashable:
        """A release."""
        return planned.release.name

    def begin(self, stage: Stage[Planned]) -> PagesBench:
        """Both guests with their networks up, the file's pages in the serving one; the other has
        the release."""
        return PagesBench(self.definition, stage)

    def specification(self) -> Specification:
        """The reading by pages beside that by FTP; all over the same time: that of the accounts,
        not what GMSREAD and FTP say of theirs."""
        return replace(
            super().specification(), select=_without_transfers, answer=_answer,
            tables=lambda given: [_reading(given.trials, given.model)], brief=Brief("reading"),
            cells=_cells,
        )  # fmt: skip


class PagesBench(PairBench[Planned]):
    """The serving guest has the pages; the reading one is up."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        super().__init__(stage, definition.user)
        self.definition = definition
        mtu, level = definition.mtu, stage.left[0].release.parameter
        stage.progress.say(f"Starting {stage.lab.guest.title}: one that serves, one that reads")
        serves = Wishes(definition.releases[0].parameter, HOST, mtu, node=(SERVER, ""))
        found = _SUM.search("\n".join(self.serve(SERVER, serves, "PGSRV", SERVED)))
        if found is None or int(found[1]) != definition.bytes:
            raise EmulatorError(f"GMSSERVE did not take the file's {definition.bytes} bytes.")
        self._sum = found[2]
        self._reads: Running = stage.boot(READER, Wishes(level, ADDRESS, mtu, node=(READER, "")))

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The file once, and what both guests say of their CPU before and after it."""
        case, size, user = cast(Case, planned.case), self.definition.bytes, self.user
        how = "FTP" if case.ahead is None else str(case.ahead)
        ran = self.run(
            planned, progress, self._reads, f"PGTRY {how} {size} {case.what.upper()}", DONE,
            ["TCPIP", SYSTEM, user], ["TCPIP", "FTPSERVE", SYSTEM], MOVED,
        )  # fmt: skip
        broken = []
        moved = [r for r in ran.records if r.kind in MOVED]
        times = 2 if case.what == "write" else 1
        sizes = [r.value("bytes").value for r in moved]
        if f"{DONE}0\n" not in ran.text or sizes != [size] * times:
            broken.append(f"{size} bytes were not moved")
        sums = {r.word("sum") for r in moved if r.kind != "ftp_transfer"}
        if case.what == "read" and sums - {self._sum}:
            broken.append(f"other bytes came: their sum is not {self._sum}")
        if len(sums) > 1:
            broken.append(f"what was read is not what was written: sums {', '.join(sorted(sums))}")
        head = self.head(
            planned, table="Sequential read", data=Value(size, Unit.BYTE, Source.WI),
            parts={user: "Reader", "TCPIP": "TCPIP", SYSTEM: "System",
                   f"FAR {SYSTEM}": "Server's System", "FAR FTPSERVE": "FTPSERVE",
                   "FAR TCPIP": "Server's TCPIP"},
            params={"ahead": how, "what": case.what},
        )  # fmt: skip
        return ran.outcome(head, broken)


def _without_transfers(trials: Sequence[Trial]) -> list[Trial]:
    return [replace(t, records=tuple(r for r in t.records if r.kind not in MOVED)) for t in trials]


def _rate(trial: Trial) -> Figure:
    """Bytes a microsecond, so MB/s, as the reading program says."""
    moved = next(r for r in trial.records if r.kind in MOVED)
    took = finer(moved) if moved.kind == "ftp_transfer" else moved.value("elapsed")
    rate = moved.value("bytes").value / took.value
    return Figure(rate, Unit.MB_S, (took.source,), rate * took.tick / took.value)


def _cells(given: Given) -> dict[str, Lookup]:
    """The fastest reading and writing by pages, for the text of the gms_net paper."""
    most: dict[str, Ours] = {}
    for trial in given.trials:
        what, rate = _what(trial), _rate(trial).value
        if trial.params["ahead"] != "FTP" and clock_of(trial.meta) == "virtual":
            most[what] = max(most.get(what, Ours(0, "")), Ours(rate, "(PM)"))
    return {TEXT: lambda row, column: most.get(row["key"])}


def _reading(trials: Sequence[Trial], model: str) -> Table | None:
    """MB/s and CPU per KB of all machines by pages ahead, FTP beside; with the plot."""
    whole = {t.id: t for t in trials if t.counts}
    comparable = _without_transfers([t for t in trials if t.counts])
    rows = columns(costs_of(comparable, Source.IC, find_model(model)))
    host = " on the host" if clock_of(trials[0].meta) != "virtual" else ""

    def speed(column: Column) -> Shown:
        return value(_rate)([whole[c.trial.id] for c in column.trials])

    told: Columns[Column] = [
        ("Moved by", lambda c: c.head),
        ("What", lambda c: _what(c.trials[0].trial)),
        ("Ahead", _ahead),
        *([("Release", lambda c: c.release)] if len(every := releases(rows)) > 1 else []),
        (f"Speed{host}", speed),
        ("CPU, all machines", lambda c: value(total_cpu, source="(IC)")(c.trials)),
        ("n", lambda c: str(len(c.trials))),
    ]
    series = [line for name in every for line in _lines(rows, name if len(every) > 1 else "")]
    plot = Plot("lines", "CPU per KB by pages asked for ahead", "us/KB",
                tuple(series), x_title="pages ahead")  # fmt: skip
    notes = (
        "The reader sums the bytes by one instruction, GMSREAD in its window, GMSWRITE before it"
        " writes, FTP's null file in its buffer; none tells CP of it, so bytes summed are in no"
        " cost. Both guests' machines and CP are in it. MB/s: by GMSREAD's and GMSWRITE's own clock"
        f" (PM), by FTP's own (FT); they follow {'this computer' if host else 'virtual time'}.",
    )
    title = "A file read or written in order in another guest's memory"
    return listing("reading", title, rows, told, notes, plots=(plot,))


def _lines(rows: Sequence[Column], release: str) -> Iterator[tuple[str, Points]]:
    """What pages cost by the number asked for ahead, and FTP; of one RELEASE if it is named."""
    each = _read_costs([c for c in rows if release in ("", c.release)])
    flat = each.pop("FTP", None)
    points: Points = tuple((float(x), e.value, e.lo, e.hi) for x, e in each.items())
    yield f"GMS pages {release}".rstrip(), points
    if flat:
        line = tuple((x, flat.value, flat.lo, flat.hi) for x, *_ in points)
        yield f"FTP {release}".rstrip(), line


def _ahead(column: Column) -> str:
    return column.trials[0].trial.params["ahead"]


def _what(trial: Trial) -> str:
    """read or write; earlier runs did nothing but read."""
    return trial.params.get("what", "read")


def _read_costs(found: Sequence[Column]) -> dict[str, Estimate]:
    """CPU of a KB that is read, by pages ahead or FTP."""
    reads = [c for c in found if _what(c.trials[0].trial) == "read"]
    return {_ahead(c): c.estimate(total_cpu) for c in reads}


def _answer(given: Given) -> str | None:
    """The cost of reading by pages beside FTP; of several releases, how they compare."""
    if len({c.trial.release for c in given.costs}) > 1:
        return None
    pages = _read_costs(columns(given.costs))
    ftp = pages.pop("FTP", None)
    if not pages:
        return None
    least = min(pages, key=lambda ahead: pages[ahead].value)
    cost = pages[least].value
    text = f"A KB read by pages costs {spoken(cost)} us of CPU at the least ({least} pages ahead)"
    if ftp is None:
        return f"{text}."
    return f"{text}, by FTP {spoken(ftp.value)} us: {spoken(ftp.value / cost)} times as much."
