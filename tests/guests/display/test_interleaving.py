# SPDX-License-Identifier: MIT
"""Any interleaving of output, keys, timers, attention and failing I/O: no line lost or doubled.

The user here looks at the screen after each change. A row is new when it was not there before the
change; rows may vanish only by a key pressed, or a MORE... time passed, after they came.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.guests.display.console import (
    ALARM,
    CP_READ,
    HIGH,
    LINE,
    RUNNING,
    SETTLE_US,
    VM_READ,
    Console,
    Harness,
)
from tests.guests.display.device import ERASE_WRITE, READ_MODIFIED


class Session(RuleBasedStateMachine):
    harness: Harness

    @initialize(
        more=st.sampled_from([(50, 10), (0, 0), (0, 5)]), hilight=st.booleans(), lossy=st.booleans()
    )
    def begin(self, more: tuple[int, int], hilight: bool, lossy: bool) -> None:
        self.console = Console(self.harness, *more, hilight=hilight).start()
        if lossy:
            self.console.lossy()
        self.device = self.console.device
        self.hold_us = sum(more) * 1_000_000
        self.expected: list[str] = []
        self.seen: list[str] = []
        self.seen_at: dict[str, tuple[int, int]] = {}  # row text -> event, time
        self.screen: list[str] = []
        self.events = 0
        self.turned = 0  # event of the last key that turns the page
        self.program: tuple[int, bytes] | None = None
        self.applied = False
        self.attention_due = False
        self.serial = 0
        self.held = ""
        self.restores = self.device.restores
        self.keys = 0  # keys pressed, and rebuilt screens: each unlocks once

    def token(self, width: int) -> str:
        """A line whose 80-column (or 79-column) pieces are all different."""
        self.serial += 1
        return "".join(f"{self.serial:04d}.{i:02d}/" for i in range(width // 8 + 1))[:width]

    def look(self) -> None:
        self.events += 1
        now = self.device.lines()
        for row in now:
            if row not in self.screen:
                assert row not in self.seen_at, f"doubled: {row}"
                self.seen.append(row)
                self.seen_at[row] = (self.events, self.console.now)
        for row in self.screen:
            if row not in now and not self.device_blank:
                event, time = self.seen_at[row]
                waited = self.console.now - time >= self.hold_us
                assert self.turned > event or waited, f"gone before it was seen: {row}"
        self.screen = now

    device_blank = False

    @rule(
        width=st.sampled_from([6, 30, 79, 80, 170]),
        flags=st.sampled_from([0, HIGH, ALARM]),
        count=st.integers(1, 30),
    )
    def write(self, width: int, flags: int, count: int) -> None:
        if width == 80:
            flags &= ~HIGH  # its last character alone on a row would not be unique
        for _ in range(count):
            text = self.token(width)
            if self.console.write(text, flags) == 0:
                self.expect(text, 79 if flags & HIGH else 80)

    def expect(self, text: str, width: int) -> None:
        self.expected += [text[i : i + width] for i in range(0, len(text), width)]

    @rule(mode=st.sampled_from([RUNNING, VM_READ, CP_READ]))
    def mode(self, mode: int) -> None:
        self.console.mode(mode)

    @rule()
    def consume(self) -> None:
        self.console.consumed()
        self.held = ""

    @precondition(lambda self: self.program is None)
    @rule()
    def start_io(self) -> None:
        self.program = self.console.next()
        self.applied = False

    @precondition(lambda self: self.program is not None and not self.applied)
    @rule()
    def reach_device(self) -> None:
        assert self.program
        if self.program[0] != READ_MODIFIED:
            self.device.write(*self.program)
            self.look()
            if self.program[0] == ERASE_WRITE:  # now: a CLEAR may come before the channel ends
                assert self.device.attrs[1759] == 0xC1
        self.applied = True

    @precondition(lambda self: self.program is not None)
    @rule(fails=st.integers(0, 9))
    def end_io(self, fails: int) -> None:
        assert self.program
        command = self.program[0]
        if fails == 0 and not self.applied:
            self.power_cycle()
            return
        if not self.applied:
            self.reach_device()
        self.program = None
        self.console.done()
        if command == READ_MODIFIED:
            self.read_input()

    def power_cycle(self) -> None:
        """The terminal goes away during an I/O and comes back empty."""
        self.program = None
        self.console.done(ok=False)
        self.device_blank = True
        self.device.erase()
        self.look()
        self.device_blank = False
        self.device.locked = True
        self.attention_due = False
        self.console.h.call("r")
        self.keys += 1

    def read_input(self) -> None:
        typed = self.device.field() if self.device.aid == 0x7D else ""
        given = self.console.give(self.device.read_modified())
        if given.kind != LINE:
            return
        assert not self.held, "a line was taken while one was held"
        assert given.text == typed
        self.held = given.text or "null"
        if given.text:
            self.expect(given.text, 80)

    @precondition(lambda self: not self.device.locked)
    @rule(
        key=st.sampled_from(["ENTER", "CLEAR", "PA1", "PA2", "PF12", "PF3"]),
        typed=st.booleans(),
        late=st.booleans(),
    )
    def press(self, key: str, typed: bool, late: bool) -> None:
        if late:
            self.pause(2)
        if typed and key == "ENTER" and not self.device.field() and self.device.cursor == 1760:
            self.device.type(self.token(8))
        if key == "ENTER" and self.device.field() in self.expected:  # PF12 brought it back
            self.device.cursor = 1760
            self.device.type(self.token(8))
        self.events += 1
        if key in ("CLEAR", "PA2"):
            self.turned = self.events
        self.device.press(key)
        self.keys += 1
        self.look()
        self.attention_due = True

    @precondition(lambda self: self.attention_due)
    @rule()
    def attention(self) -> None:
        self.attention_due = False
        self.console.attention()

    @rule(milliseconds=st.sampled_from([2, 500, 3000, 50_000, 70_000]))
    def pause(self, milliseconds: int) -> None:
        if self.attention_due:  # attention never takes long
            self.attention()
        self.console.now += milliseconds * 1000

    @invariant()
    def each_key_is_answered_once(self) -> None:
        if hasattr(self, "console"):
            assert self.device.restores - self.restores <= self.keys

    def drain(self) -> None:
        for _ in range(400):
            if self.attention_due:
                self.attention()
            if self.program is None:
                self.start_io()
            if self.program is not None:
                self.end_io(fails=1)
            elif self.console.deadline() <= self.console.now + SETTLE_US:
                self.console.now = max(self.console.now, self.console.deadline())
            elif self.device.status() in ("MORE...", "HOLDING"):
                self.press("PA2", False, True)
            elif not self.attention_due:
                return
        raise AssertionError("the display never comes to rest")

    def teardown(self) -> None:
        if not hasattr(self, "console"):
            return
        self.drain()
        assert self.seen == self.expected
        assert not self.device.locked
        assert self.console.room() == 124


def test_no_line_is_lost_or_doubled(harness: Harness) -> None:
    Session.harness = harness
    run_state_machine_as_test(
        Session, settings=settings(max_examples=60, stateful_step_count=50, deadline=None)
    )
