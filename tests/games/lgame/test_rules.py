"""The L-Game's exact counts, by going through every arrangement of the pieces."""

from __future__ import annotations

import itertools
from collections import Counter

import jax
import numpy as np
from helpers.cases import reference_of

from ludus.core.bits import Bits
from ludus.games.lgame import notation
from ludus.games.lgame.reference import PLACEMENTS
from ludus.games.lgame.rules import LGame, State, geometry

GAME = LGame()
SQUARES = [(c, r) for c in range(4) for r in range(4)]


def arrangements() -> list[tuple[tuple, tuple, tuple]]:
    """Every way to lay the mover's L, the other's and two neutrals, as sets of squares: no bits, no tables."""
    lays = notation.placements()
    return [
        (own, other, neutrals)
        for own in lays
        for other in lays
        if not set(own) & set(other)
        for neutrals in itertools.combinations([s for s in SQUARES if s not in own and s not in other], 2)
    ]


def states(found: list[tuple[tuple, tuple, tuple]]) -> State:
    """All of them at once, A to move."""
    number = {lay: p for p, lay in enumerate(notation.placements())}
    neutrals = np.array([sum(1 << (4 * c + r) for c, r in pair) for _, _, pair in found], np.uint32)
    own, other = (np.array([number[each[k]] for each in found], np.int32) for k in (0, 1))
    return State(own, other, Bits((neutrals,)), np.zeros(len(found), np.int32))  # pyright: ignore[reportArgumentType]


def test_an_l_lies_48_ways() -> None:
    assert len(notation.placements()) == len(geometry().covers) == len(PLACEMENTS) == 48
    named = ["".join(map(notation.name, lay)) for lay in notation.placements()]
    assert named == ["".join(lay) for lay in PLACEMENTS]


def test_all_arrangements_have_the_moves_they_should() -> None:
    found = arrangements()
    assert len(found) == 18_368
    count = np.asarray(jax.jit(jax.vmap(GAME.num_legal))(states(found)))
    assert (count == 0).sum() == 120
    assert count.max() == 221 == GAME.max_legal
    assert round(float(count.mean()), 1) == 88.9
    # The same by sets of squares: 13 neutral choices for every L that fits and is not where it was.
    fitting = Counter()
    for index, (own, other, neutrals) in enumerate(found):
        taken = {*other, *neutrals}
        fitting[index] = sum(lay != own and taken.isdisjoint(lay) for lay in notation.placements())
    np.testing.assert_array_equal(count, [13 * fitting[index] for index in range(len(found))])


def test_symmetric_arrangements_fall_into_2296_classes() -> None:
    found = states(arrangements())

    def smallest(state: State) -> jax.Array:
        images, _ = GAME.symmetries(state)
        return ((images.own * 48 + images.other) * 65_536 + images.neutrals.words[0].astype(np.int32)).min()

    classes = np.unique(np.asarray(jax.jit(jax.vmap(smallest))(found)))
    assert len(classes) == 2_296


def test_who_cannot_move_has_lost() -> None:
    found = arrangements()
    batch = states(found)
    done, returns = jax.jit(jax.vmap(lambda s: (GAME.done(s), GAME.returns(s))))(batch)
    assert np.unique(np.asarray(returns)[np.asarray(done)], axis=0).tolist() == [[-1, 1]]
    assert not np.asarray(returns)[~np.asarray(done)].any()
    reference = reference_of(GAME)
    for index in np.flatnonzero(done)[::10]:
        text = GAME.format(jax.tree.map(lambda leaf, index=index: leaf[index], batch))
        assert reference.result(text) == (-1.0, 1.0)
        assert reference.result(text[:-1] + "B") in (None, (1.0, -1.0))
