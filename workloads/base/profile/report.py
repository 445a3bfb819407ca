# SPDX-License-Identifier: MIT
"""From the profiles that a run kept to their tables and files for other tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from vmkb import given
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.profile import counts
from vmkb.accounting.profile.export import callgrind, collapsed
from vmkb.accounting.profile.layers import LayerError, layer_of, parse
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.symbols import Frame
from vmkb.accounting.profile.tables import changes_table, layers_table
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.table import Table
from vmkb.errors import UsageError
from vmkb.workloads.base.profile.kept import FOLDER, LAYERS, kept, places
from vmkb.workloads.base.profile.kernel import net


def profiles(folder: Path, costs: Sequence[TrialCost]) -> list[Profile]:
    """The profile of each machine in each case and release of the run in FOLDER.

    COSTS are those of its trials, whose counts the profiles must sum to. Raises UsageError for
    a damaged file, EmulatorError when there are no tools to find names.
    """
    made: dict[tuple[str, str, str], Profile] = {}
    found: list[tuple[Profile, int, dict[int, int], float, int]] = []
    for cost in costs:
        trial = cost.trial
        try:
            samples = kept(folder, trial.id)
        except counts.ProfileError as error:
            raise UsageError(f"{error}.") from None
        for part in cost.parts:
            machine = part.machine.replace("*", "")  # *SYSTEM in the accounts
            whole = bool(samples) and samples[0].userid == counts.KERNEL
            mine = [s for s in samples if whole or s.userid == machine]
            if not mine or part.instructions is None or cost.data is None:
                continue
            key = machine, trial.case, trial.release
            profile = made.setdefault(key, Profile(machine, part.label, *key[1:], whole=whole))
            profile.in_programs += int(trial.params["user_instr"]) if whole else 0
            found.append((
                profile, int(trial.params.get("build", 1)),
                net(mine) if whole else counts.merged(mine),
                cost.data.to(Unit.KB).value, int(part.instructions.value),
            ))  # fmt: skip
    for build, release in sorted({(of, p.release) for p, of, *_ in found}):
        of_it = [f for f in found if (f[1], f[0].release) == (build, release)]
        names = places(folder, build, {a for f in of_it for a in f[2]}, release)
        for profile, _, by_address, kb, instructions in of_it:
            profile.add(by_address, names, kb, instructions)
    return list(made.values())


def layers(folder: Path) -> Callable[[Frame], str]:
    """The layer of a function, by the layers.toml that the run in FOLDER kept."""
    path = folder / FOLDER / LAYERS
    try:
        return partial(layer_of, parse(given.text(path), str(path)))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}.") from None
    except LayerError as error:
        raise UsageError(f"{error}.") from None


def profile_tables(folder: Path, found: Sequence[Profile]) -> list[Table]:
    """The tables of the profiles FOUND in FOLDER; none without any. Raises what `layers` does."""
    if not found:
        return []
    layer = layers(folder)
    made = [
        layers_table([p for p in found if p.machine == machine], layer)
        for machine in dict.fromkeys(p.machine for p in found)
    ]
    changes = changes_table(found)
    return made if changes is None else [*made, changes]


def write_files(folder: Path, found: Sequence[Profile]) -> list[Path]:
    """Write the profiles FOUND in FOLDER for other tools. Raises what `layers` does."""
    layer = layers(folder)
    written = []
    for p in found:
        name = f"callgrind.out.{p.case}{p.release}.{p.machine.replace(' ', '.')}"
        text = callgrind(p, f"{folder.resolve().name} {p.case}{p.release}")
        written.append(_write(folder / FOLDER / name, text))
    for case, release in dict.fromkeys((p.case, p.release) for p in found):
        mine = [p for p in found if (p.case, p.release) == (case, release)]
        path = folder / FOLDER / f"{case}{release}.folded"
        written.append(_write(path, collapsed(mine, layer)))
    return written


def _write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
