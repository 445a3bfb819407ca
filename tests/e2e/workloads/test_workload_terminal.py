# SPDX-License-Identifier: MIT
"""The terminal workload on real guests: a small run of every kind of trial, taken up again; a wire
that loses, doubles and reorders frames; and as many terminals as there can be."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from vmkb.accounting.intervals import between, samples
from vmkb.accounting.stats import jain
from vmkb.accounting.store import FILE_NAME, Results, Trial, read
from vmkb.guests.base import Contents
from vmkb.guests.contents import document
from vmkb.guests.vmkb.disk.records import from_text
from vmkb.guests.vmkb.driver import READY, VmkbDriver, put_files
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base import run as running
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.lab import Lab
from vmkb.workloads.base.progress import Plain
from vmkb.workloads.base.report import of_run
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.terminal import Workload, chain, content
from vmkb.workloads.terminal.chain import Step, Typist
from vmkb.workloads.terminal.network import SERVERS, Network
from vmkb.workloads.terminal.plan import Chain, Definition, Planned
from vmkb.workloads.terminal.workload import KEYS

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

WORKLOAD = Workload().definition
SMALL = WORKLOAD.model_copy(
    update={
        # the second is one empty line, the third ends with a blank
        "documents": (600, 1, 12, 900),
        "quick": WORKLOAD.quick.model_copy(
            update={
                "documents": 4,
                "monitor_seconds": 1,
                "sweep": (2,),
                "sweep_documents": 3,
                "keys": 3,
                "idle_seconds": 1,
            }  # fmt: skip
        ),
    }
)
SETTINGS = Settings(
    workload="terminal", style="quick", trials=1, releases=("221",), cases=(),
    model=WORKLOAD.model, wire=WORKLOAD.wire,
)  # fmt: skip
SILENCE = 120.0
READY_LINE = re.compile(r"Ready; T=\S+ \d\d:\d\d:\d\d\r\n")
NEAR, FAR = (n.name for n in SMALL.node)
NODES = {
    "TELNET": [NEAR, FAR], "TELNET CMU": [NEAR, FAR], "SET HOST": [NEAR, FAR], "LAT": [FAR],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _emulator(emulator_needed: None) -> None:
    """Skip without Hercules."""


def run_in(folder: Path) -> running.Run[Definition, Planned]:
    """The small run, new or taken up."""
    return running.Run(Workload(SMALL), SETTINGS, load_guest("vmkb"), folder)


def ended(folder: Path) -> Counter[str]:
    """How often each trial came to an end."""
    rows = map(json.loads, (folder / FILE_NAME).read_text().splitlines())
    return Counter(row["trial"] for row in rows if row["row"] == "end")


@dataclass(frozen=True)
class Ran:
    """A run that is over."""

    folder: Path
    results: Results

    def named(self, name: str) -> Trial:
        """The trial with this id."""
        return next(t for t in self.results.trials if t.id == name)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The small run, whole."""
    folder = tmp_path_factory.mktemp("terminal") / "r"
    made = run_in(folder)
    with Plain([p.id for p in made.left]) as shown:
        made.run(shown)
    return Ran(folder, read(folder))


def test_every_trial_is_good_on_every_node_that_it_passes(ran: Ran) -> None:
    assert [(t.status, t.why) for t in ran.results.trials if t.status != "good"] == []
    # Type, monitor, echo in turn, beside a job, idle, a sweep each.
    kinds = [*("TCSL" * 3), "S", "T", *"TCSL"]
    paths = {"T": "TELNET", "C": "TELNET CMU", "S": "SET HOST", "L": "LAT"}
    ran_as = [(t.params["path"], t.params["node"]) for t in ran.results.trials]
    assert ran_as == [(paths[k], node) for k in kinds for node in NODES[paths[k]]]
    assert not list(ran.folder.glob("**/*.fba"))
    assert all(Hercules.attach(p) is None for p in (ran.folder / "guests").glob("*/*"))


def typed(documents: int) -> str:
    """What is shown from TYPEDOCS to its Ready message: every character once and in order."""
    return f"typedocs {documents}\r\n{content.shown(SMALL, documents)}"


def check_shown(text: str, documents: int) -> None:
    """TEXT is that, and Ready."""
    said = typed(documents)
    assert text.startswith(said) and READY_LINE.fullmatch(text, len(said)), text


def test_every_character_is_right(ran: Ran) -> None:
    for trial in ran.results.trials:
        file = ran.folder / "transcripts" / f"{trial.id.rsplit('-', 1)[0]}.terminals.json"
        kind, count = trial.params["kind"], int(trial.params["terminals"])
        if kind == "idle":
            assert not file.exists() and trial.data is None
            continue
        texts = json.loads(file.read_text())
        assert len(texts) == count == (2 if kind == "sweep" else 1)
        assert trial.data is not None and trial.data.value == sum(map(len, texts))
        for text in texts:
            if kind == "echo":
                assert text == KEYS[: SMALL.quick.keys]
            else:
                documents = int(trial.params["documents"])
                check_shown(text, documents)
                assert documents == (3 if kind == "sweep" else 4)


def test_records_are_complete(ran: Ran) -> None:
    for trial in ran.results.trials:
        kind = trial.params["kind"]
        counts = Counter(r.kind for r in trial.records)
        asked = {*SERVERS, *(u for u in trial.parts if u.startswith("TERM")), SYSTEM}
        assert len(asked) == 3 + int(trial.params["terminals"])
        connects = Counter(r.word("userid") for r in trial.records if r.kind == "connect")
        if kind == "job" and trial.params["node"] == NEAR:
            asked.add("JOB")
        assert connects == dict.fromkeys(asked, 2)
        name = "{}.{}-meter.txt".format(*trial.id.rsplit("-", 1))
        meter = (ran.folder / "transcripts" / name).read_text()
        for record in (r for r in trial.records if r.kind == "connect"):
            assert all(line in meter for line in record.raw.splitlines())
        used = {i.machine: i.used for i in between(samples(trial.records), trial.engines)}
        assert used[SYSTEM]["intr_instr"].value > 0
        clocked, whole = (used[SYSTEM][f"{part}_instr"].value for part in ("clock", "total"))
        assert clocked <= whole
        # The terminal server's lines and LAT tick; the far node of another path waits for data.
        if trial.params["node"] == NEAR or trial.params["path"] == "LAT":
            assert clocked > 0
        lan = next(r for r in trial.records if r.kind == "lan")
        assert counts["sessions"] == (kind in ("type", "monitor", "job", "sweep"))
        assert counts["echo"] == (kind == "echo")
        if kind != "idle":
            users = [u for u in trial.parts if u.startswith("TERM")]
            # Of a typed line the far node sees nothing before it is sent: the near one echoes.
            if kind != "echo" or trial.params["path"] == "LAT" or trial.params["node"] == NEAR:
                assert all(used[u]["total_instr"].value > 0 for u in users), trial.id
            assert lan.value("frames").value > 0 and lan.value("lat_frames").value > 0
            assert lan.value("dropped").value == 0
        if kind == "monitor":
            seen = {r.word("userid") for r in trial.records if r.kind == "rtm_user"}
            assert counts["rtm_system"] > 0 and {"TCPIP", *users} <= seen
        else:
            assert not counts["rtm_system"]


def test_a_line_is_a_segment_where_telnet_sends_records(ran: Ran) -> None:
    frames = {}
    for name in ("TELNET221-T1", "TELNETCMU221-T1"):
        (lan,) = (r for r in ran.named(f"{name}-{FAR}").records if r.kind == "lan")
        frames[name] = lan.value("frames").value
    gathered, apart = frames.values()
    assert apart - gathered > typed(4).count("\n") / 2


def test_tables_can_be_made_of_it(ran: Ran) -> None:
    planned = len(run_in(ran.folder).plan)
    report, _ = of_run(Workload(SMALL), ran.folder, planned, SETTINGS.model)
    assert len(report.tables) >= 5
    assert not [d for d in report.doubts if "no result" in d]


def test_nothing_is_left_and_nothing_is_run_again(ran: Ran) -> None:
    again = run_in(ran.folder)
    assert again.left == []
    before = (ran.folder / FILE_NAME).read_bytes()
    with Plain([]) as shown:
        again.run(shown)
    assert (ran.folder / FILE_NAME).read_bytes() == before


def test_a_trial_without_an_end_is_run_again_on_both_nodes(ran: Ran, tmp_path: Path) -> None:
    """As a run leaves it that was killed: nothing is lost, nothing counted twice."""
    folder = tmp_path / "r"
    folder.mkdir()
    lost = f"TELNET221-T1-{NEAR}"
    rows = (ran.folder / FILE_NAME).read_text().splitlines(keepends=True)
    kept = [r for r in rows if {"end", lost} - {json.loads(r)["row"], json.loads(r).get("trial")}]
    assert len(kept) == len(rows) - 1
    (folder / FILE_NAME).write_text("".join(kept))
    assert [t.id for t in read(folder).unfinished] == [lost]
    before = ended(folder)
    again = run_in(folder)
    assert [p.id for p in again.left] == ["TELNET221-T1"]
    with Plain(["TELNET221-T1"]) as shown:
        again.run(shown)
    assert ended(folder) - before == Counter({lost: 1, f"TELNET221-T1-{FAR}": 1})
    results = read(folder)
    assert {t.id for t in results.trials} == {t.id for t in ran.results.trials}
    assert len(results.trials) == len(ran.results.trials) and not results.unfinished
    assert all(t.status == "good" for t in results.trials)
    assert run_in(folder).left == []


def test_a_character_that_differs_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the node TYPEs is not what the documents say."""
    made = VmkbDriver.prepare

    def spoiled(driver: VmkbDriver, contents: Contents, image: Path) -> None:
        made(driver, contents, image)
        text = document(SMALL.documents[0]).replace("machine", "macnine", 1)
        put_files(image, "DOCS", 0x191, {("DOC01", "TEXT"): from_text(text)})

    monkeypatch.setattr(VmkbDriver, "prepare", spoiled)
    spoilt = run_in(tmp_path)
    spoilt.left = [p for p in spoilt.left if p.id == "LAT221-T1"]
    with Plain(["LAT221-T1"]) as shown:
        spoilt.run(shown)
    (trial,) = read(tmp_path).trials
    assert trial.status == "untrusted"
    assert "terminal 4 did not show what the documents say" in trial.why
    assert "LAT221-T1" in [p.id for p in run_in(tmp_path).left]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """Both nodes, without a run."""
    folder = tmp_path_factory.mktemp("network")
    image, guest = folder / "v.fba", load_guest("vmkb")
    driver = VmkbDriver(guest)
    driver.prepare(content.contents(SMALL), image)
    with Lab(guest, folder / "guests", image, SMALL.wire, choose()) as lab:
        stage: Stage[Planned] = Stage(lab, SETTINGS, folder, (), Plain([]))
        nodes = Network(SMALL, stage, SMALL.releases[0], SMALL.case[0])
        yield nodes
        nodes.close()


def check_passwords(typist: Typist, path: Chain) -> None:
    """A user's name is the password: it was shown as a name, when it was typed, and never more."""
    name, text = content.user(typist.n), typist.terminal.text
    logons = len(NODES[path.id])
    assert text.count("ENTER PASSWORD") == logons
    assert text.upper().count(name) == text.count(f"logon {name}") == logons, text


def type_at_once(typists: Sequence[Typist]) -> list[tuple[str, float]]:
    """All TYPE the documents: what each terminal showed, and its characters a second."""
    steps = [Step("typedocs 4", READY, True)]
    marks = [len(t.terminal.shown) for t in typists]
    begun = time.monotonic()
    chain.all_do(typists, lambda _: steps, SILENCE)
    texts = [t.terminal.text[mark:] for t, mark in zip(typists, marks, strict=True)]
    ends = [t.terminal.shown_at for t in typists]
    return [(text, len(text) / (end - begun)) for text, end in zip(texts, ends, strict=True)]


def test_a_bad_wire_loses_doubles_and_mixes_up_nothing(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first logon on; each frame crosses two such links."""
    monkeypatch.setattr(chain, "ANSWER_WITHIN", SILENCE)
    wire = network.lab.wire
    wire.set_profile("*", loss=0.05, duplication=0.05, reordering=0.05)
    try:
        there = {p.id: network.typists(p, 1 + 2 * k, 2) for k, p in enumerate(SMALL.case)}
        paths = [path for path in SMALL.case for _ in range(2)]
        typists = [t for path in SMALL.case for t in there[path.id]]
        for path, typist, (text, _) in zip(paths, typists, type_at_once(typists), strict=True):
            check_passwords(typist, path)
            if path.printed == "TELNET":  # shows a line in two when its rest is more than 3 s late
                assert without_ends(text).startswith(without_ends(typed(4)) + "Ready; T="), text
            else:
                check_shown(text, 4)
        links = [p[side] for p in wire.counters()["ports"].values() for side in ("up", "down")]
        assert sum(sum(link["dropped"].values()) for link in links) > 10
        assert sum(link["duplicated"] for link in links) > 10
        assert sum(link["reordered"] for link in links) > 10
    finally:
        wire.set_profile("*", loss=0.0, duplication=0.0, reordering=0.0)
        network.everybody_leaves()


def without_ends(text: str) -> str:
    """Its lines behind each other."""
    return re.sub("[\r\n]", "", text)


@pytest.mark.parametrize("path", SMALL.case, ids=lambda p: p.id)
def test_sixty_four_terminals_lose_nothing_and_share_fairly(network: Network, path: Chain) -> None:
    typists = network.typists(path, 1, SMALL.terminals_max)
    try:
        assert len(typists) == 64
        seen = type_at_once(typists)
        for typist, (text, _) in zip(typists, seen, strict=True):
            check_shown(text, 4)
            check_passwords(typist, path)
        # 1 is equal shares, 1/64 is one terminal that has all; a busy computer makes some late.
        assert jain([rate for _, rate in seen]) >= 0.9
    finally:
        network.everybody_leaves()
