"""`ludus solve hex` on boards too large for an explicit graph: by table on 4 x 4, by proof search up to 8 x 8."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.errors import BadInput
from ludus.games.hex.rules import Hex, State
from ludus.games.hex.solver import grid as hex_grid, proof as hex_proof, table as hex_table

if TYPE_CHECKING:
    from ludus.games.hex.solver.table import Table

VALUES = {1: "win", -1: "loss", 0: None}


def solver(game: Hex, limit: float) -> Callable[[State], dict[str, Any]]:
    """What solves one position of this game after another, each as it stands in the JSON document."""
    if game.swap:
        raise BadInput(
            f"hex is solved with the swap rule on boards of 2 and 3 alone, not {game.size}; leave --swap out."
        )
    if game.size > hex_grid.MAX_SIZE:
        raise BadInput(f"hex is solved on boards of 2 to {hex_grid.MAX_SIZE}, not {game.size}; give another --size.")
    if game.size <= hex_table.MAX_SIZE:
        table = hex_table.table(game.size)
        return lambda state: from_table(game, table, state)
    # Made for the first position that can arise; it keeps what it proves for the positions after.
    prover = functools.cache(lambda: hex_proof.Prover(game.size))
    return lambda state: by_search(game, prover, state, limit)


def from_table(game: Hex, table: Table, state: State) -> dict[str, Any]:
    own, other = hex_grid.masks(game, state)
    number = int(table.find(np.array([own]), np.array([other]))[0])
    if number < 0:
        raise cannot_arise(game, state)
    over = table.plies[number] == 0
    found = []
    for cell in range(0 if over else game.size**2):
        if not (own | other) >> cell & 1:
            sides = (across(game.size, other), across(game.size, own | 1 << cell))
            plies = int(table.plies[table.find(*(np.array([side]) for side in sides))[0]]) + 1
            found.append((cell, 1 if plies % 2 else -1, {"plies": plies}))
    # Fast wins first, and the losses that take longest.
    found.sort(key=lambda move: (-move[1], move[1] * move[2]["plies"]))
    value = 1 if table.plies[number] % 2 else -1
    return entry(game, state, value, found, {"plies": int(table.plies[number])})


def by_search(game: Hex, prover: Callable[[], hex_proof.Prover], state: State, limit: float) -> dict[str, Any]:
    own, other = hex_grid.masks(game, state)
    if not can_arise(game.size, own, other):
        raise cannot_arise(game, state)
    progress = Progress()
    proof = prover().solve(own, other, limit, progress)
    progress.end()
    over = not proof.moves.any() and not proof.gave_up
    cells = [cell for cell in range(0 if over else game.size**2) if not (own | other) >> cell & 1]
    found = [(cell, int(proof.moves[cell]), {}) for cell in cells]
    found.sort(key=lambda move: (1, 2, 0).index(move[1] % 3))  # wins, losses, and what is not known
    more = {"nodes": proof.nodes, "seconds": round(proof.seconds, 3), "gave_up": proof.gave_up}
    return entry(game, state, proof.value, found, more)


def entry(
    game: Hex, state: State, value: int, moves: list[tuple[int, int, dict[str, Any]]], more: dict[str, Any]
) -> dict[str, Any]:
    """The JSON document; moves are in the mover's view."""
    mover = int(state.mover)
    named = []
    for cell, worth, extra in moves:
        row, column = divmod(cell, game.size)
        action = column * game.size + row if mover else cell
        named.append({"move": game.format_move(state, action), "value": VALUES[worth]} | extra)
    return {
        "game": game.name,
        "position": game.format(state),
        "value": VALUES[value],
        **more,
        "moves": named,
        "winner": None if not value else game.seats[mover if value > 0 else 1 - mover],
        "winning_moves": sorted(move["move"] for move in named if move["value"] == "win"),
    }


def across(size: int, cells: int) -> int:
    """The transposed set of cells."""
    return int(hex_grid.transpose(hex_grid.grid(size), np.uint64(cells)))


def can_arise(size: int, own: int, other: int) -> bool:
    """Whether the mover has not won, and the other not before its last move."""
    grid = hex_grid.grid(size)
    theirs = across(size, other)
    stones = [1 << cell for cell in range(size**2) if theirs >> cell & 1]
    before = [theirs - stone for stone in stones] or [0]
    return not hex_grid.joined(grid, np.uint64(own)) and not all(
        hex_grid.joined(grid, np.uint64(cells)) for cells in before
    )


def cannot_arise(game: Hex, state: State) -> BadInput:
    return BadInput(f"hex position '{game.format(state)}' cannot arise in a game.")


def count_all(game: Hex) -> dict[str, Any]:
    """Every position, counted by value."""
    if game.swap or game.size > hex_table.MAX_SIZE:
        raise BadInput(
            f"{game.describe()} has too many positions to count; boards go up to {hex_table.MAX_SIZE} there."
        )
    table = hex_table.table(game.size)
    over = table.plies == 0
    moves = np.where(over, 0, game.size**2 - np.bitwise_count(table.keys))
    lost, counts = np.unique(table.plies[~table.wins], return_counts=True)
    return {
        "game": game.describe(),
        "positions": len(table.keys),
        "win": int(table.wins.sum()),
        "loss": int((~table.wins).sum()),
        "draw": 0,
        "terminal": int(over.sum()),
        "max_moves": int(moves.max()),
        "mean_moves": float(moves.mean()),
        "loss_plies": {str(plies): int(number) for plies, number in zip(lost, counts, strict=True)},
    }


def draw(game: Hex, state: State, winning: list[str]) -> str:
    """The board, with a + on every winning move."""
    lines = [list(line) for line in game.draw(state).split("\n")]
    for name in (move for move in winning if move != "swap"):
        row, column = int(name[1:]) - 1, ord(name[0]) - ord("a")
        lines[row + 1][row + 4 + 2 * column] = "+"
    return "\n".join("".join(line) for line in lines)


class Progress:
    """Says on stderr how a long search is getting on: on a terminal all the time, else now and then."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._next = 3.0  # seconds

    def __call__(self, nodes: int, seconds: float, left: int) -> None:
        if seconds >= self._next:
            self._next = seconds + (0.5 if self._live else 10.0)
            start, end = ("\r", "  ") if self._live else ("", "\n")
            line = f"{nodes:,} positions in {seconds:.0f} s, {left} moves to decide"
            print(start + line, end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._live and self._next > 3.0:
            print(file=sys.stderr)
