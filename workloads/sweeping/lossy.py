# SPDX-License-Identifier: MIT
"""Workloads in which the link of the guest that is measured loses frames."""

from __future__ import annotations

from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import D, P, Stage, Workload
from vmkb.workloads.base.workload import Planned as Turn
from vmkb.workloads.echo import Definition as EchoDefinition
from vmkb.workloads.echo import EchoBench
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.ftp.plan import Definition, Planned
from vmkb.workloads.ftp.workload import FtpBench, station_name
from vmkb.workloads.ftp.workload import Workload as Ftp

MTU, WIRE = 1500, "ethernet-10"
"""Those of echo."""


class Lossy(Workload[D, P]):
    """The link of the guest that is measured loses the part LOSS of the frames in trials. It stands
    before the workload of which it is one."""

    def __init__(self, definition: D, loss: float) -> None:
        super().__init__(definition)
        self.loss = loss

    def about(self, settings: Settings) -> dict[str, str]:
        """The loss too."""
        return {**super().about(settings), "loss": f"{self.loss:g}"}


class LossyFtp(Lossy[Definition, Planned], Ftp):
    """FTP at our MTU."""

    def __init__(self, loss: float = 0.0) -> None:
        super().__init__(Ftp().definition.model_copy(update={"mtu": MTU}), loss)

    def begin(self, stage: Stage[Planned]) -> FtpBench:
        """Behind the warm-up, which the wire does not hold up."""
        bench = super().begin(stage)
        if self.loss:
            first = stage.left[0]
            bench.losses = {station_name(first.release.name, first.build): self.loss}
        return bench


class LossyEcho(Lossy[EchoDefinition, Turn], Echo):
    """Echo; all guests that ask have such links."""

    def __init__(self, loss: float) -> None:
        super().__init__(Echo().definition, loss)

    def begin(self, stage: Stage[Turn]) -> EchoBench:
        """Before a trial nothing crosses the wire."""
        bench = super().begin(stage)
        for name in bench.asking:
            stage.lab.wire.set_profile(name, stage.settings.wire, loss=self.loss)
        return bench
