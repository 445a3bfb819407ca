# SPDX-License-Identifier: MIT
"""The steps of a script in the end: loops gone through, variables replaced, times drawn. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from vmkb.hercules.tn3270.script import (
    UNPARSED,
    VARIABLE,
    Args,
    ScriptError,
    Step,
    arguments,
)

ACTIVE, ACTIVE_MEAN, IDLE_MEAN = 0.8, 0.4, 3.4
"""A Bactrian distribution has two humps: users at work, and users who are away. How high each is
and where, as parts of the whole mean, is a choice of this project's; IBM prints the mean alone."""
HUMP = 4.0
"""How narrow a hump is: the shape of its gamma distribution."""


def thinks(mean: float, draws: random.Random) -> float:
    """Seconds that somebody thinks, drawn from a Bactrian distribution with this MEAN."""
    hump = ACTIVE_MEAN if draws.random() < ACTIVE else IDLE_MEAN
    return draws.gammavariate(HUMP, mean * hump / HUMP)


def course(
    steps: Sequence[Step],
    draws: random.Random,
    variables: Mapping[str, str] | None = None,
    file: str = "script",
    think_s: float = 0.0,
) -> Iterator[Step]:
    """The steps to be done, in order: those that talk to a host, `set timeout`, and `wait`, which
    stands for think times, too: with a mean of THINK_S, until `set think` says another. ScriptError
    for a variable that has no value."""
    known = dict(variables or {})
    loops: list[tuple[int, int]] = []
    mean = think_s
    at = 0
    while at < len(steps):
        step = steps[at]
        args = _args(step, known, file)
        at += 1
        if step.verb == "repeat":
            loops.append((at, args["number"]))
        elif step.verb == "end":
            begin, left = loops.pop()
            if left > 1:
                loops.append((begin, left - 1))
                at = begin
        elif step.verb == "let":
            known[args["name"]] = args["text"]
        elif step.verb == "pick":
            known[args["name"]] = draws.choice(args["words"])
        elif "think" in args:
            mean = args["think"]
        else:
            if step.sends and mean:
                yield Step(step.line, "wait", {"seconds": thinks(mean, draws)})
            yield Step(step.line, step.verb, args)


def _args(step: Step, known: Mapping[str, str], file: str) -> Args:
    if UNPARSED not in step.args:
        return step.args
    text: str = step.args[UNPARSED]
    for name in filter(None, VARIABLE.findall(text)):
        if name.lower() not in known:
            said = f"{{{name}}} has no value; let {name} gives it one, {{{{ stands for a brace."
            raise ScriptError(file, step.line, f"{step.verb}: {said}")
    text = VARIABLE.sub(lambda found: known[found[1].lower()] if found[1] else "{", text)
    return arguments(file, step.line, step.verb, text)
