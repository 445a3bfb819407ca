# SPDX-License-Identifier: MIT
"""The file of a profiling emulator: what is written is read, what is cut off is left out."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.profile.counts import HEAD_BYTES, ProfileError, Sample, merged, read, write

USERIDS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#$", min_size=1, max_size=8)
ENTRIES = st.dictionaries(
    st.integers(0, 2**64 - 1).map(lambda a: a & ~1), st.integers(1, 2**63 - 1), max_size=20
)


def sample(userid: str, counts: dict[int, int], account: int = 0x2000, at: int = 7) -> Sample:
    return Sample(userid, account, at, counts)


SAMPLES = st.lists(
    st.builds(sample, USERIDS, ENTRIES, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
    max_size=4,
)


def as_tuple(s: Sample) -> tuple[object, ...]:
    return s.userid, s.account, s.at, dict(s.counts)


@given(SAMPLES)
def test_what_is_written_is_read(samples: list[Sample]) -> None:
    assert [as_tuple(s) for s in read(write(samples))] == [as_tuple(s) for s in samples]


@given(SAMPLES, st.data())
def test_a_file_cut_anywhere_gives_the_samples_that_are_whole(
    samples: list[Sample], data: st.DataObject
) -> None:
    whole = write(samples)
    cut = whole[: data.draw(st.integers(HEAD_BYTES, len(whole)))]
    found = [as_tuple(s) for s in read(cut)]
    assert found == [as_tuple(s) for s in samples][: len(found)]
    assert len(found) == sum(len(write(samples[: k + 1])) <= len(cut) for k in range(len(samples)))


def test_a_start_of_the_guest_is_no_sample() -> None:
    start = struct.pack("<IIQ8sQ", 1, 0, 0, b"\x40" * 8, 0)
    only = write([sample("TCPIP", {0x10000: 3})])
    data = only[:HEAD_BYTES] + start + only[HEAD_BYTES:]
    assert [(s.userid, s.total) for s in read(data)] == [("TCPIP", 3)]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "has 0 bytes"),
        (b"VMKBPROF", "has 8 bytes"),
        (b"X" * 40, "does not begin as a profile does"),
        (struct.pack("<8sII", b"VMKBPROF", 1, 64), "version 1"),
        (struct.pack("<8sIIIIQ8sQ", b"VMKBPROF", 2, 64, 9, 0, 0, b"", 0), "byte 16: .* kind 9"),
    ],
)
def test_what_is_no_profile_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        read(data)


@given(st.binary(max_size=200))
def test_noise_is_refused_or_read(data: bytes) -> None:
    try:
        read(struct.pack("<8sII", b"VMKBPROF", 2, 64) + data)
    except ProfileError:
        return


@given(st.lists(ENTRIES, max_size=4))
def test_merged_sums_by_address(parts: list[dict[int, int]]) -> None:
    want: dict[int, int] = {}
    for part in parts:
        for address, count in part.items():
            want[address] = want.get(address, 0) + count
    assert merged([sample("A", p) for p in parts]) == want
