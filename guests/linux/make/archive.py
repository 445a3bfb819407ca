# SPDX-License-Identifier: MIT
"""One suite of Debian's archive, for another architecture than this machine's, without root.

apt does the work with folders of its own beside the machine's: which archive there is says the
machine's own package configuration, and what comes is checked against the archive's signature.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from vmkb.hercules.deadline import EmulatorError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FETCHED_WITHIN = 600.0
"""Seconds that one call of apt may take."""
_LAST_LINES = 3
_NAMED = re.compile(r"^'\S+' ([^_\s]+)_\S+\.deb \d+ ", re.M)


class Archive:
    """The suite SUITE with folders of its own in FOLDER. EmulatorError for all that goes wrong."""

    def __init__(self, suite: str, architecture: str, folder: Path) -> None:
        self.suite = suite
        self._folder = folder.resolve()
        sources = self._folder / "sources.list"
        for name in ("lists/partial", "cache/archives/partial", "etc"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        (self._folder / "status").touch()
        signed = f" signed-by={KEYRING}" if KEYRING.is_file() else ""
        sources.write_text(
            f"deb [arch={architecture}{signed}] {_archive()} {suite} main\n", encoding="utf-8"
        )
        settings = {
            "Dir::State": self._folder,
            "Dir::State::status": self._folder / "status",
            "Dir::State::lists": self._folder / "lists",
            "Dir::Cache": self._folder / "cache",
            "Dir::Etc::sourcelist": sources,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Architecture": architecture,
            "APT::Architectures": architecture,
            "APT::Sandbox::User": "root",
            "APT::Get::Assume-Yes": "true",
            "APT::Install-Recommends": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": "2",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "APT::Update::Error-Mode": "any",
        }
        self._options = [f"-o{key}={value}" for key, value in settings.items()]
        # hooks are for the machine's own packages
        self._environment = {**os.environ, "LC_ALL": "C"}
        self._listed = False

    def _apt(self, words: Sequence[str], doing: str, cwd: Path | None = None) -> str:
        return _run(
            ["apt-get", *self._options, *words], doing, cwd or self._folder, self._environment
        )

    def _list(self) -> None:
        if not self._listed:
            self._apt(["update"], f"get the list of packages of suite {self.suite}")
            self._listed = True

    def needed(self, package: str, form: str) -> list[str]:
        """The names of PACKAGE and of what it needs, of those that the pattern FORM matches."""
        self._list()
        said = self._apt(
            ["install", "--print-uris", package], f"find {package} in suite {self.suite}"
        )
        return [name for name in _NAMED.findall(said) if re.search(form, name)]

    def fetch(self, packages: Sequence[str], folder: Path) -> list[Path]:
        """PACKAGES as files in the empty FOLDER, each checked."""
        self._list()
        self._apt(["download", *packages], f"get packages of suite {self.suite}", folder)
        found = sorted(folder.glob("*.deb"))
        if len(found) != len(set(packages)):
            names = {path.name.split("_")[0] for path in found}
            missing = ", ".join(sorted(set(packages) - names))
            raise EmulatorError(f"Suite {self.suite} did not give {missing}; try again.")
        return found


def _run(words: Sequence[str], doing: str, cwd: Path, environment: dict[str, str]) -> str:
    """The output of a program. EmulatorError with its last words when it fails."""
    try:
        ran = subprocess.run(
            words, cwd=cwd, env=environment, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=FETCHED_WITHIN,
        )  # fmt: skip
    except FileNotFoundError:
        raise EmulatorError(
            f"To {doing} takes {words[0]}, which is not on this machine: guest 'linux' is made"
            " from Debian's packages on a Debian."
        ) from None
    except subprocess.TimeoutExpired:
        raise EmulatorError(
            f"It took more than {FETCHED_WITHIN:g} s to {doing}; is the network there?"
        ) from None
    if ran.returncode != 0:
        said = [line for line in ran.stderr.splitlines() if line.startswith("E: ")]
        last = "\n".join(f"  {line}" for line in said[:_LAST_LINES]) or "  it says nothing"
        raise EmulatorError(f"{words[0]} could not {doing}:\n{last}")
    return ran.stdout


def _archive() -> str:
    """The archive that this machine takes Debian's packages from."""
    asked: tuple[tuple[list[str], Callable[[str], list[str]]], ...] = (
        (["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
          "Label: Debian"], str.split),
        # before the first apt-get update no label is known
        (["apt-get", "update", "--print-uris"],
         lambda said: re.findall(r"^'(\S+/)dists/[a-z]+/InRelease", said, re.M)),
    )  # fmt: skip
    for words, read in asked:
        found = read(_run(words, "find Debian's archive", Path("/"), dict(os.environ)))
        if found:
            return found[0]
    raise EmulatorError(
        "apt on this machine names no archive of Debian: add one to its sources, or run apt-get"
        " update."
    )
