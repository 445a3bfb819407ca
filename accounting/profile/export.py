# SPDX-License-Identifier: MIT
"""A profile in other tools' formats: callgrind's, and collapsed stacks for flame graphs. Pure.

callgrind's: one event, Ir (instructions), by program, file, function and line; read by
callgrind_annotate and KCachegrind. Collapsed stacks: `machine;layer;file;function count`. Neither
has counts below zero: what a guest executed less of in its work than without work is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame


def callgrind(profile: Profile, command: str) -> str:
    """PROFILE as callgrind writes it. COMMAND says what was profiled."""
    by_function: dict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
    for (image, frame), count in _above_zero(profile):
        by_function[image, frame.file, frame.function][frame.line] += count
    total = sum(count for _, count in _above_zero(profile))
    lines = [
        "# callgrind format", "version: 1", "creator: vmkb", f"cmd: {command}", "part: 1",
        f"desc: Machine: {profile.machine}, {len(profile.trials)} trials of {profile.case} with"
        f" release {profile.release}, {profile.kb:g} KB",
        "positions: line", "events: Ir", f"summary: {total}",
    ]  # fmt: skip
    for (image, file, function), counts in sorted(by_function.items()):
        lines += ["", f"ob={image}", f"fl={file}", f"fn={function}"]
        lines += [f"{line} {count}" for line, count in sorted(counts.items())]
    return "\n".join([*lines, "", f"totals: {total}", ""])


def _above_zero(profile: Profile) -> list[tuple[tuple[str, Frame], int]]:
    return [each for each in profile.lines.items() if each[1] > 0]


def collapsed(profiles: Iterable[Profile], layer: Callable[[Frame], str]) -> str:
    """PROFILES of the machines of one case and release, a line for each function."""
    made: Counter[str] = Counter()
    for profile in profiles:
        for (image, frame), count in _above_zero(profile):
            of = layer(profile.known(image, frame))
            words = profile.label, of, frame.file, frame.function
            made[";".join(w.replace(";", ",") for w in words)] += count
    return "".join(f"{stack} {count}\n" for stack, count in sorted(made.items()))
