# SPDX-License-Identifier: MIT
"""The order of measuring: variants of a command, interleaved. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vmkb.errors import UsageError


@dataclass(frozen=True)
class Variant:
    """A command to measure under the name LABEL; `before` and `after` are outside the interval."""

    label: str
    command: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def variants(
    commands: Sequence[str],
    settings: Sequence[str] = (),
    label: str = "",
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> tuple[Variant, ...]:
    """Each of COMMANDS as a variant, or one command under each of SETTINGS (`LABEL=COMMAND`, which
    is given before it). UsageError for what cannot be told apart.
    """
    if not commands or not all(c.strip() for c in commands):
        raise UsageError("give the command to measure, such as 'COPYFILE A B A = = B (REPLACE'")
    if settings and len(commands) > 1:
        raise UsageError("--variant is for one command; give either several commands or variants")
    if label and (settings or len(commands) > 1):
        raise UsageError("--label names one command; variants and several commands have their own")
    if not settings:
        made = [Variant(label or c, c, tuple(before), tuple(after)) for c in commands]
    else:
        made = []
        for text in settings:
            name, equals, first = text.partition("=")
            if not equals or not name.strip():
                raise UsageError(f"--variant {text!r} is not LABEL=COMMAND")
            setting = (first.strip(),) if first.strip() else ()
            made.append(Variant(name.strip(), commands[0], (*before, *setting), tuple(after)))
    if len({v.label for v in made}) < len(made):
        raise UsageError("two variants have the same name")
    return tuple(made)


def order(variants: Sequence[Variant], trials: int) -> list[tuple[int, Variant]]:
    """(pair, variant) in the order in which they run: every other pair goes the other way round, so
    that what drifts does not fall on one of them."""
    return [
        (pair, variant)
        for pair in range(1, trials + 1)
        for variant in (variants if pair % 2 else tuple(reversed(variants)))
    ]
