# SPDX-License-Identifier: MIT
"""How a person talks to one kind of VM system on a 3270: a small TOML file, ours or a user's."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pydantic import ValidationError, field_validator

from vmkb import given
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import Strict
from vmkb.hercules.guest import Session, explain

FOLDER = Path(__file__).with_name("dialogues")
_PATTERNS = ("asks_password", "logged_on", "reconnected", "refused", "stopped", "ready")


class Dialogue(Strict):
    """One kind of system. `proved` says what its words were tried on; `time` is the CP command
    that prints CONNECT=, VIRTCPU= and TOTCPU=.
    """

    name: str
    title: str
    proved: str
    time: str = "QUERY TIME"
    session: Session

    @field_validator("session")
    @classmethod
    def _patterns_compile(cls, session: Session) -> Session:
        for name in _PATTERNS:
            try:
                re.compile(getattr(session, name))
            except re.error as error:
                raise ValueError(f"{name} is no regular expression: {error}") from None
        if "{user}" not in session.logon:
            raise ValueError("logon has no {user} in it")
        return session


def names() -> tuple[str, ...]:
    """The dialogues that the project has."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_dialogue(name: str) -> Dialogue:
    """The dialogue NAME, or the one in the file NAME; EmulatorError says what is wrong with it."""
    known = name in names()
    path = FOLDER / f"{name}.toml" if known else Path(name)
    if not known and "/" not in name and path.suffix != ".toml":
        raise EmulatorError(
            f"There is no dialogue '{name}': it is one of {', '.join(names())}, or a TOML file."
        )
    try:
        values = tomllib.loads(given.text(path))
        return Dialogue.model_validate({"name": path.stem, **values})
    except OSError as error:
        raise EmulatorError(f"{path}: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise EmulatorError(f"{path}: this is not TOML: {error}.") from None
    except ValidationError as error:
        raise EmulatorError(explain(path, error)) from None
