# SPDX-License-Identifier: MIT
"""Workloads in which the link of the guest that is measured loses frames."""

from __future__ import annotations

from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Planned as Turn
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.echo import EchoBench
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.ftp.plan import Planned
from vmkb.workloads.ftp.workload import FtpBench, station_name
from vmkb.workloads.ftp.workload import Workload as Ftp

MTU, WIRE = 1500, "ethernet-10"
"""Those of echo."""


class LossyFtp(Ftp):
    """FTP at our MTU; the link of the guest that is measured loses the part LOSS of the frames."""

    def __init__(self, loss: float = 0.0) -> None:
        super().__init__(Ftp().definition.model_copy(update={"mtu": MTU}))
        self._loss = loss

    def about(self, settings: Settings) -> dict[str, str]:
        """The loss too."""
        return {**super().about(settings), "loss": f"{self._loss:g}"}

    def begin(self, stage: Stage[Planned]) -> FtpBench:
        """The wire loses frames in trials."""
        bench = super().begin(stage)
        if self._loss:
            first = stage.left[0]
            bench.losses = {station_name(first.release.name, first.build): self._loss}
        return bench


class LossyEcho(Echo):
    """Echo on links of the guests that ask that lose the part LOSS of the frames."""

    def __init__(self, loss: float) -> None:
        super().__init__(Echo().definition)
        self._loss = loss

    def about(self, settings: Settings) -> dict[str, str]:
        """The loss too."""
        return {**super().about(settings), "loss": f"{self._loss:g}"}

    def begin(self, stage: Stage[Turn]) -> EchoBench:
        """The wire loses frames in trials."""
        bench = super().begin(stage)
        for name in bench.asking:
            stage.lab.wire.set_profile(name, stage.settings.wire, loss=self._loss)
        return bench
