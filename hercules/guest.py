# SPDX-License-Identifier: MIT
"""A guest is a folder with a guest.toml: this reads and checks one."""

from __future__ import annotations

import shutil
import tomllib
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from vmkb import given
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import DeviceNumber, MachineConfig, Strict
from vmkb.hercules.installed import built
from vmkb.hercules.tn3270.screen import Status

PROJECT = Path(__file__).resolve().parent.parent
GUESTS = PROJECT / "guests"
NAME = r"^[a-z][a-z0-9_-]*$"


ScreenRow = Annotated[int, Field(ge=1, le=24)]
ScreenColumn = Annotated[int, Field(ge=1, le=80)]


class Build(Strict):
    """How the guest is made: `command` is run in the guest's folder.

    `variant` makes it once more from the same source with what the compiler and the linker are
    free to choose chosen otherwise. `{seed}` in its words says how: a number from 2 on, or nothing.
    `{options}` is a variable of its Makefile with the compiler's options, or nothing. `{build}`
    there and in `variant_image` names what both make. Words that become empty are left out.
    """

    command: tuple[str, ...] = Field(min_length=1)
    needs: tuple[str, ...] = ()
    variant: tuple[str, ...] = ()
    variant_image: str = ""


class Exchange(Strict):
    """A question on the operator's console while the guest starts, and what is typed there.

    `expect` is a pattern for what the console shows, `within` seconds; `answer` may be empty: then
    only ENTER is typed.
    """

    expect: str
    answer: str
    within: float = Field(default=30.0, gt=0)


class Question(Strict):
    """A question of the guest to its operator before it is up, at any time: a pattern, and what is
    typed the first time it is asked, the second time, and so on."""

    expect: str
    answers: tuple[str, ...] = Field(min_length=1)


class Ipl(Strict):
    """The program that is loaded: `image` is an .ins file relative to the guest's folder, or
    `device` is the number of the device to IPL from.

    `dialogue` is what the guest asks the operator before it is up, in order; `questions` it may ask
    or not. `after` is typed on the operator's console once it is up. `parameter_address` is
    where the guest looks for its parameter text, if it takes one; `parameter_max` the bytes that it
    reads there. `up` is a pattern that the log shows when terminals may be connected (a guest may
    miss one that connects during its start); `failed` one that it shows, then or later, when the
    guest cannot go on. Its groups `at` and `caller`, if it has them, are addresses in `symbols`,
    the program with its debugging data, relative to the guest's folder.
    """

    image: str | None = None
    device: DeviceNumber | None = None
    dialogue: tuple[Exchange, ...] = ()
    questions: tuple[Question, ...] = ()
    after: tuple[str, ...] = ()
    up: str | None = None
    failed: str | None = None
    symbols: str | None = None
    parameter_address: int | None = None
    parameter_max: int = Field(default=256, ge=1)

    @model_validator(mode="after")
    def _one_way(self) -> Ipl:
        if (self.image is None) == (self.device is None):
            raise ValueError("give either image, an .ins file, or device, a device number")
        if self.device is not None and self.parameter_address is not None:
            raise ValueError("parameter_address is for an image, not for a device")
        if self.questions and self.up is None:
            raise ValueError("questions are answered until the guest is up: give up, a pattern")
        return self


class Session(Strict):
    """How a person uses a terminal of the guest.

    `logo` are words that only the screen before a logon shows; a guest without one has no 3270
    sessions. `{user}` in `logon` is replaced.
    The patterns tell what the guest's lines mean: `asks_password`, `logged_on` (a new session),
    `reconnected` (one that was disconnected, which `resume` starts again), `refused`, and
    `stopped` (a program check that ended the machine).
    After a logon `ipl` is typed where CP reads instead of a loaded system, and with `null_line` an
    empty line where CMS waits for its first. A command has ended when its Ready message is there
    and the status is one of `idle`; `ready` is a pattern for a form of that message that is neither
    `Ready;` nor `R;` (its group rc is the return code).
    `gone` is the 3270 input, in hexadecimal, by which the terminal port of `vmkb boot` tells the
    guest that a user has hung up, for the emulator does not: a new screen is its answer.
    `status` are words of the system for states of the console that are not VM's own. They begin at
    `status_at`, row and column counted from 1; the first `output_rows` rows are output. An empty
    `asks_password` says that the system asks for no password.
    `up_within`, `logon_within` and `command_within` are deadlines in seconds.
    """

    logo: str = ""
    logon: str = "LOGON {user}"
    asks_password: str = r"^ENTER PASSWORD"
    logged_on: str = r"^LOGON AT "
    reconnected: str = r"^RECONNECTED AT "
    refused: str = r"^DMKLOG\d+E "
    stopped: str = r"^DMKDSP\d+W "
    resume: str = "BEGIN"
    logoff: str = "LOGOFF"
    disconnect: str = "DISCONN"
    cp_prefix: str = "CP "
    ipl: str = ""
    null_line: bool = False
    gone: str = Field(default="", pattern=r"^([0-9A-Fa-f]{2})*$")
    idle: tuple[Status, ...] = (Status.VM_READ,)
    ready: str = ""
    status: dict[str, Status] = {}
    status_at: tuple[ScreenRow, ScreenColumn] = (24, 61)
    output_rows: ScreenRow = 22
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
    """Questions to the operator's console: `names` lists who is logged on, `time` tells what one
    of them, `{user}`, has used, and `system` what the control program has."""

    names: str
    time: str
    system: str


class Service(Strict):
    """A server of the guest that people reach by TCP: `port` is the guest's own, `publish` the port
    of this computer that leads there if it is free.

    `ready` is a pattern that the log shows when it serves. `use` are command lines that reach it;
    `{host}` and `{port}` in them are replaced, and `{USERID}` by that userid's password.
    """

    name: str
    port: int = Field(ge=1, le=65535)
    publish: int = Field(ge=1024, le=65535)
    ready: str
    use: tuple[str, ...] = Field(min_length=1)


class Network(Strict):
    """How the guest is brought onto a network: `address` is the guest's own with its prefix,
    `gateway` the host's on the guest's LAN, `mtu` in bytes. `link` is what the guest's CTC devices
    carry: Ethernet frames ("lan"), or IP packets as Linux' ctcm has them.

    `start` is a line typed on the operator's console, after which all `services` are ready `within`
    seconds. Where the host forwards ports, `parameter` joins the IPL parameter: `{first}` and
    `{last}` are `forwarded` ports with the same numbers on both sides, for data connections to
    servers, `{gateway}` is where clients seem to come from, `{host}` where they are.
    """

    address: IPv4Interface
    gateway: IPv4Address
    mtu: int = Field(default=1500, ge=576, le=32767)
    link: Literal["lan", "ctcm"] = "lan"
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
    """A guest as its guest.toml describes it. `folder` is where that file lies.

    `files` are copied into the run folder, by the name that they have there: the guest writes on
    them. `read_only` are not copied; only devices that are read_only may use them. Both are paths
    from the guest's folder, or absolute ones. `shadows` are the shadow files that a disk among
    `read_only` has already, the oldest first: the guest goes on with copies of them. `images` are
    the .ins files of builds that are made already, by their numbers and the `level` of TCP/IP that
    they are for; of no level: for all others. `compiled` is what its builds are compiled with, in
    turn: variables of its Makefile; one that is empty is the Makefile's own choice.
    """

    name: str = Field(pattern=NAME)
    title: str
    folder: Path
    build: Build | None = None
    ipl: Ipl
    files: dict[str, str] = {}
    read_only: dict[str, str] = {}
    shadows: dict[str, tuple[str, ...]] = {}
    machine: MachineConfig
    session: Session = Session()
    shutdown: Shutdown | None = None
    network: Network | None = None
    users: Users | None = None
    images: dict[tuple[int, str], str] = {}
    compiled: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Guest:
        for key, names in (("files", self.files), ("read_only", self.read_only)):
            for name in names:
                if "/" in name or name in ("", ".", ".."):
                    raise ValueError(f"{key}: '{name}' must be a plain name in the run folder")
        if twice := self.files.keys() & self.read_only.keys():
            raise ValueError(f"'{min(twice)}' is under files and under read_only")
        for device in self.machine.devices:
            if device.file in self.read_only and not device.read_only:
                raise ValueError(
                    f"device {device.number:04X} would write on '{device.file}'; say read_only ="
                    " true there, or list the file under files"
                )
        start = self.ipl.device
        if start is not None and all(start not in d.numbers for d in self.machine.devices):
            raise ValueError(f"there is no device {start:04X} to IPL from")
        return self

    @property
    def image(self) -> Path:
        """The .ins file to IPL from. EmulatorError when it is a device."""
        if self.ipl.image is None:
            raise EmulatorError(f"Guest '{self.name}' is IPLed from a device: it has no image.")
        return self.folder / self.ipl.image

    def path(self, source: str) -> Path:
        """Where a file of its description is."""
        return self.folder / Path(source).expanduser()

    def with_image(self, image: str) -> Guest:
        """The same guest IPLed from another build's .ins file, relative to the guest's folder."""
        symbols = self.ipl.symbols and str(Path(image).with_name(Path(self.ipl.symbols).name))
        ipl = self.ipl.model_copy(update={"image": image, "symbols": symbols})
        return self.model_copy(update={"ipl": ipl})

    def missing(self) -> tuple[Path, ...]:
        """Files that a start needs and that the build has not made yet."""
        wanted = [] if self.ipl.image is None else [self.image]
        wanted += map(self.path, [*self.files.values(), *self.read_only.values()])
        return tuple(path for path in wanted if not path.is_file())

    def check_disks(self) -> None:
        """Raise EmulatorError when the disk to IPL from has not been brought."""
        for device in self.machine.devices:
            named = device.file or ""
            absent = named not in self.files and named not in self.read_only
            if device.number == self.ipl.device and absent and not Path(named).is_absolute():
                raise EmulatorError(
                    f"Guest '{self.name}' runs from disks that you bring: --disks DIR names the"
                    " folder that they are in."
                )

    def check_built(self) -> None:
        """Raise EmulatorError when the guest has not been built, and say how to build it."""
        missing = self.missing()
        if missing:
            lacking = [n for n in (self.build.needs if self.build else ()) if not shutil.which(n)]
            if self.build is None:
                raise EmulatorError(
                    f"Guest '{self.name}' lacks {missing[0].name}, which whoever uses it brings:"
                    f" put it into {missing[0].parent}."
                )
            hint = f"{', '.join(lacking)} not found; {built()}" if lacking else built()
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


def load_folder(folder: Path) -> Guest:
    """The guest of a folder outside of the project. EmulatorError when there is none, or when it is
    called as one of the project's is."""
    folder = folder.resolve()
    if folder.parent == GUESTS:
        return load_guest(folder.name)
    path = folder / "guest.toml"
    try:
        guest = parse_guest(given.text(path), folder)
    except OSError as error:
        raise EmulatorError(f"{path} cannot be read: {error.strerror}.") from None
    if guest.name in guest_names():
        raise EmulatorError(
            f"{path}: name is '{guest.name}', as one of the project's guests is called; choose"
            " another."
        )
    return guest


def guest_names(guests: Path = GUESTS) -> tuple[str, ...]:
    """Names of the folders that have a guest.toml."""
    return tuple(sorted(path.parent.name for path in guests.glob("*/guest.toml")))
