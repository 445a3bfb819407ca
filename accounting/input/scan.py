# SPDX-License-Identifier: MIT
"""Records, errors and text out of console bytes of any size, in input order.

RE2 runs over megabytes at a time and finds the few lines that may be records; one anchored
pattern looks at these, and ply reads only what that finds.  Memory is a few blocks whatever
the input's size.  Text is ISO 8859-1, one character per byte, so that nothing of the input
is lost: joining the raw of all items, with a line end behind each record and error, gives
the input again, but for passwords and for zeros at the beginning of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from vmkb.accounting.grammar.base import Family, Mismatch
from vmkb.accounting.grammar.families import (
    BARE_PARTS,
    BEHIND,
    PREFIX_PARTS,
    candidates,
    continuation,
    hints,
)
from vmkb.accounting.records import Item, ParseError, Record, Text, Where

#: A line longer than this is text: it bounds memory on input without line ends.
LONGEST_LINE = 1 << 20
#: Where terminals and card images cut lines.
CUT = 80
#: A shorter stretch is not worth RE2.
SHORT = 1 << 16
#: More often than once in so many bytes, and a line that is looked at costs more than RE2 saves.
CROWDED = 500
#: A time stamp behind a line, in brackets or without.
_BEHIND = re.compile(
    r"(?<![ \t])[ \t]++[\[(]?"
    r"((?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:\.\d{1,6})?)[\])]?(?=[ \t\r]*(?:\n|\Z))"
)
#: Zeros at the beginning of a line.
_HOLE = re.compile(rb"\n\0+")
_new = tuple.__new__


class Scanner:
    """Feed it bytes, get items.  NAMES chooses families (empty: all of them)."""

    def __init__(
        self,
        file: str = "-",
        names: tuple[str, ...] = (),
        keep_text: bool = False,
        line: int = 1,
    ) -> None:
        self.file, self.keep_text, self.line = file, keep_text, line
        self.pattern, self.owners, self.behind = candidates(names)
        #: The family of each group whose records mostly are a line without a prefix.
        self.plain = [
            None if number >= self.behind or family.secret else family
            for number, family in enumerate(self.owners)
        ]
        self.names = names
        self._tail = b""
        self._holes: list[tuple[int, int]] = []  # line and size of what no record tells yet
        self._inside = False  # the tail is not at the beginning of a line

    def feed(self, data: bytes, last: bool = False) -> Iterator[Item]:
        """Items that are complete with DATA; LAST says that no more will come."""
        plain = b"\0" not in data and not self._holes
        return self._feed(data, last) if plain else self._told(self._feed(data, last))

    def _told(self, found: Iterator[Item]) -> Iterator[Item]:
        """FOUND, where a record says how many zeros were before it."""
        for item in found:
            if isinstance(item, Record) and (zeros := self._zeros_before(item.where.line)):
                note = f"{zeros} bytes of zeros before it were left out"
                item = item._replace(notes=(*item.notes, note))
            yield item

    def _zeros_before(self, line: int) -> int:
        """How many were in LINE and in lines with zeros right before it. No record tells those
        before other text: a large file is cut behind such text."""
        zeros, mine = 0, sum(at <= line for at, _ in self._holes)
        for at, size in reversed(self._holes[:mine]):
            if line - at > 1:
                break
            zeros, line = zeros + size, at
        del self._holes[:mine]
        return zeros

    def _without_holes(self, buf: bytes) -> bytes:
        """BUF without the zeros at the beginning of lines, which a crash or a log that was cut
        short leaves. Within a line zeros are blanks."""
        line, at, parts = self.line, 1, [buf[:1]]
        for hole in _HOLE.finditer(buf):
            start, end = hole.span()
            line += buf.count(b"\n", at, start + 1)
            self._holes.append((line, end - start - 1))
            parts.append(buf[at : start + 1])
            at = end
        return b"".join((*parts, buf[at:]))

    def _feed(self, data: bytes, last: bool) -> Iterator[Item]:
        if self._inside:
            cut = data.find(b"\n") + 1
            if not cut and not last:
                yield from self._text(data)
                return
            cut = cut or len(data)
            yield from self._text(data[:cut])
            data = data[cut:]
            self._inside = False
        buf = b"\n" + self._tail + data
        if b"\0" in buf:
            buf = self._without_holes(buf)
        stop = len(buf) - buf.endswith(b"\n") if last else buf.rfind(b"\n")
        done = 1  # everything before this has been given out
        counted = 1
        owners, plain, file, keep_text = self.owners, self.plain, self.file, self.keep_text
        line = done_line = self.line  # of the byte at counted, and of that at done
        for match in self._candidates(buf, stop):
            start, end = match.span()
            start += 1
            if start < done:
                continue  # joined to the line above
            group: int = match.lastindex  # type: ignore[assignment]
            family = owners[group]
            first_end = end
            if family.more:
                end = continuation(family.name)(buf, end, stop).end()  # type: ignore[union-attr]
                if end == stop and not last:
                    stop = start - 1
                    break  # the block may go on in the next bytes
            line = done_line if start == done else line + buf.count(b"\n", counted, start)
            counted = start
            if plain[group] and end == first_end and match.start(1) == start:
                # No prefix and one line: nearly all of a dense log, so kept short.
                raw = buf[start:end].decode("latin-1")
                try:
                    kind, fields, notes, _ = family.read(raw, family.lexer)[0]
                except Mismatch:
                    pass
                else:
                    if keep_text and start > done:
                        yield Text(buf[done:start].decode("latin-1"), Where(file, done_line, 1))
                    done, done_line = end + 1, line + 1
                    where = _new(Where, (file, line, 1))
                    yield _new(Record, (kind, fields, raw, where, "", "", "", notes))
                    continue
            parts = BARE_PARTS if group < self.behind else PREFIX_PARTS
            found: list[Record] | ParseError = self._read(family, buf, start, end, line, parts)
            if isinstance(found, ParseError) and end - start in (CUT, CUT + 1):
                if end == stop and not last:
                    stop = start - 1
                    break
                found, end = self._joined(found, family, buf, start, end, stop, parts)
            if family.maybe and isinstance(found, ParseError):
                continue
            if keep_text and start > done:
                yield Text(buf[done:start].decode("latin-1"), Where(file, done_line, 1))
            done, done_line = end + 1, line + buf.count(b"\n", start, end) + 1
            if isinstance(found, ParseError):
                yield found
            else:
                yield from found
        rest = len(buf) if last else max(stop, 0) + 1
        if keep_text and rest > done:
            yield Text(buf[done:rest].decode("latin-1"), Where(file, done_line, 1))
        if not last:
            self.line = line + buf.count(b"\n", counted, rest)
        self._tail = buf[rest:]
        if len(self._tail) > LONGEST_LINE and b"\n" not in self._tail:
            tail, self._tail, self._inside = self._tail, b"", True
            yield from self._text(tail)

    def _candidates(self, buf: bytes, stop: int) -> Iterator[re.Match[bytes]]:
        """Matches of the pattern before STOP, in order, as its own finditer gives them."""
        at = 0  # a new line, before which nothing is left to be found
        if stop > SHORT:
            match, seen = self.pattern.match, 0
            for hit in hints(self.names).finditer(buf, 0, stop):
                end = hit.end()
                if end <= at:
                    continue  # of the same line
                found = match(buf, buf.rfind(b"\n", at, end), stop)
                if found is not None:
                    yield found
                seen += 1
                at = buf.find(b"\n", end, stop)
                if at < 0:
                    return
                if seen * CROWDED > at + SHORT:
                    break
            else:
                return
        yield from self.pattern.finditer(buf, at, stop)

    def _text(self, data: bytes) -> Iterator[Item]:
        """Part of a line that is too long to be a record."""
        if self.keep_text and data:
            yield Text(data.decode("latin-1"), Where(self.file, self.line, 1))
        self.line += data.count(b"\n")

    def _read(
        self, family: Family, buf: bytes, start: int, end: int, line: int, parts: re.Pattern[bytes]
    ) -> list[Record] | ParseError:
        """The records from START to END, whose first line's prefix fits PARTS."""
        raw = buf[start:end].decode("latin-1")
        shown = raw.replace("\0", " ")  # a 3270 buffer's nulls are blanks to the eye
        before = parts.match(buf, start, end)
        skip = before.end() - start if before else 0
        stamp, said, later = (
            part.decode("latin-1") if part else ""
            for part in (before.groups() if before else (b"", b"", b""))
        )
        stamp = later or stamp
        first, *others = shown.split("\n")
        text = _bare(first, skip)
        if others:
            whose = None if parts is BARE_PARTS else said
            text = "\n".join([text, *(_bare(other, _prefix(other, whose)) for other in others)])
        where = Where(self.file, line, skip + 1)
        origin = _whose(said)
        try:
            return family.parse(text, where, raw, stamp, origin)
        except ParseError as error:
            bare, behind = _without_stamps(text)
            if not behind:
                return error
            try:
                return family.parse(bare, where, raw, stamp or behind, origin)
            except ParseError:
                return error

    def _joined(
        self,
        error: ParseError,
        family: Family,
        buf: bytes,
        start: int,
        end: int,
        stop: int,
        parts: re.Pattern[bytes],
    ) -> tuple[list[Record] | ParseError, int]:
        """A record that was cut at column 80 and goes on in the next line, if it does."""
        after = buf.find(b"\n", end + 1, stop)
        after = stop if after < 0 else after
        if end >= stop or self.pattern.match(buf, end, stop):
            return error, end
        whole = buf[start:end].rstrip(b"\r") + buf[end + 1 : after]
        found = self._read(family, whole, 0, len(whole), error.line, parts)
        if isinstance(found, ParseError):
            return error, end
        raw = buf[start:after].decode("latin-1")
        note = f"joined from a line cut at column {CUT}"
        return [record._replace(raw=raw, notes=(*record.notes, note)) for record in found], after


def _without_stamps(text: str) -> tuple[str, str]:
    """TEXT without the time stamps behind its lines, and the first of them, if any."""
    found = _BEHIND.search(text)
    return (_BEHIND.sub("", text), found[1]) if found else (text, "")


def _bare(line: str, skip: int) -> str:
    """LINE without its first SKIP characters, and without the quote that ends what a trace shows of
    a screen if they end with one."""
    text = line[skip:]
    return text.rstrip().removesuffix("'") if ": '" in line[:skip] else text


def _prefix(line: str, said: str | None) -> int:
    """How long the prefix of a further LINE of a block is, whose first line begins with SAID and a
    colon (None: with nobody)."""
    before = BARE_PARTS.match(line.encode("latin-1"))
    at = before.end() if before else 0
    if said is not None and line.startswith(said, at):
        rest = line[at + len(said) :].lstrip(" ")
        if rest.startswith(":"):
            rest = rest[1:].lstrip(" ")
            behind = BEHIND.match(rest.encode("latin-1"))
            return len(line) - len(rest) + (behind.end() if behind else 0)
    return at


def unprefixed(line: str) -> list[tuple[str, str]]:
    """LINE without what may stand before a record, and nobody's; where a userid does, also without
    that, and whose it is."""
    data = line.encode("latin-1", "replace")
    found = [(before, "") for before in (BARE_PARTS.match(data),) if before]
    if said := PREFIX_PARTS.match(data):
        found.append((said, _whose(said[2].decode("latin-1"))))
    return [(_bare(line, before.end()).strip(), whose) for before, whose in found]


#: A node with the userid at it or without, as RSCS writes it.
_NODE = re.compile(r"(?:DMTRGX171I +)?FROM +([^\s(]+)(?:\(([^\s)]+)\))?", re.IGNORECASE)


def _whose(said: str) -> str:
    """The origin of a record behind SAID: a userid, or NODE(USERID) where the node is said too."""
    if found := _NODE.fullmatch(said):
        node, user = found.groups()
    else:
        user, *more = said.split()[::-1] or [""]
        node = more[0] if more else ""
        user = user.partition("[")[0]
        if node and said.endswith(" "):
            node, user = user, node  # the log of a programmable operator has the userid first
    return (f"{node}({user})" if node and user else user or node or "").upper()


def scan(
    blocks: Iterable[bytes],
    file: str = "-",
    names: tuple[str, ...] = (),
    keep_text: bool = False,
    line: int = 1,
) -> Iterator[Item]:
    """Items of the byte BLOCKS of one input, read as text lines ended by \\n or \\r\\n."""
    scanner = Scanner(file, names, keep_text, line)
    for block in blocks:
        yield from scanner.feed(block)
    yield from scanner.feed(b"", last=True)
