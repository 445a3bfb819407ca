# SPDX-License-Identifier: MIT
"""The group of all subcommands, and what their failures become.

A subcommand is a module of this package, or of a package in it, whose name does not begin with an
underscore; it has a click command called `command`. A module is imported when its subcommand is
used, so each pays only for what it needs itself. The help of all of them is read from the files.
"""

from __future__ import annotations

import errno
import importlib
import io
import re
import sys
from functools import cache
from pathlib import Path

import click

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.tn3270.script import ScriptError
from vmkb.workloads.base import found
from vmkb.workloads.command.early import at_once
from vmkb.workloads.command.failures import TOO_MANY, sentence
from vmkb.workloads.command.output import discard_output, say
from vmkb.workloads.command.stopping import STOPPED

_CANNOT_WRITE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
HERE = Path(__file__).parent
_NOT_COMMANDS = {"main"}
_GROUPS = {
    "Measure": ("run", "report", "published", "check", "replay", "profile", "measure"),
    "Many runs": ("archive", "history", "stacks", "sweep", "trail"),
    "Your own logs, tables and archives": ("parse", "compare", "table", "show", "query", "capture"),
    "A guest to play with": ("boot", "status", "console", "lat", "script", "stop", "monitor"),
}
"""Headings of the help, in its order; what stands under none of them comes last."""
SENTENCE = 200
"""Characters: the first sentence of a help, whole."""
EXAMPLES = (
    ("vmkb compare old.log new.log --kb 102400", "CPU per KB of two logs of your own"),
    ("vmkb report results/RUN", "the tables of an earlier run, as files"),
    ("vmkb boot && vmkb console", "a guest, and a 3270 terminal on it"),
)
"""Behind one for each workload."""
_EXTRAS = {"ruptures": "history", "distributed": "campaign"}
"""Modules that only extras bring, none of which is installed by default."""
_HELP = r'(?ms)^def command\(.*?"""(.*?)"""'
"""The help of a subcommand in the text of its module."""


class ReaderGone(Exception):
    """Who read our output (head, less) has gone; click would make a failure of it."""


class LazyGroup(click.Group):
    """Finds subcommands by module name and imports them one at a time."""

    def invoke(self, ctx: click.Context) -> object:
        """The subcommand's own work."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGone from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, from the files of this package."""
        return sorted(_files())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The subcommand `name`, or None when there is none."""
        path = _files().get(name)
        if path is None:
            return None
        parts = path.relative_to(HERE).with_suffix("").parts
        module = ".".join(("vmkb.workloads.cli", *parts))
        with at_once():
            command = importlib.import_module(module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module} has no click command called 'command'")
        return command

    def sentence(self, ctx: click.Context, name: str) -> str:
        """The first sentence of a subcommand's help. It is read from the file: to import all of
        them takes most of a second."""
        written = re.search(_HELP, _files()[name].read_text("utf-8"))
        command = click.Command(name, help=written[1]) if written else self.get_command(ctx, name)
        return command.get_short_help_str(SENTENCE) if command else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The subcommands by what they are for, then examples."""
        left = self.list_commands(ctx)
        groups = [(title, [n for n in names if n in left]) for title, names in _GROUPS.items()]
        placed = {name for _, names in groups for name in names}
        groups.append(("Other", [n for n in left if n not in placed]))
        width = max(map(len, left))
        for title, names in groups:
            rows = [(name.ljust(width), self.sentence(ctx, name)) for name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        with formatter.section("Examples"):
            formatter.write_dl([*of_workloads(), *EXAMPLES])


@cache
def _files() -> dict[str, Path]:
    """The file of each subcommand, in this package and in those that are in it."""
    found = (*HERE.glob("*.py"), *HERE.glob("*/*.py"))
    return {p.stem: p for p in found if not p.stem.startswith("_") and p.stem not in _NOT_COMMANDS}


def of_workloads() -> list[tuple[str, str]]:
    """An example for each workload: how it is run, and what it answers."""
    return [(f"vmkb run {name}", found.question(name)) for name in found.names()]


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vmkb", prog_name="vmkb")
def group() -> None:
    """What a kilobyte costs, in CPU, on a VM system.

    Letters behind a figure name its source: QT QUERY TIME, IC instructions through a model, AC
    accounting, HT host CPU, FT FTP, WI the wire, PM a program, RT a monitor, VT virtual time, IN
    an input, PB printed.

    Exit codes: 0 measured; 1 dearer than was allowed, or not decided in time; 2 usage; 3 a
    guest, emulator or trial failed; 4 setup could not fetch or store something; 130 stopped.
    """


def main() -> None:
    """Run the command; a failing guest or emulator is one message and exit code 3."""
    try:
        code = group.main(prog_name="vmkb", standalone_mode=False)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        say(shown.getvalue(), err=True, nl=False)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("vmkb: stopped.", err=True)
        sys.exit(STOPPED)
    except (EmulatorError, ScriptError) as error:
        say(f"vmkb: {error}", err=True)
        sys.exit(3)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        say(f"vmkb: {needs_extra(error.name)}", err=True)
        sys.exit(3)
    except MemoryError as error:
        say(f"vmkb: {sentence(error)}", err=True)
        sys.exit(3)
    except ReaderGone:
        discard_output()  # nothing more can be said
        sys.exit(0)
    except OSError as error:
        if error.errno in TOO_MANY:
            say("vmkb: too many files are open: raise the limit (ulimit -n).", err=True)
            sys.exit(3)
        if not error.filename and error.errno not in _CANNOT_WRITE:
            raise
        where = f"{error.filename}: " if error.filename else ""
        more = "; nothing can be written there" if error.errno in _CANNOT_WRITE else ""
        say(f"vmkb: {where}{error.strerror}{more}.", err=True)
        if not error.filename:
            discard_output()
        sys.exit(3)
    sys.exit(code if isinstance(code, int) else 0)


def needs_extra(module: str) -> str:
    """How to get what MODULE is a part of."""
    extra = _EXTRAS[module]
    return (
        f"{module} is not installed; it comes with the extra {extra}, in a clone by .venv/bin/pip"
        f" install --constraint scripts/constraints.txt --editable '.[{extra}]'."
    )
