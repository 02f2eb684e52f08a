"""Writes a proof of the search as text, in the format of `checker`.

The search tells who wins and the carrier. It is asked again with all other cells given to the loser, move by move,
until the winner wins by a pairing strategy. A line keeps only the stones and cells that it needs, so it can be used
again in every position that has them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt64

from ludus.errors import BadInput
from ludus.games.hex import notation
from ludus.games.hex.checker import HEADER_LINES
from ludus.games.hex.solver.analysis import root_moves
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.inferior import BLACK, WHITE
from ludus.games.hex.solver.pairing import adjacency, each, join
from ludus.games.hex.solver.prover import shared_prover
from ludus.games.hex.solver.transposition_table import LOSS, UNKNOWN, WIN
from ludus.games.hex.solver.workspace import Workspace

Watch = Callable[[int, float, int], None]  # told nodes, seconds and lines written
MAX_CANDIDATES = 40  # known lines that are tried as a reason of a new one


class WrittenLine(NamedTuple):
    stones: int
    cells: int  # free cells in no pair
    pairs: tuple[int, ...]
    move: int | None  # the winner's; None if the opponent is to move
    then: tuple[int, ...]  # the lines it depends on, by index

    @property
    def taken(self) -> int:
        """All free cells it takes, also in pairs."""
        return self.cells | sum(self.pairs)


class LineIndex:
    """Lines with the same side to move, found by the stones and cells they take."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self._stones, self._taken = np.zeros(1024, np.uint64), np.zeros(1024, np.uint64)

    @property
    def stones(self) -> UInt64[np.ndarray, "L"]:
        return self._stones[: len(self.places)]

    @property
    def taken(self) -> UInt64[np.ndarray, "L"]:
        return self._taken[: len(self.places)]

    def add(self, place: int, line: WrittenLine) -> None:
        at = len(self.places)
        if at == len(self._stones):
            self._stones, self._taken = np.tile(self._stones, 2), np.tile(self._taken, 2)
        self._stones[at], self._taken[at] = line.stones, line.taken
        self.places.append(place)

    def within(self, stones: int, cells: int) -> Int64[np.ndarray, "F"]:
        """The lines that take only these."""
        return np.flatnonzero((self.stones & ~np.uint64(stones) | self.taken & ~np.uint64(cells)) == 0)

    def after_a_move(self, stones: int, cells: int) -> tuple[int, int] | None:
        """A move to one of these cells after which a known line holds, the one of fewest cells; and its index."""
        move = self.stones & ~np.uint64(stones)
        fits = ((self.taken | move) & ~np.uint64(cells) | self.taken & move) == 0
        found = np.flatnonzero(fits & (np.bitwise_count(move) == 1))
        if not len(found):
            return None
        best = found[np.bitwise_count(self.taken[found]).argmin()]
        return int(move[best]).bit_length() - 1, self.places[best]


class Oracle:
    """Answers who wins, by proof search, within a limit of seconds in all."""

    def __init__(self, space: Workspace, size: int, limit: float, watch: Watch) -> None:
        self.space, self.size, self.lines = space, size, 0
        self._limit, self._watch, self._began = limit, watch, time.perf_counter()

    def value(self, black: int, white: int, mover: int, budget: int | None = None) -> tuple[int, int]:
        """The mover's value of an unfinished position, and the carrier; `UNKNOWN` after so many nodes."""
        value, carrier, batch, nodes = UNKNOWN, 0, budget or 256, self.space.nodes
        while value == UNKNOWN:
            since = time.perf_counter()
            nodes[1] = nodes[0] + batch
            value, carrier = prove(self.space, np.uint64(black), np.uint64(white), mover)
            now = time.perf_counter()
            self._watch(int(nodes[0]), now - self._began, self.lines)
            if now - self._began > self._limit:
                raise BadInput(f"the proof could not be found and written within {self._limit:g} s; give it longer.")
            if budget:
                break
            if now - since < 0.25:
                batch *= 2
        return int(value), int(carrier)

    def joined(self, side: int, stones: int) -> bool:
        return bool(joined(self.space.inferior.grids[side], np.uint64(stones)))


class ProofWriter:
    """Writes the lines of a proof. A position is the winner's stones and the free cells; the loser has the rest."""

    def __init__(self, oracle: Oracle, winner: int) -> None:
        self.lines: list[WrittenLine] = []
        self._oracle, self._winner = oracle, winner
        self._everything = (1 << oracle.size**2) - 1
        self._near = adjacency(oracle.space.inferior.grids[winner])
        self._ours, self._theirs = LineIndex(), LineIndex()  # the winner to move; the opponent to move

    def first(self, stones: int, cells: int) -> int:
        """The index of a line where the winner moves first and wins."""
        known = self._ours.within(stones, cells)
        if len(known):
            return self._ours.places[known[0]]
        move, place = self._answer(stones, cells)
        after = self.lines[place]
        return self._add(
            self._ours, WrittenLine(after.stones & ~(1 << move), after.cells | 1 << move, after.pairs, move, (place,))
        )

    def _answer(self, stones: int, cells: int) -> tuple[int, int]:
        """A winning move, and the index of the line after it."""
        for cell in each(cells):
            if self._oracle.joined(self._winner, stones | 1 << cell):
                return cell, self.second(stones | 1 << cell, 0)
        found = self._theirs.after_a_move(stones, cells)
        if found:
            return found
        order, budget = np.zeros(self._oracle.size**2, np.uint8), 1
        black, white = self._sides(stones, cells)
        length, must = root_moves(self._oracle.space, np.uint64(black), np.uint64(white), self._winner, order)
        must = int(must) & cells
        while must:
            for cell in order[:length].tolist():
                if must >> cell & 1:
                    value, carrier = self._value(stones | 1 << cell, cells & ~(1 << cell), False, budget)
                    if value == WIN:
                        return cell, self.second(stones | 1 << cell, carrier)
                    if value == LOSS:  # it also refutes every move outside its carrier
                        must &= carrier & ~(1 << cell)
            budget *= 4
        raise AssertionError("a proof contradicts another")

    def second(self, stones: int, cells: int) -> int:
        """The index of a line where the opponent moves first and the winner wins."""
        known = self._theirs.within(stones, cells)
        if len(known):
            return self._theirs.places[known[0]]
        by_pairs = join(self._near, stones, cells)
        if by_pairs:
            return self._add(self._theirs, WrittenLine(by_pairs[0], 0, by_pairs[1], None, ()))
        must, then = cells, []
        while must:  # cells where an opponent's move would spoil all lines so far
            place = self._threat(stones, cells, then, must)
            if place is None:  # the first line may be any: it shows the pairs
                value, carrier = self._value(stones, cells & ~(must & -must) if then else cells, True)
                assert value == WIN, "a proof contradicts another"
                place = self.first(stones, carrier)
            then.append(place)
            must, _ = self._shared(then)
        assert then, "a proof contradicts another"
        for place in tuple(then):
            rest = [other for other in then if other != place]
            if rest and not self._shared(rest)[0]:
                then = rest
        _, pairs = self._shared(then)
        own, taken = 0, 0
        for place in then:
            own |= self.lines[place].stones
            taken |= self.lines[place].taken
        return self._add(self._theirs, WrittenLine(own, taken & ~sum(pairs), pairs, None, tuple(then)))

    def _threat(self, stones: int, cells: int, then: list[int], must: int) -> int | None:
        """The known line that leaves the opponent the fewest such moves, if it leaves fewer than now."""
        known = self._ours.within(stones, cells)
        likely = np.bitwise_count(self._ours.taken[known] & np.uint64(must)).argsort(kind="stable")[:MAX_CANDIDATES]
        places = [self._ours.places[at] for at in known[likely]]
        left = [self._shared([*then, place])[0].bit_count() for place in places]
        return places[left.index(min(left))] if left and min(left) < must.bit_count() else None

    def _shared(self, places: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """The cells that all these lines take, without common pairs; and those pairs. No line may take a cell of such a
        pair in another way.
        """
        lines = [self.lines[place] for place in places]
        alone = twice = seen = 0
        for line in lines:
            alone |= line.cells
        for pair in {pair for line in lines for pair in line.pairs}:
            twice |= seen & pair
            seen |= pair
        pairs = {pair for line in lines for pair in line.pairs if not pair & (alone | twice)}
        shared = self._everything
        for line in lines:
            shared &= line.taken
        return shared & ~sum(pairs), tuple(sorted(pairs))

    def _add(self, index: LineIndex, line: WrittenLine) -> int:
        self.lines.append(line)
        index.add(len(self.lines) - 1, line)
        self._oracle.lines = len(self.lines)
        return len(self.lines) - 1

    def _sides(self, stones: int, cells: int) -> tuple[int, int]:
        others = self._everything & ~(stones | cells)
        return (stones, others) if self._winner == BLACK else (others, stones)

    def _value(self, stones: int, cells: int, first: bool, budget: int | None = None) -> tuple[int, int]:
        """The value to the winner, whose edges are not joined yet, and the carrier of whoever wins; or `UNKNOWN`."""
        sides = self._sides(stones, cells)
        if self._oracle.joined(1 - self._winner, sides[1 - self._winner]):
            return LOSS, 0
        mover = self._winner if first else 1 - self._winner
        value, carrier = self._oracle.value(*sides, mover, budget)
        return value if first else -value, carrier


def write_proof(
    size: int, own: int, other: int, mover_is_black: bool, watch: Watch | None = None, limit: float = float("inf")
) -> str:
    """The text of a proof of who wins a position, given in the mover's view: it joins top and bottom.

    The text itself has the colours and cells of the board. `watch` is called now and then. A `BadInput` if it takes
    more than `limit` seconds.
    """
    mover = BLACK if mover_is_black else WHITE
    if mover == WHITE:
        own, other = (int(transpose(grid(size), np.uint64(side))) for side in (own, other))
    sides = (own, other) if mover == BLACK else (other, own)
    stones = {divmod(cell, size): letter for side, letter in zip(sides, "BW", strict=True) for cell in each(side)}
    position = notation.write(stones, mover, size)
    asked = shared_prover(size)
    with asked.lock:
        oracle = Oracle(asked.workspaces[0], size, limit, watch or (lambda *_: None))
        oracle.space.nodes[0] = 0
        if oracle.joined(mover, own):
            raise BadInput(f"hex position '{position}' cannot arise in a game.")
        value, carrier = (LOSS, 0) if oracle.joined(1 - mover, other) else oracle.value(*sides, mover)
        winner = mover if value == WIN else 1 - mover
        writer = ProofWriter(oracle, winner)
        root = (writer.first if value == WIN else writer.second)(sides[winner], carrier)
    header = ["game hex", f"size {size}", f"position {position}", f"winner {notation.NAMES[winner]}"]
    return "\n".join([*header, *_text(writer.lines, root, size)]) + "\n"


def _text(lines: list[WrittenLine], root: int, size: int) -> Iterator[str]:
    """The lines that the root depends on, each after those that it depends on itself."""
    needed, numbers = {root}, {}
    for place in range(root, -1, -1):
        if place in needed:
            needed.update(lines[place].then)

    def names(cells: int, between: str) -> str:
        return between.join(notation.name(divmod(cell, size)) for cell in each(cells))

    for number, place in enumerate(sorted(needed), start=HEADER_LINES + 1):
        stones, cells, pairs, move, then = lines[place]
        numbers[place] = number
        free = ",".join([*(names(pair, "+") for pair in pairs), *([names(cells, ",")] if cells else [])])
        reason = " ".join(str(numbers[one]) for one in then) or "joined"
        kind, reason = ("O", reason) if move is None else ("M", f"{names(1 << move, '')} {reason}")
        yield f"{number} {kind} {names(stones, ',') or '-'} {free or '-'} {reason}"
