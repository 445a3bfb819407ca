# SPDX-License-Identifier: MIT
"""Ports by their names, and the profiles of their links: the same for every LAN."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

from vmkb.hercules.wire.profile import Profile, change
from vmkb.hercules.wire.profile import profile as named


class Linked(Protocol):
    """A port that has a link."""

    @property
    def profile(self) -> Profile: ...


P = TypeVar("P", bound=Linked)


class Named(ABC, Generic[P]):
    """A LAN's ports. PROFILE is that of the links of those that come."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.ports: dict[str, P] = {}

    def check_free(self, name: str) -> None:
        """ValueError if there is a port of that name."""
        if name in self.ports:
            raise ValueError(f"the wire already has a port {name!r}")

    def port(self, name: str) -> P:
        """The port of that name; ValueError with the names there are."""
        try:
            return self.ports[name]
        except KeyError:
            known = ", ".join(sorted(self.ports)) or "none"
            raise ValueError(f"the wire has no port {name!r}; there are: {known}") from None

    def ports_called(self, name: str) -> list[P]:
        """The port of that name, or all for `*`. ValueError as `port` has it."""
        return list(self.ports.values()) if name == "*" else [self.port(name)]

    def change_profile(self, port: str, name: str, changes: dict[str, Any]) -> Profile:
        """Gives a port's link (or all, `*`, and those that come later) the profile NAME, or its
        own if that is empty, with CHANGES. What it is now."""
        new = self.profile
        if port == "*":
            new = self.profile = change(named(name) if name else self.profile, changes)
        for each in self.ports_called(port):
            new = change(named(name) if name else each.profile, changes)
            self.set_profile(each, new)
        return new

    @abstractmethod
    def set_profile(self, port: P, profile: Profile) -> None:
        """Gives both directions of a port's link a profile, live."""
