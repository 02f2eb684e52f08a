"""The search on the host: its numbers held to mctx's, its tree to a count by hand, its moves to the truth."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest
from helpers.batched import unstack

from ludus.core.game import compiled, legal_actions
from ludus.games.hex.rules import Hex
from ludus.play.selfplay import random_positions
from ludus.search.network import gumbel, host_tree
from ludus.truth import truth_of

HEX3 = Hex(size=3)


def unknowing(states: Any) -> Any:
    count = len(jax.tree.leaves(states)[0])
    return jnp.zeros((count, HEX3.num_actions)), jnp.zeros(count)


LOOK = jax.jit(host_tree.expander(HEX3, unknowing))


def on_host(state: Any) -> Any:
    return jax.tree.map(np.asarray, state)


@pytest.mark.parametrize("seed", range(8))
def test_values_become_logits_as_in_mctx(seed: int) -> None:
    """A node of random visits and values, by the library's own function and by ours."""
    chance = np.random.default_rng(seed)
    moves = 7
    logits = chance.normal(size=moves)
    visits = chance.integers(0, 6, moves) * (chance.random(moves) < 0.6 if seed else 0)
    values = np.where(visits > 0, chance.uniform(-1, 1, moves), 0.0)
    value = float(chance.uniform(-1, 1))
    make: Any = mctx.Tree
    tree = make(
        node_visits=jnp.array([[1 + visits.sum(), 0]]),
        raw_values=jnp.array([[value, 0.0]]),
        node_values=jnp.zeros((1, 2)),
        parents=jnp.full((1, 2), -1),
        action_from_parent=jnp.full((1, 2), -1),
        children_index=jnp.full((1, 2, moves), -1),
        children_prior_logits=jnp.asarray(np.stack([logits, logits]))[None],
        children_values=jnp.asarray(np.stack([values, values]))[None],
        children_visits=jnp.asarray(np.stack([visits, visits]))[None],
        children_rewards=jnp.zeros((1, 2, moves)),
        children_discounts=jnp.ones((1, 2, moves)),
        embeddings=jnp.zeros((1, 2)),
        root_invalid_actions=jnp.zeros((1, moves)),
        extra_data=(),
    )
    with jax.numpy_dtype_promotion("standard"):
        theirs = mctx.qtransform_completed_by_mix_value(
            jax.tree.map(lambda leaf: leaf[0], tree), jnp.int32(0), value_scale=gumbel.SCALE, rescale_values=False
        )
    np.testing.assert_allclose(host_tree.scaled(logits, visits, visits * values, value), theirs, atol=2e-4)


def test_every_simulation_is_a_visit_and_every_mean_is_that_of_its_leaves() -> None:
    tree = host_tree.SearchTree(LOOK, on_host(HEX3.init()))
    made = 0
    while made < 60:
        made += tree.grow(60 - made)
    assert made == 60
    assert tree.root.visits.sum() == 60

    def check(node: host_tree.Node) -> tuple[int, float]:
        """The visits below a node and the sum of all leaves' values, in the eyes of its mover: by a walk."""
        total, count = 0.0, 0
        for place, edge in enumerate(node.children):
            assert node.pending[place] == 0
            if edge is None:
                assert node.visits[place] == 0
                continue
            if edge.sign == 0:
                below, leaves = node.visits[place] * edge.reward, node.visits[place]
            else:
                leaves, below = check(edge.node)
                leaves, below = leaves + 1, edge.sign * (below + edge.node.value)
            assert node.visits[place] == leaves
            assert node.total[place] == pytest.approx(below, abs=1e-6)
            total, count = total + below, count + int(leaves)
        return count, total

    check(tree.root)


def test_a_tree_that_knows_nothing_finds_what_is_won() -> None:
    states = random_positions(HEX3, jax.random.key(1), 30)
    won = 0
    for lane in range(30):
        state = on_host(unstack(states, lane))
        found: Any = truth_of(HEX3).solve(state)
        worth = {HEX3.parse_move(state, move.move): move.value for move in found.moves}
        if max(worth.values()) < 1 or len(worth) > 6:
            continue
        tree, made = host_tree.SearchTree(LOOK, state), 0
        while made < 200:
            made += tree.grow(200 - made)
        won += 1
        assert worth[int(tree.root.actions[tree.root.best()])] == 1, HEX3.format(state)
    assert won > 8


def test_the_tree_goes_on_from_where_the_game_went() -> None:
    tree = host_tree.SearchTree(LOOK, on_host(HEX3.init()))
    for _ in range(8):
        tree.grow(8)
    place = int(tree.root.visits.argmax())
    below = tree.root.children[place]
    assert below is not None
    visits = int(below.node.visits.sum())
    assert visits > 0
    assert tree.advance(int(tree.root.actions[place]))
    assert tree.root is below.node
    assert int(tree.root.visits.sum()) == visits
    after = compiled(HEX3).step(HEX3.init(), int(host_tree.SearchTree(LOOK, on_host(HEX3.init())).root.actions[place]))
    assert HEX3.format(tree.root.state) == HEX3.format(after)
    assert sorted(tree.root.actions.tolist()) == legal_actions(HEX3, after)
    assert not tree.advance(10**6)


def test_the_move_to_be_played_is_the_most_visited_and_of_those_the_better() -> None:
    """Of three moves that the network finds alike: values of 0, 1/2 and 1, the last of which was hardly looked at."""
    leaf: Any = host_tree.Expansion
    node = host_tree.Node(leaf(None, np.ones(3, bool), np.zeros(3), 0.0, 0.0, 1.0))
    node.visits[:], node.total[:] = (4, 4, 1), (0, 2, 1)
    assert node.best() == 1


def test_moves_that_are_left_out_are_not_looked_at() -> None:
    tree = host_tree.SearchTree(LOOK, on_host(HEX3.init()))
    tree.grow(8)
    tree.restrict([4, 5])
    for _ in range(4):
        tree.grow(8)
    assert tree.root.actions.tolist() == [4, 5]
    assert int(tree.root.actions[tree.root.best()]) in (4, 5)
    tree.restrict([])  # none left: then all stay
    assert len(tree.root.actions) == 2
