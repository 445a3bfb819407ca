# SPDX-License-Identifier: MIT
"""What all rooms' tests share: the order of tests, and a real Hercules without a guest."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "vmkb", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# CI tries the same examples each time: what it says of a change must not depend on luck.
settings.register_profile("ci", settings.get_profile("vmkb"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "vmkb")
# scripts/test --fast asks for it: a third of the examples, but where a test says how many it needs.
settings.register_profile("fast", settings(), max_examples=30)

PROJECT = Path(__file__).resolve().parent.parent


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell without job control starts what stands before & so, and every program that tests start
    # would inherit it: those that are to end at Ctrl-C would not.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def hang_up_is_heard() -> Iterator[None]:
    """Under nohup every program that tests start would ignore SIGHUP, too, and those that are to
    end by it would not: a handler is not inherited, and this process goes on with it."""
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGHUP, lambda number, frame: None)
    yield
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _stop(number: int, frame: object) -> None:
    for each in _STOPS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


_STOPS = (signal.SIGTERM, signal.SIGHUP)


def pytest_configure(config: pytest.Config) -> None:
    """These end pytest as Ctrl-C does: fixtures end what they have started."""
    for number in _STOPS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


@pytest.fixture(scope="session", autouse=True)
def emulators_end_with_pytest() -> Iterator[None]:
    """If pytest is killed, a process of its own ends the emulators that tests have started here."""
    from vmkb.hercules.emulator.machine import Hercules
    from vmkb.hercules.warden import Warden

    launch = Hercules._launch
    wardens: list[Warden] = []

    def held(program, machine, run_dir, holds, *others):  # type: ignore[no-untyped-def]
        if not wardens:
            wardens.append(Warden())
        return launch(program, machine, run_dir, (*holds, wardens[0].held), *others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hercules, "_launch", staticmethod(held))
        yield
    for warden in wardens:
        warden.close()


@pytest.fixture(scope="session", autouse=True)
def programs_have_more_time_on_a_busy_computer() -> Iterator[None]:
    """Limits in tests are those of a quiet computer, as the product's are."""
    from vmkb.hercules.deadline import patient

    communicate, wait = subprocess.Popen.communicate, subprocess.Popen.wait

    def longer(timeout: float | None) -> float | None:
        return None if timeout is None else patient(timeout)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            subprocess.Popen, "communicate",
            lambda self, input=None, timeout=None: communicate(self, input, longer(timeout)),
        )  # fmt: skip
        patch.setattr(
            subprocess.Popen, "wait", lambda self, timeout=None: wait(self, longer(timeout))
        )
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test, too, has more time on a busy computer. A failure stays its own: what its traceback
    has kept open is closed before the next test, which would be blamed for it."""
    from vmkb.hercules.deadline import patient

    marker = item.get_closest_marker("timeout")
    limit = marker.args[0] if marker else float(item.config.getini("timeout"))
    item.add_marker(pytest.mark.timeout(patient(limit)), append=False)
    handled = yield
    if getattr(sys, "last_value", None) is not None:
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)
        with warnings.catch_warnings(action="ignore"):
            gc.collect()
    return handled


@functools.cache
def _not_built() -> str:
    """Why no guest can be booted, asked once in each process; empty if all is built."""
    from tests.builds import build_guests, no_emulator

    return no_emulator() or build_guests(PROJECT)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """No test boots a guest that is older than its sources: it would pass whatever they say."""
    if item.get_closest_marker("e2e") and (why := _not_built()):
        pytest.fail(why, pytrace=False)


#: Guests that `vmkb boot` starts take the ports that people know, one at a time.
BOOT = "e2e/boot"
BOOTS = {"test_tutorial.py", "test_lat_command.py"}


def _group(path: Path) -> str:
    """What one process runs, where several do: a file, which has its guest; or a room whose tests
    share a compiled program."""
    room = path.relative_to(PROJECT / "tests").parent.as_posix()
    if room == BOOT or path.name in BOOTS:
        return BOOT
    return room if room.startswith("guests/") else path.stem


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """What stays together where pytest-xdist runs the tests in several processes."""
    from xdist.scheduler import LoadScopeScheduling

    class Rooms(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(PROJECT / nodeid.split("::", 1)[0])

    return Rooms(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fast tests first, then slow ones, then those that boot a guest. In several processes the
    other way round: what takes long does not begin last."""

    def weight(item: pytest.Item) -> int:
        if item.get_closest_marker("e2e"):
            return 2
        return 1 if item.get_closest_marker("slow") else 0

    items.sort(key=weight)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    heaviest: dict[str, int] = {}
    for item in items:
        group = _group(item.path)
        heaviest[group] = max(heaviest.get(group, 0), weight(item))
    items.sort(key=lambda item: (-heaviest[_group(item.path)], _group(item.path)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What thousands of tests consist of stays to the end: the collector need not look through it
    again and again, neither while they are found nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_sessionfinish() -> None:
    """Libraries tell of what they find left at the end."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project."""
    return PROJECT


@pytest.fixture
def emulator_needed() -> None:
    """Skip where Hercules and s3270 are not installed (a machine with Python only)."""
    for program in ("hercules", "s3270"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.fixture(scope="session")
def counting() -> object:
    """The counting emulator, for tests of virtual time. Skip where another one is tested."""
    from vmkb.hercules.emulator.choice import choose

    emulator = choose()
    if not emulator.exact:
        pytest.skip(f"{emulator.name} has no virtual time")
    return emulator


@pytest.fixture
def bare_machine(emulator_needed: None, tmp_path: Path) -> Iterator[object]:
    """A running Hercules with four terminals and an operator's console, and nothing IPLed."""
    from vmkb.hercules.emulator.config import MachineConfig
    from vmkb.hercules.emulator.machine import Hercules

    config = MachineConfig.model_validate(
        {
            "memory_mb": 8,
            "devices": [
                {"number": "0009", "kind": "3215-C"},
                {"number": "0700", "kind": "3270", "count": 4},
            ],
        }
    )
    with Hercules.start(config, tmp_path / "run") as machine:
        yield machine


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """VM/KB running alone (no wire) on a volume of its own, for the tests of one file."""
    from vmkb.hercules.emulator.boot import boot
    from vmkb.hercules.guest import load_guest

    for program in ("hercules", "s3270"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    with boot(load_guest("vmkb"), tmp_path_factory.mktemp("vmkb")) as machine:
        yield machine
