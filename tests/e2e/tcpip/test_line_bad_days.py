# SPDX-License-Identifier: MIT
"""A slow line on bad days: this computer's kernel fetches from a guest whose TCP behaves as RFC
1122 has it, over a line that is cut, noisy, shared, or whose far end is not listened to.

The line has 96000 bit/s and the guest's clock goes ten times as fast as the host's: to the guest it
is a line of 9600."""

from __future__ import annotations

import contextlib
import ftplib
import random
import socket
from collections.abc import Iterator

import pytest

from tests.e2e.net_guest import NetGuest, get, net_guest, put
from tests.e2e.system import ADDRESS, tap_needed
from vmkb.hercules.deadline import Timeout, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
DATA = random.Random(16).randbytes(20480)
TENFOLD, FASTER = "toddrag 0.1", "toddrag 0.02"
RATE = 96000


@pytest.fixture(scope="module")
def module_net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    tap_needed("this computer's own TCP is what sees the line")
    folder = tmp_path_factory.mktemp("net")
    with net_guest(folder, "BEHAVIOR=RFC1122,LIMIT,600", mtu=232) as net:
        with net.ftp() as ftp:
            put(ftp, "RFC.BIN", DATA)
            put(ftp, "MIDDLE.BIN", DATA * 3)
            put(ftp, "LONG.BIN", DATA * 8)
        yield net


@pytest.fixture
def net(module_net: NetGuest) -> Iterator[NetGuest]:
    """The guest behind a quiet line; after each test nothing is held."""
    before = module_net.in_use_at_rest()
    module_net.wire.set_profile("host", "line-9600-quiet", rate=RATE)
    module_net.machine.command(TENFOLD)
    yield module_net
    module_net.wire.restore("*")
    module_net.wire.set_profile("host", "fast")
    module_net.machine.command(FASTER)
    try:
        module_net.wait_as_before(before, 60)
    finally:
        module_net.machine.command("toddrag 1.0")


def begin(net: NetGuest, name: str) -> tuple[ftplib.FTP, socket.socket]:
    """A session, and its data connection, on which NAME begins to come."""
    ftp = net.ftp(timeout=60)
    ftp.voidcmd("TYPE I")
    return ftp, ftp.transfercmd(f"RETR {name}")


def rest(data: socket.socket, most: int = 1 << 30) -> bytes:
    """What comes to the end of a connection, or MOST bytes of it."""
    got = bytearray()
    while len(got) < most and (piece := data.recv(min(4096, most - len(got)))):
        got += piece
    return bytes(got)


def test_a_quiet_line_is_full(net: NetGuest) -> None:
    """240 characters for 192 bytes, and no frame that is damaged. The kernel offers a window that
    is larger than the line's queue, which may drop what slow start sends too much."""
    with net.ftp() as ftp:
        before = net.wire.counters()["ports"]["host"]["down"]
        assert get(ftp, "RFC.BIN") == DATA
        after = net.wire.counters()["ports"]["host"]["down"]
    sent = after["characters"] - before["characters"]
    best = len(DATA) * 240 / 192
    assert best <= sent < best * 1.1  # replies, what is escaped of random data, what was dropped
    assert set(after["dropped"]) <= {"protocol", "queue"}  # the kernel tries IP version 6


def test_the_line_is_cut_for_thirty_seconds_of_the_guests_clock(net: NetGuest) -> None:
    ftp, data = begin(net, "RFC.BIN")
    with ftp, data:
        got = rest(data, 4000)
        net.wire.cut("host", 3.0)
        got += rest(data)
        assert got == DATA
        assert ftp.voidresp().startswith("250")
    assert net.wire.counters()["ports"]["host"]["down"]["dropped"]["cut"] > 0


def test_the_carrier_drops_and_comes_back_again_and_again(net: NetGuest) -> None:
    ftp, data = begin(net, "RFC.BIN")
    with ftp, data:
        got = b""
        for turn in range(1, 4):
            got += rest(data, 3000)
            net.wire.cut("host", 0.3)
            assert len(got) == 3000 * turn
        assert got + rest(data) == DATA
        ftp.voidresp()


def test_ten_minutes_limit_ends_what_the_line_cannot_carry(net: NetGuest) -> None:
    """The line is cut for good; after 600 s of the guest's clock its TCP gives up, long before
    its twelve retransmissions do. The fixture sees that nothing is held."""
    ftp, data = begin(net, "RFC.BIN")
    with ftp, data:
        rest(data, 2000)
        net.wire.cut("host")
        ftp.close()
    net.machine.command(FASTER)

    def gone() -> bool:
        return not any("..20" in x or "ESTAB" in x for x in net.netstat("CONNECTIONS"))

    wait_until(gone, 40, "the connections to be given up", poll=0.5)


def test_a_file_longer_than_the_limit_does_not_come_whole(net: NetGuest) -> None:
    """160 KB take 213 s at 9600 bit/s. Here the guest's clock goes fifty times as fast as the
    host's and the line 2.5 times: 852 s by that clock."""
    net.machine.command(FASTER)
    net.wire.set_profile("host", "line-9600-quiet", rate=RATE // 8)
    ftp, data = begin(net, "LONG.BIN")
    with ftp, data:
        got = b""
        with pytest.raises(OSError):
            while piece := data.recv(4096):
                got += piece
            raise OSError("the connection ended")
    assert (DATA * 8).startswith(got) and 0 < len(got) < len(DATA) * 8


def test_noise_of_one_in_a_thousand_lets_nothing_wrong_through(net: NetGuest) -> None:
    """Nine of ten frames are lost. What comes is the file's beginning."""
    ftp, data = begin(net, "RFC.BIN")
    with ftp, data:
        got = rest(data, 1000)
        net.wire.set_profile("host", bit_errors=1e-3)
        lost = net.wire.counters()["ports"]["host"]["down"]["damaged"]

        def damaged() -> bool:
            return bool(net.wire.counters()["ports"]["host"]["down"]["damaged"] >= lost + 5)

        wait_until(damaged, 60, "frames that are damaged")
        net.wire.set_profile("host", bit_errors=0.0)
        assert got + rest(data) == DATA
        ftp.voidresp()


def test_a_window_of_nought_for_minutes(net: NetGuest) -> None:
    net.wire.set_profile("host", "line-9600-quiet", rate=100 * RATE)
    with socket.socket() as control:
        control.settimeout(30)
        control.connect((ADDRESS, 21))
        lines = control.makefile("rw", newline="\r\n")

        def ask(text: str) -> str:
            lines.write(text + "\r\n")
            lines.flush()
            return lines.readline()

        lines.readline()
        ask("USER CL01")
        ask("PASS CL01")
        ask("TYPE I")
        ports = ask("PASV").split("(")[1].split(")")[0].split(",")
        with socket.socket() as data:
            data.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            data.settimeout(30)
            data.connect((ADDRESS, int(ports[4]) * 256 + int(ports[5])))
            ask("RETR LONG.BIN")
            seen = quiet(net)
            # each probe waits longer for the next: six of them are a minute of the guest's clock
            wait_until(lambda: frames_in(net) >= seen + 6, 40, "probes of the closed window")
            assert rest(data) == DATA * 8


def frames_in(net: NetGuest) -> int:
    return int(net.wire.counters()["ports"]["vmkb"]["frames_in"])


def quiet(net: NetGuest) -> int:
    """The number of frames from the guest, once no more than a few come in a while."""
    seen = [frames_in(net)]

    def rests() -> bool:
        seen.append(frames_in(net))
        return seen[-1] == seen[-2]

    try:
        wait_until(rests, 30, "the guest to wait for a window", poll=0.2)
    except Timeout as error:
        raise AssertionError("the window never closed") from error
    return seen[-1]


def test_two_transfers_share_a_line(net: NetGuest) -> None:
    """Both files come whole, and the second does not wait for the first one's end. How much each
    has of the line is asked on virtual time (test_line_shared.py)."""
    one, first = begin(net, "MIDDLE.BIN")
    other, second = begin(net, "MIDDLE.BIN")
    with one, other, first, second:
        got = {first: bytearray(), second: bytearray()}
        open_ones, least = set(got), list[int]()  # and what each had at least as one ended
        for data in got:
            data.setblocking(False)

        def ended() -> bool:
            for data in tuple(open_ones):
                with contextlib.suppress(BlockingIOError):
                    piece = data.recv(65536)
                    got[data] += piece
                    if not piece:
                        open_ones.remove(data)
                        least.append(min(map(len, got.values())))
            return not open_ones

        wait_until(ended, 90, "both files", poll=0.01)
        assert [bytes(each) == DATA * 3 for each in got.values()] == [True, True]
        assert least[0] > 0
        assert [ftp.voidresp()[:3] for ftp in (one, other)] == ["250", "250"]
