# SPDX-License-Identifier: MIT
"""python -m tests.published.record PAGE RUN...: keep RUNs, and make docs/published/PAGE.md of them.

Kept are the results, the consoles' texts, what stations and terminals say of themselves, and the
wire's counters and captures.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from click.testing import CliRunner

from vmkb.workloads.cli.many.published import command

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs" / "published"
KEPT = (
    "results.jsonl", "transcripts/*.txt", "transcripts/*.pcapng", "transcripts/*.fetches.jsonl",
    "transcripts/*.terminals.json*", "transcripts/*.wire.jsonl",
)  # fmt: skip


def pack(name: str, runs: list[Path]) -> None:
    """The RUNS of the page NAME in one file, each under its number."""
    with tarfile.open(HERE / f"{name}.tar.xz", "w:xz") as made:
        for number, run in enumerate(runs, start=1):
            for path in sorted(p for kind in KEPT for p in run.glob(kind)):
                if not path.name.endswith(".world.txt"):
                    made.add(path, f"{number}/{path.relative_to(run)}", filter=_plain)


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def unpacked(name: str, folder: Path) -> list[Path]:
    """The runs of the page NAME, under FOLDER."""
    with tarfile.open(HERE / f"{name}.tar.xz") as kept:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4; Debian 12 has 3.11.2
            kept.extraction_filter = tarfile.data_filter
        kept.extractall(folder)
    return sorted(p.parent for p in folder.glob("*/results.jsonl"))


def made(name: str, folder: Path) -> str:
    """The page NAME from what is kept of its runs; AssertionError with the message if none can be
    made."""
    told = CliRunner().invoke(command, ["--strict", *(str(run) for run in unpacked(name, folder))])
    assert told.exit_code == 0, told.output
    return told.output


def main() -> None:
    name, *runs = sys.argv[1:]
    pack(name, [Path(run) for run in runs])
    with tempfile.TemporaryDirectory() as folder:
        (DOCS / f"{name}.md").write_text(made(name, Path(folder)), "utf-8")


if __name__ == "__main__":
    main()
