# SPDX-License-Identifier: MIT
"""The parts that families share: a lean lexer for ply's parser, and the Family object.

ply's own lexer costs a microsecond for every token; a record has to cost less than ten
in all.  So a family gives a few fat tokens (a label with its number), the lexer here is
one compiled alternation, and the rules of the family stay ply rules, in its module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from vmkb.accounting.grammar.first import first_bytes
from vmkb.accounting.records import Field, ParseError, Record, Where

#: What a grammar's start symbol yields for one record: kind, fields, notes, and the
#: 0-based line of a block on which the record stands.
Parsed = tuple[str, Mapping[str, Field], tuple[str, ...], int]


#: Skipped between tokens; a family whose lines need no order adds the new line (BLANK).
BLANK = r"[ \t\r\f\0]"
#: Skipped too: what else is a space in ISO 8859-1, but for the new line.
ODD = r"\v\x1c-\x1f\x85\xa0"


_new = tuple.__new__


class Token:
    """A token as ply's parser takes it; ``lexer`` is set by ply on an error."""

    __slots__ = ("_match", "lexer", "lineno", "type", "value")

    def __init__(self, kind: str, value: str, match: re.Match[str]) -> None:
        self.type = kind
        self.value = value
        self._match = match

    @property
    def lexpos(self) -> int:
        """Offset of the token in the text."""
        return self._match.start(self._match.lastindex or 0)


class Read(NamedTuple):
    """A token of a record that fits: what the rules want of it, made in a third of the time."""

    type: str
    value: str
    match: re.Match[str]

    @property
    def lexpos(self) -> int:
        """Offset of the token in the text."""
        return self.match.start(self.match.lastindex or 0)


class Symbol:
    """The value of a rule, on the stack."""

    __slots__ = ("type", "value")

    def __init__(self, kind: str) -> None:
        self.type = kind
        self.value: Any = None


class Mismatch(Exception):
    """Inside a grammar: TOKEN (None: end of text) does not fit; EXPECTED if the rule knows."""

    def __init__(self, token: Token | None, expected: str = "", at: int | None = None) -> None:
        super().__init__()
        self.token, self.expected, self.at = token, expected, at


def p_error(token: Token | None) -> None:
    """ply's error hook for every family: stop at the first token that does not fit."""
    raise Mismatch(token)


class Lexer:
    """Tokens of one record from one compiled alternation; blanks between them are skipped.

    LEXICON is a list of (token name, pattern without groups, what to call it in an error).
    Text that fits no token becomes a BAD token, which no grammar takes and which runs to the end.
    Every match begins where the last one ended, so no blank is passed twice: blanks at the end
    of the text are a match of their own, without a group.
    """

    def __init__(self, lexicon: Sequence[tuple[str, str, str]], blank: str = BLANK) -> None:
        self.names = ["", *(name for name, _, _ in lexicon), "BAD"]
        alternatives = "|".join(f"({pattern})" for _, pattern, _ in lexicon)
        self.patterns = ["", *(pattern for _, pattern, _ in lexicon)]
        self.skipped = skipped = f"[{blank[1:-1]}{ODD}]"
        pattern: Any = re.compile(rf"{skipped}*+(?:{alternatives}|(\S(?s:.*)))|{skipped}++")
        self.scanner = pattern.scanner  # its match() goes on where the last one ended
        self.finditer = pattern.finditer  # the same: every character fits something

    def input(self, text: str) -> None:
        """Start on TEXT (ply's interface)."""
        self.text = text
        self.next: Callable[[], re.Match[str] | None] = self.scanner(text).match

    def token(self) -> Token | None:
        """The next token, None at the end (ply's interface)."""
        match = self.next()
        if match is None or not match.lastindex:
            return None
        index = match.lastindex
        return Token(self.names[index], match[index], match)


#: A rule's function, how many symbols it takes, its name, and how many tokens stand before it.
Step = tuple[Callable[[Any], None], int, str, int]


class Slot(Symbol):
    """A token of a form, which each record that fits fills anew."""

    __slots__ = ("form", "number")

    def __init__(self, kind: str, form: Form, number: int) -> None:
        super().__init__(kind)
        self.form, self.number = form, number

    @property
    def lexpos(self) -> int:
        """Offset of the token in the text."""
        return self.form.found.start(self.number)


class Form:
    """A sequence of kinds of tokens as one pattern over the text, and the steps that they take.

    It fits exactly the texts whose tokens have these kinds: each token is tried after the blanks
    before it, not where an earlier kind of the lexicon fits, and is never tried shorter.
    """

    def __init__(self, lexer: Lexer, kinds: Sequence[int], steps: list[Step]) -> None:
        parts = []
        for kind in kinds:
            mine = first_bytes(lexer.patterns[kind].encode("latin-1"))
            earlier = [
                other
                for other in lexer.patterns[1:kind]
                if first_bytes(other.encode("latin-1")) & mine
            ]
            guard = f"(?!{'|'.join(earlier)})" if earlier else ""
            parts.append(f"{lexer.skipped}*+{guard}((?>{lexer.patterns[kind]}))")
        self.match = re.compile("".join(parts) + rf"{lexer.skipped}*+\Z").match
        self.steps = steps
        self.found: re.Match[str]
        self.tokens = [Slot(lexer.names[k], self, number) for number, k in enumerate(kinds, 1)]
        self.made = Symbol("record")
        self.slice = [self.made, *self.tokens]
        #: The rule that takes all of the tokens, if there is only one.
        self.rule = steps[0][0] if len(steps) == 1 and steps[0][1] == len(kinds) else None


class Replay:
    """Takes the steps that ply's tables say, without asking them again for each record.

    Which rules apply in which order depends on the kinds of the tokens alone, so this is worked
    out from the tables once for each sequence of kinds, and most records of a log have one of a
    few.  A form reads the first few sequences that a log has.  What does not fit is
    given to ply's own parser, which says where and why.
    """

    #: Sequences that are kept, and the longest of them: a log's long blocks are each another one.
    KEPT, LONGEST = 500, 40
    #: Forms that are tried, and the most tokens in one.
    FORMS, WIDEST = 4, 12

    def __init__(self, parser: Any, lexer: Lexer) -> None:
        from ply.yacc import YaccProduction

        self._parser, self._lexer = parser, lexer
        self._known: dict[tuple[int | None, ...], list[Step]] = {}
        self._forms: list[Form] = []
        self._production = YaccProduction(None)
        self._production.lexer, self._production.parser = lexer, parser

    def read(self, text: str, lexer: Lexer) -> list[Parsed]:
        """The value of TEXT, as ply's parse returns it; Mismatch if it does not fit."""
        for form in self._forms:
            found = form.match(text)
            if found is not None:
                lexer.text, form.found = text, found
                for token, value in zip(form.tokens, found.groups()):  # noqa: B905
                    token.value = value
                try:
                    if form.rule is None:
                        return self._many(form.steps, form.tokens)
                    self._production.slice = form.slice
                    form.rule(self._production)
                except Mismatch:
                    return self._with_ply(text)
                made: list[Parsed] = form.made.value
                return made
        return self._tokens(text, lexer)

    def _tokens(self, text: str, lexer: Lexer) -> list[Parsed]:
        found = list(lexer.finditer(text))
        kinds = tuple([match.lastindex for match in found])
        if kinds and kinds[-1] is None:  # blanks at the end
            kinds = kinds[:-1]
        steps = self._known.get(kinds) or self._learn(kinds)
        if not steps:
            return self._with_ply(text)
        names = lexer.names
        lexer.text = text
        tokens: list[Any] = [
            _new(Read, (names[kind], match[kind], match))
            for kind, match in zip(kinds, found)  # noqa: B905  (blanks at the end are left)
        ]
        try:
            return self._many(steps, tokens)
        except Mismatch:
            return self._with_ply(text)

    def _many(self, steps: list[Step], tokens: Sequence[Any]) -> list[Parsed]:
        production = self._production
        stack: list[Any] = []
        shifted = 0
        for rule, length, name, before in steps:
            if before > shifted:
                stack += tokens[shifted:before]
                shifted = before
            made = Symbol(name)
            if length:
                production.slice = [made, *stack[-length:]]
                del stack[-length:]
            else:
                production.slice = [made]
            rule(production)
            stack.append(made)
        result: list[Parsed] = stack[0].value
        return result

    def _learn(self, kinds: tuple[int | None, ...]) -> list[Step]:
        steps = self._steps([self._lexer.names[kind or 0] for kind in kinds])
        if steps and len(kinds) <= self.LONGEST and len(self._known) < self.KEPT:
            self._known[kinds] = steps
            if len(self._forms) < self.FORMS and len(kinds) <= self.WIDEST:
                self._forms.append(Form(self._lexer, [k or 0 for k in kinds], steps))
        return steps

    def _with_ply(self, text: str) -> list[Parsed]:
        result: list[Parsed] = self._parser.parse(text, self._lexer)
        return result

    def _steps(self, kinds: Sequence[str]) -> list[Step]:
        """The rules that ply's tables apply to tokens of KINDS; none if they do not take them."""
        action, goto, rules = self._parser.action, self._parser.goto, self._parser.productions
        states, at = [0], 0
        steps: list[Step] = []
        while True:
            what = action[states[-1]].get(kinds[at] if at < len(kinds) else "$end")
            if what is None:
                return []
            if what > 0:
                states.append(what)
                at += 1
            elif what < 0:
                rule = rules[-what]
                if rule.len:
                    del states[-rule.len :]
                states.append(goto[states[-1]][rule.name])
                steps.append((rule.callable, rule.len, rule.name, at))
            else:
                return steps


class Family:
    """One grammar: how its records begin and go on in a byte stream, and how to read them.

    ``start``: patterns (bytes, no groups), one of which fits the text after a line's prefix;
    ``named`` the same for what follows a userid padded to 8; ``more`` for each following line
    of a block, ``limit`` of them at most.  No line may fit both ``more`` of one family and
    ``start`` of another: a start line always begins a record, which lets a file be cut
    before any of them; ``loose`` families, whose ``more`` fits much, get a guard for that.
    What only looks like a record of a ``maybe`` family is text, not an error.  ``module``
    holds the ply rules and LEXICON, and for a ``secret`` family hide(raw).
    """

    def __init__(
        self,
        name: str,
        start: tuple[bytes, ...],
        more: bytes = b"",
        limit: int = 0,
        about: str = "",
        named: tuple[bytes, ...] = (),
        loose: bool = False,
        maybe: bool = False,
        module: str = "",
        secret: bool = False,
    ) -> None:
        self.name, self.start, self.more, self.limit, self.about = name, start, more, limit, about
        self.named, self.loose, self.maybe, self.secret = named, loose, maybe, secret
        self._module = module or name
        self._parser: Any = None
        self.lexer: Any = None

    @property
    def module(self) -> Any:
        """The family's module, imported at the first candidate: a small log needs few of them."""
        return import_module(f"vmkb.accounting.grammar.{self._module}")

    def hide(self, raw: str) -> str:
        """RAW without what nobody shall read: passwords are asterisks."""
        return str(self.module.hide(raw)) if self.secret else raw

    def read(self, text: str, lexer: Any = None) -> list[Parsed]:
        """The value of TEXT (one record or block, prefixes removed); Mismatch if it does not fit.

        The first call builds ply's tables (in memory: half a millisecond, nothing is
        written) and puts ply's own parse method in this one's place.
        """
        from ply import yacc

        module = self.module
        lexicon = module.LEXICON
        self.lexer = Lexer(lexicon, getattr(module, "BLANK", BLANK))
        self._called = {name: called for name, _, called in lexicon}
        self._parser = yacc.yacc(
            module=module,
            debug=False,
            write_tables=False,
            check_recursion=False,
            errorlog=yacc.NullLogger(),
        )
        self.read = Replay(self._parser, self.lexer).read  # type: ignore[method-assign, assignment]
        return self.read(text, self.lexer)

    def parse(
        self, text: str, where: Where, raw: str = "", stamp: str = "", origin: str = ""
    ) -> list[Record]:
        """The records in TEXT; ParseError says where it stops fitting, counted from WHERE."""
        try:
            found = self.read(text, self.lexer)
        except Mismatch as miss:
            raise self._error(miss, self.hide(text), where, self.hide(raw or text)) from None
        raw = self.hide(raw or text)
        kind, fields, notes, at = found[0]
        if len(found) == 1:
            return [Record(kind, fields, raw, _line(where, at), stamp, origin, "", notes)]
        lines = raw.split("\n")
        cuts = [0, *(parsed[3] for parsed in found[1:]), len(lines)]
        return [
            Record(
                kind, fields, "\n".join(lines[cuts[number] : cuts[number + 1]]),
                _line(where, at), stamp, origin, "", notes,
            )
            for number, (kind, fields, notes, at) in enumerate(found)
        ]  # fmt: skip

    def _error(self, miss: Mismatch, text: str, where: Where, raw: str) -> ParseError:
        token = miss.token
        if miss.at is not None:
            position, found = miss.at, text[miss.at :].split("\n")[0]
        elif token is None:
            position, found = len(text.rstrip()), ""
        else:
            position, found = token.lexpos, text[token.lexpos :].split("\n")[0].rstrip()
        expected = miss.expected or self._expected()
        above = text.count("\n", 0, position)
        start = text.rfind("\n", 0, position) + 1
        column = position - start + (where.col if above == 0 else 1)
        return ParseError(where.file, where.line + above, column, expected, found, self.name, raw)

    def _expected(self) -> str:
        """The tokens that ply's table would take in the state where it stopped, in words."""
        row = self._parser.action[self._parser.state]
        names = [self._called.get(name, "the end of the record") for name in sorted(row)]
        return " or ".join(dict.fromkeys(names))


def _line(where: Where, at: int) -> Where:
    """WHERE, or the beginning of the line AT lines below it."""
    return Where(where.file, where.line + at, 1) if at else where


#: Months as VMS prints them.
MONTHS = {
    name: number
    for number, name in enumerate(
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
        start=1,
    )
}
