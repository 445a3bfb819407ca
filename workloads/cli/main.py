# SPDX-License-Identifier: MIT
"""The group of all subcommands, and what their failures become.

A subcommand is a module of this package whose name does not begin with an underscore; it has a
click command called `command`. A module is imported when its subcommand is used, so each pays
only for what it needs itself.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from hercules.deadline import EmulatorError
from hercules.script import ScriptError

_NOT_COMMANDS = {"main"}
_RUN_MODULES = {"psutil"}
"""What only the extra `run` brings: a plain `pip install` is for those who have logs."""
_NEEDS_RUN = "this needs what runs guests: use scripts/vmkb in a clone of the project"


class LazyGroup(click.Group):
    """Finds subcommands by module name and imports them one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, from the files of this package."""
        names = {path.stem for path in Path(__file__).parent.glob("*.py")}
        return sorted(n for n in names if not n.startswith("_") and n not in _NOT_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The subcommand `name`, or None when there is none."""
        if name not in self.list_commands(ctx):
            return None
        try:
            command = importlib.import_module(f"workloads.cli.{name}").command
        except ModuleNotFoundError as error:
            if error.name not in _RUN_MODULES:
                raise
            return _without_guests(name)
        if not isinstance(command, click.Command):
            raise TypeError(f"workloads/cli/{name}.py has no click command called 'command'")
        return command


def _without_guests(name: str) -> click.Command:
    """A stand-in for a subcommand that cannot be imported: it says why, whatever is asked."""

    @click.command(
        name,
        short_help="(not in this installation: it runs guests)",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )
    @click.argument("words", nargs=-1)
    def stand_in(words: tuple[str, ...]) -> None:
        raise EmulatorError(f"{name}: {_NEEDS_RUN}.")

    return stand_in


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vmkb", prog_name="vmkb")
def group() -> None:
    """What a kilobyte costs, in CPU, on a VM system.

    Exit codes: 0 good, 1 measurement not trusted, 2 usage, 3 guest or emulator failed.
    """


def main() -> None:
    """Run the command; a failing guest or emulator is one message and exit code 3."""
    try:
        group.main(prog_name="vmkb")
    except (EmulatorError, ScriptError) as error:
        click.echo(f"vmkb: {error}", err=True)
        sys.exit(3)
    except ModuleNotFoundError as error:
        if error.name not in _RUN_MODULES:
            raise
        click.echo(f"vmkb: {_NEEDS_RUN}.", err=True)
        sys.exit(3)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; nothing more can be said.
        sys.stderr.close()
        sys.exit(0)
