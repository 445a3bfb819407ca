# SPDX-License-Identifier: MIT

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from tests.accounting.texts import make_results
from tests.narrow import some
from vmkb.accounting.analysis.analyse import Analysis, Options, analyse
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.compare import compare, ours_of
from vmkb.accounting.costs import SYSTEM, TrialCost, costs
from vmkb.accounting.digits import fixed
from vmkb.accounting.measures import part_cpu, total_cpu
from vmkb.accounting.models import model
from vmkb.accounting.published import Published
from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.report.terminal import pieces, text
from vmkb.accounting.stats import Luck
from vmkb.accounting.store import MixError, Trial, read
from vmkb.accounting.tables.group import columns, left_out, paired, ratio
from vmkb.accounting.tables.lines import compared
from vmkb.accounting.tables.listing import Columns, Shown, listing
from vmkb.accounting.tables.release import release_tables
from vmkb.accounting.tables.sweep import magnitude, sweep_table
from vmkb.accounting.tables.table import Row, Section, Table, TableError, word
from vmkb.accounting.tables.utilization import machine_table, mode_table, saturation
from vmkb.accounting.tables.wide import wide_table


def made(trials: Sequence[Trial], **asked: Any) -> Analysis:
    return analyse(trials, Specification(), Options(**asked))


def release(found: Sequence[TrialCost], base: str = "") -> list[Table]:
    return release_tables(found, compared(found, base), base=base)


def wide(found: Sequence[TrialCost]) -> Table:
    return wide_table(found, compared(found))


def cells(table: Table, label: str, kind: str = "body") -> list[list[str]]:
    return [
        [c.text for c in r.cells]
        for s in table.body
        if s.kind == kind
        for r in s.rows
        if r.label == label
    ]


def test_columns_are_cases_by_releases_in_the_order_they_ran(tmp_path: Path) -> None:
    trials = read(make_results(tmp_path, cases=("B", "A"))).trials
    found = columns(costs(tuple(reversed(trials))))
    assert [(c.case, c.release) for c in found] == [
        ("B", "2.1.3"), ("B", "2.2.1"), ("A", "2.1.3"), ("A", "2.2.1"),
    ]  # fmt: skip
    assert [c.trial.pair for c in found[0].trials] == [1, 2, 3, 4, 5]


def test_pairs_are_trials_of_one_run_with_one_number(results: Path) -> None:
    base, new = columns(costs(read(results).trials))
    assert [(a.trial.pair, b.trial.pair) for a, b in paired(base, new)] == [
        (k, k) for k in range(1, 6)
    ]
    # What a pair has in common is not between its sides.
    assert ratio(base, new, total_cpu).n == 5
    other = replace(new, trials=tuple(replace(c, trial=replace(c.trial, run="r2"))
                                      for c in new.trials))  # fmt: skip
    assert paired(base, other) == []
    lonely = replace(new, trials=new.trials[1:])
    assert [a.trial.pair for a, _ in paired(base, lonely)] == [2, 3, 4, 5]
    zero = replace(new, trials=tuple(replace(c, trial=replace(c.trial, pair=0))
                                     for c in new.trials))  # fmt: skip
    assert paired(zero, zero) == []


def test_release_table_has_the_digits_that_are_known(results: Path) -> None:
    (table,) = made(read(results).trials, layouts=("release",)).tables
    absolute = {r.label: [c.text for c in r.cells] for r in table.body[0].rows}
    assert absolute["TCPIP CPU/KB (usec) (IC/FT)"] == ["33.78", "32.10"]
    assert absolute["VM Client CPU/KB (IC/FT)"] == ["13.51", "12.84"]
    assert absolute["Total CPU/KB (IC/FT)"] == ["47.30", "44.94"]
    ratios = {r.label: [c.text for c in r.cells] for r in table.body[1].rows}
    assert ratios["Total CPU/KB (IC/FT)"] == ["1.000", "0.950"]
    assert ratios["Rate (KB/sec) (FT)"] == ["1.000", "1.000~"]
    assert any(n.startswith("~") for n in table.notes) and "emulator version 3.13" in table.notes[1]


def test_hundredths_leave_no_interval_of_no_width(results: Path) -> None:
    """Row 1: the same trials from QUERY TIME's hundredths alone."""
    (table,) = made(read(results).trials, layouts=("release",), source="QT").tables
    absolute = {r.label: [c.text for c in r.cells] for r in table.body[0].rows}
    assert absolute["TCPIP CPU/KB (usec) (IC/FT)"] == ["19.24", "18.26"]
    total = next(r for r in table.body[1].rows if r.label.startswith("Total")).cells[1]
    assert (
        some(total.hi) - some(total.lo) > 2 * 0.0002 / 0.027
    )  # two parts, each to 0.0001 of 0.02 ms/KB


def test_base_can_be_chosen(results: Path) -> None:
    (table,) = release(costs(read(results).trials), "2.2.1")
    assert cells(table, "TCPIP CPU/KB (IC/FT)", "ratio") == [["1.05", "1.000"]]
    (table,) = release(costs(read(results).trials), "9")
    assert cells(table, "TCPIP CPU/KB (IC/FT)", "ratio") == [["-", "-"]]


def test_what_is_below_its_step_is_no_zero_and_gives_no_ratio(tmp_path: Path) -> None:
    path = make_results(tmp_path, releases={"a": 6.0, "b": 3000.0})
    (table,) = release(costs(read(path).trials))
    (shown,) = cells(table, "VM Client CPU/KB (IC/FT)", "absolute")
    assert shown[0] in ("< 0.000098", "< 0.00010")
    assert cells(table, "VM Client CPU/KB (IC/FT)", "ratio") == [["1.000", "no interval"]]
    assert not any(c.text.startswith("0.000") for s in table.body for r in s.rows for c in r.cells)
    assert any("steps of the source" in n for n in table.notes)


def test_wide_table_has_the_digits_of_its_interval(results: Path) -> None:
    trials = read(results).trials
    table = wide(costs(trials, Source.IC, model("2064-109")))
    row = next(r for s in table.body for r in s.rows if r.cells[1].text.startswith("Total"))
    mean, interval = row.cells[3], row.cells[4]
    assert mean.unit == "us/KB" and mean.source == "(IC/FT)"
    places = len(mean.text.partition(".")[2])
    low, high = some(mean.lo), some(mean.hi)
    half = (high - low) / 2
    assert 10**-places <= half < 10 ** (1 - places)
    assert interval.text == f"{fixed(low, places)}..{fixed(high, places)}"
    assert mean.n == 5
    assert [h for h in table.columns if "nterval" in h] == [
        "95 % interval", "95 % interval of ratio",
    ]  # fmt: skip
    counts = columns_of(table, "instructions per KB (IC)")
    assert counts[0].startswith("30") and counts[3] == "-"
    assert float(columns_of(table, "moved B/KB (IC)")[0]) == pytest.approx(30_000, rel=1e-3)


def test_what_is_of_an_event_is_of_no_kb(results: Path) -> None:
    trials = [replace(t, params={**t.params, "count": "100"}) for t in read(results).trials]
    found = analyse(trials, Specification(unit="round trip", count="count"))
    table = next(t for t in found.tables if t.name == "wide")
    told = [table.title, *table.columns, *(p.title for p in table.plots)]
    told += [c.text for s in table.body for r in s.rows for c in r.cells]
    assert not [x for x in told if "KB" in x]
    assert "us/round trip (IC)" in told
    assert any(x.startswith("round trips/s (") for x in told)


def columns_of(table: Table, head: str) -> list[str]:
    k = table.columns.index(head)
    return [r.cells[k].text for s in table.body for r in s.rows]


def test_a_wide_interval_is_no_doubt_and_a_narrow_one_no_mark(tmp_path: Path) -> None:
    for spread in (0.0001, 0.05, 0.5):
        found = made(read(make_results(tmp_path / str(spread), spread=spread)).trials)
        assert found.doubts == ()
        assert not any(c.text.endswith("!") for t in found.tables for *_, c in t.numbers())


def test_base_and_new_have_one_number_of_decimals(tmp_path: Path) -> None:
    """Row 11, for every case, part and release."""
    for spread in (0.0003, 0.002, 0.02):
        path = make_results(tmp_path / str(spread), spread=spread, cases=("A", "B"))
        tables = made(read(path).trials, layouts=("release",)).tables
        for row in tables[0].body[0].rows:
            texts = [c.text for c in row.cells]
            for pair in (texts[:2], texts[2:]):
                assert len({len(t.partition(".")[2]) for t in pair}) == 1, row


def test_one_release_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    trials = read(make_results(tmp_path, releases={"a": 3000.0}, spread=0.05)).trials
    table = next(t for t in made(trials).tables if t.name.startswith("release"))
    assert [s.kind for s in table.sections] == ["head", "absolute"]


def test_outlier_is_named_and_counted(results: Path) -> None:
    trials = list(read(results).trials)
    k = next(k for k, t in enumerate(trials) if t.release == "2.2.1")
    half = Value(51_200 * 1024, Unit.BYTE, Source.FT)
    trials[k] = replace(trials[k], data=half)
    table = wide(costs(trials, Source.QT))
    assert any("trial 1 (G2M_B/2.2.1/1)" in n and "is counted" in n for n in table.notes)
    assert "#1" in " ".join(columns_of(table, "Outliers"))
    assert set(columns_of(table, "n")) == {"5"}


@pytest.mark.parametrize("factor", [2.0, 1.01, 1.0001])
def test_an_outlier_has_the_digits_that_tell_it_from_the_mean(results: Path, factor: float) -> None:
    trials = list(read(results).trials)
    k = next(k for k, t in enumerate(trials) if t.release == "2.2.1")
    same = [replace(t, records=trials[k].records) if t.release == "2.2.1" else t for t in trials]
    data = Value(102_400 * 1024 / factor, Unit.BYTE, Source.FT)
    same[k] = replace(same[k], data=data)
    table = wide(costs(same, Source.IC, model("2064-109")))
    said = [n for n in table.notes if "lies far" in n]
    assert said
    for note in said:
        found = re.search(r"with (\S+) lies far from the others, mean (\S+), and", note)
        assert found and found[1] != found[2], note


def test_one_trial_has_no_interval_and_two_have(tmp_path: Path) -> None:
    one = made(read(make_results(tmp_path / "1", trials=1)).trials)
    assert "One trial of a case has no interval." in " ".join(
        n for t in one.tables for n in t.notes
    )
    texts = [c.text for t in one.tables for s in t.body for r in s.rows for c in r.cells]
    assert "0.951 no interval" in texts and not any("~" in t for t in texts)
    two = made(read(make_results(tmp_path / "2", trials=2)).trials)
    texts = [c.text for t in two.tables for s in t.body for r in s.rows for c in r.cells]
    assert not any("no interval" in t for t in texts)


def test_one_build_of_a_program_of_ours_is_no_interval(results: Path) -> None:
    """Trials of one build tell nothing of the next: without luck that was measured, none is
    made up; of two builds each there is one."""
    trials = read(results).trials
    ours = replace(Specification(), built=True)
    (ruling,) = analyse(trials, ours).rulings
    assert ruling.changes[0].verdict == "undecided" and not ruling.changes[0].ratio.has_interval
    two = [replace(t, params={**t.params, "build": str(1 + t.pair % 2)}) for t in trials]
    (ruling,) = analyse(two, ours).rulings
    assert ruling.changes[0].ratio.builds == 2 and ruling.changes[0].ratio.has_interval
    lucky = replace(ours, luck={"G2M_B": {"Total": Luck(0.001, 7)}})
    (ruling,) = analyse(trials, lucky).rulings
    assert ruling.changes[0].verdict == "cheaper"


def test_a_ratio_that_has_no_interval_says_so(results: Path) -> None:
    """Row 5: one trial of the new release used nothing that its clock shows."""
    trials = list(read(results).trials)
    k = next(k for k, t in enumerate(trials) if t.release == "2.2.1")
    first = next(r for r in trials[k].records if r.word("userid") == "VMUSER1")
    kept = [r for r in trials[k].records if r.word("userid") != "VMUSER1"]
    trials[k] = replace(trials[k], records=(first, *kept, first))
    (table,) = release(costs(trials, Source.IC, model("2064-109")))
    assert cells(table, "VM Client CPU/KB (IC/FT)", "ratio") == [["1.000", "no interval"]]


def test_trials_without_numbers_are_named_and_not_silently_dropped(results: Path) -> None:
    trials = list(read(results).trials)
    trials[0] = replace(trials[0], records=trials[0].records[:3])
    assert any("no two QUERY TIME (FULL samples" in d for d in made(trials).doubts)
    alone = costs([trials[0]])
    assert left_out(alone) and columns(alone) == []
    with pytest.raises(TableError, match="QUERY TIME"):
        release(alone)
    with pytest.raises(TableError, match="QUERY TIME"):
        wide(alone)
    with pytest.raises(TableError, match="no finished trials"):
        release([])


def test_untrusted_trials_are_doubts(results: Path) -> None:
    trials = list(read(results).trials)
    trials[3] = replace(trials[3], status="untrusted", why="checksum differed")
    assert [d for d in made(trials).doubts if "checksum differed" in d]
    lost = replace(trials[3], status="failed", why="a segment was lost")
    found = analyse(trials[:3], Specification(), unfinished=[lost, replace(lost, status="")])
    assert found.doubts == (f"{lost.id} failed: a segment was lost",)


def test_sources_are_never_mixed_silently(results: Path) -> None:
    trials = list(read(results).trials)
    wire = Value(102_400 * 1024, Unit.BYTE, Source.WI)
    trials[1] = replace(trials[1], data=wire)
    with pytest.raises(TableError, match=r"would mix \(FT\) and \(WI/FT\)|would mix"):
        release(costs(trials))


def test_metadata_that_differs_is_refused_or_said(tmp_path: Path) -> None:
    one = read(make_results(tmp_path / "a")).trials
    two = read(make_results(tmp_path / "b", emulator_version="4.9")).trials
    with pytest.raises(MixError, match="emulator version differs: 3.13, 4.9"):
        made([*one, *two])
    tables = made([*one, *two], allow=("emulator_version",)).tables
    assert any("compared on purpose" in n for t in tables for n in t.notes)


def test_utilization_by_machine_and_mode(results: Path) -> None:
    trials = read(results).trials
    measured = costs(trials, Source.IC, model("host"))
    modelled = costs(trials, Source.IC, model("2064-109"))
    table = machine_table(measured, modelled, model("2064-109"))
    first = [c.text for c in table.body[0].rows[0].cells]
    # 3000 instr/KB x 102400 KB / 156 per us, over 112 s
    assert first[:4] == ["2.1.3", "TCPIP", "1.76", "50.00"]
    whole = table.body[0].rows[2]
    assert whole.cells[1].text == "Total"
    assert some(saturation(modelled[0])).value == pytest.approx(whole.cells[6].value, rel=1e-2)
    busy = some(whole.cells[5].value)
    assert whole.cells[6].value == pytest.approx(914.3 * 100 / busy, rel=2e-2)
    modes = mode_table(measured, modelled)
    for rows in (modes.body[0].rows[:3], modes.body[0].rows[3:]):
        assert sum(some(r.cells[2].value) for r in rows) == pytest.approx(100, abs=1e-6)
        assert [r.cells[1].text for r in rows] == ["Emulation", "CP", "Wait"]


def test_a_system_part_is_shown_but_never_summed(results: Path) -> None:
    trial = read(results).trials[0]
    t = replace(trial, parts={**trial.parts, SYSTEM: "System"},
                records=(*trial.records, *(r._replace(fields={**r.fields, "userid": SYSTEM})
                                           for r in trial.records if r.kind == "connect"
                                           and r.word("userid") == "TCPIP")))  # fmt: skip
    (cost,) = costs([t])
    plain = costs([trial])[0]
    assert cost.usable and cost.total_us_kb == plain.total_us_kb
    (table,) = release([cost])
    assert not any("System" in r.label for s in table.body for r in s.rows)
    shown = machine_table([cost])
    assert [r.cells[1].text for r in shown.body[0].rows] == [
        "TCPIP", "VM Client", "System", "Total"
    ]  # fmt: skip
    assert shown.body[0].rows[3].cells[2].value == pytest.approx(
        sum(some(row.cells[2].value) for row in shown.body[0].rows[:2])
    )


def test_sweep_is_in_order_of_size(tmp_path: Path) -> None:
    trials = read(make_results(tmp_path, cases=("S64K", "S1K", "S4K"))).trials
    table = sweep_table(costs(trials), "size")
    assert [r.label for r in table.body[0].rows] == ["1K", "1K", "4K", "4K", "64K", "64K"]
    assert [x for _, points in table.plots[0].series for x, *_ in points][:3] == [1024, 4096, 65536]
    with pytest.raises(TableError, match="there are direction, file, mode, size"):
        sweep_table(costs(trials), "colour")
    assert magnitude("24 KB") == 24576 and magnitude("1.5 K") == 1536
    assert magnitude("2 MB") == 2 * 1024**2 and magnitude("7") == 7
    assert magnitude("many") == float("inf") == magnitude(".")


def test_what_is_less_than_a_step_is_not_100_percent_less(tmp_path: Path) -> None:
    """Where the source's step is all that is known, the ratio is a bound."""
    path = make_results(tmp_path, releases={"a": 6.0, "b": 6.0})
    every = analyse(read(path).trials, Specification(), Options(source="QT")).costs
    ours = ours_of([c for c in every if c.trial.release == "a"], part_cpu("VM Client"))
    assert ours is not None and ours.below
    theirs = Published("made", "z/VM", ({"k": "A", "us": "7"},), {}, page={
        "of": "made", "title": "T", "keys": ["k"], "figures": {"us": "us/KB"}})  # fmt: skip
    table = compare(theirs, lambda row, column: ours)
    assert table is not None
    cells = [c.text for c in table.body[0].rows[0].cells]
    assert cells[1].startswith("< 0.") and cells[2].startswith("< 0.") and cells[3] == "differs"


def ready(*heads: str) -> Columns[Sequence[Shown]]:
    """Columns below HEADS of rows that are cells already."""
    return [(head, itemgetter(k)) for k, head in enumerate(heads)]


def test_a_row_of_which_a_further_piece_says_nothing_is_not_in_it() -> None:
    columns = ready("what", *(f"column {k} that is wide" for k in range(6)))
    rows = [["whole", *"123456"], ["part", "7", *[""] * 5], ["none", *[""] * 6]]
    made = listing("t", "T", rows, columns, keys=0)
    assert made is not None
    first, *others = text([made], 60).split(" what ")[1:]
    assert others and all(name in first for name in ("whole", "part", "none"))
    for piece in others:
        assert "whole" in piece and "part" not in piece and "none" not in piece


def test_no_word_is_cut_where_a_row_is_wider_than_the_page() -> None:
    heads, row = [f"key {k} of this row" for k in range(5)], ["11.25", *"abc", "first\nsecond"]
    made = listing("t", "T", [row], ready(*heads), keys=4)
    assert made is not None
    _, _, head, _, line, *_ = text([made], 40).splitlines()
    assert [x for x in heads if x not in head] == []
    assert [head.index(h) for h in heads] == [line.index(w.split("\n")[0]) for w in row]
    assert line.endswith("first second")


def test_long_and_wide_tables_stay_readable(tmp_path: Path) -> None:
    names = tuple(f"CASE{k:02}" for k in range(24))
    trials = read(make_results(tmp_path, cases=names, trials=1)).trials
    (table,) = release(costs(trials))
    assert len(table.columns) == 48
    printed = text([table], 80)
    assert max(map(len, printed.splitlines())) <= 80
    assert printed.count("TCPIP CPU/KB (usec)") == len(pieces(table, 80)) > 5
    for head in table.columns:  # nothing is cut
        assert head in printed
    broad = wide(costs(trials))
    page = text([broad], 80)
    assert max(len(x) for x in page.splitlines()) <= 80
    assert page.count("Release") >= 5  # the head is repeated down a long table
    assert page.count("VM Client") == 48 * len(pieces(broad, 80))
    # a table that fits stays whole
    assert pieces(broad, 300) == [list(range(len(broad.columns)))]


def test_what_cannot_be_made_is_refused_in_words(results: Path) -> None:
    trials = read(results).trials
    with pytest.raises(TableError, match="no finished trials"):
        made([])
    with pytest.raises(TableError, match="no layout 'tall'"):
        made(trials, layouts=("tall",))
    with pytest.raises(ValueError, match="no source 'xx'"):
        made(trials, source="xx")
    with pytest.raises(ValueError, match="printed figures"):
        odd = replace(trials[0], records=(trials[0].records[0]._replace(kind="figures"),))
        made([odd, trials[1]])


def test_another_model_is_asked_of_the_counts(results: Path) -> None:
    trials = read(results).trials
    (own,) = made(trials, layouts=("release",)).tables
    (same,) = made(trials, layouts=("release",), model="2064-109").tables
    assert same == own and "(IC/FT)" in own.body[0].rows[1].label and "2064-109" in own.notes[0]
    (vax,) = made(trials, layouts=("release",), model="vax750").tables
    assert "(msec) (IC/FT)" in vax.body[0].rows[1].label and "VAX750" in vax.notes[0]
    m = model("VAX750")
    instr = 3000 * 1024
    ms = instr / m.kmips + 10 * instr / m.move_rate + instr / m.sum_rate
    assert vax.body[0].rows[1].cells[0].value == pytest.approx(ms / 1024, rel=2e-3)


def test_totals_of_other_parts_are_not_compared(results: Path) -> None:
    """A System row in one of them and not in the other is no change of the Total."""
    trials = [
        replace(t, parts={"TCPIP": "TCPIP"}) if t.release == "2.1.3" else t
        for t in read(results).trials
    ]
    (table,) = made(trials, layouts=("release",)).tables
    total = next(r for r in table.body[1].rows if r.label.startswith("Total"))
    assert total.cells[1].text == "no interval"
    assert any("Total has other parts than the base's" in n for n in table.notes)


def test_a_table_without_rows_is_printed_as_its_head() -> None:
    """Trials of which nobody said how many KB they moved have none in the wide table."""
    empty = Table("wide", "Nothing per KB", (Section("head", (Row("Case", ()),)),), keys=2)
    assert "Case" in text([empty], 80)


@pytest.mark.parametrize("width", [30, 40, 50, 60, 100])
def test_an_interval_stays_beside_what_it_is_of(width: int) -> None:
    """A piece that began with "Interval" would not say of what: heads that stand twice do not part
    from the one before them, where a piece has room for both."""
    heads = ("Total, ms", "Interval", "T/V", "Instructions", "Interval", "Ratio", "Interval", "n")
    values = ("0.656", "0.427..0.678", "2.70", "22708", "22699..22774", "2.99", "2.98..3.00", "5")
    table = Table(
        "cpu",
        "CPU",
        (
            Section("head", (Row("One command", tuple(map(word, heads))),)),
            Section("body", (Row("QUERY DISK", tuple(map(word, values))),)),
        ),
    )
    found = pieces(table, width)
    assert [k for piece in found for k in piece] == list(range(len(heads)))
    starts = [heads[piece[0]] for piece in found]
    assert ("Interval" in starts) == (width <= 40)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.125, "0.13"), (-0.001, "0.00"), (1e30, "1" + 30 * "0" + ".00"), (math.inf, "inf")],
)
def test_any_number_is_printed(number: float, text: str) -> None:
    """An interval of two trials that hardly agree has ends of any size."""
    assert fixed(number, 2) == text
