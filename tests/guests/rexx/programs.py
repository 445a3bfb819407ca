# SPDX-License-Identifier: MIT
"""Programs for comparing interpreters: made from seeds, each ends by itself and says what it did.

Values stay small, so that what is known to differ in arithmetic (regina.toml) does not come up:
vectors.py has that. About one program in three runs into an error, which it may trap.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

SIMPLE = ("a", "b", "c", "n")
STEMS = ("s.", "t.")
WORDS = ("one", "Two", "THREE", "f o u r", "", " 5 ", "6-six", "it''s", "x.y", "0", "12")
LOOPS = ("i", "j", "k")
DEPTH = 3


class Maker:
    """One program. r decides everything, so a seed is a program."""

    def __init__(self, r: Random) -> None:
        self.r = r
        self.lines: list[str] = []
        self.loops = 0
        self.routine = 0  # inside of which routine: it calls only later ones
        self.budget = r.randint(6, 18)  # instructions

    # ---- expressions

    def whole(self, depth: int = 0) -> str:
        """An expression whose value is a whole number."""
        r = self.r
        simple: list[Callable[[], str]] = [
            lambda: str(r.randint(0, 20)),
            lambda: str(r.choice([-3, -1, 100, 255, 4711])),
            lambda: r.choice(LOOPS[: self.loops]) if self.loops else "7",
            lambda: f"length({self.text(DEPTH)})",
        ]
        if depth >= DEPTH:
            return r.choice(simple)()
        deeper: list[Callable[[], str]] = [
            lambda: f"({self.whole(depth + 1)} {r.choice('+-')} {self.whole(depth + 1)})",
            lambda: f"{self.whole(depth + 1)} * {r.randint(0, 12)}",
            lambda: f"({self.whole(depth + 1)}) % {r.choice([2, 3, 7, -5])}",
            lambda: f"({self.whole(depth + 1)}) // {r.choice([2, 3, 10, -4])}",
            lambda: f"-(1 + abs({self.whole(depth + 1)}))",  # regina 3.6: -0 = 0 is 0
            lambda: f"{r.randint(0, 9)}**{r.randint(0, 4)}",
            lambda: f"abs({self.whole(depth + 1)})",
            lambda: f"max({self.whole(depth + 1)}, {self.whole(depth + 1)})",
            lambda: f"min({self.whole(depth + 1)}, {self.whole(depth + 1)}, 9)",
            lambda: f"words({self.text(depth + 1)})",
            lambda: f"pos({self.text(DEPTH)}, {self.text(depth + 1)})",
            lambda: f"wordpos({self.text(DEPTH)}, {self.text(depth + 1)})",
            lambda: f"compare({self.text(DEPTH)}, {self.text(DEPTH)})",
            lambda: f"verify({self.text(DEPTH)}, 'abc 123')",
            lambda: f"c2d({self.text(DEPTH)}, 1)",
            lambda: f"x2d('{r.choice(['0', 'f', '1A', '00ff'])}')",
            lambda: f"({self.condition(depth + 1)})",
            lambda: self.call(depth),
        ]
        return r.choice(simple + deeper)()

    def text(self, depth: int = 0) -> str:
        r = self.r
        simple: list[Callable[[], str]] = [
            lambda: "'" + r.choice(WORDS) + "'",
            lambda: r.choice(SIMPLE),
            lambda: self.compound(),
            lambda: str(r.randint(0, 99)),
            lambda: "'" + r.choice(["616263", "4142", ""]) + "'x",
        ]
        if depth >= DEPTH:
            return r.choice(simple)()
        deeper: list[Callable[[], str]] = [
            lambda: f"{self.text(depth + 1)} {self.text(depth + 1)}",
            lambda: f"({self.text(depth + 1)})||{self.text(depth + 1)}",
            lambda: f"({self.text(depth + 1)})'-'{self.whole(DEPTH)}",
            lambda: f"left({self.text(depth + 1)}, {r.randint(0, 9)}{self.pad()})",
            lambda: f"right({self.text(depth + 1)}, {r.randint(0, 9)}{self.pad()})",
            lambda: f"center({self.text(depth + 1)}, {r.randint(0, 9)}{self.pad()})",
            lambda: f"substr({self.text(depth + 1)}, {r.randint(1, 6)}, {r.randint(0, 6)})",
            lambda: f"word({self.text(depth + 1)}, {r.randint(1, 4)})",
            lambda: f"subword({self.text(depth + 1)}, {r.randint(1, 3)})",
            lambda: f"delword({self.text(depth + 1)}, {r.randint(1, 3)}, 1)",
            lambda: f"delstr({self.text(depth + 1)}, {r.randint(1, 6)}, 2)",
            lambda: f"insert({self.text(DEPTH)}, {self.text(depth + 1)}, {r.randint(0, 5)})",
            lambda: f"overlay({self.text(DEPTH)}, {self.text(depth + 1)}, {r.randint(1, 5)})",
            lambda: f"copies({self.text(depth + 1)}, {r.randint(0, 3)})",
            lambda: f"strip({self.text(depth + 1)}, '{r.choice('LTB')}')",
            lambda: f"space({self.text(depth + 1)}, {r.randint(0, 2)})",
            lambda: f"reverse({self.text(depth + 1)})",
            lambda: f"translate({self.text(depth + 1)})",
            lambda: f"translate({self.text(depth + 1)}, 'xyz', 'eo1')",
            lambda: f"c2x({self.text(DEPTH)})",
            lambda: f"d2x({r.randint(0, 999)})",
            lambda: f"datatype({self.text(depth + 1)})",
            lambda: f"symbol('{r.choice([*SIMPLE, 's.1', '7', 'q', '?!'])}')",
            lambda: f"value('{r.choice(SIMPLE)}')",
            lambda: f"format({self.whole(DEPTH)}, 6, {r.randint(0, 3)})",
            lambda: f"trunc({self.whole(DEPTH)} / 4, 2)",
            lambda: f"abbrev({self.text(DEPTH)}, {self.text(DEPTH)}, 1)",
            lambda: self.whole(depth + 1),
            lambda: self.call(depth),
        ]
        return r.choice(simple + deeper)()

    def pad(self) -> str:
        return self.r.choice(["", "", ", '*'", ", '0'"])

    def compound(self) -> str:
        return self.r.choice(STEMS) + self.r.choice(["1", "2", "x", "n", "a", "n.1", "i"])

    def condition(self, depth: int = 0) -> str:
        r = self.r
        op = r.choice(["=", "\\=", "<>", "<", ">", "<=", ">=", "==", "\\==", ">>", "<<", "<<="])
        pairs = [(self.whole, self.whole), (self.text, self.text), (self.text, self.whole)]
        left, right = r.choice(pairs)
        plain = f"({left(depth + 1)}) {op} ({right(depth + 1)})"
        if depth >= DEPTH or r.random() < 0.6:
            return plain
        other = self.condition(depth + 1)
        return r.choice([f"\\({plain})", f"({plain}) {r.choice(['&', '|', '&&'])} ({other})"])

    def later(self) -> str:
        """A routine that may be called from here, so that none calls itself."""
        return f"f{self.r.randint(self.routine + 1, 4)}"

    def call(self, depth: int) -> str:
        return f"{self.later()}({self.text(depth + 2)}, {self.whole(depth + 2)})"

    # ---- instructions

    def target(self) -> str:
        return self.r.choice([*SIMPLE, *SIMPLE, self.compound(), self.compound(), "s."])

    def put(self, line: str) -> None:
        self.lines.append("  " * self.loops + line)

    def template(self) -> str:
        r = self.r
        kinds: list[Callable[[], str]] = [
            lambda: self.target(),
            lambda: self.target(),
            lambda: ".",
            lambda: "'" + r.choice([" ", "o", "-", "e"]) + "'",
            lambda: str(r.randint(1, 9)),
            lambda: r.choice("+-") + str(r.randint(0, 4)),
            lambda: "(b)",
            lambda: f"={r.randint(1, 6)}",
        ]
        return " ".join(r.choice(kinds)() for _ in range(r.randint(1, 5)))

    def instruction(self, depth: int) -> None:
        r = self.r
        self.budget -= 1
        choices: list[Callable[[], None]] = [
            lambda: self.put(f"{self.target()} = {self.text()}"),
            lambda: self.put(f"{self.target()} = {self.whole()}"),
            lambda: self.put(f"say {self.text()}"),
            lambda: self.put(f"say '<'||{self.text(1)}'>'"),
            lambda: self.put(f"say {self.condition()}"),
            lambda: self.put(f"parse value {self.text()} with {self.template()}"),
            lambda: self.put(f"parse var {r.choice(SIMPLE)} {self.template()}"),
            lambda: self.put(f"parse upper value {self.text()} with {self.template()}"),
            lambda: self.put(f"{r.choice(['push', 'queue'])} {self.text()}"),
            lambda: self.put(f"if queued() > 0 then parse pull {self.template()}"),
            lambda: self.put(f"drop {self.target()}"),
            lambda: self.put(f"upper {r.choice(SIMPLE)}"),
            lambda: self.put(f'interpret "{r.choice(SIMPLE)} =" ({self.whole(1)})'),
            lambda: self.put(f"interpret 'say {r.randint(1, 9)}*{r.randint(1, 9)}; nop'"),
            lambda: self.put(f"call {self.later()} {self.text(1)}, {self.whole(2)}"),
            lambda: self.put("say 'result' symbol('result')"),
            lambda: self.put(f"numeric digits {r.choice([5, 9, 12])}"),
            lambda: self.put(f"say value('{r.choice(SIMPLE)}', {self.text(2)})"),
            lambda: self.put(f"if {self.condition()} then say 'yes'; else say 'no'"),
            lambda: self.put(f"do {r.randint(0, 3)}; say 'again'; end"),
        ]
        if self.routine == 0:
            choices.append(
                lambda: self.put(f"say strip({self.text(2)}) + {r.randint(0, 9)}")
            )  # may be 41
        if depth < DEPTH:
            choices += [lambda: self.group(depth), lambda: self.group(depth)]
        r.choice(choices)()

    def block(self, depth: int) -> None:
        for _ in range(self.r.randint(1, 3)):
            self.instruction(depth + 1)

    def group(self, depth: int) -> None:
        r = self.r
        kind = r.choice(["if", "do", "select", "loop", "loop"])
        if kind == "if":
            self.put(f"if {self.condition()} then do")
            self.block(depth)
            self.put("end")
            if r.random() < 0.5:
                self.put("else do")
                self.block(depth)
                self.put("end")
        elif kind == "do":
            self.put("do")
            self.block(depth)
            self.put("end")
        elif kind == "select":
            self.put("select")
            for _ in range(r.randint(1, 3)):
                self.put(f"when {self.condition()} then do")
                self.block(depth)
                self.put("end")
            self.put(r.choice(["otherwise say 'otherwise'", "otherwise nop", "otherwise"]))
            self.put("end")
        elif self.loops < len(LOOPS):
            self.loop(depth)

    def loop(self, depth: int) -> None:
        r = self.r
        name = LOOPS[self.loops]
        first, by = r.randint(-2, 5), r.choice([1, 1, 2, -1, 3])
        head = f"do {name} = {first} to {first + by * r.randint(0, 4)} by {by}"
        if r.random() < 0.2:
            head = f"do {name} = {self.r.randint(0, 3)} for {r.randint(0, 4)}"
        if r.random() < 0.3:
            head += f" {r.choice(['while', 'until'])} {self.condition(1)}"
        self.put(head)
        self.loops += 1
        self.block(depth)
        if r.random() < 0.4:
            word = r.choice(["leave", "iterate"])
            which = r.choice(["", "", f" {r.choice(LOOPS[: self.loops])}"])
            self.put(f"if {self.condition(1)} then {word}{which}")
            self.instruction(DEPTH)
        self.loops -= 1
        self.put(f"end {r.choice(['', name])}".rstrip())

    def routines(self) -> None:
        r = self.r
        for n in (1, 2, 3):
            self.routine = n
            scope = r.choice(
                ["", "procedure", "procedure", "procedure expose a s.", "procedure expose b t."]
            )
            self.put(f"f{n}: {scope}".rstrip())
            self.put(r.choice(["parse arg a, n", "arg b, n .", "use = arg(1); n = arg(2)"]))
            if "parse arg a" not in self.lines[-1]:
                self.put("a = 'in f'")
            self.instruction(DEPTH)
            self.put(f"return {r.choice([self.whole, self.text])(2)}")

    def program(self) -> str:
        r = self.r
        trap = r.choice(["", "signal on syntax", "signal on novalue name lost"])
        self.put("/* made by programs.py */")
        if trap:
            self.put(trap)
        for name in SIMPLE:
            self.put(f"{name} = {r.choice([self.text, self.whole])(DEPTH)}" if r.random() < 0.8
                     else "nop")  # fmt: skip
        while self.budget > 0:
            self.instruction(0)
        self.put("numeric digits 9")
        self.put("say '<'a'>' '<'||b'>' '<'c'>' '<'n'>' '<'s.1'>' '<'s.x'>' queued()")
        self.put("do while queued() > 0; parse pull line; say line; end")
        self.put("exit")
        self.routines()
        self.put("f4: return arg() arg(1, 'e') arg(2, 'o') arg(2)")
        self.put("syntax: say 'error' rc 'at' sigl; exit")
        self.put("lost: say 'lost' condition('d') sigl; exit")
        return "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    """The program of a seed."""
    return Maker(Random(seed)).program()
