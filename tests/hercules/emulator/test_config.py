# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vmkb.hercules.emulator import config
from vmkb.hercules.emulator.config import Device, MachineConfig
from vmkb.hercules.emulator.dialect import dialect, dialects
from vmkb.hercules.emulator.dialect.base import Dialect

DEBIAN, SDL = dialect("hercules-3.13"), dialect("sdl-hyperion-4")


def config_text(machine: MachineConfig, port: int) -> str:
    """As 3.13 wants it."""
    return config.config_text(machine, port, DEBIAN)


def machine(*devices: dict[str, object], **more: object) -> MachineConfig:
    return MachineConfig.model_validate({"devices": list(devices), **more})


TERMINALS = {"number": "0700", "kind": "3270", "count": 32}


def test_text_has_the_measured_settings_and_the_devices() -> None:
    text = config_text(
        machine(
            {"number": "0009", "kind": "3215-C"},
            {"number": "000D", "kind": "3525", "file": "punch.cards", "options": ["ebcdic"]},
            {"number": "0100", "kind": "3370", "file": "v.fba"},
            TERMINALS,
        ),
        4711,
    )
    assert text.splitlines() == [
        "ARCHMODE z/Arch",
        "CPUMODEL 2097",
        "NUMCPU 1",
        "MAINSIZE 64",
        "CPUPRIO 0",
        "HERCPRIO 0",
        "DEVPRIO 0",
        "TODPRIO -20",
        "OSTAILOR QUIET",
        "TIMERINT 500",
        "CNSLPORT 127.0.0.1:4711",
        "0009 3215-C",
        "000D 3525 punch.cards ebcdic",
        "0100 3370 v.fba",
        "0700.32 3270",
    ]


@pytest.mark.parametrize(
    ("device", "says"),
    [
        ({"number": "07G0", "kind": "3270"}, "'07G0' is not hexadecimal"),
        ({"number": "10000", "kind": "3270"}, "less than or equal to 65535"),
        ({"number": "0100", "kind": "3370"}, "device 0100 (3370) needs a file"),
        ({"number": "0700", "kind": "3270", "file": "x"}, "takes no file"),
        ({"number": "0009", "kind": "3215-C", "count": 2}, "only 3270 devices can be repeated"),
        ({"number": "FFFF", "kind": "3270", "count": 2}, "passes device number FFFF"),
        ({"number": "0100", "kind": "3370", "file": "a b"}, "has a blank or a #"),
        ({"number": "0100", "kind": "9999", "file": "a"}, "kind"),
        ({"number": "0100", "kind": "3350"}, "device 0100 (3350) needs a file"),
        ({"number": "000E", "kind": "1403"}, "device 000E (1403) needs a file"),
        ({"number": "0100", "kind": "3370", "file": "a", "read_only": True}, "list its file under"),
        ({"number": "0100", "kind": "3270", "colour": 1}, "colour"),
    ],
)
def test_a_wrong_device_is_said_in_words(device: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError) as error:
        machine(device)
    assert says in str(error.value)


def test_a_number_given_twice_is_refused_also_inside_a_range() -> None:
    with pytest.raises(ValidationError, match="device 0705 is given twice"):
        machine(TERMINALS, {"number": "0705", "kind": "3215-C"})


def test_a_machine_without_devices_is_refused() -> None:
    with pytest.raises(ValidationError, match="devices"):
        machine()


def test_ctce_gets_its_line_from_the_wire_or_is_left_out() -> None:
    bare = machine(TERMINALS, {"number": "0500", "kind": "ctce"})
    with pytest.raises(ValueError, match="0500 \\(ctce\\) has no ports yet"):
        config_text(bare, 1)
    joined = bare.with_ctce(["0500 CTCE 20000 127.0.0.1 20002"])
    assert config_text(joined.without_ctce(), 1).endswith("0500 CTCE 20000 127.0.0.1 20002\n")
    assert "CTCE" not in config_text(bare.without_ctce(), 1)


def test_hyperion_is_told_what_it_knows_and_the_ports_that_it_uses_itself() -> None:
    bare = machine(TERMINALS, {"number": "0500", "kind": "ctce"})
    joined = bare.with_ctce(["0500 CTCE 20000 127.0.0.1 20002"])
    lines = config.config_text(joined, 4711, SDL).splitlines()
    assert not [line for line in lines if "PRIO" in line]
    assert "OSTAILOR QUIET" in lines and "CNSLPORT 127.0.0.1:4711" in lines
    assert lines[-1] == "0500 CTCE 20001 127.0.0.1 20003"


@pytest.mark.parametrize("to", dialects(), ids=lambda d: d.key)
def test_disks_printers_and_readers_of_other_guests(to: Dialect) -> None:
    """Both emulators take these lines; test_devices starts them."""
    text = config.config_text(
        machine(
            {"number": "000C", "kind": "3505", "file": "deck", "options": ["ebcdic", "eof"]},
            {"number": "000E", "kind": "1403", "file": "print", "options": ["noclear"]},
            {"number": "000F", "kind": "3211", "file": "print2"},
            {"number": "0190", "kind": "3350", "file": "sysres", "read_only": True},
            {"number": "0191", "kind": "3390", "file": "work"},
            architecture="S/370",
            load_parameter="AUTO",
        ),
        1,
        to,
    )
    assert text.splitlines()[0] == "ARCHMODE S/370"
    assert text.splitlines()[-6:] == [
        "LOADPARM AUTO",
        "000C 3505 deck ebcdic eof",
        "000E 1403 print noclear",
        "000F 3211 print2",
        "0190 3350 sysres ro",
        "0191 3390 work",
    ]


@pytest.mark.parametrize(
    "line", ["0501 CTCE 20000 127.0.0.1 20002", "0500 3270 a b c", "0500 CTCE 1", "0700 CTCE 1 2 3"]
)
def test_a_line_for_another_device_is_refused(line: str) -> None:
    bare = machine(TERMINALS, {"number": "0500", "kind": "ctce"})
    with pytest.raises(ValueError, match="is for no ctce device"):
        bare.with_ctce([line])


def test_terminals_are_all_3270_devices_in_order() -> None:
    pair = {"number": "0700", "kind": "3270", "count": 2}
    two = machine({"number": "0710", "kind": "3270"}, pair)
    assert two.terminals == (0x700, 0x701, 0x710)


@given(st.integers(0, 0xFFFF), st.integers(1, 64))
def test_every_accepted_device_is_one_line_that_begins_with_its_number(
    number: int, count: int
) -> None:
    if number + count > 0x10000:
        with pytest.raises(ValidationError):
            Device(number=number, kind="3270", count=count)
        return
    line = Device(number=number, kind="3270", count=count).line(DEBIAN)
    first = line.split()[0]
    assert int(first.split(".")[0], 16) == number
    assert (int(first.split(".")[1]) if "." in first else 1) == count


@given(st.text(max_size=8))
def test_any_text_as_number_is_a_number_or_a_clear_refusal(text: str) -> None:
    try:
        device = Device.model_validate({"number": text, "kind": "3270"})
    except ValidationError as error:
        assert "number" in str(error)
    else:
        assert device.number == int(text, 16)
