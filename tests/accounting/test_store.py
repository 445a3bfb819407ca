# SPDX-License-Identifier: MIT

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from vmkb.accounting import store
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store import MixError, Store, StoreError, Trial, check_mix, read


def connect(total: float, raw: str = "CONNECT= ...") -> Record:
    return Record(
        "connect",
        {"totcpu": Value(total, Unit.US, Source.QT, 10_000), "userid": "TCPIP"},
        raw,
        Where("console", 7, 1),
    )


def a_trial(ident: str = "c/320/1", **more: Any) -> Trial:
    return Trial(id=ident, run="r1", case="c", release="320", parts={"TCPIP": "TCPIP"}, **more)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    s = Store(tmp_path / "new" / "results")
    s.begin_run("r1", {"emulator": "hercules"}, at="2026-11-21T07:00:00")
    rows = (("LCLEF02", "DSC"), ("LTROTH1", "L0003"))
    names = Record("names", {"users": rows}, "LCLEF02  - DSC ,", Where())
    trial = a_trial(
        records=(connect(5), names),
        params={"file": "2MB"},
        pair=3,
        seq=9,
        engines=2,
        data=Value(2048, Unit.BYTE, Source.WI),
        elapsed=Value(7, Unit.US, Source.WI, 1),
        status="untrusted",
        why="interval too wide",
    )
    s.write_trial(trial)
    (back,) = read(tmp_path / "new" / "results").trials
    assert back.records[0].fields == trial.records[0].fields
    assert back.records[0].trial == trial.id
    assert back.records[1].fields["users"] == rows
    assert back.meta == {"emulator": "hercules"}
    same = ("case", "release", "pair", "seq", "params", "engines", "data", "elapsed", "status")
    assert [getattr(back, k) for k in same] == [getattr(trial, k) for k in same]


def test_only_finished_trials_count_and_a_repeated_one_counts_once(tmp_path: Path) -> None:
    s = Store(tmp_path)
    s.begin_run("r1", {})
    s.begin_trial(a_trial())
    s.add_records("c/320/1", [connect(1)])
    assert read(tmp_path).trials == ()
    assert [t.id for t in read(tmp_path).unfinished] == ["c/320/1"]
    s.begin_trial(a_trial())
    s.add_records("c/320/1", [connect(2)])
    s.end_trial("c/320/1")
    found = read(tmp_path)
    assert found.done == {"c/320/1"} and not found.unfinished
    assert [r.value("totcpu").value for r in found.trials[0].records] == [2]
    # A third attempt that is cut off does not take the good one away.
    s.begin_trial(a_trial())
    s.add_records("c/320/1", [connect(3)])
    assert [r.value("totcpu").value for r in read(tmp_path).trials[0].records] == [2]
    s.end_trial("c/320/1", "failed", "disk full")
    assert [r.value("totcpu").value for r in read(tmp_path).trials[0].records] == [2]


def test_torn_last_line_is_said_and_the_next_writer_ends_it(tmp_path: Path) -> None:
    s = Store(tmp_path)
    s.begin_run("r1", {})
    s.write_trial(a_trial(records=(connect(1),)))
    whole = s.path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last + 1, len(whole) - 1):
        s.path.write_bytes(whole[:cut])
        found = read(tmp_path)
        assert found.trials == () and len(found.unfinished) == 1
        assert f"after {cut - last} bytes" in found.notes[0]
    s.end_trial("c/320/1")
    found = read(tmp_path)
    assert found.done == {"c/320/1"} and "interrupted" in found.notes[0]


WRITER = """
import sys
from vmkb.accounting.records import Record, Where
from vmkb.accounting.store import Store, Trial
s = Store(__import__("pathlib").Path(sys.argv[1]))
s.begin_run("r1", {})
for k in range(10**6):
    t = Trial(id=f"t{k}", run="r1", case="c", release="a",
              records=(Record("connect", {}, "x" * 6_000_000, Where()),))
    s.write_trial(t)
"""


def test_survives_a_real_kill_in_the_middle_of_a_write(tmp_path: Path) -> None:
    torn = 0
    for attempt in range(40):
        where = tmp_path / str(attempt)
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(where)])
        path = where / store.FILE_NAME
        deadline = time.monotonic() + 20
        # Kill while a line of 6 MB is being written: some way past a multiple of it.
        while time.monotonic() < deadline:
            size = path.stat().st_size if path.exists() else 0
            if size > 6_000_000 * 2 and size % 6_000_000 > 400_000:
                break
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        found = read(where)
        assert found.trials and all(len(t.records) == 1 for t in found.trials)
        assert [t.id for t in found.trials] == [f"t{k}" for k in range(len(found.trials))]
        before = found.done
        torn += bool(found.notes)
        Store(where).write_trial(a_trial())
        assert read(where).done == before | {"c/320/1"}
        path.unlink()
        if torn:
            break
    assert torn, "no kill fell into a write"


def test_what_is_no_result_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / store.FILE_NAME
    path.write_text('{"schema": 1, "row": "run", "run": "r", "meta": {}}\nhello\n')
    with pytest.raises(StoreError, match=r":2: not a row"):
        read(tmp_path)
    path.write_text('{"row": "run"}\n')
    with pytest.raises(StoreError, match="no schema number"):
        read(tmp_path)
    path.write_text(json.dumps({"schema": store.SCHEMA + 1}) + "\n")
    with pytest.raises(StoreError, match="newer than this vmkb"):
        read(tmp_path)
    with pytest.raises(StoreError, match="cannot read results"):
        read(tmp_path / "absent")


def test_older_schema_numbers_go_through_every_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Store(tmp_path).begin_run("r1", {"emulator": "hercules"})
    Store(tmp_path).write_trial(a_trial())

    def two(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "meta": {**row["meta"], "host": "x"}} if row["row"] == "run" else row

    monkeypatch.setattr(store, "SCHEMA", 3)
    monkeypatch.setattr(store, "MIGRATIONS", {1: two})
    with pytest.raises(StoreError, match="no upgrade to 3"):
        read(tmp_path)
    monkeypatch.setattr(store, "MIGRATIONS", {1: two, 2: lambda row: row})
    assert read(tmp_path).trials[0].meta == {"emulator": "hercules", "host": "x"}


def test_rows_without_a_head_and_bad_status(tmp_path: Path) -> None:
    s = Store(tmp_path)
    s.add_records("ghost", [connect(1)])
    assert "has no head" in read(tmp_path).notes[0]
    with pytest.raises(StoreError, match="good, untrusted or failed"):
        s.end_trial("ghost", "fine")


@pytest.mark.parametrize("key", store.METADATA)
def test_what_must_agree_must_agree(key: Any) -> None:
    one, two = a_trial(meta={key: "3.13"}), a_trial(meta={key: "4.9"})
    assert check_mix([one, one]) == []
    with pytest.raises(MixError, match="only on purpose"):
        check_mix([one, two])
    with pytest.raises(MixError, match="not recorded"):
        check_mix([one, a_trial()])
    (said,) = check_mix([one, two], allow=[key])
    assert "3.13, 4.9" in said and "on purpose" in said


def test_results_of_two_clocks_are_never_mixed() -> None:
    ran = {"emulator": "Hercules"}
    virtual, host = (a_trial(meta={**ran, "clock": c}) for c in ("virtual", "host"))
    older, printed = a_trial(meta=ran), a_trial(meta={})
    assert check_mix([host, older]) == []
    for other in (host, older):
        with pytest.raises(MixError, match="on virtual time and others on the host's clock"):
            check_mix([virtual, other])
    with pytest.raises(MixError, match="it is one of"):
        check_mix([virtual, virtual], allow=["clock"])
    assert check_mix([virtual, printed], allow=["emulator"]), "what ran nowhere has no clock"


def test_host_matters_for_host_time_only() -> None:
    one, two = a_trial(meta={"host": "a"}), a_trial(meta={"host": "b"})
    assert check_mix([one, two]) == []
    with pytest.raises(MixError, match="host differs"):
        check_mix([one, two], host=True)
    with pytest.raises(MixError, match="it is one of"):
        check_mix([one], allow=["colour"])


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    s = Store(tmp_path)
    s.path.symlink_to("/dev/full")
    with pytest.raises(StoreError, match="No space left"):
        s.begin_run("r1", {})


def test_only_what_the_fields_name_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.begin_run("r", {})
    store.begin_trial(Trial(id="t", run="r", case="c", release="1"))
    value = Value(1, Unit.COUNT, Source.WI)
    for record, words in (
        (Record("shoe", {}, "", Where()), "no kind of record 'shoe'"),
        (Record("tcp", {"sent": value, "size": value}, "", Where()), "no field 'size'"),
        (Record("tcp", {"sent": Value(1, Unit.US, Source.WI)}, "", Where()), "is in us, not count"),
    ):
        with pytest.raises(StoreError, match=words):
            store.add_records("t", [record])
    store.add_records("t", [Record("tcp", {"sent": value}, "", Where())])
    store.end_trial("t")
    assert len(read(tmp_path).trials[0].records) == 1
