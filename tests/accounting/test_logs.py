# SPDX-License-Identifier: MIT
"""Anybody's console logs: every stretch between two QUERY TIME samples is a trial."""

import bz2
import gzip
import json
import lzma
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.accounting.grammar.printed.cards import punch_card
from tests.accounting.texts import START, query_time, transfer_text
from tests.narrow import some
from vmkb.accounting.costs import trial_cost
from vmkb.accounting.input.logs import log_trials
from vmkb.accounting.input.reading import ReadingError, refuse, sniff
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Field, Record, Source, Unit, Value, Where
from vmkb.accounting.store import Trial
from vmkb.workloads.cli.compare import command as compare
from vmkb.workloads.cli.parse import command as parse
from vmkb.workloads.cli.query import command as query


def run(command: click.Command, *args: object, **more: Any) -> Result:
    return CliRunner().invoke(command, [str(a) for a in args], **more)


def trials_of(text: str, **more: Any) -> tuple[list[Trial], list[str]]:
    return log_trials("a.log", scan([text.encode()], "a.log", keep_text=True), **more)


def plain_log(
    us: Sequence[float], kb: int = 1024, commands: Sequence[str] | None = None, share: float = 1.0
) -> str:
    """QUERY TIME, a transfer, QUERY TIME, ...: a stretch for each of US; each names its work."""
    total, text = 5_000_000.0, ""
    for k, used in enumerate([0, *us]):
        total += used * share
        if k:
            typed = (commands or ["get one.file"])[(k - 1) % len(commands or [1])]
            text += f"{typed}\n" + transfer_text(kb, 4) + "Ready; T=0.01/0.02 10:00:01\n"
        text += "query time\n" + query_time(START + timedelta(seconds=20 * k), 20 * k, 0, total)
    return text


def test_six_stretches_are_six_trials() -> None:
    trials, notes = trials_of(plain_log([1e6] * 6), user="MAINT")
    assert [t.id for t in trials] == [f"a.log#{k}" for k in range(1, 7)] and notes == []
    assert {t.case for t in trials} == {"log"} and {tuple(t.parts) for t in trials} == {("MAINT",)}
    assert [sum(r.kind == "connect" for r in t.records) for t in trials] == [2] * 6
    assert [sum(r.kind == "time_is" for r in t.records) for t in trials] == [2] * 6


def test_two_plain_logs_give_a_ratio_with_an_interval(tmp_path: Path) -> None:
    """As README promises."""
    us = [2.01e6, 1.99e6, 2.00e6, 2.02e6, 1.98e6, 2.00e6]
    (tmp_path / "before.log").write_text(plain_log(us))
    (tmp_path / "after.log").write_text(plain_log(us, share=1.2))
    done = run(compare, tmp_path / "before.log", tmp_path / "after.log", "--user", "maint",
               "--to", "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    table = json.loads(done.stdout)["tables"][1]
    ratio = next(r for r in table["sections"][1]["rows"] if r["label"].startswith("Total"))
    cell = ratio["cells"][1]
    assert cell["lo"] < 1.2 < cell["hi"] and cell["lo"] > 1.15 and "no interval" not in cell["text"]
    assert cell["n"] == 6


def test_what_was_typed_or_a_mark_names_the_cases() -> None:
    text = plain_log([1e6] * 4, commands=["get a.file", "put   b.file"])
    trials, _ = trials_of(text, case_from="command")
    assert [t.case for t in trials] == ["get a.file", "put b.file"] * 2
    marked = "* RUN alpha\n" + plain_log([1e6]) + "* RUN beta\n" + plain_log([1e6]).replace(
        "TOTCPU= 000:05.00", "TOTCPU= 000:06.00"
    )  # fmt: skip
    trials, _ = trials_of(marked, case_from=r"^\* RUN (\w+)")
    assert trials[0].case == "alpha" and trials[-1].case == "beta"


def silent_log(us: Sequence[float]) -> str:
    """What a console prints that shows nothing of what is typed."""
    total, text = 5_000_000.0, ""
    for k, used in enumerate([0, *us]):
        total += used
        text += "" if not k else "Ready; T=9.80/10.00 10:00:01\n"
        text += query_time(START + timedelta(seconds=20 * k), 20 * k, 0, total)
    return text


@pytest.mark.parametrize("before", ["", "MAINT   : ", "10:00:00 OPERATOR: "])
def test_a_log_without_what_was_typed_loses_no_stretch(before: str) -> None:
    text = "".join(f"{before}{line}\n" for line in silent_log([10e6] * 6).splitlines())
    trials, notes = trials_of(text)
    assert len(trials) == 6 and notes == []
    costs = [trial_cost(t, Source.QT).parts for t in trials]
    assert [[some(p.cpu).value for p in parts] for parts in costs] == [[10e6]] * 6


def test_compare_sees_each_stretch_of_logs_without_what_was_typed(tmp_path: Path) -> None:
    for name, share in (("before", 1.0), ("after", 1.1)):
        us = [share * x for x in (10.01e6, 9.99e6, 10e6, 10.02e6, 9.98e6, 10e6)]
        (tmp_path / f"{name}.log").write_text(silent_log(us))
    done = run(compare, tmp_path / "before.log", tmp_path / "after.log", "--kb", 10240, "--to",
               "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["tables"][1]["sections"][0]["rows"]
    assert {c["n"] for c in rows[-1]["cells"]} == {6}


def test_what_is_left_out_is_counted_even_if_it_is_everything_but_one() -> None:
    trials, notes = trials_of(silent_log([10e6, 0.0, 20e3, 30e3]))
    assert len(trials) == 2 and "2 of 4 stretches" in notes[0] and "0.02 s" in notes[0]
    trials, notes = trials_of(silent_log([0.0, 10e3, 0.0]))
    assert len(trials) == 3 and notes == []


def test_asking_twice_in_a_row_is_no_trial() -> None:
    """before, work, after, before, work, after: what lies between two questions is no work."""
    text, at, total = "", 0, 1e6
    for _ in range(3):
        for step in (0, 1e6):
            total += step
            text += "q time\n" + query_time(START + timedelta(seconds=at), at, 0, total)
            text += "" if step else "copyfile a b c\n"
            at += 10
    trials, notes = trials_of(text)
    assert len(trials) == 3
    assert notes == ["a.log: 2 of 5 stretches between samples show no work (no command, at most"
                     " 0.02 s of CPU): left out"]  # fmt: skip
    for t in trials:
        first, last = (r for r in t.records if r.kind == "connect")
        assert last.value("totcpu").value - first.value("totcpu").value == 1_000_000


def test_stretches_without_a_transfer_are_left_out_and_said() -> None:
    text = plain_log([1e6, 1e6]) + "erase it\n" + query_time(START + timedelta(60), 60, 0, 9e6)
    trials, notes = trials_of(text)
    assert len(trials) == 2 and "1 of 3 stretches between samples moved no file" in notes[0]


def test_several_machines_asked_in_rounds() -> None:
    text = ""
    for k in range(4):
        if k:
            text += transfer_text(1024, 4)
        users = ("TCPIP", "VMUSER1") if k % 2 else ("VMUSER1", "TCPIP")
        for user in users:
            counts = (10_000 * k, 0, 0)
            text += query_time(START + timedelta(seconds=k), k, k * 1e5, k * 2e5, counts, user=user)
    trials, notes = trials_of(text)
    assert len(trials) == 3 and notes == [] and set(trials[0].parts) == {"TCPIP", "VMUSER1"}
    uneven = text + query_time(START + timedelta(seconds=9), 9, 9e5, 9e5, (9, 9, 9), user="TCPIP")
    trials, notes = trials_of(uneven)
    assert len(trials) == 1 and "not sampled in turn (VMUSER1 4, TCPIP 5)" in notes[-1]


@pytest.mark.parametrize("how", ["gz", "xz", "bz2", "zst"])
def test_compressed_logs_are_read(tmp_path: Path, how: str) -> None:
    text = plain_log([1e6] * 2).encode()
    path = tmp_path / f"log.{how}"
    if how == "zst":
        if not shutil.which("zstd"):
            pytest.skip("zstd is not installed")
        path.write_bytes(subprocess.run(["zstd", "-c"], input=text, stdout=-1, check=True).stdout)
    else:
        packs: dict[str, Callable[[bytes], bytes]] = {
            "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress,
        }  # fmt: skip
        pack = packs[how]
        path.write_bytes(pack(text))
    done = run(parse, path, "--to", "csv")
    assert done.exit_code == 0 and done.stdout.count(",totcpu,") == 3 + 2  # with Ready's
    assert run(compare, path, "--user", "A").exit_code == 0
    if how != "zst":
        path.write_bytes(path.read_bytes()[:-9])
        done = run(parse, path)
        assert done.exit_code == 2 and "damaged" in done.output


def test_a_pipe_and_standard_input(tmp_path: Path) -> None:
    text = plain_log([1e6] * 2)
    done = run(compare, "-", "--user", "A", input=text)
    assert done.exit_code == 0 and "standard input" in done.output, done.output
    assert "read once" in run(compare, "-", "-", input=text).output
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_text, args=(text,))
    writer.start()
    done = run(compare, fifo, "--user", "A")
    writer.join(10)
    assert done.exit_code == 0, done.output


def test_lines_that_end_in_carriage_returns_alone(tmp_path: Path) -> None:
    path = tmp_path / "mac.log"
    path.write_bytes(plain_log([1e6] * 2).replace("\n", "\r").encode())
    assert run(parse, path, "--to", "csv").stdout.count(",totcpu,") == 5


@pytest.mark.parametrize(
    "raw, words",
    [
        (plain_log([1e6]).encode("utf-16"), "UTF-16"),
        (plain_log([1e6]).encode("utf-16-le"), "UTF-16"),
        (bytes(range(256)) * 40, "neither text nor EBCDIC"),
    ],
)
def test_what_is_no_text_gets_a_sentence(tmp_path: Path, raw: Any, words: str) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(raw)
    for command in (parse, compare):
        done = run(command, path)
        assert done.exit_code == 2 and words in done.output, done.output
        assert "Traceback" not in done.output


@given(st.binary(max_size=400))
def test_any_bytes_are_taken_or_refused_in_words(raw: bytes) -> None:
    sniff(raw)
    try:
        refuse(raw, "x")
    except ReadingError as error:
        assert str(error).startswith("x is ")


def test_a_bad_pattern_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(plain_log([1e6]))
    done = run(compare, tmp_path / "a.log", "--case-from", "(")
    assert done.exit_code == 2 and "no regular expression" in done.output


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("LOGON MAINT\nENTER PASSWORD:\n", "MAINT"),
        ("l tcpmaint noipl\n", "TCPMAINT"),
        ("MAINT    AT ZVM1\n", "MAINT"),
        ("TCPIP AT VMSYS01 VIA RSCS 11/21/26 10:00:00 EST SATURDAY\n", "TCPIP"),
        ("Username:         SMITH             UIC:  [1,4]\n", "SMITH"),
        ("LOGON AT 08:57:14 UTC SATURDAY 11/21/26\n", "(console)"),
        ("I LOOKED AT IT\n", "(console)"),
        ("", "(console)"),
    ],
)
def test_the_console_says_whose_it_is(said: str, who: str) -> None:
    trials, _ = trials_of(said + plain_log([1e6]))
    assert {tuple(t.parts) for t in trials} == {(who,)}
    trials, _ = trials_of(said + plain_log([1e6]), user="GIVEN")
    assert {tuple(t.parts) for t in trials} == {("GIVEN",)}


def card(user: str, ms: int) -> bytes:
    fields: dict[str, Field] = {"userid": user, "account": "1", "date": "2026-11-21", "code": "01",
              "clock": Value(36_000, Unit.DAY_S, Source.AC, 1)}  # fmt: skip
    for name, count in (("connect", 9_000_000), ("totcpu", ms * 1000), ("virtcpu", ms * 500)):
        fields[name] = Value(count, Unit.US, Source.AC, 1000)
    for name in ("page_reads", "page_writes", "sio", "punch", "printer", "reader"):
        fields[name] = Value(0, Unit.COUNT, Source.AC, 1)
    return punch_card(Record("card_01", fields, "", Where()))


def test_cards_are_compared(tmp_path: Path) -> None:
    used = (40, 41, 39, 40, 40, 42)
    for name, factor in (("old", 100), ("new", 120)):
        cards = [card(u, factor * us) for us in used for u in ("TCPIP", "FTP")]
        (tmp_path / name).write_bytes(b"".join(cards))
    done = run(compare, tmp_path / "old", tmp_path / "new", "--kb", 1000, "--to",
               "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["tables"][1]["sections"][0]["rows"]
    assert [r["label"] for r in rows] == [
        "TCPIP CPU/KB (msec) (AC/PB)", "FTP CPU/KB (AC/PB)", "Total CPU/KB (AC/PB)",
    ]  # fmt: skip
    assert [c["value"] for c in rows[2]["cells"]] == [
        pytest.approx(2 * factor * fmean(used) / 1000) for factor in (100, 120)
    ]  # fmt: skip
    assert rows[2]["cells"][0]["n"] == 6


def test_vms_accounting_blocks_are_trials() -> None:
    block = """
      Accounting information:
      Buffered I/O count:          100         Peak working set size:    500
      Direct I/O count:             20         Peak page file size:     1500
      Page faults:                 700         Mounted volumes:            0
      Charged CPU time:  0 00:00:0{}.50        Elapsed time:     0 00:01:00.00
    """
    trials, _ = trials_of("".join(block.format(k) for k in (1, 2, 3)), user="BALL")
    assert len(trials) == 3
    found = [some(trial_cost(t, Source.AC).part("BALL").cpu).value for t in trials]
    assert found == [1_500_000, 2_500_000, 3_500_000]


def test_the_sessions_of_vms_s_system_are_compared(tmp_path: Path) -> None:
    """A machine SYSTEM would be the whole system, which is no part of a total."""
    for name, factor in (("old", 2), ("new", 3)):
        text = "".join(
            "  SYSTEM       job terminated at 10-MAY-2022 12:42:41.10\n\n"
            "  Accounting information:\n"
            f"  Charged CPU time: 0 00:00:{factor * 10 + k:02}.00  Elapsed time: 0 00:01:00.00\n\n"
            for k in range(4)
        )
        (tmp_path / name).write_text(text)
    done = run(compare, tmp_path / "old", tmp_path / "new", "--kb", 1024, "--all")
    assert done.exit_code == 0 and "SYSTEM CPU/KB" in done.stdout, done.output
    assert "more CPU per KB" in done.stdout


def test_what_a_vms_process_used_between_two_questions_is_a_trial(tmp_path: Path) -> None:
    block = """
    30-JUL-2026 19:58:22.97   User: SYSTEM           Process ID:   2020021C
                              Node: VAX1             Process name: "SYSTEM"

    Accounting information:
     Buffered I/O count:       273  Peak working set size:        812
     Direct I/O count:          49  Peak virtual size:           5320
     Page faults:             6310  Mounted volumes:                0
     Images activated:          13
     Elapsed CPU time:          0 00:00:{:05.2f}
     Connect time:              0 02:01:40.18
    """
    for name, step in (("old", 2), ("new", 3)):
        text = "$ COPY A B\n".join(block.format(1 + k * step) for k in range(4))
        (tmp_path / name).write_text(text)
    trials, _ = trials_of(text)
    found = [some(trial_cost(t, Source.AC).part("SYSTEM").cpu) for t in trials]
    assert [(v.value, v.tick) for v in found] == [(3_000_000, 20_000)] * 3
    done = run(compare, tmp_path / "old", tmp_path / "new", "--kb", 1024)
    assert done.exit_code == 0 and "50.0 % more CPU per KB" in done.stdout, done.output


def test_what_parse_wrote_can_be_asked(tmp_path: Path) -> None:
    path, made = tmp_path / "a.log", tmp_path / "it's.parquet"
    path.write_text(plain_log([1e6] * 3) + "Ready; T=0.01/0.02 10:00:01\n")
    done = run(parse, path, "--to", "parquet", "--out", made)
    assert done.exit_code == 0 and made.read_bytes()[:4] == b"PAR1", done.output
    (tmp_path / "a.csv").write_text(run(parse, path, "--to", "csv").stdout)
    sql = "SELECT kind, count(*) n FROM records WHERE field = 'totcpu' GROUP BY 1 ORDER BY 1"
    for file in (made, tmp_path / "a.csv"):
        done = run(query, file, sql, "--to", "csv")
        assert done.stdout == "kind,n\nconnect,4\nready,4\n", done.output
    assert run(query, made, "SELEC").exit_code == 2
    assert run(query, tmp_path / "no.parquet", sql).exit_code == 2
    assert run(parse, path, "--to", "parquet").exit_code == 2


@pytest.mark.parametrize("total", ["05", "99"])
def test_leaving_is_no_trial(total: str) -> None:
    """The CONNECT line of LOGOFF ends no stretch of work if nothing was typed but LOGOFF, however
    long that took."""
    lines = ["LOGON VMUSER1"]
    for k in range(3):
        lines += ["query time", f"CONNECT= 00:00:00 VIRTCPU= 000:00.0{k} TOTCPU= 000:00.0{2 * k}",
                  "Ready; T=0.00/0.00 10:00:00", "exec sum"]  # fmt: skip
    lines[-1:] = ["LOGOFF", f"CONNECT= 00:00:00 VIRTCPU= 000:00.03 TOTCPU= 000:00.{total}"]
    made, _ = trials_of("".join(f"{line}\n" for line in lines))
    assert len(made) == 2


def console(path: Path, costs: Sequence[float], *, swapped: bool = False, left: int = 0) -> Path:
    """A log of a machine at PATH: a command of so many us each, QUERY TIME between them, but not
    before the one numbered LEFT. SWAPPED: VIRTCPU is more than TOTCPU, and grows less."""
    text, used = query_time(START, 0, 5e6 if swapped else 0, 0), 0.0
    for k, cost in enumerate(costs, start=1):
        text += "COPYFILE A DATA A B DATA A\nReady; T=0.01/0.02 10:00:00\n"
        used += cost
        virtual = used / 2 + (5e6 if swapped else 0)
        if k + 1 != left:
            text += query_time(START + timedelta(seconds=30 * k), 30 * k, virtual, used)
    path.write_text(text)
    return path


def test_a_log_whose_totcpu_is_below_its_virtcpu_is_not_trusted(tmp_path: Path) -> None:
    """However plausible the growth of each is: VIRTCPU is a part of TOTCPU."""
    good = console(tmp_path / "good.log", [1e6] * 4)
    bad = console(tmp_path / "bad.log", [0.6e6] * 4, swapped=True)
    for words in ((good, bad), (bad, good)):
        done = run(compare, *words, "--kb", 1024)
        first = " ".join(done.stdout.split())
        assert done.exit_code == 3 and len(done.stdout.splitlines()) <= 24
        assert f"{bad}:2: TOTCPU (0 us (QT)) is less than VIRTCPU (5000000 us (QT))" in first
        assert "less (" not in first.partition("NOT TRUSTED")[0]
    done = run(compare, bad, bad, "--kb", 1024)  # nothing is left to compare
    assert done.exit_code in (2, 3) and "TOTCPU (0 us" in " ".join(done.output.split())


def test_a_missing_query_time_is_on_the_first_screen(tmp_path: Path) -> None:
    good = console(tmp_path / "good.log", [1e6] * 6)
    short = console(tmp_path / "short.log", [1e6] * 6, left=4)
    done = run(compare, good, short, "--kb", 1024)
    first = " ".join(done.stdout.split())
    assert done.exit_code == 0 and len(done.stdout.splitlines()) <= 24
    assert "Trial short.log#3" in first and f"({short}:" in first
    assert "has 1953 us/KB, the others 976.6" in first
    assert "Was a QUERY TIME left out" in first
    fine = run(compare, good, good, "--kb", 1024)
    assert fine.exit_code == 0 and "the others" not in fine.stdout


def test_kb_given_for_each_trial_are_not_those_of_a_log_taken_as_one(tmp_path: Path) -> None:
    text = ""
    for k in range(4):
        text += "COPYFILE A DATA A B DATA A\n" if k else ""
        for user in ("TCPIP", "VMUSER1")[k == 2 :]:  # TCPIP was not asked once
            counts = (10_000 * k, 0, 0)
            text += query_time(START + timedelta(seconds=k), k, k * 1e5, k * 2e5, counts, user=user)
    log = tmp_path / "a.log"
    log.write_text(text)
    done = run(compare, log, "--kb", 1024)
    assert done.exit_code == 3
    assert "not sampled in turn (TCPIP 3, VMUSER1 4)" in " ".join(done.stdout.split())
