"""Makes the puzzles of Hex anew: `python tests/record_hex_problems.py`. The same seed gives the same file.

Each is a position of a game with many random moves in which exactly one move wins; the prover has proved that move a
win and every other a loss. Left out are positions where the winning move ends the game, or where the other side would
end it with its next stone. A puzzle is as hard as the search for it is long without any knowledge of Hex: proof numbers
alone, no bridges, no inferior cells.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator

import numpy as np

from ludus.games.hex import ENTRY, notation
from ludus.games.hex.problems import FILE, level_of
from ludus.games.hex.solver import grid
from ludus.games.hex.solver.prover import Prover
from ludus.games.hex.solver.workspace import SolverOptions
from ludus.play.puzzles import rating_of

WANTED: dict[str, int] = dict(zip(ENTRY.levels, (80, 80, 80, 60), strict=True))
OPENING = {5: 4, 6: 6, 7: 9}  # random stones before the first position that is solved, by the size of the board
PLAIN = SolverOptions(inferior=False, connections=False, incremental=False, library=False, decomposition=False)
PLACES = 18  # of the plain search's table, 2**18: each puzzle is measured with an empty one
LEAST, MOST = 8, 400_000  # positions of the plain search: fewer are no puzzle, and here it ends
Sides = tuple[int, int]  # the stones of the mover and of the other, in the mover's view


def after(size: int, sides: Sides, cell: int) -> Sides:
    """The position after a move, in the view of the side that is to move then."""
    board = grid.grid(size)
    own, other = sides[0] | 1 << cell, sides[1]
    return int(grid.transpose(board, np.uint64(other))), int(grid.transpose(board, np.uint64(own)))


def joined(size: int, cells: int) -> bool:
    return bool(grid.joined(grid.grid(size), np.uint64(cells)))


def empty(size: int, sides: Sides) -> list[int]:
    return [cell for cell in range(size**2) if not (sides[0] | sides[1]) >> cell & 1]


def white_moves(sides: Sides) -> bool:
    return sides[0].bit_count() < sides[1].bit_count()


def text_of(size: int, sides: Sides) -> str:
    white = white_moves(sides)
    letters = notation.SIDES[::-1] if white else notation.SIDES
    stones = {}
    for side, letter in zip(sides, letters, strict=True):
        for cell in range(size**2):
            if side >> cell & 1:
                row, column = divmod(cell, size)
                stones[(column, row) if white else (row, column)] = letter
    return notation.write(stones, int(white), size)


def name_of(size: int, sides: Sides, cell: int) -> str:
    row, column = divmod(cell, size)
    return notation.name((column, row) if white_moves(sides) else (row, column))


def easy(size: int, sides: Sides, cell: int) -> bool:
    """Whether the winning move ends the game, or the other side threatens to end it with one stone."""
    board = grid.grid(size)
    closes = (grid.transpose(board, np.uint64(sides[1] | 1 << free)) for free in empty(size, sides))
    return joined(size, sides[0] | 1 << cell) or any(joined(size, int(theirs)) for theirs in closes)


def reply_to(prover: Prover, sides: Sides, cell: int) -> str:
    """The winning answer to a losing move that lies nearest to it."""
    size, then = prover.size, after(prover.size, sides, cell)
    found = prover.solve(*then)
    assert found.value == 1
    row, column = divmod(cell, size)
    answers = [at for at in range(size**2) if found.winning >> at & 1]

    def far(at: int) -> tuple[int, int]:
        down, right = at % size - row, at // size - column  # the view is transposed after a move
        return max(abs(down), abs(right), abs(down + right)), at

    return name_of(size, then, min(answers, key=far))


class Enough(Exception):
    """The plain search is long enough."""


def measure(size: int, sides: Sides) -> int:
    """The positions of the plain search until every move is decided."""
    visited = [0]

    def watch(nodes: int, *_: float) -> None:
        visited[0] = nodes
        if nodes >= MOST:
            raise Enough

    try:
        return Prover(size, log_places=PLACES, options=PLAIN).solve(*sides, report=watch).nodes
    except Enough:
        return visited[0]


def puzzles(size: int, chance: random.Random) -> Iterator[tuple[int, Sides, int, str]]:
    """Without end: how much was explored, the position, its answer, and the refutation of every other move."""
    prover = Prover(size, log_places=18)
    while True:
        sides = (0, 0)
        for _ in range(OPENING[size]):
            sides = after(size, sides, chance.choice(_sensible(size, sides)))
        while len(empty(size, sides)) > size and not _over(size, sides):
            found = prover.solve(*sides)
            wins = [cell for cell in range(size**2) if found.winning >> cell & 1]
            if len(wins) == 1 and not easy(size, sides, wins[0]):
                explored = measure(size, sides)
                if explored >= LEAST:
                    moves = [move for move in empty(size, sides) if move != wins[0]]
                    replies = {name_of(size, sides, move): reply_to(prover, sides, move) for move in moves}
                    told = ",".join(f"{move}:{reply}" for move, reply in sorted(replies.items()))
                    yield explored, sides, wins[0], told
                    break  # one of a game
            sides = after(
                size, sides, chance.choice(wins if wins and chance.random() < 0.7 else _sensible(size, sides))
            )


def _over(size: int, sides: Sides) -> bool:
    return joined(size, int(grid.transpose(grid.grid(size), np.uint64(sides[1]))))


def _sensible(size: int, sides: Sides) -> list[int]:
    """Empty cells off the outermost lines, if there are any, else all."""
    cells = empty(size, sides)
    inner = [cell for cell in cells if 0 < cell // size < size - 1 and 0 < cell % size < size - 1]
    return inner or cells


def main() -> None:
    lines, seen, left = [], set(), dict(WANTED)
    sources = {size: puzzles(size, random.Random(size)) for size in OPENING}
    for size in itertools.cycle(sources):
        explored, sides, answer, replies = next(sources[size])
        turned = tuple(int(grid.moved(grid.grid(size).rotated, np.uint64(side))) for side in sides)
        level = level_of(explored)
        if left[level] and sides not in seen and turned not in seen:
            seen.add(sides)
            left[level] -= 1
            lines.append((explored, text_of(size, sides), name_of(size, sides, answer), replies))
            print(f"{size} x {size}, {level}, {rating_of(explored)}; left: {left}", file=sys.stderr)
        if not any(left.values()):
            break
    FILE.write_text("".join(" ".join(map(str, line)) + "\n" for line in sorted(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
