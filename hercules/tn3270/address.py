# SPDX-License-Identifier: MIT
"""Where a 3270 terminal connects to. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vmkb.errors import VmkbError

_FORM = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:@\[\]()\"]+)):(?P<port>\d{1,5})")
_LU = re.compile(r"[A-Za-z0-9$#@_-]{1,16}")


class AddressError(VmkbError, ValueError):
    """Not an address; the sentence says what one looks like."""


@dataclass(frozen=True)
class Address:
    """A host's name or IP address, a TCP port, the logical unit asked for, and whether by TLS."""

    host: str
    port: int
    lu: str = ""
    tls: bool = False

    @classmethod
    def parse(cls, text: str, lu: str = "", tls: bool = False) -> Address:
        """An address from HOST:PORT or [IPV6]:PORT; AddressError for anything else."""
        found = _FORM.fullmatch(text)
        if found is None or not 1 <= int(found["port"]) <= 65535:
            raise AddressError(
                f"{text!r} is no address: it is HOST:PORT, such as 127.0.0.1:3270 or [::1]:23"
            )
        if lu and not _LU.fullmatch(lu):
            raise AddressError(f"{lu!r} is no LU name")
        return cls(found["six"] or found["host"], int(found["port"]), lu, tls)

    @property
    def for_s3270(self) -> str:
        """The argument of s3270's Connect()."""
        unit = f"{self.lu}@" if self.lu else ""
        return f"{'L:' if self.tls else ''}{unit}{self._place}"

    @property
    def _place(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return self._place
