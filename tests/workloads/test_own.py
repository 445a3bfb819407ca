# SPDX-License-Identifier: MIT
"""Releases of the user's own: how they are asked for, what is kept of them, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guests.release.lwip import committed, git, tree, vmkb
from vmkb.errors import UsageError
from vmkb.hercules.guest import load_guest
from vmkb.workloads.base.own import check_unchanged, extended, taken, with_own
from vmkb.workloads.base.settings import Asked, Ip, Own, Settings
from vmkb.workloads.base.workload import answering
from vmkb.workloads.cms.workload import Workload as Cms
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.ftp.workload import Workload
from vmkb.workloads.line.workload import Workload as Line
from vmkb.workloads.rpc import Workload as Rpc
from vmkb.workloads.serve.workload import Workload as Serve
from vmkb.workloads.telnet.workload import Workload as Telnet


def one(workload: Workload, releases: str) -> Own:
    """The one release of the user's among RELEASES."""
    (own,) = taken(workload, Asked(releases=releases))[1]
    return own


def settings(*own: Own) -> Settings:
    """Those of a run of OWN."""
    return Settings(
        workload="ftp", style="quick", trials=1, releases=tuple(o.name for o in own),
        cases=("G24KB",), model="2064-109", wire="fast", own=own,
    )  # fmt: skip


def test_a_tree_is_a_release_beside_the_workloads(tmp_path: Path) -> None:
    here = tree(tmp_path / "my lwip")
    workload = Workload()
    asked, own = taken(workload, Asked(releases=f"221, NEW = {here} "))
    assert asked.releases == "221,NEW"
    assert [(o.name, o.path, o.version) for o in own] == [("NEW", str(here), "2.2.1")]
    made = {r.name: r for r in workload.definition.releases}
    assert (made["NEW"].parameter, made["NEW"].title) == ("TCPIP=001", "lwIP 2.2.1 (NEW)")
    assert workload.settings(asked).releases == ("221", "NEW")


def test_without_one_nothing_changes() -> None:
    workload, asked = Workload(), Asked(releases="213,221")
    before = workload.definition
    assert taken(workload, asked) == (asked, ())
    assert workload.definition is before


def test_each_has_its_level_also_when_a_run_is_taken_up(tmp_path: Path) -> None:
    here = tree(tmp_path)
    own = taken(Workload(), Asked(releases=f"A={here},221,B={here}"))[1]
    again = extended(Workload(), own)
    levels = {r.name: r.parameter for r in extended(again, own).definition.releases}
    assert levels == {"213": "TCPIP=213", "221": "TCPIP=221", "A": "TCPIP=001", "B": "TCPIP=002"}


def test_a_commit_and_its_changes_are_said(tmp_path: Path) -> None:
    here = tree(tmp_path)
    commit = committed(here)
    git(here, "tag", "v1")
    (here / "src/core/tcp.c").write_text("int changed;\n")
    now, then = one(Workload(), f"NEW={here}"), one(Workload(), f"OLD={here}@v1")
    assert f"commit {commit}, uncommitted changes in 1 file, source" in now.about()
    assert f"v1 is commit {commit}, source {then.source}" in then.about()
    assert now.source != then.source


def test_vmkb_toml_names_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed(tree(tmp_path / "lwip"))
    (tmp_path / "mine.h").write_text("#define TCP_WND 9000\n")
    (tmp_path / "vmkb.toml").write_text(
        '[release.WND]\npath = "lwip"\nref = "HEAD"\nlwipopts = "mine.h"\n'
    )
    monkeypatch.chdir(tmp_path)
    own = one(Workload(), "221,WND")
    assert (own.path, own.ref) == (str(tmp_path / "lwip"), "HEAD")
    assert own.lwipopts == str(tmp_path / "mine.h") and len(own.options) == 16


def test_a_name_may_be_in_small_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path / "lwip")
    (tmp_path / "vmkb.toml").write_text('[release.window]\npath = "lwip"\n')
    monkeypatch.chdir(tmp_path)
    asked, own = taken(Workload(), Asked(releases="221,mine=lwip,Window"))
    assert asked.releases == "221,MINE,WINDOW"
    assert [o.name for o in own] == ["MINE", "WINDOW"]


@pytest.mark.parametrize(
    "text, said",
    [
        ("[release.new]\npath = 'x'\n[release.NEW]\npath = 'x'\n", r"\[release.NEW\] .* twice"),
        ("[release.NEW]\npaht = 'x'\n", r"vmkb.toml: \[release\]: (path|paht)"),
        ("[release", "vmkb.toml: "),
        ("release = 3\n", "vmkb.toml: "),
        ("[release.NEW]\npath = 'nothing'\n", "Release NEW: .*nothing"),
    ],
)
def test_a_vmkb_toml_that_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    (tmp_path / "vmkb.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said):
        taken(Workload(), Asked(releases="221,NEW"))


@pytest.mark.parametrize("name", ["213", "NEW", "new", "LONGNAME9", "A/B", ""])
def test_a_name_that_is_taken_or_none_is_refused(tmp_path: Path, name: str) -> None:
    here = tree(tmp_path)
    with pytest.raises(UsageError, match=f"Release {name.upper()}: "):
        taken(Workload(), Asked(releases=f"221,NEW={here},{name}={here}"))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Release NEW: there is no file or folder .*nothing"):
        taken(Workload(), Asked(releases=f"NEW={tmp_path}/nothing@v1"))


def test_a_workload_without_levels_has_none(tmp_path: Path) -> None:
    asked = Asked(releases=f"NEW={tree(tmp_path)}")
    assert len(taken(Echo(), asked)[1]) == 1
    with pytest.raises(UsageError, match="rpc takes no release of your own: it runs no TCP/IP"):
        taken(Rpc(), asked)


@pytest.mark.parametrize("workload", [Cms, Serve, Telnet])
def test_no_stack_is_measured_where_it_does_not_count(tmp_path: Path, workload: type) -> None:
    """Of a VM/KB all programs count, of a stack none."""
    system = workload()
    asked, own = taken(system, Asked(releases=f"NEW={vmkb(tmp_path / 'vmkb')}"))
    assert [o.what for o in own or system.settings(asked).own] == ["VM/KB"]
    here = tree(tmp_path / "lwip")
    with pytest.raises(UsageError, match=f"Release NEW: {here} is lwIP.* clone of vmkb"):
        workload().settings(taken(workload(), Asked(releases=f"NEW={here}"))[0])


def test_what_makes_checksums_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release's own word in vmkb.toml stands above that of the command."""
    here = tree(tmp_path / "lwip")
    (tmp_path / "vmkb.toml").write_text('[release.K]\npath = "lwip"\nchecksum = "cksm"\n')
    monkeypatch.chdir(tmp_path)
    own = taken(Workload(), Asked(releases=f"K,A={here}", checksum="own"))[1]
    assert [o.checksum for o in own] == ["cksm", "own"]
    assert "checksums by CHECKSUM" in own[0].about()
    assert "checksums by its own code" in own[1].about()
    assert one(Workload(), f"A={here}").checksum == "cksm"


@pytest.mark.parametrize("workload, releases", [(Workload, "213,221"), (Serve, "KB")])
def test_checksums_are_chosen_for_a_stack_of_the_users(workload: type, releases: str) -> None:
    with pytest.raises(UsageError, match="--checksum is for a TCP/IP stack of your own"):
        taken(workload(), Asked(releases=releases, checksum="own"))


@pytest.mark.parametrize("ip, level", [(6, "TCPIP=001"), (None, "")])
def test_ipv6_is_said_and_the_other_end_has_it_too(
    tmp_path: Path, ip: Ip | None, level: str
) -> None:
    here, workload = tree(tmp_path / "lwip"), Workload()
    asked, own = taken(workload, Asked(releases=f"B={here},A={here}", ip=ip))
    made = workload.settings(asked).model_copy(update={"own": own})
    other = answering(workload.definition, made)
    assert (other.parameter if other else "") == level
    assert {"over IPv6, where vmkb's port" in o.about() for o in own} == {ip == 6}
    check_unchanged(made)


@pytest.mark.parametrize("releases, not_for", [("", "vmkb's own lwIPs"), ("221,A={0}", "221")])
def test_ipv6_is_refused_for_what_has_none(tmp_path: Path, releases: str, not_for: str) -> None:
    named = releases.format(tree(tmp_path / "lwip"))
    with pytest.raises(UsageError, match=f"--ip 6 is for .* and not for {not_for}: --releases"):
        taken(Workload(), Asked(releases=named, ip=6))
    system = f"A={vmkb(tmp_path / 'vmkb')}"
    with pytest.raises(UsageError, match="--ip 6 is for .* and not for A: --releases"):
        taken(Workload(), Asked(releases=system, ip=6))


def test_a_workload_whose_peers_have_ipv4_alone_has_no_ipv6(tmp_path: Path) -> None:
    workload = Line()
    asked, _ = taken(workload, Asked(releases=f"A={tree(tmp_path / 'lwip')}", ip=6))
    with pytest.raises(UsageError, match="Workload line has no --ip"):
        workload.settings(asked)


def test_rooms_are_options_of_a_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path / "lwip")
    vmkb(tmp_path / "vmkb")
    (tmp_path / "vmkb.toml").write_text(
        '[release.A]\npath = "lwip"\nrooms = "pico"\n'
        '[release.B]\npath = "lwip"\nrooms = { window = 8000, send_buffer = 4000 }\n'
        '[release.C]\npath = "vmkb"\nrooms = "pico"\n'
        '[release.D]\npath = "lwip"\nrooms = "nobody"\n'
    )
    monkeypatch.chdir(tmp_path)
    own = taken(Workload(), Asked(releases="A,B"))[1]
    assert "window 11680, send buffer 11680, MSS 1460, source" in own[0].about()
    assert "window 8000, send buffer 4000, source" in own[1].about()
    assert len({o.options for o in own}) == 2
    check_unchanged(settings(*own))
    with pytest.raises(UsageError, match="Release C: rooms are for a TCP/IP stack, not for VM/KB"):
        taken(Workload(), Asked(releases="C"))
    with pytest.raises(UsageError, match="Release D: rooms: there are no rooms nobody"):
        taken(Workload(), Asked(releases="D"))


def test_checksums_of_a_vmkb_are_not_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vmkb(tmp_path)
    (tmp_path / "vmkb.toml").write_text('[release.KB]\npath = "."\nchecksum = "own"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="Release KB: checksum is for a TCP/IP stack, not for VM"):
        taken(Workload(), Asked(releases="221,KB"))


def test_a_clone_of_vmkb_is_a_release(tmp_path: Path) -> None:
    asked = Asked(releases=f"221,A={tree(tmp_path / 'lwip')},B={vmkb(tmp_path / 'my vmkb')}")
    workload = Workload()
    own = taken(workload, asked)[1]
    assert [(o.what, o.stack) for o in own] == [("lwIP", ""), ("VM/KB", "221")]
    made = {r.name: r for r in workload.definition.releases}
    assert (made["B"].title, made["B"].parameter) == ("VM/KB 0.1.0 (B)", "TCPIP=002")
    check_unchanged(settings(*own))
    (tmp_path / "my vmkb/guests/vmkb/Makefile").write_text("changed")
    with pytest.raises(UsageError, match="Release B has changed since the run began"):
        check_unchanged(settings(*own))


def test_options_of_lwip_are_none_of_vmkb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vmkb(tmp_path)
    (tmp_path / "vmkb.toml").write_text('[release.KB]\npath = "."\nlwipopts = "mine.h"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="Release KB: lwipopts is for lwIP, not for VM/KB"):
        taken(Workload(), Asked(releases="221,KB"))


def test_who_serves_is_compared_with_a_clone_in_the_order_given(tmp_path: Path) -> None:
    here = vmkb(tmp_path)
    for names in (["OLD", "KB"], ["KB", "OLD"], ["OLD"]):
        given = ",".join(n if n == "KB" else f"{n.lower()}={here}" for n in names)
        made = Serve().settings(Asked(releases=given, cases=("G24KB",)))
        assert list(made.releases) == names
        assert [(o.name, o.what, o.stack) for o in made.own] == [("OLD", "VM/KB", "213")]
        planned = Serve().plan(made)
        assert {p.release.name: p.release.parameter for p in planned}["OLD"] == "TCPIP=001"


def test_another_guest_has_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="on guest vmkb, not on linux"):
        with_own(load_guest("linux"), settings(one(Workload(), f"NEW={tree(tmp_path)}")))


def test_a_run_is_not_taken_up_with_another_source(tmp_path: Path) -> None:
    here = tree(tmp_path)
    committed(here)
    git(here, "tag", "v1")
    kept = settings(one(Workload(), f"NEW={here}@v1"))
    check_unchanged(kept)
    (here / "src/core/tcp.c").write_text("int changed;\n")
    check_unchanged(kept)  # the tag is where it was
    committed(here, "another")
    git(here, "tag", "-f", "v1")
    with pytest.raises(UsageError, match="Release NEW has changed since the run began"):
        check_unchanged(kept)


def test_a_run_is_not_taken_up_with_other_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path / "lwip")
    (tmp_path / "mine.h").write_text("#define TCP_WND 9000\n")
    (tmp_path / "vmkb.toml").write_text('[release.WND]\npath = "lwip"\nlwipopts = "mine.h"\n')
    monkeypatch.chdir(tmp_path)
    kept = settings(one(Workload(), "WND"))
    check_unchanged(kept)
    (tmp_path / "mine.h").write_text("#define TCP_WND 8000\n")
    with pytest.raises(UsageError, match=r"its options .*mine\.h have changed"):
        check_unchanged(kept)
