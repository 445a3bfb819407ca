# SPDX-License-Identifier: MIT
"""Hercules killed with -9 at random moments while files are written: each file is the old one or
the new one, whole."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cp_console import DIRECTORY, VOLUME
from vmkb.guests.vmkb.disk.build import build, minidisk, now_1900, opened
from vmkb.guests.vmkb.disk.records import to_text
from vmkb.hercules.deadline import pause
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

KILLS = 25
IPL_EVERY = 10
SEED = 9
SIZES = {"SMALL": 1000, "MIDDLE": 20000, "LARGE": 150000}
WRITER = """\
/* writes without end: the same three names, from one of two originals each time */
trace off
do forever
  do i = 1 to 3
    n = word('SMALL MIDDLE LARGE', i)
    from = word('OLD NEW', random(1, 2))
    'COPYFILE' n from 'A' n 'DATA A (REPLACE'
    if rc <> 0 then do
      say 'COPYFILE' n 'ENDED WITH' rc
      exit rc
    end
  end
  'COPYFILE SMALL OLD A TEMP DATA A (REPLACE'
  'ERASE TEMP DATA A'
end
"""


def _source(folder: Path) -> Path:
    source = folder / "source"
    source.mkdir()
    rules = ['{ from = "writer.exec" }']
    (source / "writer.exec").write_text(WRITER, encoding="ascii")
    for name, size in SIZES.items():
        for kind in ("old", "new"):
            lines = [f"{kind.upper()} LINE {i} OF {name}" for i in range(size // 40)]
            path = source / f"{name.lower()}.{kind}"
            path.write_text("\n".join(lines) + "\n", encoding="ascii")
            rules.append(f'{{ from = "{path.name}" }}')
    text = f'{VOLUME}\n[[minidisk]]\nowner = "GENERAL"\nvaddr = "191"\nfile = [{",".join(rules)}]\n'
    (source / "volume.toml").write_text(text, encoding="ascii")
    small, large = "AUTO 128 TESTVL MR RPASS", "AUTO 4096 TESTVL MR RPASS"
    directory = DIRECTORY.replace(f"0191 3370 {small}", f"0191 3370 {large}")
    (source / "user.direct").write_text(directory, encoding="ascii")
    return source


def _whole(image: Path) -> dict[str, str]:
    """Which original each file is, by the host's reader; fails if one is neither."""
    found = {}
    with opened(image) as (f, _, extents):
        disk = minidisk(f, extents, "GENERAL", 0x191)
        content = {(e.fn, e.ft): to_text(disk.read(e)) for e in disk.entries()}
    for name in SIZES:
        data = content.get((name, "DATA"))
        originals = {content[name, kind]: kind for kind in ("OLD", "NEW")}
        if data is not None:
            assert data in originals, f"{name} DATA is neither the old file nor the new one"
            found[name] = originals[data]
    assert set(content) <= {(n, k) for n in SIZES for k in ("OLD", "NEW", "DATA")} | {
        ("WRITER", "EXEC"), ("TEMP", "DATA")
    }  # fmt: skip
    return found


def test_killed_while_writing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guest = load_guest("vmkb")
    guest.check_built()
    choice = random.Random(SEED)
    run = tmp_path / "run"
    run.mkdir()
    image = run / "vmkb.fba"
    build(_source(tmp_path), image, now_1900())
    seen: set[Any] = set()
    for kill in range(KILLS):
        machine = boot(guest, run, keep=True)
        try:
            with open_session(guest, machine) as session:
                session.logon("GENERAL", "GENERAL")
                if kill % IPL_EVERY == 0:
                    for name in SIZES:
                        assert session.command(f"STATE {name} OLD A").rc == 0
                session.terminal.type("WRITER")
                session.terminal.enter()
                pause(choice.uniform(0.0, 0.25))
                lines = session.terminal.read().lines
                assert not any("ENDED WITH" in line for line in lines), lines
                machine.kill()
        finally:
            machine.kill()
        seen.update(_whole(image).items())
    with capsys.disabled():
        print(f"\n{KILLS} kills; whole files found: {sorted(seen)}")
    assert len(seen) == 2 * len(SIZES)
    with boot(guest, run, keep=True) as machine, open_session(guest, machine) as session:
        session.logon("GENERAL", "GENERAL")
        assert session.command("COPYFILE LARGE DATA A LAST DATA A").rc == 0
        session.logoff()
