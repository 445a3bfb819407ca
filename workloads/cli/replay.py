# SPDX-License-Identifier: MIT
"""vmkb replay: runs trials on virtual time once more and compares them to the byte."""

from __future__ import annotations

from pathlib import Path

import click

from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say


@click.command("replay")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--trial", "names", multiple=True, help="Only this trial. May be given again.")
@click.option("--guest", "guest_name", default="vmkb", show_default=True, help="Guest of the run.")
def command(folder: Path, names: tuple[str, ...], guest_name: str) -> None:
    """Run the trials of the results in FOLDER again, and compare transcripts and events.

    Only for runs on virtual time. Exit codes: 0 all equal, 1 one differs (its first event that
    does is printed), 2 usage, 3 guest or emulator failed, 130 stopped.
    """
    from vmkb.errors import UsageError
    from vmkb.hercules.deadline import EmulatorError
    from vmkb.workloads.base.replay import again
    from vmkb.workloads.command.shut_off import shut_off
    from vmkb.workloads.command.stopping import STOPPED, stop_in_order

    stop_in_order()
    differ = 0
    try:
        shut_off()
        for trial, said in again(folder, names, guest_name):
            say(f"{trial}: {said or 'equal'}")
            differ += bool(said)
    except UsageError as error:
        raise Refused(str(error)) from error
    except EmulatorError as error:
        say(f"vmkb: {error}", err=True)
        raise SystemExit(3) from error
    except KeyboardInterrupt:
        raise SystemExit(STOPPED) from None
    raise SystemExit(1 if differ else 0)
