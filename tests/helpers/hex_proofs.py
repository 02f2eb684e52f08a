"""Proofs in Hex for the tests, on 3 x 3: brute force that says what is true, a scribe who may be wrong, a guesser."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator

from helpers.text import read_or_refuse
from ludus.games.hex import checker, reference

SIZE = 3
EVERYTHING = (1 << SIZE**2) - 1


def each(cells: int) -> Iterator[int]:
    return (1 << cell for cell in range(cells.bit_length()) if cells >> cell & 1)


def names(cells: int, size: int = SIZE) -> str:
    found = (divmod(cell.bit_length() - 1, size) for cell in each(cells))
    return ",".join(f"{'abcdefgh'[column]}{row + 1}" for row, column in found) or "-"


def position(black: int, white: int, mover: int) -> str:
    letters = ["B" if black & 1 << cell else "W" if white & 1 << cell else "." for cell in range(SIZE**2)]
    return "/".join("".join(letters[row * SIZE : (row + 1) * SIZE]) for row in range(SIZE)) + " " + "bw"[mover]


@functools.cache
def joins(side: int, stones: int) -> bool:
    sides = (stones, 0) if side == 0 else (0, stones)
    return reference.result(position(*sides, 0)) is not None


@functools.cache
def wins(side: int, stones: int, free: int, first: bool) -> bool:
    """Whether a side does, to move or not, with these stones and free cells, if all the rest is the other's."""
    if joins(side, stones):
        return True
    if first:
        return any(wins(side, stones | cell, free & ~cell, False) for cell in each(free))
    return free != 0 and all(wins(side, stones, free & ~cell, True) for cell in each(free))


def parts(text: str, side: int) -> tuple[int, int]:
    """A side's stones in a position, and the free cells."""
    letters = text[:-2].replace("/", "")
    stones, free = (sum(1 << at for at, letter in enumerate(letters) if letter == one) for one in ("BW"[side], "."))
    return stones, free


def truth(text: str) -> str:
    """Who wins."""
    return checker.SIDES[0 if wins(0, *parts(text, 0), text[-1] == "b") else 1]


def some_positions(number: int, seed: int) -> Iterator[str]:
    """Unfinished ones of 3 x 3, with a few stones on the board."""
    rng = random.Random(seed)
    while number:
        text = ".../.../... b"
        for _ in range(rng.randint(2, 6)):
            if reference.moves(text):
                text = reference.play(text, rng.choice(reference.moves(text)))
        if reference.moves(text):
            number -= 1
            yield text


class Scribe:
    """Writes proofs from a search that knows nothing; with a flaw, of one that is wrong."""

    def __init__(self, text: str, winner: int, flaw: str = "") -> None:
        self.rows = ["game hex", f"size {SIZE}", f"position {text}", f"winner {checker.SIDES[winner]}"]
        self.winner, self.flaw, self.carriers, self.known = winner, flaw, [0] * 4, {}
        self.found = self.line("bw"[winner] == text[-1], *parts(text, winner))
        self.text = "\n".join(self.rows)

    def line(self, first: bool, stones: int, free: int) -> int | None:
        key = first, stones, free
        if key not in self.known:
            found = (self.attack if first else self.defend)(stones, free)
            if found:
                carrier, why = found
                self.rows.append(f"{len(self.rows) + 1} {'OM'[first]} {names(stones)} {names(carrier)} {why}")
                self.carriers.append(carrier)
            self.known[key] = len(self.rows) if found else None
        return self.known[key]

    def attack(self, stones: int, free: int) -> tuple[int, str] | None:
        for cell in each(free):
            then = self.line(False, stones | cell, free & ~cell)
            if then:
                carrier = self.carriers[then - 1] | cell
                if self.flaw == "a cell is missing" and carrier != cell:
                    carrier &= ~next(each(carrier & ~cell))
                return carrier, f"{names(cell)} {then}"
        return None

    def defend(self, stones: int, free: int) -> tuple[int, str] | None:
        edges = 1 - self.winner if self.flaw == "the edges are the other's" else self.winner
        if joins(edges, stones):
            return 0, "joined"
        if self.flaw == "a bridge is joined" and free.bit_count() == 2 and wins(self.winner, stones, free, False):
            return 0, "joined"
        must, then = free, []
        for cell in each(free):
            if must & cell:
                threat = self.line(True, stones, free & ~cell)
                if not threat:
                    return None
                then.append(threat)
                must &= self.carriers[threat - 1]
                if self.flaw == "a move is forgotten":
                    break
        taken = functools.reduce(int.__or__, (self.carriers[number - 1] for number in then), 0)
        return (taken, " ".join(map(str, then))) if then else None


def accepts(side: int, lines: list[checker.ProofLine], row: str) -> checker.ProofLine | None:
    """The line, if the checker takes it after these."""
    return read_or_refuse(lambda row: checker.read_line(checker.geometry(SIZE, side), lines, row), row)


def joined(side: int, stones: int, pairs: Iterable[int]) -> bool:
    """Whether the checker takes these for joined."""
    paired = ",".join(names(pair).replace(",", "+") for pair in pairs)
    return accepts(side, [], f"5 O {names(stones)} {paired or '-'} joined") is not None


class Guesser:
    """Makes lines of lines at random, most of them nearly right."""

    def __init__(self, side: int, seed: int) -> None:
        self.side, self.rng, self.lines = side, random.Random(seed), []

    def some(self, cells: int) -> int:
        return sum(cell for cell in each(cells) if self.rng.random() < 0.5)

    def shape(self, stones: int, free: int, pairs: Iterable[int]) -> str:
        """Stones and free cells as a line has them, with what a mistake adds, moves or leaves out."""
        pairs, rng = {*pairs}, self.rng
        if rng.random() < 0.3 and pairs:
            free |= pairs.pop()
        if rng.random() < 0.3 and free.bit_count() > 1:
            pair = sum(rng.sample([*each(free)], 2))
            pairs.add(pair)
            free &= ~pair
        if rng.random() < 0.3:
            cell = 1 << rng.randrange(SIZE**2)
            stones, free = rng.choice(((stones & ~cell, free), (stones, free & ~cell), (stones | cell, free & ~cell)))
        paired = [names(pair).replace(",", "+") for pair in pairs]
        return f"{names(stones)} {','.join([*paired, *([names(free)] if free or not paired else [])])}"

    def guess(self) -> str:
        rng, number = self.rng, len(self.lines) + 5
        attacks, defences = ([place for place, line in enumerate(self.lines) if line.kind == kind] for kind in "MO")
        choice = rng.random()
        if choice < 0.15 or not defences:
            cells = rng.sample([1 << cell for cell in range(SIZE**2)], rng.randint(3, 8))
            pairs = [cells.pop() | cells.pop() for _ in range(rng.randint(0, 2)) if len(cells) > 2]
            return f"{number} O {self.shape(sum(cells), 0, pairs)} joined"
        if choice < 0.3 or len(attacks) < 2:
            then = rng.choice(defences)
            _, stones, free, pairs = self.lines[then]
            move = rng.choice([*each(stones)] or [1])
            return f"{number} M {self.shape(stones & ~move, free | move, pairs)} {names(move)} {then + 5}"
        like = self.lines[rng.choice(attacks)]
        others = [place for place in attacks if not self.lines[place].stones & ~like.stones]
        disjoint = [place for place in others if not self.lines[place].free & like.free]
        then = [
            self.lines.index(like),
            *rng.sample(disjoint or others, min(len(disjoint or others), rng.randint(0, 2))),
        ]
        taken = [self.lines[place] for place in then]
        stones, free = (functools.reduce(int.__or__, sets) for sets in zip(*(line[1:3] for line in taken), strict=True))
        pairs = {pair for line in taken for pair in line.pairs if not pair & (free | stones)}
        kept: set[int] = set()
        for pair in pairs:
            if not any(pair & other for other in kept):
                kept.add(pair)
        return f"{number} O {self.shape(stones, free & ~stones, kept)} {' '.join(str(place + 5) for place in then)}"
