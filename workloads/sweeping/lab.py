# SPDX-License-Identifier: MIT
"""FTP in a lab with one setting of the sweep."""

from __future__ import annotations

import re
from dataclasses import replace

from vmkb.errors import UsageError
from vmkb.guests.base import Contents, Driver
from vmkb.guests.contents import Text
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.workload import Stage
from vmkb.workloads.ftp.plan import Planned
from vmkb.workloads.ftp.workload import FtpBench, Workload
from vmkb.workloads.sweeping.design import Design, Point

PROFILE = "volume/tcpip/profile.tcpip"
_BUFFERS = re.compile(r"^(DATABUFFERPOOLSIZE +\d+ +)\d+", re.M)


class PointFtp(Workload):
    """The FTP workload with a POINT's MTU, data buffers and loss."""

    def __init__(self, point: Point) -> None:
        own = {"mtu": point.mtu, "data_buffer_pool_size": point.buffers}
        super().__init__(Workload().definition.model_copy(update=own))
        self.point = point

    def about(self, settings: Settings) -> dict[str, str]:
        """The loss too."""
        return {**super().about(settings), "loss": f"{self.point.loss:g}"}

    def contents(self, driver: Driver) -> Contents:
        """TCPIP's own profile too."""
        made = super().contents(driver)
        text = (driver.guest.folder / PROFILE).read_text("utf-8")
        changed, times = _BUFFERS.subn(rf"\g<1>{self.point.buffers}", text)
        if times != 1:
            raise UsageError(f"{PROFILE} of guest '{driver.guest.name}' has no DATABUFFERPOOLSIZE.")
        own = {("PROFILE", "TCPIP"): Text(changed)}
        return replace(made, files={**made.files, "TCPIP": own})

    def begin(self, stage: Stage[Planned]) -> FtpBench:
        """The wire loses frames in trials."""
        bench = super().begin(stage)
        if self.point.loss:
            bench.losses = {"*": self.point.loss}
        return bench


def settings_of(design: Design, workload: PointFtp) -> Settings:
    """The settings of a run at a point. UsageError for a case or release that there is not."""
    return workload.settings(
        Asked(
            trials=design.trials, releases=",".join(design.releases), cases=design.files,
            wire=design.wire, builds=1,
        )
    )  # fmt: skip
