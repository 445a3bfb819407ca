# SPDX-License-Identifier: MIT
"""vmkb compare of logs with Ready messages: what a command costs, virtual and total."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.accounting.texts import START, query_time, transfer_text
from tests.peers.host3270 import Host3270, page_write
from vmkb.accounting.input.commands import command_trials
from vmkb.accounting.input.scan import scan
from vmkb.workloads.cli.compare import command as compare

#: Hundredths of a second, virtual and total, of one command's trials.
Costs = Sequence[tuple[int, int]]
STEADY = [(61, 83), (60, 82), (61, 83), (62, 84), (61, 83)]


def console(costs: Costs, typed: str = "assemble prog", said: str = "Ready;") -> str:
    """What a console shows of a command that is typed again and again."""
    text = ""
    for k, (virtual, total) in enumerate(costs):
        clock = f"10:{k // 60:02}:{k % 60:02}"
        spent = f"T={virtual / 100:.2f}/{total / 100:.2f}"
        text += f"{typed}\n" if typed else ""
        text += f"ASSEMBLER (XF) DONE\n{said} {spent} {clock}\n"
    return text


CONNECT = "CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24\nReady; T=0.03/0.04 10:00:00\n"


def dearer(costs: Costs, factor: float) -> Costs:
    return [(round(v * factor), round(t * factor)) for v, t in costs]


def run(folder: Path, before: str, after: str, *more: str, **given: Any) -> Result:
    files = [folder / "before.log", folder / "after.log"]
    for file, text in zip(files, (before, after), strict=True):
        file.write_text(text)
    return CliRunner().invoke(compare, [*map(str, files), *more], **given)


def test_the_guide_shows_what_is_printed(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/guide/logs.md").read_text("utf-8")
    done = run(tmp_path, console(STEADY), console(dearer(STEADY, 1.3)))
    assert done.stdout.partition("\n\n5 trials")[0] in page


def flat(done: Result) -> str:
    return " ".join(done.output.split())


def changes(done: Result) -> dict[str, dict[str, Any]]:
    """The cell with the change of each line of the answer's table."""
    rows = json.loads(done.stdout)["tables"][0]["sections"][0]["rows"]
    return {row["label"].strip(): row["cells"][2] for row in rows}


def test_virtual_and_total_cpu_of_a_command_are_compared(tmp_path: Path) -> None:
    texts = console(STEADY), console(dearer(STEADY, 1.3))
    done = run(tmp_path, *texts)
    assert done.exit_code == 0, done.output
    assert "ASSEMBLE PROG costs 30" in flat(done) and "more CPU per command" in flat(done)
    assert "T=virtual/total: seconds of CPU, not elapsed" in flat(done)
    assert "5 trials of each case. By Ready messages." in flat(done)
    found = changes(run(tmp_path, *texts, "--to", "json"))
    assert found["ASSEMBLE PROG"]["value"] == pytest.approx(1.3, abs=0.01)
    assert found["virtual"]["value"] == pytest.approx(1.3, abs=0.02)
    assert all(
        cell["lo"] < 1.3 < cell["hi"] and cell["source"] == "(RM)" for cell in found.values()
    )
    assert run(tmp_path, *texts, "--fail-above", "10").exit_code == 1
    assert run(tmp_path, *texts[::-1], "--fail-above", "10").exit_code == 0


def test_one_trial_has_a_ratio_and_no_interval(tmp_path: Path) -> None:
    done = run(tmp_path, console([(61, 83)]), console([(80, 108)]))
    assert done.exit_code == 0, done.output
    assert "ASSEMBLE PROG +30.1 % in one trial: no interval; log two" in flat(done)


def test_the_screen_leaves_out_what_is_the_same_with_its_parts(tmp_path: Path) -> None:
    many = "".join(console([(50_000, 60_000)] * 3, f"same{k}") for k in range(15))
    done = run(tmp_path, many + console(STEADY), many + console(dearer(STEADY, 1.3)))
    lines = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    at = [k for k, word in enumerate(lines) if word.startswith("SAME")]
    assert len(done.stdout.splitlines()) <= 24 and 0 < len(at) < 15
    assert all(lines[k + 1] == "virtual" for k in at)
    assert lines.count("virtual") == len(at) + 1  # of ASSEMBLE


def test_one_log_says_what_each_command_costs(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(console(STEADY) + console(STEADY, "copyfile a b c"))
    done = CliRunner().invoke(compare, [str(log)])
    assert done.exit_code == 0, done.output
    assert "costs 0.83 s" in flat(done) and "COPYFILE A B C" in flat(done)


@given(st.lists(st.integers(2, 40), min_size=2, max_size=5), st.integers(2, 40))
def test_an_interval_is_not_narrower_than_the_counter_allows(new: list[int], old: int) -> None:
    """A printed hundredth may be cut or rounded: the truth is up to a step away, in all trials."""
    from vmkb.accounting.input.commands import matched
    from vmkb.workloads.base.report import analysed

    sides, _ = matched([
        command_trials(name, scan([console([(x, x) for x in costs]).encode()], keep_text=True))
        for name, costs in (("old", [old] * len(new)), ("new", new))
    ])  # fmt: skip
    (ruling,) = analysed([t for side in sides for t in side]).rulings
    for change in ruling.changes:
        mean = sum(new) / len(new)
        least, most = (mean - 1) / (old + 1), (mean + 1) / (old - 1)
        assert change.lo <= least * 1.0001 and change.hi >= most * 0.9999


def test_commands_are_the_same_by_their_words_or_by_their_order(tmp_path: Path) -> None:
    both = console(STEADY) + console(STEADY, "listfile * * c")
    done = run(tmp_path, both, console(STEADY, "Assemble  PROG") + console(STEADY, "other"))
    assert done.exit_code == 0, done.output
    assert "10 Ready messages are of no command that all logs show" in flat(done)
    assert "LISTFILE" not in done.stdout
    done = run(tmp_path, console(STEADY, ""), console(dearer(STEADY, 2), "an echo"))
    assert done.exit_code == 0 and "they are taken in order" in flat(done), done.output
    assert "command 5" in done.stdout
    done = run(tmp_path, console(STEADY, ""), console(STEADY[:3], "an echo"))
    assert done.exit_code == 2 and "(5 and 3)" in flat(done)


def test_what_costs_no_more_than_a_question_is_left_out(tmp_path: Path) -> None:
    small = console([(1, 2)] * 5, "query disk") + f"query time\n{CONNECT}" * 9
    done = run(tmp_path, console(STEADY) + small, console(STEADY) + small)
    assert done.exit_code == 0, done.output
    assert "1 of 2 commands cost at most 0.02 s" in flat(done)
    assert "QUERY" not in done.stdout.partition("two steps")[0]


def test_the_first_ready_of_a_session_is_of_logon_not_of_the_logo() -> None:
    begin = "LOGON AT 10:00:00 EDT MONDAY 11/23/26\nCMS 2.0\nReady; T=0.30/0.40 10:00:01\n"
    text = f"VM/370 ONLINE\n\nLOGON CMSUSER\n{begin}{console(STEADY)}"
    made = command_trials("x", scan([text.encode()], keep_text=True))
    assert [t.case for t in made] == ["LOGON"] + 5 * ["ASSEMBLE PROG"]


def test_query_time_is_used_where_it_tells_the_cost_of_a_kb(tmp_path: Path) -> None:
    def log(factor: float) -> str:
        text, total = "", 0.0
        for k in range(5):
            text += "query time\n" + query_time(START + timedelta(seconds=k), k, 0, total)
            text += f"Ready; T=0.00/0.01 10:00:0{k}\n" if k else ""  # CP answers without it
            text += "ftp get one\n" + transfer_text(1024, 4)
            text += f"Ready; T={factor * 0.5:.2f}/{factor:.2f} 10:00:0{k}\n"
            total += factor * 1e6
        return text

    done = run(tmp_path, log(1), log(1.5))
    assert done.exit_code == 0 and "CPU per KB" in flat(done) and "Ready's" not in flat(done)
    assert "4 trials of each case. By QUERY TIME." in flat(done)
    done = run(tmp_path, log(1), log(1.5), "--source", "rm")
    assert done.exit_code == 0 and "FTP GET ONE" in flat(done) and "Ready's T=" in flat(done)
    done = run(tmp_path, log(1), console(STEADY), "--source", "QT")
    assert done.exit_code == 2 and "after.log: no machine has two QUERY TIME" in flat(done)
    done = run(tmp_path, log(1).replace("T=", "U="), console(STEADY))
    assert done.exit_code == 2 and "QUERY TIME" in flat(done) and "RDYMSG" in flat(done)


def test_a_command_that_failed_in_some_trials_is_not_trusted(tmp_path: Path) -> None:
    done = run(tmp_path, console(STEADY), console(STEADY, said="Ready(00028);"))
    assert done.exit_code == 3 and "ended with Ready(00028)" in flat(done)
    both = console(STEADY, said="Ready(00028);")  # as it was meant to: LISTFILE of nothing
    assert run(tmp_path, both, both).exit_code == 0


def test_the_commands_of_users_on_one_console_are_told_apart() -> None:
    text = (
        "MAINT   : assemble one\nTCPIP   : copyfile a b\nTCPIP   : Ready; T=0.50/0.60 10:00:00\n"
        "10:00:02 MAINT   : Ready; T=0.70/0.80 10:00:02\n"
    )
    made = command_trials("x", scan([text.encode()], keep_text=True))
    assert [(t.case, *t.parts) for t in made] == [
        ("COPYFILE A B", "TCPIP"),
        ("ASSEMBLE ONE", "MAINT"),
    ]


def test_a_screen_that_is_shown_again_is_no_other_trial(tmp_path: Path) -> None:
    """A real s3270 writes its trace; the program behind it looks at the screen twice."""
    lines = [
        "assemble prog",
        "Ready; T=0.61/0.83 21:48:26",
        "listfile",
        "Ready(00028); T=0.40/0.50",
    ]
    trace = tmp_path / "host.trc"
    host = Host3270(page_write(lines, "VM READ"), lambda key, text: [b""])
    try:
        done = subprocess.run(
            ["s3270", "-model", "3279-2", "-trace", "-tracefile", str(trace)], text=True,
            input=f"Connect(127.0.0.1:{host.port})\nWait(5,InputField)\n" + "Ascii()\n" * 2,
            capture_output=True, timeout=60, check=True,
        )  # fmt: skip
    finally:
        host.close()
    for text in (done.stdout, trace.read_text()):
        made = command_trials("x", scan([text.encode()], keep_text=True))
        assert [t.records[0].value("totcpu").value for t in made] == [830_000, 500_000]
    assert [t.case for t in command_trials("x", scan([done.stdout.encode()], keep_text=True))] == [
        "ASSEMBLE PROG", "LISTFILE",
    ]  # fmt: skip


def test_what_no_cost_is_made_of_is_counted(tmp_path: Path) -> None:
    load = "indicate load\nCPU-012% Q1-01 Q2-00 STORAGE-034% RATIO-01.0\nind q exp\nMAINT Q1 R00\n"
    done = run(tmp_path, console(STEADY) + load * 3, console(STEADY))
    assert done.exit_code == 0
    text = flat(run(tmp_path, console(STEADY) + load * 3, console(STEADY), "--all"))
    assert "before.log: 3 answers to INDICATE LOAD are not used" in text
    assert "before.log: 3 answers to INDICATE QUEUES are not used" in text
