# SPDX-License-Identifier: MIT
"""A kernel from its source: what of a tree is used, what is written anew, what is said of one that
does not build. The trees here have a Makefile in place of the kernel's; tests/e2e/linux builds a
real one."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed
from vmkb.guests.linux.make import store as making
from vmkb.guests.linux.make import tree
from vmkb.guests.linux.make.store import PackageStore
from vmkb.guests.linux.make.suites import suites
from vmkb.guests.release.errors import SourceError

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("git", "make", "flex", "bison", "bc", "s390x-linux-gnu-gcc"))),
    reason="needs git, make, flex, bison, bc and gcc for s390x",
)

MAKEFILE = """
allnoconfig:
\t@! [ -e .config ] || { echo 'The source tree is not clean, please run make mrproper'; exit 1; }
\tcp $(KCONFIG_ALLCONFIG) $(O)/.config
\techo '# CONFIG_MODULES is not set' >>$(O)/.config
bzImage: $(O)/kernel/a.o $(O)/net/b.o
\tmkdir -p $(O)/arch/s390/boot $(O)/include/config
\tcat $^ >$(O)/arch/s390/boot/bzImage
\techo 6.1.9 >$(O)/include/config/kernel.release
\tprintf 'kernel/drivers/%s.ko\\n' ccwgroup fsm ctcm >$(O)/modules.builtin
$(O)/%.o: %.c
\tmkdir -p $(@D)
\techo $* >>$(O)/compiled
\t$(CROSS_COMPILE)gcc -c -o $@ $<
"""
FILES = {
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


def compiled(tmp_path: Path) -> list[str]:
    """What was compiled in the one tree's build, and forget it."""
    (path,) = (tmp_path / "cache" / "trees").glob("*/made/compiled")
    found = path.read_text().split()
    path.unlink()
    return found


def test_a_commit_is_built_once_and_the_next_one_only_where_it_differs(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    version, first = store.own(f"{repo}@HEAD")
    assert version == "6.1.9" and (first / "vmlinuz").stat().st_size
    assert compiled(tmp_path) == ["kernel/a", "net/b"]
    assert store.own(f"{repo}@HEAD") == (version, first)
    assert not list((tmp_path / "cache" / "trees").glob("*/made/compiled"))
    put(repo, {"net/b.c": "int b, c;\n"})
    committed(repo, "second")
    _, second = store.own(f"{repo}@HEAD")
    assert compiled(tmp_path) == ["net/b"] and second != first
    assert store.own(f"{repo}@HEAD~1") == (version, first)


def test_a_tree_is_read_where_it_is_and_not_written_to(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    before = sorted(repo.rglob("*"))
    put(repo, {"kernel/a.c": "int not_committed;\n"})
    _, mine = store.own(str(repo))
    assert b"not_committed" in (mine / "vmlinuz").read_bytes()
    assert sorted(repo.rglob("*")) == before
    assert b"not_committed" not in (store.own(f"{repo}@HEAD")[1] / "vmlinuz").read_bytes()


def test_what_s390_is_not_built_from_is_not_unpacked(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    store.own(f"{repo}@HEAD")
    (source,) = (tmp_path / "cache" / "trees").glob("*/source")
    names = {p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file()}
    assert names == set(FILES) - {"arch/x86/x.c", "drivers/gpu/g.c", "tools/testing/a b, c.yaml"}
    (repo / "net" / "b.c").unlink()
    put(repo, {"Makefile": MAKEFILE.replace(" $(O)/net/b.o", "")})
    committed(repo, "without b")
    store.own(f"{repo}@HEAD")
    assert not (source / "net" / "b.c").exists()


def test_an_archive_has_the_same_kernel(repo: Path, store: PackageStore, tmp_path: Path) -> None:
    archive = tmp_path / "linux-6.1.9.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        for name in FILES:
            tar.add(repo / name, f"linux-6.1.9/{name}")
    assert store.own(str(archive)) == store.own(f"{repo}@HEAD")
    other = tmp_path / "linux-tools.tar"
    with tarfile.open(other, "w") as tar:
        tar.add(repo / "Makefile", "linux-tools/Makefile")
    with pytest.raises(SourceError, match="no kernel's source: it has no arch/s390/Kconfig"):
        store.own(str(other))


def test_kernels_that_were_used_long_ago_go(
    repo: Path, store: PackageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "KEPT", 2)
    kernels = []
    for n in range(4):
        put(repo, {"net/b.c": f"int b{n};\n"})
        kernels.append(store.own(str(repo))[1])
        os.utime(kernels[-1], (n, n))
    assert [kernel.is_dir() for kernel in kernels] == [False, False, True, True]


def test_the_compilers_first_error_is_said(repo: Path, store: PackageStore) -> None:
    put(repo, {"net/b.c": "int b\n"})
    with pytest.raises(SourceError, match=r"does not build: net/b.c:1:\d+: error: expected"):
        store.own(str(repo))


def test_a_tree_that_was_built_elsewhere_is_not_clean(repo: Path, store: PackageStore) -> None:
    put(repo, {".config": "CONFIG_X86=y\n"})
    with pytest.raises(SourceError, match=r"files of another build; make mrproper there, or give"):
        store.own(str(repo))
    assert store.own(f"{repo}@HEAD")[0] == "6.1.9"


def test_what_the_configuration_lost_is_named_before_it_is_compiled(
    repo: Path, store: PackageStore, tmp_path: Path
) -> None:
    lost = MAKEFILE.replace("cp $(KCONFIG_ALLCONFIG) ", "grep -v CTCM $(KCONFIG_ALLCONFIG) >")
    put(repo, {"Makefile": lost})
    with pytest.raises(SourceError, match="lacks CONFIG_CTCM .*cannot reach the network"):
        store.own(str(repo))
    assert not list((tmp_path / "cache" / "trees").glob("*/made/compiled"))


@pytest.mark.parametrize("name", ["net/a b.c", "net/-x.c", "net/$(shell id).c"])
def test_a_name_that_make_may_take_for_something_else_is_refused(
    repo: Path, store: PackageStore, name: str
) -> None:
    put(repo, {name: "int c;\n"})
    committed(repo, "odd")
    with pytest.raises(SourceError, match="is no name of a kernel's file"):
        store.own(f"{repo}@HEAD")


def test_an_unknown_commit_and_a_missing_program_are_named(
    repo: Path, store: PackageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceError, match="there is no file or folder /no-where"):
        store.own("/no-where@HEAD")
    with pytest.raises(SourceError, match="has no commit or tag nowhere"):
        store.own(f"{repo}@nowhere")
    monkeypatch.setattr(tree, "_PROGRAMS", ("flex-of-nobody",))
    with pytest.raises(SourceError, match="kernels are built with flex-of-nobody"):
        store.own(str(repo))
