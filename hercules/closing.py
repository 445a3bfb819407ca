# SPDX-License-Identifier: MIT
"""Something that is closed at the end of a `with` block, however the block ends."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self


class Closing:
    """Gives whoever has a `close` the two methods of `with`."""

    @abstractmethod
    def close(self) -> None:
        """The act at the end of the block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()
