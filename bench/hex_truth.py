"""How far the truth about Hex reaches, and what each part of the prover brings.

    python bench/hex_truth.py openings 6 7             # all on one core, and with each part switched off in turn
    python bench/hex_truth.py positions 7 --seconds 1  # 100 random middle-game positions: how many are decided in time
    python bench/hex_truth.py positions 8 --number 30 --seconds 30
    python bench/hex_truth.py proofs 5                 # the proof after every opening written down and checked
    python bench/hex_truth.py proofs 6 --openings a1 f1 a2 c2 f2 c3 d3 a4 b5 a6

A middle-game position has stones on a third of the cells, half of them each side's, by chance; H-search does not see
who wins it. With `--check N` the proofs of the first N that are decided are written down and checked by the checker
that knows only the rules, for the position and for every winning move. Compilation comes first and is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

from ludus.games.hex import notation
from ludus.games.hex.checker import check
from ludus.games.hex.solver.connection_lists import FULL, HALF, joins
from ludus.games.hex.solver.connections import connect, connections
from ludus.games.hex.solver.grid import grid, joined, transpose
from ludus.games.hex.solver.proof_writer import write_proof
from ludus.games.hex.solver.prover import Prover
from ludus.games.hex.solver.workspace import SolverOptions

VARIANTS = {
    "all of it": SolverOptions(),
    "without inferior cells": SolverOptions(inferior=False),
    "without connections kept from move to move": SolverOptions(incremental=False),
    "without proofs of other positions": SolverOptions(library=False),
    "without parts": SolverOptions(decomposition=False),
    "without H-search": SolverOptions(connections=False),
    "without proof numbers": SolverOptions(proof_numbers=False),
}


def across(size: int, cells: int) -> int:
    return int(transpose(grid(size), np.uint64(cells)))


def openings(size: int, limit: float) -> None:
    for name, options in VARIANTS.items():
        found = Prover(size, options=options).solve(0, 0, limit)
        decided = int(np.count_nonzero(found.moves))
        count = f"{decided:>3} openings  {found.nodes:>9,} positions  {found.seconds:8.2f} s"
        print(f"{size} x {size}  {name:<44} {count}", flush=True)


def middle_game(size: int, number: int, seed: int) -> list[tuple[int, int]]:
    rng, found, vcs = np.random.default_rng(seed), [], connections(size)
    stones = size**2 // 3 // 2 * 2
    while len(found) < number:
        cells = rng.permutation(size**2)[:stones]
        own, other = (sum(1 << int(cell) for cell in half) for half in (cells[::2], cells[1::2]))
        sides = (own, other), (across(size, other), across(size, own))
        seen = any(joined(grid(size), np.uint64(side)) for side, _ in sides)
        for place, (side, against) in enumerate(() if seen else sides):
            connect(vcs, np.uint64(side), np.uint64(against))
            seen |= joins(vcs.lists, FULL) or (place == 0 and joins(vcs.lists, HALF))
        if not seen:
            found.append((own, other))
    return found


def positions(size: int, number: int, seconds: float, seed: int, checked: int) -> None:
    prover, took, decided, winners, lines = Prover(size), [], 0, 0, 0
    for own, other in middle_game(size, number, seed):
        found = prover.solve(own, other, seconds)
        took.append(found.seconds)
        decided += not found.gave_up
        winners += bool(found.value)
        if checked and not found.gave_up:
            checked -= 1
            proofs = [(own, other, True, found.value == 1)]
            for cell in np.flatnonzero(found.moves == 1).tolist():
                proofs.append((across(size, other), across(size, own | 1 << cell), False, True))
            for mover, rest, black, black_wins in proofs:
                if joined(grid(size), np.uint64(across(size, rest))):
                    continue  # the move has won
                result = check(write_proof(size, mover, rest, black))
                assert result.winner == ("black" if black_wins else "white"), (own, other)
                lines += result.nodes
    middle, most = statistics.median(took), max(took)
    print(f"{size} x {size}  {number} positions, {seconds:g} s each")
    print(f"       all moves of {decided} decided, the winner of {winners}")
    print(f"       {middle:.3f} s in the median, {most:.2f} s at most; proofs of {lines:,} lines checked")


def proofs(size: int, names: list[str]) -> None:
    cells = [row * size + column for row in range(size) for column in range(size)]
    of_name = {notation.name(divmod(cell, size)): cell for cell in cells}
    lines, wrote, took = 0, 0.0, 0.0
    for opening in names or of_name:
        began = time.perf_counter()
        text = write_proof(size, 0, across(size, 1 << of_name[opening]), False)
        middle = time.perf_counter()
        found = check(text)
        wrote, took, lines = wrote + middle - began, took + time.perf_counter() - middle, lines + found.nodes
        print(f"{size} x {size}  {opening}: {found.winner} wins, {found.nodes:,} lines", flush=True)
    print(f"{size} x {size}  {lines:,} lines in all, found and written in {wrote:.1f} s, checked in {took:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("openings", "positions", "proofs"))
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for all openings")
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", type=int, default=0)
    parser.add_argument("--openings", nargs="+", default=[], metavar="CELL")
    asked = parser.parse_args()
    for size in asked.sizes:
        if asked.what == "openings":
            openings(size, asked.limit)
        elif asked.what == "proofs":
            proofs(size, asked.openings)
        else:
            positions(size, asked.number, asked.seconds, asked.seed, asked.check)


if __name__ == "__main__":
    main()
