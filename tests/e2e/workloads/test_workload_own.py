# SPDX-License-Identifier: MIT
"""vmkb run ftp with an lwIP of the user's own: a loop of known cost is found to the segment, and
stacks that do not build or do not work are failures, never costs."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guests.release.lwip import OURS, committed, copied
from vmkb.accounting.store import Trial, read
from vmkb.guests.release.build import PROGRAM, Build
from vmkb.guests.release.cache import alone
from vmkb.guests.release.image import digest_of_image
from vmkb.guests.release.older import LATER
from vmkb.guests.release.source import read as read_source
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.settings import restore

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
VMKB = load_guest("vmkb").folder
IN_TCP_INPUT = "  /* Convert fields in TCP header to host byte order. */\n"
TURNS = 10_000
LOOP = f"""  {{ u64_t turns;
    __asm__ volatile("lghi %0,{TURNS}\\n0:\\tbrctg %0,0b" : "=d"(turns)); }}
"""
ONCE = ("--trials", "1", "--out", "r")
WRONG = "  if (p->len > 400) ((u8_t *)p->payload)[300] ^= 1;\n"


@pytest.fixture
def lwip(tmp_path: Path) -> Path:
    """lwIP 2.2.1 as it is, committed in a folder with a blank in its name."""
    committed(copied(tmp_path / "my lwip"))
    return tmp_path / "my lwip"


def put(lwip: Path, code: str) -> None:
    """CODE before tcp_input looks at a segment's header."""
    path = lwip / "src" / "core" / "tcp_in.c"
    text = path.read_text("utf-8").replace("\r\n", "\n")
    assert IN_TCP_INPUT in text
    path.write_text(text.replace(IN_TCP_INPUT, code + IN_TCP_INPUT), "utf-8")


def run(releases: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """One trial of each of RELEASES, kept in FOLDER."""
    options = words or ("--releases", releases, "--case", "G24KB", "--builds", "1", *ONCE)
    return run_of("ftp", folder, *options)


def run_of(workload: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", workload, *options], cwd=folder,
        text=True, capture_output=True, timeout=180,
        env={**os.environ, "PYTHONPATH": str(VMKB.parents[1])},
    )  # fmt: skip


def trail(
    lwip: Path, commits: str, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """The trail of COMMITS, kept in FOLDER/t."""
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "trail", "lwip", str(lwip), commits,
         "--case", "G24KB", "--out", "t", *options],
        cwd=folder, text=True, capture_output=True, timeout=280,
        env={**os.environ, "PYTHONPATH": str(VMKB.parents[1])},
    )  # fmt: skip


def instructions(trial: Trial) -> float:
    """What TCPIP has executed itself, without CP's work for it."""
    mine = [r for r in trial.records if r.kind == "connect" and r.word("userid") == "TCPIP"]
    before, after = sorted(r.value("virt_instr").value for r in mine)
    return after - before


def segments(trial: Trial) -> float:
    """How many segments TCPIP took in."""
    (tcp,) = (r for r in trial.records if r.kind == "tcp")
    return tcp.value("received").value


def test_a_loop_costs_what_it_executes(lwip: Path, tmp_path: Path) -> None:
    put(lwip, LOOP)
    done = run(f"SAME={lwip}@HEAD,LOOP={lwip}", tmp_path)
    assert done.returncode in (0, 1), done.stderr
    found = {t.release: t for t in read(tmp_path / "r").trials}
    base, loop = found["SAME"], found["LOOP"]
    assert base.params["program"] == digest_of_image(VMKB / "build" / "vmkb.ins", "221")
    assert base.params["program"] != loop.params["program"]
    grown = instructions(loop) - instructions(base)
    came = round(grown / (TURNS + 1))
    assert grown == pytest.approx((TURNS + 1) * came, abs=TURNS / 4)
    # NETSTAT is asked before and after CP is: a connection's few segments lie between
    assert segments(base) - 20 <= came <= segments(base)
    assert "uncommitted changes in 1 file," in loop.meta["release_LOOP"]
    assert "HEAD is commit " in base.meta["release_SAME"]
    assert len(restore(tmp_path / "r", "ftp").own) == 2
    put(lwip, LOOP)
    again = run("", tmp_path, "--resume", "r")
    assert again.returncode == 2
    assert "Release LOOP has changed since the run began" in again.stderr


def test_a_file_by_ftp_beside_pages_goes_through_it(lwip: Path, tmp_path: Path) -> None:
    put(lwip, LOOP)
    releases = f"SAME={lwip}@HEAD,LOOP={lwip}"
    done = run_of("pages", tmp_path, "--releases", releases, "--case", "FTP", *ONCE)
    assert done.returncode == 0, done.stderr
    found = {t.release: instructions(t) for t in read(tmp_path / "r").trials}
    assert found["LOOP"] > found["SAME"] + 10 * TURNS


def test_it_may_stand_beside_other_words_of_the_ipl(lwip: Path, tmp_path: Path) -> None:
    """TELNET=RECORDS is one of the case's."""
    options = "--releases", f"MINE={lwip}", "--case", "TELNET_CMU"
    done = run_of("terminal", tmp_path, *options, *ONCE)
    assert done.returncode == 0, done.stderr
    assert "By TELNET CMU a kilobyte on a terminal takes" in done.stdout


def test_its_own_checksums_are_measured_if_asked_for(lwip: Path, tmp_path: Path) -> None:
    """What is sent has the right ones: nothing is sent twice."""
    same = f'path = "{lwip}"\n'
    (tmp_path / "vmkb.toml").write_text(
        f'[release.cksm]\n{same}[release.own]\n{same}checksum = "own"\n'
    )
    done = run("", tmp_path, "--releases", "cksm,own", "--case", "P2M_B", "--builds", "1", *ONCE)
    assert done.returncode == 0, done.stderr
    cksm, own = (t for t in sorted(read(tmp_path / "r").trials, key=lambda t: t.seq))
    assert instructions(own) > 2 * instructions(cksm)
    sent = [r.value("bytes_in") for t in (cksm, own) for r in t.records if r.kind == "wire"]
    assert len(sent) == 2 and sent[0] == sent[1]


@pytest.mark.parametrize("workload, case", [("ftp", "P24KB"), ("echo", "1B")])
def test_both_ends_have_ipv6_if_asked_for(tmp_path: Path, workload: str, case: str) -> None:
    release = f"A={OURS.parent}"
    words = "--ip", "6", "--releases", release, "--case", case, "--builds", "1"
    done = run_of(workload, tmp_path, *words, *ONCE)
    assert done.returncode == 0, done.stderr
    assert ", over IPv6, where vmkb's port gives lwIP each segment alone" in done.stderr
    (trial,) = read(tmp_path / "r").trials
    said = (tmp_path / "r" / "transcripts" / f"{trial.id}.txt").read_text("utf-8")
    assert ("fd00::a11:b" in said) == (workload == "ftp")


def test_a_small_window_does_not_make_a_client_wait(lwip: Path, tmp_path: Path) -> None:
    """It asks for more bytes at once than the window lets in: each would take two seconds."""
    (tmp_path / "vmkb.toml").write_text(f'[release.small]\npath = "{lwip}"\nrooms = "esp-idf"\n')
    done = run("", tmp_path, "--releases", "small", "--case", "G2M_B", "--builds", "1", *ONCE)
    assert done.returncode == 0, done.stderr
    (trial,) = read(tmp_path / "r").trials
    rates = [r.value("rate").value for r in trial.records if r.kind == "ftp_transfer"]
    assert min(rates) > 100


def test_wrong_bytes_are_a_failure(lwip: Path, tmp_path: Path) -> None:
    put(lwip, WRONG)
    done = run(f"BAD={lwip}", tmp_path)
    assert done.returncode == 3
    assert "Trial G24KBBAD-1 failed: B24KB1 SOURCE and F001 OUT differ" in done.stderr
    assert not read(tmp_path / "r").trials


def test_what_does_not_build_is_refused_with_its_first_error(lwip: Path, tmp_path: Path) -> None:
    put(lwip, "  mistake;\n")
    done = run(f"221,BAD={lwip}", tmp_path)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "Release BAD, lwIP 2.2.1 from" in said and "does not build: src/core/tcp_in.c:" in said
    assert "error:" in said and "mistake" in said
    assert not (tmp_path / "r").exists()


def test_a_symbol_that_there_is_not_is_named(lwip: Path, tmp_path: Path) -> None:
    put(lwip, "  { extern void nobody_has_it(void); nobody_has_it(); }\n")
    done = run(f"BAD={lwip}", tmp_path)
    assert done.returncode == 2
    assert "undefined reference to `nobody_has_it'" in " ".join(done.stderr.split())


def test_a_trail_has_a_cost_for_each_commit_that_builds(lwip: Path, tmp_path: Path) -> None:
    """One that changes a comment is the same program; one that does not build says so."""
    before = (lwip / "src" / "core" / "tcp_in.c").read_text("utf-8")
    put(lwip, "  /* only a comment */\n")
    committed(lwip, "comment")
    put(lwip, "  mistake;\n")
    committed(lwip, "mistake")
    (lwip / "src" / "core" / "tcp_in.c").write_text(before.replace("\r\n", "\n"), "utf-8")
    committed(lwip, "revert")
    clean = (lwip / "src" / "core" / "tcp_in.c").read_bytes()
    for turns in (TURNS // 2, TURNS):
        (lwip / "src" / "core" / "tcp_in.c").write_bytes(clean)
        put(lwip, LOOP.replace(f"{TURNS}", f"{turns}"))
        committed(lwip, f"{turns} turns")
    done = trail(lwip, "HEAD~5..HEAD", tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "t" / "trail.csv").open(encoding="utf-8", newline="") as file:
        first, comment, mistake, revert, half, loop = csv.DictReader(file)
    assert float(first["cpu_us_per_kb"]) > float(first["tcpip_us_per_kb"]) > 0
    assert comment["cpu_us_per_kb"] == revert["cpu_us_per_kb"] == first["cpu_us_per_kb"]
    assert (comment["change_percent"], revert["change_percent"]) == ("=", "=")
    assert float(half["change_percent"]) > 0 and float(loop["change_percent"]) > 0
    assert mistake["cpu_us_per_kb"] == "" and "error:" in mistake["why"]
    assert int(loop["text_bytes"]) > int(first["text_bytes"]) > 100_000
    site = tmp_path / "t" / "site"
    assert (site / "index.html").read_text().count("<svg") == 2
    feed = (site / "feed.xml").read_text()
    assert feed.count("<entry>") == 2 and "tcp_in.c tcp_input +" in feed
    page = (site / f"step-{loop['commit'][:10]}.html").read_text()
    grew = page[page.index('id="step-functions') :]
    assert "tcp_in.c tcp_input" in grew[: grew.index("</tr>", grew.index("<tbody"))]
    assert len(list((tmp_path / "t").glob("batch-*"))) == 1  # all programs together
    rows = [json.loads(x) for x in (tmp_path / "t" / "trail.jsonl").read_text().splitlines()[1:]]
    built = [(Build(r["source"]).folder / "1" / PROGRAM).exists() for r in rows if r["program"]]
    assert built == [True, False, True, True, True]  # a revert has the first one's source


def test_a_trail_of_its_own_checksums_has_steps_in_them(lwip: Path, tmp_path: Path) -> None:
    path = lwip / "src" / "core" / "inet_chksum.c"
    text = path.read_text("utf-8").replace("\r\n", "\n")
    begin = "lwip_standard_chksum(const void *dataptr, int len)\n{\n"
    assert begin in text
    path.write_text(text.replace(begin, begin + LOOP), "utf-8")
    committed(lwip, "a slower sum")
    changes = []
    for name, options in (("cksm", ()), ("own", ("--checksum", "own"))):
        (tmp_path / name).mkdir()
        done = trail(lwip, "HEAD~1..HEAD", tmp_path / name, *options)
        assert done.returncode == 0, done.stderr
        with (tmp_path / name / "t" / "trail.csv").open(encoding="utf-8", newline="") as file:
            changes.append(list(csv.DictReader(file))[-1]["change_percent"])
    assert changes[0] in ("=", "") and float(changes[1]) > 1


def test_five_lwips_in_one_run_cost_the_same_if_they_are(lwip: Path, tmp_path: Path) -> None:
    """Neither its place in the run nor its name changes what a release executes."""
    names = ["R0", "R1", "R10", "R2", "R3"]
    done = run(",".join(f"{name}={lwip}@HEAD" for name in names), tmp_path)
    assert done.returncode == 0, done.stderr
    found = read(tmp_path / "r").trials
    assert sorted(t.release for t in found) == sorted(names)
    assert len({instructions(t) for t in found}) == 1
    assert len({t.params["program"] for t in found}) == 1


def test_the_port_builds_without_what_the_first_versions_lack(tmp_path: Path) -> None:
    """2.1.3 with other names for it, and without its hook for packets."""
    src = tmp_path / "src"
    shutil.copytree(OURS.parents[1] / "lwip-2.1.3" / "src", src)
    for path in src.rglob("*.[ch]"):
        text = path.read_text("latin-1")
        changed = re.sub(rf"\b({'|'.join(LATER)})\b", r"\1_NOT", text)
        if changed != text:
            path.write_text(changed, "latin-1")
    found = read_source(tmp_path)
    with alone():
        build = Build(found.digest)
        build.place(found.files, found.kind.where)
        program = build.program(1)
    symbols = subprocess.run(
        ["s390x-linux-gnu-nm", str(program.with_suffix(".elf"))], capture_output=True, text=True,
        check=True, timeout=60,
    ).stdout  # fmt: skip
    assert "tcp_input" in symbols and "loss_segment_came" not in symbols
