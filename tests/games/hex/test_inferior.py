"""Pruned moves of Hex fit the definitions of dominated and vulnerable. That no value changes is in `test_dfpn`."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.games.hex.solver.inferior import BLACK, WHITE, fill_in, inferior_cells, prune_moves

#: Found by chance, one of 10,000: nothing is left to fill in, and moves dominate one another in a row.
ROWS = {5: (3178540, 4329299), 6: (6522202047, 137280), 7: (62011179253742, 70368764117009)}


@pytest.mark.parametrize("size", ROWS)
def test_a_dominated_move_is_left_out_for_one_that_stays_or_is_known_to_lose(size: int) -> None:
    """Not for one that is left out itself, for another or because it is vulnerable; and what kills those is said."""
    space, rng, everything = inferior_cells(size), np.random.default_rng(size), (1 << size**2) - 1
    dominated = by_losing = vulnerable = 0
    for number in range(2000):
        cells = rng.permutation(size**2)[: int(rng.integers(size, size**2 - 4))]
        stones = [sum(1 << int(cell) for cell in half) for half in (cells[::2], cells[1::2])] if number else ROWS[size]
        black, white = (int(side) for side in fill_in(space, *map(np.uint64, stones)))
        empty = everything & ~(black | white)
        some = int(rng.integers(everything + 1) | rng.integers(everything + 1))  # three quarters; the others lose
        moves = empty & some if number else empty
        for mover in (BLACK, WHITE):
            stay, answers = (int(found) for found in prune_moves(space, mover, np.uint64(moves)))
            killers, killed = (space.killers[side].tolist() for side in (mover, 1 - mover))
            assert not stay & ~moves
            for cell in range(size**2):
                if not (moves & ~stay) >> cell & 1:
                    assert not (stay >> cell & 1 and killed[cell])
                elif killed[cell]:
                    vulnerable += 1
                    assert killed[cell] & answers
                else:
                    dominated += 1
                    by_losing += not killers[cell] & stay
                    assert killers[cell] & (stay | ~moves), (black, white, mover, moves, cell)
    assert min(dominated, by_losing, vulnerable) > 20
