# SPDX-License-Identifier: MIT
"""A guest is a folder with a guest.toml: this reads and checks one."""

from __future__ import annotations

import shutil
import tomllib
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from hercules.deadline import EmulatorError
from hercules.emulator.config import MachineConfig, Strict

PROJECT = Path(__file__).resolve().parent.parent
GUESTS = PROJECT / "guests"


class Build(Strict):
    """How the guest is made: `command` is run in the guest's folder.

    `variant` makes it once more from the same source with what the compiler and the linker are
    free to choose chosen otherwise; `{seed}` there and in `variant_image` is a number from 2 on
    that says how.
    """

    command: tuple[str, ...] = Field(min_length=1)
    needs: tuple[str, ...] = ()
    variant: tuple[str, ...] = ()
    variant_image: str = ""


class Ipl(Strict):
    """What is loaded: `image` is an .ins file relative to the guest's folder.

    `parameter_address` is where the guest looks for its parameter text, if it takes one;
    `parameter_max` the bytes that it reads there. `up` is a pattern that the log shows when
    terminals may be connected (a guest may miss one that connects during its start).
    """

    image: str
    up: str | None = None
    parameter_address: int | None = None
    parameter_max: int = Field(default=256, ge=1)


class Session(Strict):
    """How a person uses a terminal of the guest.

    `logo` are words that only the screen before a logon shows. `{user}` in `logon` is replaced.
    The patterns tell what the guest's lines mean: `asks_password`, `logged_on` (a new session),
    `reconnected` (one that was disconnected, which `resume` starts again), `refused`, and
    `stopped` (a program check that ended the machine).
    `up_within`, `logon_within` and `command_within` are deadlines in seconds.
    """

    logo: str
    logon: str = "LOGON {user}"
    asks_password: str = r"^ENTER PASSWORD"
    logged_on: str = r"^LOGON AT "
    reconnected: str = r"^RECONNECTED AT "
    refused: str = r"^DMKLOG\d+E "
    stopped: str = r"^DMKDSP\d+W "
    resume: str = "BEGIN"
    logoff: str = "LOGOFF"
    cp_prefix: str = "CP "
    up_within: float = Field(default=10.0, gt=0)
    logon_within: float = Field(default=10.0, gt=0)
    command_within: float = Field(default=30.0, gt=0)


class Shutdown(Strict):
    """How the guest is ended cleanly: a line typed on the operator's console.

    `done` is a pattern that the log shows when it has ended; without one it ends in a disabled
    wait.
    """

    command: str
    done: str | None = None
    within: float = Field(default=10.0, gt=0)


class Users(Strict):
    """What the operator's console is asked: `names` lists who is logged on, `time` tells what one
    of them, `{user}`, has used, and `system` what the control program has."""

    names: str
    time: str
    system: str


class Service(Strict):
    """A server of the guest that people reach by TCP: `port` is the guest's own, `publish` the port
    of this computer that leads there if it is free.

    `ready` is a pattern that the log shows when it serves. `use` are command lines that reach it;
    `{host}` and `{port}` in them are replaced.
    """

    name: str
    port: int = Field(ge=1, le=65535)
    publish: int = Field(ge=1024, le=65535)
    ready: str
    use: tuple[str, ...] = Field(min_length=1)


class Network(Strict):
    """How the guest is brought onto a network: `address` is the guest's own with its prefix,
    `gateway` the host's on the guest's LAN, `mtu` in bytes.

    `start` is a line typed on the operator's console, after which all `services` are ready `within`
    seconds. Where the host forwards ports, `parameter` joins the IPL parameter: `{first}` and
    `{last}` are `forwarded` ports with the same numbers on both sides, for data connections to
    servers, `{gateway}` is where clients seem to come from, `{host}` where they are.
    """

    address: IPv4Interface
    gateway: IPv4Address
    mtu: int = Field(default=1500, ge=576, le=32767)
    start: str
    within: float = Field(default=20.0, gt=0)
    parameter: str = ""
    forwarded: int = Field(default=0, ge=0, le=1024)
    services: tuple[Service, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _gateway_is_near(self) -> Network:
        if self.gateway not in self.address.network or self.gateway == self.address.ip:
            raise ValueError(f"gateway {self.gateway} must be another address of {self.address}")
        return self


class Guest(Strict):
    """A guest as its guest.toml describes it. `folder` is where that file lies."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str
    folder: Path
    build: Build | None = None
    ipl: Ipl
    files: dict[str, str] = {}
    machine: MachineConfig
    session: Session
    shutdown: Shutdown | None = None
    network: Network | None = None
    users: Users | None = None

    @model_validator(mode="after")
    def _files_stay_in_their_folders(self) -> Guest:
        for name, source in self.files.items():
            if "/" in name or name in ("", ".", ".."):
                raise ValueError(f"files: '{name}' must be a plain name in the run folder")
            if Path(source).is_absolute() or ".." in Path(source).parts:
                raise ValueError(f"files: '{source}' must lie below the guest's folder")
        return self

    @property
    def image(self) -> Path:
        """The .ins file to IPL from."""
        return self.folder / self.ipl.image

    def with_image(self, image: str) -> Guest:
        """The same guest IPLed from another build's .ins file, relative to the guest's folder."""
        return self.model_copy(update={"ipl": self.ipl.model_copy(update={"image": image})})

    def missing(self) -> tuple[Path, ...]:
        """Files that a start needs and that the build has not made yet."""
        wanted = [self.image, *(self.folder / source for source in self.files.values())]
        return tuple(path for path in wanted if not path.is_file())

    def check_built(self) -> None:
        """Raise EmulatorError when the guest has not been built, and say how to build it."""
        missing = self.missing()
        if missing:
            lacking = [n for n in (self.build.needs if self.build else ()) if not shutil.which(n)]
            hint = (
                f"{', '.join(lacking)} not found; run scripts/setup"
                if lacking
                else "run scripts/setup to build it"
            )
            raise EmulatorError(
                f"Guest '{self.name}' is not built: {missing[0].name} is not in "
                f"{missing[0].parent}; {hint}."
            )


def parse_guest(text: str, folder: Path) -> Guest:
    """A guest from the text of its guest.toml.

    Raises EmulatorError with one line per mistake, each naming the file and the key.
    """
    where = folder / "guest.toml"
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EmulatorError(f"{where}: this is not TOML: {error}.") from None
    if "folder" in values:
        raise EmulatorError(f"{where}: folder is not a key; the file's own folder is used.")
    try:
        return Guest.model_validate({**values, "folder": folder})
    except ValidationError as error:
        raise EmulatorError(explain(where, error)) from None


def explain(where: Path, error: ValidationError) -> str:
    """Validation errors as sentences, one line each, with the key they belong to."""
    lines = []
    for item in error.errors(include_url=False, include_context=False):
        key = ".".join(str(part) for part in item["loc"]) or "the whole"
        said = item["msg"].removeprefix("Value error, ")
        lines.append(f"{where}: {key}: {said}.")
    return "\n".join(lines)


def load_guest(name: str, guests: Path = GUESTS) -> Guest:
    """The guest `name` from its folder below `guests`; EmulatorError when there is none."""
    path = guests / name / "guest.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        known = ", ".join(guest_names(guests)) or "none"
        raise EmulatorError(
            f"There is no guest '{name}': {path} cannot be read; known guests: {known}."
        ) from None
    guest = parse_guest(text, path.parent)
    if guest.name != name:
        raise EmulatorError(f"{path}: name is '{guest.name}' but the folder is called '{name}'.")
    return guest


def guest_names(guests: Path = GUESTS) -> tuple[str, ...]:
    """Names of the folders that have a guest.toml."""
    return tuple(sorted(path.parent.name for path in guests.glob("*/guest.toml")))
