"""Networks with two heads: neighbours as in the rules, any size, both sides alike, no effect from beyond the board."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.batched import unstack

from ludus.games.abalone import lattice as abalone_lattice
from ludus.games.abalone.rules import DIRECTIONS, Abalone, geometry
from ludus.games.hex import lattice as hex_lattice
from ludus.games.hex.rules import Hex
from ludus.learners import two_heads
from ludus.learners.configs import AlphaZeroConfig
from ludus.networks.convolution import AROUND, HexagonLayer
from ludus.networks.two_headed import Hexagons, HexagonTower, deepened
from ludus.play.selfplay import random_positions

TOWER = AlphaZeroConfig(network="tower", width=8, blocks=2)


def tower(game, seed: int = 0) -> HexagonTower:
    return two_heads.new_network(TOWER, game, jax.random.key(seed))  # pyright: ignore[reportReturnType]


def test_a_layer_is_the_sum_over_a_cell_and_its_neighbours() -> None:
    layer = Hexagons(3, 5, jax.random.key(0))
    slow = HexagonLayer(3, 0, 5, jax.random.key(1))
    slow = jax.tree.unflatten(jax.tree.structure(slow), [jnp.zeros((3, 0)), layer.around, layer.bias])
    x = jax.random.normal(jax.random.key(2), (4, 6, 3))
    np.testing.assert_allclose(layer(x), slow(x), atol=1e-5)


def test_neighbours_of_abalone_lie_as_the_filters_see_them() -> None:
    """Each cell and each direction of the rules: one step on the board is one of the filter's, and no two are alike."""
    game, cells = Abalone(), geometry().cells
    places = abalone_lattice.lattice(game).places // len(geometry().kinds)  # of kind 0, each cell's place
    at = {int(cell): divmod(int(places[i]), 9) for i, cell in enumerate(cells)}
    steps = {}
    for cell in at:
        for direction in DIRECTIONS:
            if cell + direction in at:
                (r, c), (row, column) = at[cell], at[cell + direction]
                steps.setdefault(direction, set()).add((row - r, column - c))
    assert all(len(found) == 1 for found in steps.values())
    assert {step for found in steps.values() for step in found} == set(AROUND) - {(0, 0)}


def test_abalones_planes_show_marbles_where_the_moves_lie() -> None:
    """A legal move's place has the marble that it is named by."""
    game = Abalone()
    states = random_positions(game, jax.random.key(0), 4)
    lattice = abalone_lattice.lattice(game)
    for i in range(4):
        state = unstack(states, i)
        seen = np.asarray(abalone_lattice.planes(game, state))
        for action in np.flatnonzero(np.asarray(game.legal(state))):
            row, column = divmod(int(lattice.places[action]) // lattice.layers, 9)
            assert seen[row, column, 0] == 1
            assert lattice.inside[row, column]
    assert len(set(lattice.places.tolist())) == game.num_actions


@pytest.mark.parametrize("swap", [False, True])
def test_hex_is_seen_alike_by_both_sides(swap: bool) -> None:
    """A position and its transposed image, where the other side moves: the same value, and each move's own logit."""
    game = Hex(size=4, swap=swap)
    network = tower(game)
    states = random_positions(Hex(size=4), jax.random.key(1), 5)
    plain = Hex(size=4)
    for i in range(5):
        state = unstack(states, i)
        images, becomes = plain.symmetries(state)
        other = jax.tree.map(lambda leaf: leaf[2], images)
        one, two = (two_heads.policy_value(TOWER, game, network, s) for s in (state, other))
        if swap:  # the seats differ there: white alone may swap
            assert one.logits.shape == (17,)
            continue
        assert one.value == pytest.approx(float(two.value), abs=1e-5)
        np.testing.assert_allclose(one.logits, two.logits[becomes[2]], atol=1e-5)


def test_the_edges_of_hex_are_those_that_a_side_must_join() -> None:
    """A cell touches the mover's first edge if a stone there is joined to it."""
    game = Hex(size=4)
    empty = np.asarray(hex_lattice.planes(game, game.init()))
    for action in range(16):
        after = game.step(game.init(), action)  # white sees black's stone, in the transposed board
        seen = np.asarray(hex_lattice.planes(game, after))
        row, column = action % 4, action // 4
        assert seen[row, column, 3] == 1
        for joined, edge in ((4, 8), (5, 9)):
            assert seen[row, column, joined] == empty[row, column, edge]


def test_the_same_weights_play_any_size() -> None:
    network = tower(Hex(size=5))
    for size in (3, 5, 9):
        game = Hex(size=size)
        found = two_heads.policy_value(TOWER, game, network, game.init())
        assert found.logits.shape == (size**2,)
        assert -1 < float(found.value) < 1
    assert jax.tree.structure(network) == jax.tree.structure(tower(Hex(size=9)))


def test_a_tower_with_more_blocks_says_the_same_and_can_learn_more() -> None:
    game, deep = Hex(size=5), AlphaZeroConfig(network="tower", width=8, blocks=5)
    shallow = tower(game)
    like = two_heads.new_network(deep, game, jax.random.key(1))
    assert isinstance(like, HexagonTower)
    found = deepened(shallow, like)
    assert jax.tree.map(jnp.shape, found) == jax.tree.map(jnp.shape, like)
    states = random_positions(game, jax.random.key(2), 8)

    def said(network: HexagonTower):
        return jax.vmap(lambda state: two_heads.policy_value(deep, game, network, state))(states)

    for ours, theirs in zip(said(found), said(shallow), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))
    slope = jax.grad(lambda network: (said(network).logits ** 2).sum(), allow_int=True)(found)
    assert all(float(jnp.abs(block.second.around).max()) > 0 for block in slope.blocks)


@pytest.mark.parametrize("game", [Abalone(), Hex(size=4)], ids=["abalone", "hex"])
def test_nothing_comes_from_beyond_the_board(game) -> None:
    """A wider square around the same board makes no difference."""
    view = two_heads.lattice_of(game)
    network, lattice, state = tower(game), view.lattice(game), unstack(random_positions(game, jax.random.key(4), 2), 1)
    planes, width = view.planes(game, state), lattice.inside.shape[1]
    cell, layer = np.divmod(lattice.places, lattice.layers)
    wider = (width + 2) * (cell // width + 1) + cell % width + 1
    wide = lattice._replace(inside=np.pad(lattice.inside, 1), places=lattice.layers * wider + layer)
    one, two = network(planes, lattice), network(jnp.pad(planes, ((1, 1), (1, 1), (0, 0))), wide)
    np.testing.assert_allclose(one.logits, two.logits, atol=1e-5)
    assert one.value == pytest.approx(float(two.value), abs=1e-5)
