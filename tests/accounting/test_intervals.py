# SPDX-License-Identifier: MIT

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.accounting.texts import START, parse, query_time
from tests.narrow import a_record, some
from vmkb.accounting.intervals import Interval, between, contradictions, pair, samples
from vmkb.accounting.records import Item, Record, Source, Unit, Value, Where


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def intervals(items: Iterable[Item], machine: str = "", engines: int = 1) -> list[Interval]:
    """All intervals of all machines, each between neighbouring samples of one machine."""
    return between(samples(items, machine), engines)


def two(a: tuple[Any, ...], b: tuple[Any, ...], **more: Any) -> Interval:
    """The one interval between two QUERY TIME responses of one console."""
    (found,) = intervals(parse(query_time(*a) + "noise\n" + query_time(*b)), "MAINT", **more)
    return found


def test_a_plain_interval() -> None:
    i = two((at(0), 10, 1e6, 3e6), (at(100), 110, 2e6, 7.5e6))
    assert i.machine == "MAINT" and i.valid and i.notes == ()
    assert i.virtual == Value(1_000_000, Unit.US, Source.QT, 20_000)
    assert i.total == Value(4_500_000, Unit.US, Source.QT, 20_000)
    assert i.elapsed == Value(100_000_000, Unit.US, Source.QT, 2_000_000)
    assert i.since_restart == {}
    assert i.start.place == "console:2" and i.end.place == "console:5"


def test_counts_are_differenced_too_and_corrections_said() -> None:
    text = query_time(at(0), 0, 0, 0, (1000, 50, 7)) + query_time(at(1), 1, 5e5, 1e6, (9000, 80, 9))
    (i,) = intervals(parse(text), "A")
    got = {k: v.value for k, v in i.used.items()}
    assert (got["total_instr"], got["total_moved"], got["total_summed"]) == (8000, 30, 2)
    assert (got["virt_instr"], got["total_time"], got["virt_time"]) == (4000, 1_000_000, 500_000)
    assert i.used["total_instr"].source is Source.IC and i.notes == ()
    second = text.rsplit("CORRECTIONS 0", 1)
    (i,) = intervals(parse("CORRECTIONS 3".join(second)), "A")
    assert "3 readings of the instruction counter" in i.notes[0] and i.valid


def test_machines_are_told_apart_by_userid_origin_and_default() -> None:
    text = (
        query_time(at(0), 0, 0, 0, (1, 1, 1), user="TCPIP")
        + query_time(at(0), 0, 0, 0)
        + query_time(at(5), 5, 1e6, 1e6, (2, 1, 1), user="TCPIP")
        + query_time(at(5), 5, 2e6, 2e6)
    )
    assert [(i.machine, i.total.value) for i in intervals(parse(text), "ME")] == [
        ("TCPIP", 1_000_000), ("ME", 2_000_000)
    ]  # fmt: skip
    assert {s.machine for s in samples(parse(text))} == {"TCPIP", "(console)"}


def test_acnt_resets_all_three_counters() -> None:
    i = two((at(0), 500, 4e6, 5e6), (at(100), 40, 1e5, 2e5))
    assert not i.valid and i.used == {} and i.elapsed is None
    assert "ACNT" in i.notes[0] and "restarted the counters between console:2" in i.notes[0]
    assert i.since_restart["totcpu"].value == 200_000


def test_a_restart_that_has_overtaken_the_old_counters_is_seen_by_connect() -> None:
    i = two((at(0), 10, 1e6, 2e6), (at(1000), 300, 5e6, 9e6))
    assert not i.valid and "younger than the previous sample" in i.notes[0]
    # CONNECT as old as it must be, within a second or two: no restart
    assert two((at(0), 10, 1e6, 2e6), (at(1000), 1009, 5e6, 9e6)).valid
    assert two((at(0), 0, 1e6, 2e6), (at(1000), 998, 5e6, 9e6)).valid
    assert not two((at(0), 0, 1e6, 2e6), (at(1000), 997, 5e6, 9e6)).valid


def test_logoff_ends_one_life_and_logon_begins_another() -> None:
    text = (
        "LOGON AT 10:00:00 GMT SATURDAY 11/21/26\n"
        + query_time(at(1), 1, 1e4, 2e4)
        + "CONNECT= 00:01:40 VIRTCPU= 000:01.00 TOTCPU= 000:02.00\n"
        "LOGOFF AT 10:01:40 GMT SATURDAY 11/21/26\n"
        "LOGON AT 10:02:00 GMT SATURDAY 11/21/26\n" + query_time(at(125), 5, 5e4, 6e4)
    )
    first, second = intervals(parse(text), "U")
    assert first.valid and first.total.value == 1_980_000
    assert some(first.elapsed).value == 99e6  # the LOGOFF stamp is the second sample's
    assert not second.valid and "LOGON restarted" in second.notes[0]
    text = text.replace("LOGON AT 10:02:00 GMT SATURDAY 11/21/26\n", "")
    assert "LOGOFF restarted" in intervals(parse(text), "U")[1].notes[0]


def two_later(text: str) -> str:
    """Text from its last two responses on."""
    return text[text.index("complete\n") + 9 :]


def test_ipl_message_restarts_everybody() -> None:
    text = (
        query_time(at(0), 0, 0, 1e4)
        + "DMKCPI966I Initialization complete\n"
        + query_time(at(9), 9, 1e4, 2e4)
        + query_time(at(19), 19, 1e4, 2e4)
    )
    first, second = intervals(parse(text), "U")
    assert not first.valid and "an IPL restarted" in first.notes[0]
    assert second.valid
    # before the first sample of a machine it means nothing
    (only,) = intervals(parse("DMKCPI966I Initialization complete\n" + two_later(text)), "U")
    assert only.valid


def test_everybody_restarting_at_once_is_named_an_ipl() -> None:
    def both(when: float, connect: int, total: float) -> str:
        return query_time(at(when), connect, 0, total, (1, 1, 1), user="A") + query_time(
            at(when), connect, 0, total, (1, 1, 1), user="B"
        )

    found = intervals(parse(both(0, 900, 5e6) + both(100, 20, 1e6)))
    assert len(found) == 2 and all("an IPL" in i.notes[-1] for i in found)
    one = parse(
        both(0, 900, 5e6)
        + query_time(at(100), 20, 0, 1e6, (1, 1, 1), user="A")
        + query_time(at(100), 1000, 0, 6e6, (1, 1, 1), user="B")
    )
    assert not any("an IPL" in n for i in intervals(one) for n in i.notes)


def test_midnight_is_said_and_does_no_harm() -> None:
    late = START.replace(hour=23, minute=59, second=50)
    i = two((late, 10, 0, 0), (late + timedelta(seconds=30), 40, 0, 1e6))
    assert i.valid and some(i.elapsed).value == 30e6
    assert i.notes == ("midnight passed between console:2 and console:5",)


def test_midnight_on_a_log_with_clock_stamps_only() -> None:
    def line(stamp: str, connect: float, cpu: float) -> Record:
        value = Value(connect * 1e6, Unit.US, Source.QT, 1e6)
        used = Value(cpu, Unit.US, Source.QT, 1e4)
        return Record("connect", {"connect": value, "virtcpu": used, "totcpu": used}, "",
                      Where("log", 1), stamp=stamp)  # fmt: skip

    (i,) = intervals([line("23:59:50", 10, 0), line("00:00:20", 40, 1)], "U")
    assert some(i.elapsed).value == 30e6 and "midnight" in i.notes[0] and i.valid
    (i,) = intervals([line("11:00:00", 10, 0), line("11:00:30", 40, 1)], "U")
    assert some(i.elapsed).value == 30e6 and i.notes == ()
    # no stamps at all, or a broken one: CONNECT tells
    for stamp in ("", "11:00", "ab:cd:ef"):
        (i,) = intervals([line(stamp, 10, 0), line(stamp, 40, 1)], "U")
        assert some(i.elapsed).value == 30e6 and some(i.elapsed).source is Source.QT


@pytest.mark.parametrize(
    ("date", "clock"),
    [
        ("2026-11-21", 1e300),
        ("2026-11-21", float("nan")),
        ("9999-12-31", 90_000.0),
        ("2026-11-21T10:00:00+01:00", 36_000.0),
        ("soon", 36_000.0),
    ],
)
def test_a_stamp_that_is_none_dates_no_sample(date: str, clock: Any) -> None:
    items = parse(query_time(at(0), 10, 1e6, 3e6) + "noise\n" + query_time(at(9), 19, 2e6, 4e6))
    k = next(k for k, item in enumerate(items) if getattr(item, "kind", "") == "time_is")
    fields = {
        **a_record(items[k]).fields,
        "date": date,
        "clock": Value(clock, Unit.DAY_S, Source.QT),
    }
    items[k] = a_record(items[k])._replace(fields=fields)
    first, second = samples(items, "MAINT")
    assert first.at is None and second.at is not None


def test_stepped_clock_is_said_and_connect_counts() -> None:
    i = two((at(0), 10, 0, 0), (at(60), 130, 0, 1e6))
    assert some(i.elapsed).value == 120e6 and "stepped by -60 s" in i.notes[0] and i.valid
    i = two((at(0), 4000, 0, 0), (at(3720), 4120, 0, 1e6))
    assert some(i.elapsed).value == 120e6 and "stepped by +3600 s" in i.notes[0]
    # two seconds are what two clocks of one second may differ
    assert two((at(0), 10, 0, 0), (at(60), 72, 0, 1e6)).notes == ()
    assert two((at(0), 10, 0, 0), (at(60), 73, 0, 1e6)).notes != ()


def test_connect_standing_at_its_cap_is_no_witness() -> None:
    cap = 99 * 3600 + 59 * 60 + 59
    i = two((at(0), cap, 0, 0), (at(60), cap, 0, 1e6))
    assert i.valid and some(i.elapsed).value == 60e6 and i.notes == ()
    i = two((at(0), cap - 5, 0, 0), (at(60), cap, 0, 1e6))
    assert i.valid and some(i.elapsed).value == 60e6
    # a clock that went back, with CONNECT of no help: no elapsed time
    i = two((at(60), cap, 0, 0), (at(0), cap, 0, 1e6))
    assert i.elapsed is None and "went back" in i.notes[0]


def test_wrap_of_cpu_time_at_1000_minutes() -> None:
    limit = 1000 * 60e6
    i = two((at(0), 1000, limit - 2e6, limit - 1e6), (at(60), 1060, limit - 1e6, 2e6))
    assert i.valid and i.total.value == 3_000_000 and i.virtual.value == 1_000_000
    assert "TOTCPU taken as wrapped" in i.notes[0]
    # from the lower half it is no wrap but an impossible step back
    i = two((at(0), 1000, 1e6, 9e6), (at(60), 1060, 1e6, 8e6))
    assert not i.valid and "TOTCPU went back by 1e+06 us" in i.notes[0]
    # counts do not wrap: they have 64 bits
    text = query_time(at(0), 0, 0, 0, (5000, 1, 1)) + query_time(at(1), 1, 0, 1e4, (10, 1, 1))
    (i,) = intervals(parse(text), "A")
    assert not i.valid and "TOTAL_INSTR went back" in " ".join(i.notes)


def test_totcpu_must_cover_virtcpu() -> None:
    i = two((at(0), 0, 0, 0), (at(60), 60, 2e6, 1e6))
    assert not i.valid and "TOTCPU grew less" in i.notes[0]
    # two clock steps of 0.01 s may be cut off differently
    assert two((at(0), 0, 1e6, 1e6), (at(60), 60, 2.02e6, 2e6)).valid
    assert not two((at(0), 0, 1e6, 1e6), (at(60), 60, 2.03e6, 2e6)).valid
    bad = parse(query_time(at(0), 0, 2e6, 1e6))
    (sample,) = samples(bad, "U")
    assert "TOTCPU (1000000 us (QT)) is less than VIRTCPU" in contradictions(sample)[0]
    fine = parse(query_time(at(0), 0, 1e6, 1e6))
    (sample,) = samples(fine, "U")
    assert contradictions(sample) == []


def test_more_cpu_than_engines_have() -> None:
    busy = ((at(0), 0, 0, 0), (at(10), 10, 1e6, 13e6))
    assert "on 1 engine(s)" in two(*busy).notes[0] and not two(*busy).valid
    assert two(*busy, engines=2).valid
    assert two((at(0), 0, 0, 0), (at(10), 10, 1e6, 12e6)).valid


def test_samples_of_different_machines_make_no_interval() -> None:
    a, b = (samples(parse(query_time(at(0), 0, 0, 0)), who)[0] for who in "AB")
    with pytest.raises(ValueError, match="A and B"):
        pair(a, b)


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 4000)), min_size=2, max_size=8),
    st.integers(1, 500),
)
def test_intervals_add_up_to_what_the_counters_say(steps: list[Any], seconds: int) -> None:
    """Whatever is put between samples, the parts are the whole."""
    text, virtual, total, clock = "", 0, 0, 0
    readings = []
    for v, cp in steps:
        virtual += v * 10_000 // 100
        total += (v + cp) * 10_000 // 100
        virtual, total = virtual // 10_000 * 10_000, total // 10_000 * 10_000
        total = max(total, virtual)
        clock += seconds
        readings.append((virtual, total))
        text += query_time(at(clock), clock, virtual, total)
    found = intervals(parse(text), "U", engines=4)
    assert len(found) == len(steps) - 1 and all(i.valid for i in found)
    assert sum(i.total.value for i in found) == readings[-1][1] - readings[0][1]
    assert sum(i.virtual.value for i in found) == readings[-1][0] - readings[0][0]
    assert sum(some(i.elapsed).value for i in found) == (len(steps) - 1) * seconds * 1e6


def line(
    connect: float | None,
    virtual: float,
    total: float,
    stamp: str = "",
    number: int = 1,
    **counts: float,
) -> Record:
    """A connect record without a TIME IS line. connect in seconds, None if not printed."""
    fields = {"virtcpu": Value(virtual, Unit.US, Source.QT, 1e4),
              "totcpu": Value(total, Unit.US, Source.QT, 1e4)}  # fmt: skip
    if connect is not None:
        fields["connect"] = Value(connect * 1e6, Unit.US, Source.QT, 1e6)
    for name, count in counts.items():
        fields[name] = Value(count, Unit.INSTR, Source.IC, 1)
    return Record("connect", fields, "", Where("log", number), stamp=stamp)


def test_clock_stamps_count_hours_minutes_and_seconds() -> None:
    (i,) = intervals([line(None, 0, 0, "09:59:58"), line(None, 0, 1e6, "11:00:01")], "U")
    assert i.elapsed == Value(3603e6, Unit.US, Source.QT, 2_000_000) and i.notes == ()
    (i,) = intervals([line(None, 0, 0, "23:00:00"), line(None, 0, 1e6, "01:30:00")], "U")
    assert some(i.elapsed).value == 9000e6 and len(i.notes) == 1 and "midnight" in i.notes[0]
    (i,) = intervals([line(None, 0, 0, "10:00:00"), line(None, 0, 0, "10:00:00")], "U")
    assert some(i.elapsed).value == 0 and i.notes == ()


def test_one_witness_is_enough_and_none_is_none() -> None:
    (i,) = intervals([line(5, 0, 0), line(9, 0, 1e6)], "U")
    assert i.elapsed == Value(4e6, Unit.US, Source.QT, 2_000_000)
    (i,) = intervals([line(5, 0, 0), line(None, 0, 1e6)], "U")
    assert i.elapsed is None and i.valid and i.notes == ()
    (i,) = intervals([line(None, 0, 0), line(5, 0, 1e6)], "U")
    assert i.elapsed is None and i.valid
    (i,) = intervals([line(5, 0, 0, "10:00:00"), line(9, 0, 1e6)], "U")
    assert some(i.elapsed).value == 4e6  # one stamp alone tells nothing
    (i,) = intervals([line(5, 0, 0), line(5, 0, 0)], "U")
    assert i.valid and some(i.elapsed).value == 0
    stepped = [line(0, 0, 0, "10:00:00"), line(60, 0, 1e6, "10:05:00")]
    (i,) = intervals(stepped, "U")
    assert i.elapsed == Value(60e6, Unit.US, Source.QT, 2_000_000)
    assert "stepped by +240 s" in i.notes[0] and i.notes[0].endswith("elapsed time is CONNECT's")


def test_the_logoff_stamp_dates_the_last_sample() -> None:
    cap = "99:59:59"  # CONNECT is no witness here
    text = (
        query_time(at(0), 359_999, 0, 0) + f"CONNECT= {cap} VIRTCPU= 000:01.00 TOTCPU= 000:02.00\n"
        "LOGOFF AT 10:01:40 GMT SATURDAY 11/21/26\n"
    )
    (i,) = intervals(parse(text), "U")
    assert some(i.elapsed).value == 100e6 and i.end.dated
    # a sample that has its own stamp keeps it
    own = query_time(at(0), 359_999, 0, 0) + query_time(at(50), 359_999, 0, 1e6)
    (i,) = intervals(parse(own + "LOGOFF AT 10:01:40 GMT SATURDAY 11/21/26\n"), "U")
    assert some(i.elapsed).value == 50e6
    # DISCONNECT restarts nothing
    gone = query_time(at(0), 0, 0, 0) + "DISCONNECT AT 10:00:20 GMT SATURDAY 11/21/26\n"
    (i,) = intervals(parse(gone + query_time(at(50), 50, 0, 1e6)), "U")
    assert i.valid and i.notes == ()


def test_errors_in_between_do_not_end_the_reading() -> None:
    broken = "CONNECT= 00:00:xx VIRTCPU= 000:00.00 TOTCPU= 000:00.00\n"
    text = query_time(at(0), 0, 0, 0) + broken + query_time(at(9), 9, 0, 1e6)
    (i,) = intervals(parse(text), "U")
    assert i.total.value == 1e6


def test_two_ipls_are_two_restarts() -> None:
    ipl = "DMKCPI966I Initialization complete\n"
    text = "".join(query_time(at(10 * k), 10 * k, 0, k * 1e4) + ipl for k in range(3))
    found = intervals(parse(text + query_time(at(30), 30, 0, 5e4)), "U")
    assert [i.valid for i in found] == [False] * 3


def test_any_counter_that_goes_back_spoils_the_interval() -> None:
    (i,) = intervals([line(0, 0, 0, total_moved=9), line(9, 0, 1e6, total_moved=4)], "U")
    assert i.valid is False and "TOTAL_MOVED went back by 5" in i.notes[0]
    (i,) = intervals(
        [line(0, 0, 0, virt_instr=1, total_instr=1), line(9, 0, 1e6, virt_instr=90, total_instr=9)],
        "U",
    )
    assert i.valid is False
    assert i.notes[0].startswith("TOTAL_INSTR grew less (8 instr (IC)) than VIRT_INSTR (89")
    (i,) = intervals([line(0, 0, 0, total_instr=1), line(9, 0, 1e6, total_instr=9)], "U")
    assert i.valid
    limit = 1000 * 60e6
    (i,) = intervals([line(0, limit - 1e6, limit - 1e6), line(9, 1e6, 2e6)], "U")
    assert i.valid and (i.virtual.value, i.total.value) == (2e6, 3e6) and len(i.notes) == 2
    (i,) = intervals([line(0, limit / 2, limit / 2), line(9, 0, 1e6)], "U", engines=9999999)
    assert i.valid and "wrapped" in i.notes[0]
    (i,) = intervals([line(0, limit, limit), line(9, limit / 2, limit / 2)], "U", engines=9999999)
    assert not i.valid
    (i,) = intervals([line(0, 0.4 * limit, 0.4 * limit), line(9, 0.3 * limit, 0.3 * limit)], "U")
    assert not i.valid


def test_sentences_carry_their_numbers() -> None:
    (i,) = intervals([line(0, 0, 0), line(10, 0, 20e6)], "U")
    assert i.notes == ("TOTCPU grew by 20 s in 10 s on 1 engine(s) between log:1 and log:1",)
    (i,) = intervals([line(0, 0, 0, corrections=0), line(9, 0, 1e6, corrections=1)], "U")
    assert "1 readings" in i.notes[0]
    (i,) = intervals([line(9, 0, 9e6), line(5, 0, 1e6)], "U")
    assert i.valid is False and i.notes == (
        "U: ACNT, or a LOGOFF and LOGON that this text does not show restarted the counters"
        " between log:1 and log:1; only what was used since is known",
    )


def test_only_the_restarted_intervals_are_called_an_ipl() -> None:
    def named(user: str, number: int, connect: float, total: float) -> Record:
        made = line(connect, 0, total, number=number)
        return made._replace(origin=user)

    rows = [named("A", 1, 0, 0), named("B", 2, 0, 0), named("A", 3, 900, 5e6),
            named("B", 4, 900, 5e6), named("A", 5, 9, 1e6), named("B", 6, 9, 1e6)]  # fmt: skip
    found = intervals(rows)
    assert [any("an IPL" in n for n in i.notes) for i in found] == [False, False, True, True]
    assert "between lines 4 and 5" in found[2].notes[-1]
    # restarts of two machines one after the other are not one IPL
    apart = [rows[2], rows[4], named("B", 5, 900, 5e6), named("B", 6, 9, 1e6)]
    assert not any("an IPL" in n for i in intervals(apart) for n in i.notes)


def test_a_restart_from_connects_cap_is_told_from_a_wrap_by_cpu_time() -> None:
    cap = 359_999
    (i,) = intervals([line(cap, 5e6, 9e6), line(20, 1e5, 2e5)], "U")
    assert not i.valid and "ACNT" in i.notes[0]
    (i,) = intervals([line(cap, 5e6, 9e6), line(20, 5e6, 10e6)], "U")
    assert i.valid and i.total.value == 1e6 and i.elapsed is None
