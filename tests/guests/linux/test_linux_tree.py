# SPDX-License-Identifier: MIT
"""A kernel from its source: what of a tree is used, what is written anew, what is said of one that
does not build. The trees here have a Makefile in place of the kernel's; tests/e2e/linux builds a
real one."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.guests.release.lwip import committed
from vmkb.errors import UsageError
from vmkb.guests.linux.make import store as making
from vmkb.guests.linux.make import tree
from vmkb.guests.linux.make.store import PackageStore
from vmkb.guests.linux.make.suites import suites
from vmkb.guests.linux.make.tree import SCRIPT
from vmkb.guests.release.errors import SourceError
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.serve import Workload

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("git", "make", "flex", "bison", "bc", "s390x-linux-gnu-gcc"))),
    reason="needs git, make, flex, bison, bc and gcc for s390x",
)

MAKEFILE = """
allnoconfig:
\t@! [ -e .config ] || { echo 'The source tree is not clean, please run make mrproper'; exit 1; }
\tcp $(KCONFIG_ALLCONFIG) $(O)/.config
\techo '# CONFIG_MODULES is not set' >>$(O)/.config
bzImage: $(O)/kernel/a.o $(O)/net/b.o $(O)/arch/s390/kernel/vmlinux.lds
\tmkdir -p $(O)/arch/s390/boot $(O)/include/config
\t$(CROSS_COMPILE)ld -r -T $(filter %.lds,$^) $(filter %.o,$^) -o $(O)/arch/s390/boot/bzImage
\techo 6.1.9 >$(O)/include/config/kernel.release
\tprintf 'kernel/drivers/%s.ko\\n' ccwgroup fsm ctcm >$(O)/modules.builtin
$(O)/%.lds: %.lds.S
\tmkdir -p $(@D)
\tcp $< $@
$(O)/%.o: %.c
\tmkdir -p $(@D)
\techo $* >>$(O)/compiled
\t$(CROSS_COMPILE)gcc -c -o $@ $<
"""
LINKED = """
SECTIONS {
  .text : { *(.text.hot) *(.text .text.fixup) }
  .data : { *(.data) }
  .bss : { *(.bss..first) *(.bss) }
}
"""
FILES = {
    f"{SCRIPT}.S": LINKED,
    "Makefile": MAKEFILE, "arch/s390/Kconfig": "config S390\n", "kernel/a.c": "int a;\n",
    "net/b.c": "int b;\n", "arch/x86/Kconfig": "config X86\n", "arch/x86/x.c": "int x;\n",
    "drivers/gpu/Makefile": "\n", "drivers/gpu/g.c": "int g;\n", "tools/include/t.h": "\n",
    "tools/testing/a b, c.yaml": "\n",
}  # fmt: skip


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    here = put(tmp_path / "linux", FILES)
    committed(here, "first")
    return here


@pytest.fixture
def store(tmp_path: Path) -> PackageStore:
    return PackageStore(suites(), tmp_path / "cache", lambda said: None)


def own(store: PackageStore, text: str) -> tuple[str, Path]:
    (found,) = store.own(text)
    return found


def compiled(tmp_path: Path) -> list[str]:
    """What was compiled in the one tree's build, and forget it."""
    (path,) = (tmp_path / "cache" / "trees").glob("*/made/compiled")
    found = sorted(path.read_text().split())  # make does both at once
    path.unlink()
    return found


def test_a_commit_is_built_once_and_the_next_one_only_where_it_differs(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    version, first = own(store, f"{repo}@HEAD")
    assert version == "6.1.9" and (first / "vmlinuz").stat().st_size
    assert compiled(tmp_path) == ["kernel/a", "net/b"]
    assert own(store, f"{repo}@HEAD") == (version, first)
    assert not list((tmp_path / "cache" / "trees").glob("*/made/compiled"))
    put(repo, {"net/b.c": "int b, c;\n"})
    committed(repo, "second")
    _, second = own(store, f"{repo}@HEAD")
    assert compiled(tmp_path) == ["net/b"] and second != first
    assert own(store, f"{repo}@HEAD~1") == (version, first)


def test_further_builds_are_the_same_objects_in_other_orders(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    _, first = own(store, f"{repo}@HEAD")
    compiled(tmp_path)
    each = [kernel for _, kernel in store.own(f"{repo}@HEAD", 6)]
    assert not list((tmp_path / "cache" / "trees").glob("*/made/compiled"))
    assert each[0] == first and 1 < len(set(each)) < 6  # two objects have two orders
    (log,) = (tmp_path / "cache" / "trees").glob("*/log")
    log.unlink()
    assert [kernel for _, kernel in store.own(f"{repo}@HEAD", 6)] == each
    assert not log.exists()  # make was not asked
    put(repo, {"net/b.c": "int b, c;\n"})
    committed(repo, "second")
    _, alone = own(store, f"{repo}@HEAD")
    shutil.rmtree(tmp_path / "cache")
    assert own(PackageStore(suites(), tmp_path / "cache", print), f"{repo}@HEAD")[1] == alone


@pytest.mark.parametrize(
    "files, said",
    [
        ({f"{SCRIPT}.S": LINKED.replace("*(.bss)", "")}, r"its linker script takes no \.bss"),
        ({"Makefile": MAKEFILE.replace(".lds.S\n", ".lds.S again\n") + "again: ;\n"},
         "its make takes no other linker script"),
    ],
)  # fmt: skip
def test_a_tree_that_cannot_be_linked_anew_says_so(
    repo: Path, store: PackageStore, files: dict[str, str], said: str
) -> None:
    put(repo, files)
    with pytest.raises(SourceError, match=f"{said}.*: ask for --builds 1"):
        store.own(str(repo), 2)
    assert own(store, str(repo))[0] == "6.1.9"


def test_a_run_of_two_commits_has_a_trial_of_each_build(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    programs = put(tmp_path / "programs", {"packages": ""})  # which take the network
    monkeypatch.setattr(PackageStore, "programs", lambda store: programs)
    names = f"a={repo}@HEAD,b={repo}@HEAD"

    def planned(**more: Any) -> list[tuple[str, int]]:
        workload = Workload()
        asked = Asked(cases=("G24KB",), guests=("linux",), **{"releases": names, **more})
        plan = workload.plan(workload.settings(asked))
        assert all(len(workload.systems([p])) == len({p.release.name for p in plan}) for p in plan)
        return [(p.release.name, p.build) for p in plan]

    assert planned() == [(name, build) for build in (1, 2, 3) for name in "AB"]
    assert planned(trials=2, builds=2) == [(n, b) for b in (1, 2, 1, 2) for n in "AB"]
    assert planned(profile=True) == planned(builds=1) == [(n, 1) for _ in range(3) for n in "AB"]
    with pytest.raises(UsageError, match="--profile is of one build: leave out --builds"):
        planned(profile=True, builds=2)
    (tmp_path / "bzImage").write_bytes(bytes(0x10008) + b"S390EP")
    names += f",c={tmp_path}/bzImage"
    assert planned() == [(name, 1) for _ in range(3) for name in "ABC"]
    with pytest.raises(UsageError, match=r"\(C\) has one build: leave out --builds"):
        planned(builds=2)


def test_a_tree_is_read_where_it_is_and_not_written_to(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    before = sorted(repo.rglob("*"))
    put(repo, {"kernel/a.c": "int not_committed;\n"})
    _, mine = own(store, str(repo))
    assert b"not_committed" in (mine / "vmlinuz").read_bytes()
    assert sorted(repo.rglob("*")) == before
    assert b"not_committed" not in (own(store, f"{repo}@HEAD")[1] / "vmlinuz").read_bytes()


def test_what_s390_is_not_built_from_is_not_unpacked(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    own(store, f"{repo}@HEAD")
    (source,) = (tmp_path / "cache" / "trees").glob("*/source")
    names = {p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file()}
    assert names == set(FILES) - {"arch/x86/x.c", "drivers/gpu/g.c", "tools/testing/a b, c.yaml"}
    (repo / "net" / "b.c").unlink()
    put(repo, {"Makefile": MAKEFILE.replace(" $(O)/net/b.o", "")})
    committed(repo, "without b")
    own(store, f"{repo}@HEAD")
    assert not (source / "net" / "b.c").exists()


def test_an_archive_has_the_same_kernel(repo: Path, store: PackageStore, tmp_path: Path) -> None:
    archive = tmp_path / "linux-6.1.9.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        for name in FILES:
            tar.add(repo / name, f"linux-6.1.9/{name}")
    assert own(store, str(archive)) == own(store, f"{repo}@HEAD")
    other = tmp_path / "linux-tools.tar"
    with tarfile.open(other, "w") as tar:
        tar.add(repo / "Makefile", "linux-tools/Makefile")
    with pytest.raises(SourceError, match="no kernel's source: it has no arch/s390/Kconfig"):
        own(store, str(other))


def test_kernels_that_were_used_long_ago_go(
    repo: Path, store: PackageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "KEPT", 2)
    kernels = []
    for n in range(4):
        put(repo, {"net/b.c": f"int b{n};\n"})
        kernels.append(own(store, str(repo))[1])
        os.utime(kernels[-1], (n, n))
    assert [kernel.is_dir() for kernel in kernels] == [False, False, True, True]


def test_the_compilers_first_error_is_said(repo: Path, store: PackageStore) -> None:
    put(repo, {"net/b.c": "int b\n"})
    with pytest.raises(SourceError, match=r"does not build: net/b.c:1:\d+: error: expected"):
        own(store, str(repo))


def test_a_tree_that_was_built_elsewhere_is_not_clean(repo: Path, store: PackageStore) -> None:
    put(repo, {".config": "CONFIG_X86=y\n"})
    with pytest.raises(SourceError, match=r"files of another build; make mrproper there, or give"):
        own(store, str(repo))
    assert own(store, f"{repo}@HEAD")[0] == "6.1.9"


def test_what_the_configuration_lost_is_named_before_it_is_compiled(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    lost = MAKEFILE.replace("cp $(KCONFIG_ALLCONFIG) ", "grep -v CTCM $(KCONFIG_ALLCONFIG) >")
    put(repo, {"Makefile": lost})
    with pytest.raises(SourceError, match="lacks CONFIG_CTCM .*cannot reach the network"):
        own(store, str(repo))
    assert not list((tmp_path / "cache" / "trees").glob("*/made/compiled"))


@pytest.mark.parametrize("name", ["net/a b.c", "net/-x.c", "net/$(shell id).c"])
def test_a_name_that_make_may_take_for_something_else_is_refused(
    repo: Path, store: PackageStore, name: str
) -> None:
    put(repo, {name: "int c;\n"})
    committed(repo, "odd")
    with pytest.raises(SourceError, match="is no name of a kernel's file"):
        own(store, f"{repo}@HEAD")


def test_an_unknown_commit_and_a_missing_program_are_named(
    repo: Path, store: PackageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceError, match="there is no file or folder /no-where"):
        own(store, "/no-where@HEAD")
    with pytest.raises(SourceError, match="has no commit or tag nowhere"):
        own(store, f"{repo}@nowhere")
    monkeypatch.setattr(tree, "_PROGRAMS", ("flex-of-nobody",))
    with pytest.raises(SourceError, match="kernels are built with flex-of-nobody"):
        own(store, str(repo))
