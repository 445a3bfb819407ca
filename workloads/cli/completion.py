# SPDX-License-Identifier: MIT
"""vmkb completion: a shell's own script that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from vmkb.workloads.command.output import say


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes vmkb's commands.

    For bash: eval "$(vmkb completion bash)"
    """
    kind = get_completion_class(shell)
    assert kind is not None and ctx.parent is not None
    say(kind(ctx.parent.command, {}, "vmkb", "_VMKB_COMPLETE").source())
