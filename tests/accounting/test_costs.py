# SPDX-License-Identifier: MIT

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from tests.accounting.texts import START, query_time, records_of, transfer_text, trial_text
from tests.narrow import some
from vmkb.accounting.costs import SYSTEM, CostError, costs, figures_trial, transfers, trial_cost
from vmkb.accounting.models import model
from vmkb.accounting.records import Record, Source, Unit, UnitError, Value, Where
from vmkb.accounting.store import Trial

PARTS = {"TCPIP": "TCPIP", "VMUSER1": "VM Client"}


def a_trial(text: str, parts: Mapping[str, str] | None = None, **more: Any) -> Trial:
    return Trial(
        id="t1", run="r", case="c", release="1", parts=parts or PARTS,
        records=records_of(text), status="good", **more,
    )  # fmt: skip


def simple(
    total: float,
    kb: int = 1024,
    user: str = "TCPIP",
    seconds: int = 100,
    transfer: bool = True,
    virt: float = 0.0,
) -> str:
    late = START + timedelta(seconds=seconds)
    return (
        query_time(START, 0, 0, 0, (0, 0, 0), user=user)
        + (transfer_text(kb, 4) if transfer else "")
        + query_time(late, seconds, virt, total, (0, 0, 0), user=user)
    )


def test_query_time_and_ftp_make_cpu_per_kb() -> None:
    cost = trial_cost(a_trial(simple(2_560_000, virt=1_280_000), {"TCPIP": "TCPIP"}))
    part = cost.part("TCPIP")
    # QUERY TIME under a model is made of the counts: it is no other source.
    assert cost.usable and cost.notes == ()
    assert some(part.per_kb).value == 2500 and some(part.per_kb).letters == "(IC/FT)"
    assert cost.total_us_kb == 2500
    assert some(part.cp_share).value == 50 and some(part.tv_ratio).value == 2
    assert some(part.utilization(cost.elapsed)).value == pytest.approx(64)
    assert some(cost.rate).value == 256 and some(cost.rate).letters == "(FT)"
    assert cost.elapsed == Value(4_000_000, Unit.US, Source.FT, 10_000)
    with pytest.raises(KeyError):
        cost.part("SMTP")


def test_elapsed_comes_from_the_samples_where_ftp_is_silent() -> None:
    data = Value(4096, Unit.KB, Source.WI)
    cost = trial_cost(a_trial(simple(2e6, transfer=False), {"TCPIP": "TCPIP"}, data=data))
    assert some(cost.elapsed).value == 100e6 and some(cost.elapsed).source is Source.QT
    assert some(cost.rate).value == pytest.approx(40.96) and some(cost.rate).letters == "(WI/QT)"
    assert some(cost.part("TCPIP").per_kb).letters == "(IC/WI)"


def test_given_bytes_and_time_take_precedence() -> None:
    data, span = Value(10, Unit.KB, Source.WI), Value(5, Unit.S, Source.WI)
    trial = a_trial(simple(1e6), {"TCPIP": "TCPIP"}, data=data, elapsed=span)
    cost = trial_cost(trial)
    assert (
        cost.data is data
        and some(cost.rate).value == 2
        and some(cost.part("TCPIP").per_kb).value == 1e5
    )


def test_without_bytes_there_is_cpu_but_no_cost_per_kb() -> None:
    cost = trial_cost(a_trial(simple(1e6, transfer=False), {"TCPIP": "TCPIP"}))
    assert cost.usable and cost.part("TCPIP").per_kb is None and cost.data is None
    assert some(cost.part("TCPIP").utilization(cost.elapsed)).value == 1
    zero = Value(0, Unit.KB, Source.WI)
    cost = trial_cost(a_trial(simple(1e6), {"TCPIP": "TCPIP"}, data=zero))
    assert not cost.usable and "CPU per KB needs more" in cost.missing[0]


def test_instruction_counts_go_through_the_model() -> None:
    trial = a_trial(trial_text(1024, 1560, 10))
    cost = trial_cost(trial, Source.IC, model("2064-109"))
    m = model("2064-109")
    counted = 1560 * 1024
    ms = counted / m.kmips + 10 * counted / m.move_rate + counted / m.sum_rate
    assert some(cost.part("TCPIP").cpu).value == pytest.approx(1000 * ms, rel=1e-12)
    # one price: what QUERY TIME tells of the same counts is what a KB costs
    assert some(cost.part("TCPIP").per_kb).value == pytest.approx(1000 * ms / 1024, rel=1e-12)
    assert some(cost.part("TCPIP").moved).value == 10 * counted
    assert some(cost.part("TCPIP").per_kb).letters == "(IC/FT)"
    assert some(cost.part("TCPIP").instructions).value == counted
    assert some(cost.part("TCPIP").virtual).value == pytest.approx(1000 * ms / 2, rel=1e-3)
    # under host the same trial is charged by the CPU timer
    timer = trial_cost(trial, Source.IC, model("host")).part("TCPIP").per_kb
    assert some(timer).letters == "(QT/FT)" and some(timer).value == pytest.approx(
        1560 / 156, rel=1e-3
    )


def test_what_is_missing_is_said() -> None:
    plain = query_time(START, 0, 0, 0) + query_time(START + timedelta(seconds=9), 9, 0, 1e6)
    named = tuple(r._replace(origin="TCPIP") for r in records_of(plain + transfer_text(10, 1)))
    trial = Trial(id="t1", run="r", case="c", release="1", parts={"TCPIP": "x"}, records=named)
    cost = trial_cost(trial, Source.IC, model("2064-109"))
    assert "no instruction counts; QUERY TIME (FULL" in cost.missing[0]
    cost = trial_cost(a_trial(simple(1e6)))
    assert cost.missing == ("t1: no two QUERY TIME samples of VMUSER1",)
    for source, what in (
        (Source.AC, "accounting card"), (Source.HT, "host CPU time"), (Source.PB, "printed"),
    ):  # fmt: skip
        assert what in trial_cost(a_trial(simple(1e6)), source).missing[0]
    with pytest.raises(CostError, match="--model"):
        trial_cost(trial, Source.IC)
    with pytest.raises(CostError, match="not from WI"):
        trial_cost(trial, Source.WI)


def test_a_reset_in_the_middle_spoils_the_trial_and_says_why() -> None:
    late = START + timedelta(seconds=300)
    text = (
        query_time(START, 900, 1e6, 5e6, (1, 1, 1), user="TCPIP")
        + transfer_text(1024, 4)
        + query_time(late, 20, 1e5, 2e5, (1, 1, 1), user="TCPIP")
    )
    cost = trial_cost(a_trial(text, {"TCPIP": "TCPIP"}))
    assert not cost.usable and "restarted the counters" in cost.missing[0]
    assert cost.part("TCPIP").cpu is None and cost.part("TCPIP").per_kb is None


def test_several_samples_of_one_machine_are_added() -> None:
    mid, late = (START + timedelta(seconds=s) for s in (50, 100))
    text = (
        query_time(START, 0, 0, 0, (0, 0, 0), user="TCPIP")
        + query_time(mid, 50, 0, 1e6, (0, 0, 0), user="TCPIP")
        + transfer_text(1024, 4)
        + query_time(late, 100, 0, 3.072e6, (0, 0, 0), user="TCPIP")
    )
    part = trial_cost(a_trial(text, {"tcpip": "TCPIP"})).part("TCPIP")
    assert some(part.cpu).value == 3_070_000 and part.tv_ratio is None


def test_two_clients_at_once_add_bytes_but_not_time() -> None:
    one = [r._replace(origin="A") for r in records_of(transfer_text(100, 2) * 2)]
    two = [r._replace(origin="B") for r in records_of(transfer_text(100, 5))]
    data, elapsed, notes = transfers([*one, *two])
    assert some(data).value == 300 * 1024 and some(elapsed).value == 5_000_000
    assert "2 machines transferred at the same time" in notes[0]
    data, elapsed, notes = transfers(one)
    assert (some(data).value, some(elapsed).value, notes) == (200 * 1024, 4_000_000, [])
    assert transfers([]) == (None, None, [])


def card(user: str, total: float, virtual: float) -> Record:
    def us(x: float) -> Value:
        return Value(x * 1000, Unit.US, Source.AC, 1000)

    return Record("card_01", {"userid": user, "totcpu": us(total), "virtcpu": us(virtual)}, "",
                  Where())  # fmt: skip


def test_cards_host_time_and_the_whole_system() -> None:
    host = Record("host_cpu", {"userid": "SYSTEM", "cpu": Value(5e6, Unit.US, Source.HT)}, "",
                  Where())  # fmt: skip
    trial = Trial(
        id="t", run="r", case="c", release="1", parts={"TCPIP": "TCPIP"},
        records=(card("TCPIP", 30, 10), card("TCPIP", 12, 1), card("SMTP", 99, 9)),
        data=Value(42, Unit.KB, Source.WI),
    )  # fmt: skip
    cost = trial_cost(trial, Source.AC)
    part = cost.part("TCPIP")
    assert some(part.per_kb).value == 1000 and some(part.per_kb).letters == "(AC/WI)"
    assert some(part.virtual).value == 11_000
    whole = Trial(
        id="t", run="r", case="c", release="1", parts={SYSTEM: "System"}, records=(host,),
        data=Value(1, Unit.KB, Source.WI),
    )  # fmt: skip
    cost = trial_cost(whole, Source.HT)
    assert some(cost.part("System").per_kb).value == 5e6
    assert cost.total_us_kb == 0  # the system is not a part of the Total


def test_figures_are_ready_made() -> None:
    t = figures_trial("G2M", "x", {"TCPIP": ("TCPIP", "0.022")}, "458.8", case="c", release="320")
    (cost,) = costs([t], Source.PB)
    assert some(cost.part("TCPIP").per_kb).value == 22 and some(cost.rate).value == 458.8
    assert cost.part("TCPIP").cpu is None and cost.part("TCPIP").cp_share is None
    with pytest.raises(UnitError, match="source PB"):
        figures_trial("x", "x", {}, None, case="", release="", source=Source.QT)


def together(amounts: Mapping[str, int], seconds: int = 100, kb: int = 1024, **more: Any) -> Trial:
    """A trial in which each machine of AMOUNTS used so many us of CPU, a quarter of it virtual."""
    late = START + timedelta(seconds=seconds)
    text = "".join(query_time(START, 0, 0, 0, (0, 0, 0), user=user) for user in amounts)
    text += transfer_text(kb, 4)
    for user, used in amounts.items():
        text += query_time(late, seconds, used / 4, used, (used // 2, 0, 0), user=user)
    return a_trial(text, **more)


def test_machines_with_one_label_are_one_part() -> None:
    amounts = {"TERM01": 1_000_000, "TCPIP": 600_000, "TERM02": 2_000_000, "TERM03": 30_000}
    labels = {"TERM01": "TYPE", "TCPIP": "TCPIP", "TERM02": "TYPE", "TERM03": "TYPE"}
    cost = trial_cost(together(amounts, parts=labels))
    assert [p.label for p in cost.parts] == ["TYPE", "TCPIP"]  # where the first of them stood
    typing = cost.part("TYPE")
    assert cost.usable and typing.machine == "TERM01"
    assert (some(typing.cpu).value, some(typing.virtual).value) == (3_030_000, 760_000)
    assert some(typing.instructions).value == 1_515_000
    assert some(typing.per_kb).value == pytest.approx(3_030_000 / 1024)
    assert some(typing.per_kb).letters == "(IC/FT)"
    assert some(typing.cp_share).value == pytest.approx(100 * (3030 - 760) / 3030)
    assert some(typing.utilization(cost.elapsed)).value == pytest.approx(3.03 / 4 * 100)
    apart = trial_cost(together(amounts, parts={u: u for u in amounts}))
    assert cost.total_us_kb == pytest.approx(apart.total_us_kb)
    tick = sum(some(apart.part(u).per_kb).tick for u, label in labels.items() if label == "TYPE")
    assert some(typing.per_kb).tick == pytest.approx(tick)
    counted = trial_cost(together(amounts, parts=labels), Source.IC, model("2064-109"))
    assert some(counted.part("TYPE").cpu).value == pytest.approx(1_515_000 / 156)


def test_one_machine_of_a_label_that_is_missing_leaves_the_part_without_a_number() -> None:
    labels = {"TERM01": "TYPE", "TERM02": "TYPE", "TCPIP": "TCPIP"}
    cost = trial_cost(together({"TERM01": 1_000_000, "TCPIP": 600_000}, parts=labels))
    assert cost.missing == ("t1: no two QUERY TIME samples of TERM02",)
    part = cost.part("TYPE")
    assert (part.cpu, part.virtual, part.instructions, part.per_kb) == (None, None, None, None)
    assert some(cost.part("TCPIP").per_kb).value == pytest.approx(600_000 / 1024)


def test_what_a_counter_may_be_off_by_is_in_its_utilization_too() -> None:
    meta = {"counter": "stock 3.13", "layout_error_percent": "4.0"}
    trial = a_trial(trial_text(1024, 1560, 10), meta=meta)
    cost = trial_cost(trial, Source.IC, model("2064-109"))
    part = cost.part("TCPIP")
    busy = part.utilization(cost.span)
    assert some(part.per_kb).systematic == some(busy).systematic == part.systematic == 0.04
    assert some(busy).bounds[1] >= 1.04 * some(busy).value
    assert trial_cost(trial, Source.AC).part("TCPIP").systematic == 0.0
