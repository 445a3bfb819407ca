# SPDX-License-Identifier: MIT
"""vmkb man: the manual page, made from what --help says."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from vmkb.workloads.command.output import say

SECTION = "1"


@click.command()
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the manual page: vmkb man | man -l -"""
    parent = ctx.parent
    assert parent is not None and isinstance(parent.command, click.Group)
    say("\n".join(page(parent.command, parent)))


def page(group: click.Group, ctx: click.Context) -> Iterator[str]:
    """The lines of the page in the man macros."""
    from vmkb.workloads.cli.main import EXAMPLES

    text = inspect.cleandoc(group.help or "")
    yield f'.TH VMKB {SECTION} "" vmkb'
    yield ".SH NAME"
    first = text.splitlines()[0].rstrip(".")
    yield f"vmkb \\- {escaped(first[:1].lower() + first[1:])}"
    yield ".SH SYNOPSIS"
    yield ".B vmkb"
    yield ".I command"
    yield "[options]"
    yield ".SH DESCRIPTION"
    yield from paragraphs(text)
    yield ".SH COMMANDS"
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        if found is not None and not found.hidden:
            yield from _command(name, found, ctx)
    yield ".SH EXAMPLES"
    for example, what in EXAMPLES:
        yield ".TP"
        yield f".B {escaped(example)}"
        yield escaped(what)


def _command(name: str, found: click.Command, parent: click.Context) -> Iterator[str]:
    ctx = click.Context(found, parent=parent, info_name=name)
    yield f".SS {escaped(' '.join([name, *found.collect_usage_pieces(ctx)]))}"
    yield from paragraphs(inspect.cleandoc(found.help or ""))
    for parameter in found.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and record[1]:
            yield ".TP"
            yield f".B {escaped(record[0])}"
            yield escaped(record[1])


def paragraphs(text: str) -> Iterator[str]:
    """TEXT with .PP between its paragraphs."""
    for number, part in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        yield from map(escaped, part.splitlines())


def escaped(line: str) -> str:
    """LINE so that nothing in it is a request of the formatter."""
    made = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{made}" if made.startswith((".", "'")) else made
