# SPDX-License-Identifier: MIT
"""What is a record for the grammar is a prompt for the screen reader, and the other way round."""

from hypothesis import example, given
from hypothesis import strategies as st

from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record
from vmkb.hercules.tn3270.screen import parse_ready

#: As CMS says them; a log may also have been folded to capitals, a screen not.
WORDS = st.sampled_from(["Ready", "R", "Read"])
CODES = st.sampled_from(["", "(00028)", "(-0003)", "(7)", "()", "(x)"])
ENDS = st.sampled_from([";", "", ":", " ;"])
TIMES = st.sampled_from(["", " T=0.01/0.02 12:34:56", " T=0.01 12:34:56", " and more"])


@given(WORDS, CODES, ENDS, TIMES)
@example("Ready", "(00028)", "", "")  # VM/370 Community Edition after a command that failed
def test_both_take_the_same_lines(word: str, code: str, end: str, times: str) -> None:
    line = word + code + end + times
    found = [i for i in scan([line.encode()]) if isinstance(i, Record) and i.kind == "ready"]
    ready = parse_ready(line)
    assert (ready is not None) == bool(found), line
    if ready is not None:
        assert ready.rc == found[0].value("rc").value
