"""The evaluations of Abalone: each term by hand, the same in JAX, the same however the board is turned."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np
import pytest

from ludus.core.bits import Bits
from ludus.core.game import compiled
from ludus.games.abalone import evaluation as abalone
from ludus.games.abalone import reference, twin
from ludus.games.abalone.evaluation import EVALUATIONS, Weights, parameters, ring
from ludus.games.abalone.rules import NUM_WORDS, STRIDE, Abalone, State, geometry
from ludus.search.twins import room

GAME = Abalone("belgian-daisy")
NOTHING = Weights(marble=0, rings=(0, 0, 0, 0, 0), pair=0, attack=0, danger=0)


def board(position: str) -> twin.AbaloneBoard:
    """Any marbles, also so few that the game would be over."""
    cells, mover = reference._read(position)
    places = [{STRIDE * row + d - 1 for (row, d), side in cells.items() if side == letter} for letter in "bw"]
    own, other = (Bits.of(side, NUM_WORDS) for side in (places if mover == "b" else places[::-1]))
    return twin.from_state(GAME, State(own, other, jax.numpy.int32(mover == "w")))


def value(position: str, weights: Weights) -> int:
    return int(abalone.hand_score(board(position), parameters(weights)))


def random_states(seed: int, count: int) -> list[Any]:
    random, out, here = np.random.default_rng(seed), room(GAME, 1)[0], twin.from_state(GAME, GAME.init())
    states = []
    for _ in range(count):
        twin.make(here, int(random.choice(out[: twin.moves(here, out)])))
        states.append(twin.to_state(GAME, here))
    return states


@pytest.mark.parametrize("name", EVALUATIONS)
def test_it_is_the_same_on_the_device(name: str) -> None:
    known = EVALUATIONS[name]
    assert known.compiled is not None
    assert known.on_device is not None
    states = random_states(1, 100)
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    found = jax.jit(jax.vmap(functools.partial(known.on_device, GAME)))(batch)
    expected = [known.compiled(twin.from_state(GAME, state), known.parameters) for state in states]
    assert np.asarray(found).tolist() == expected
    assert len(set(expected)) > 10


def test_every_weight_is_the_same_on_the_device() -> None:
    """Those of today may be zero."""
    weights, states = Weights(1000, (7, 11, 13, 17, 19), 101, 10_007, -30_011), random_states(2, 150)
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    found = jax.jit(jax.vmap(lambda state: abalone.on_device(weights, GAME, state)))(batch)
    expected = [abalone.hand_score(twin.from_state(GAME, state), parameters(weights)) for state in states]
    assert np.asarray(found).tolist() == expected
    assert max(map(abs, expected)) > 10_000


def test_rings_grow_by_six_cells() -> None:
    rings = [ring(place) for place in geometry().cells.tolist()]
    assert [rings.count(i) for i in range(5)] == [1, 6, 12, 18, 24]
    for steps, cell in enumerate(("e5", "e6", "e7", "e8", "e9")):
        row, diagonal = "abcdefghi".index(cell[0]), int(cell[1])
        assert ring(10 * row + diagonal - 1) == steps
    assert [int(mask).bit_count() for mask in parameters(NOTHING).masks] == [1, 6, 12, 18, 24]


def test_centre_is_the_papers() -> None:
    """Other's rings less own, a marble off the board counting as one beyond the rim."""
    centre = EVALUATIONS["centre"]

    def rings(position: str) -> int:
        assert centre.compiled is not None
        return centre.compiled(board(position), centre.parameters)

    # Black on e5 (ring 0), e6 (1) and e8 (3); white on e1 and e2 (4 and 3): the rest are off, 11 and 12.
    position = "...../....../......./......../ww..bb.b./......../......./....../..... "
    black, white = 0 + 1 + 3 + 11 * 5, 4 + 3 + 12 * 5
    assert rings(position + "b") == white - black
    assert rings(position + "w") == black - white
    assert rings(GAME.format(GAME.init())) == 0


@pytest.mark.parametrize(
    ("row", "black", "white"),  # in row E, and how many pairs and marbles to push off each side has there
    [
        (".bb......", (1, 0), (0, 0)),
        (".bbb.ww..", (2, 0), (1, 0)),
        ("......bbw", (1, 1), (0, 0)),
        (".....bbbw", (2, 1), (0, 0)),
        ("....bbbww", (2, 1), (1, 0)),
        (".....bbww", (1, 0), (1, 0)),
        ("...bbbwww", (2, 0), (2, 0)),
        (".......bw", (0, 0), (0, 0)),
        ("wbb......", (1, 1), (0, 0)),
        ("bww...bbw", (1, 1), (1, 1)),
        ("......bbb", (2, 0), (0, 0)),
        ("....bb.bw", (1, 0), (0, 0)),
    ],
)
def test_pairs_and_marbles_to_push_off(row: str, black: tuple[int, int], white: tuple[int, int]) -> None:
    position = f"...../....../......./......../{row}/......../......./....../..... "
    count = row.count("b") - row.count("w")
    assert value(position + "b", NOTHING._replace(marble=10)) == 10 * count
    assert value(position + "b", NOTHING._replace(pair=1)) == black[0] - white[0]
    for mover, own, other in (("b", black, white), ("w", white, black)):
        assert value(position + mover, NOTHING._replace(attack=1)) == own[1]
        assert value(position + mover, NOTHING._replace(danger=1)) == other[1]


def test_three_that_touch_are_three_pairs() -> None:
    position = "...../....../......./....b.../....bb.../......../......./w...../..... b"
    assert value(position, NOTHING._replace(pair=1)) == 3


def test_the_board_may_be_turned() -> None:
    for state in random_states(3, 3):
        images, _ = GAME.symmetries(jax.tree.map(jax.numpy.asarray, state))
        for name, known in EVALUATIONS.items():
            assert known.on_device is not None
            values = jax.vmap(lambda image, rate=known.on_device: rate(GAME, image))(images)
            assert len(set(np.asarray(values).tolist())) == 1, name


def test_a_marble_pushed_off_is_worth_more_than_where_it_stood() -> None:
    """Though those that push it come to the rim."""
    before = GAME.parse("wwww./wwww../......./......../......bbw/......../......./.bbb../bbbbb b")
    after = compiled(GAME).step(before, GAME.parse_move(before, "e7e8"))
    known = EVALUATIONS["hand"]
    assert known.compiled is not None
    ahead = -known.compiled(twin.from_state(GAME, after), known.parameters)
    assert ahead > known.compiled(twin.from_state(GAME, before), known.parameters)
