# SPDX-License-Identifier: MIT
"""How far a count of instructions may be off, although it repeats: a stock emulator miscounts with
the layout of the code (docs/reference/counter.md). What CALIBRATE measured of that in the run is a
systematic part of every count: no number of trials makes it smaller.
"""

from __future__ import annotations

from collections.abc import Mapping

COUNTER = "counter"
EXACT = "exact"
LAYOUT_ERROR = "layout_error_percent"
"""Metadata of a run: the worst layout of CALIBRATE, in percent of the true count."""
BUILD = "build"
"""Parameter of a trial: the number of the build that it ran on."""
COMPILED = "compiled"
"""Parameter of a trial: the compiler's options that its build was made with."""
COMPILER = "compiler"
"""Metadata of a run: the compiler's name and version, where builds have options in turn."""
UNLINKED = "unlinked_"
"""Begins metadata of a run: files of a release that differ from the base's, in no program."""
NOTHING = "nothing_linked_"
"""The same, if no other file differs: then no change was measured."""
PROGRAM = "program"
"""Parameter of a trial: digest of the release's program. Two releases with one digest are one."""


def layout_error(meta: Mapping[str, str]) -> float:
    """The part of a count by which the run's counter may be off; 0 for an exact one."""
    return float(meta.get(LAYOUT_ERROR, 0)) / 100


def counter_note(meta: Mapping[str, str]) -> str:
    """A note on how the run's counter moves its figures; empty for an exact one, or none."""
    counter = meta.get(COUNTER, "")
    if not counter or counter == EXACT:
        return ""
    if not layout_error(meta):
        return (
            f"the {counter} counter miscounts with the layout of the code by an amount that was not"
            " measured in this run: no difference of releases under 12 % means anything"
        )
    return (
        f"the {counter} counter is off by up to {layout_error(meta):.1%} with the layout of the"
        " code, which is part of every interval; scripts/exact-emulator builds one that is exact"
    )
