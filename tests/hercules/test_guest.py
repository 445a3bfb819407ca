# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import guest_names, load_guest, parse_guest

GOOD = """
name = "tiny"
title = "A tiny guest"
[build]
command = ["make"]
needs = ["no-such-compiler"]
[ipl]
image = "build/tiny.ins"
[files]
"disk" = "build/disk"
[machine]
[[machine.devices]]
number = "0700"
kind = "3270"
[session]
logo = "TINY"
"""


def test_a_good_description_is_read(tmp_path: Path) -> None:
    guest = parse_guest(GOOD, tmp_path)
    assert (guest.name, guest.machine.terminals, guest.session.logo) == ("tiny", (0x700,), "TINY")
    assert guest.image == tmp_path / "build" / "tiny.ins"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('title = "A tiny guest"', "", "title: Field required."),
        ('title = "A tiny guest"', "title = ", "this is not TOML"),
        ('kind = "3270"', 'kind = "3271"', "machine.devices.0.kind"),
        ('logo = "TINY"', 'logo = "TINY"\nlogin = "x"', "session.login: Extra inputs"),
        ('"disk" = "build/disk"', '"a/b" = "x"', "'a/b' must be a plain name"),
        ('"disk" = "build/disk"', '"d" = "x"\n[read_only]\n"d" = "y"', "under read_only"),
        ('image = "build/tiny.ins"', "", "give either image, an .ins file, or device"),
        ('image = "build/tiny.ins"', 'device = "0190"', "no device 0190 to IPL from"),
        (
            'image = "build/tiny.ins"',
            'device = "0700"\nparameter_address = 1',
            "parameter_address is for an image",
        ),
        (
            '"disk" = "build/disk"',
            '"d" = "x"\n[read_only]\n"r" = "y"\n[[machine.devices]]\nnumber = "0190"\n'
            'kind = "3350"\nfile = "r"',
            "device 0190 would write on 'r'",
        ),
        ('name = "tiny"', 'name = "tiny"\nfolder = "x"', "folder is not a key"),
    ],
)
def test_mistakes_name_the_file_and_the_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(EmulatorError) as error:
        parse_guest(GOOD.replace(old, new), tmp_path)
    assert says in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "guest.toml"))


def test_files_that_a_user_brings_may_lie_anywhere_and_are_asked_for(tmp_path: Path) -> None:
    brought = GOOD[: GOOD.index("[build]")] + GOOD[GOOD.index("[ipl]") :]
    disk = tmp_path / "elsewhere" / "disk"
    guest = parse_guest(brought.replace("build/disk", str(disk)), tmp_path)
    assert guest.path(guest.files["disk"]) == disk
    with pytest.raises(EmulatorError, match=r"lacks tiny\.ins, which whoever uses it brings"):
        guest.check_built()


def test_an_unbuilt_guest_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"tiny\.ins is not in .*no-such-compiler not found"):
        parse_guest(GOOD, tmp_path).check_built()


def test_an_unknown_guest_names_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "guest.toml").write_text(GOOD)
    assert guest_names(tmp_path) == ("tiny",)
    assert load_guest("tiny", tmp_path).title == "A tiny guest"
    with pytest.raises(EmulatorError, match="no guest 'big'.*known guests: tiny"):
        load_guest("big", tmp_path)


def test_the_folder_and_the_name_must_agree(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "guest.toml").write_text(GOOD)
    with pytest.raises(EmulatorError, match="name is 'tiny' but the folder is called 'other'"):
        load_guest("other", tmp_path)


def test_the_default_guest_is_well_described() -> None:
    guest = load_guest("vmkb")
    assert len(guest.machine.terminals) >= 32
    assert guest.machine.memory_mb == 64
