"""A game as a table is the game: the same lines, results and counts, with images of a position under one number."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.positions import on_host, random_positions, unstack

from ludus.core.game import Game, compiled, legal_actions
from ludus.games import make_game
from ludus.truth.graph import build
from ludus.truth.solve import solve
from ludus.truth.tabular import State, as_table, smallest_image, values_everywhere

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)
GAMES = pytest.mark.parametrize("game", [LGAME, HEX3], ids=lambda game: game.describe())


@pytest.mark.slow
def test_the_l_game_has_2296_classes() -> None:
    table, solution = as_table(LGAME), solve(LGAME)
    assert table.num_positions == len(table.count) == len(table.planes) == 2_296
    assert (table.count == 0).sum() == 15
    assert table.num_actions == table.count.max() == 221
    value = np.full(table.num_positions, 9)
    value[table.class_of] = solution.value
    np.testing.assert_array_equal(value[table.class_of], solution.value)  # one value a class
    assert ((value < 0) & (table.count > 0)).sum() == 14
    assert (value[table.count == 0] == -1).all()
    assert value[table.start] == 0
    assert table.count[table.start] == 65
    np.testing.assert_array_equal(values_everywhere(table, value.astype(float)), solution.value)


@pytest.mark.slow
@GAMES
def test_all_images_of_a_position_have_one_smallest_image(game: Game) -> None:
    states = random_positions(game, 64)

    def chosen(state: Any) -> Any:
        images = game.symmetries(state)[0]
        return images, jax.vmap(lambda image: smallest_image(game, image))(images), smallest_image(game, state)

    images, of_images, own = on_host(jax.jit(jax.vmap(chosen))(states))
    for many, one in zip(*map(jax.tree.leaves, (of_images, own)), strict=True):
        np.testing.assert_array_equal(many, np.broadcast_to(one[:, None], many.shape))
    graph, table = build(game), as_table(game)
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), images)
    number = graph.find(flat).reshape(64, -1)
    shared = table.class_of[number]
    assert (shared == shared[:, :1]).all()
    assert all(one in row for one, row in zip(graph.find(own), number, strict=True))
    for row in number:  # the class is the images and nothing else
        assert set(np.flatnonzero(table.class_of == table.class_of[row[0]]).tolist()) == set(row.tolist())


@pytest.mark.slow
@GAMES
def test_lines_run_in_the_game_and_in_the_table_alike(game: Game) -> None:
    graph, table, rng = build(game), as_table(game), np.random.default_rng(8)
    rules = {
        name: jax.jit(getattr(table, name))
        for name in ("step", "player", "legal", "num_legal", "done", "returns", "observe")
    }
    assert table.num_players == game.num_players
    assert table.max_plies == game.max_plies
    step_all = jax.jit(jax.vmap(game.step, (None, 0)))
    seen = jax.jit(lambda state: jax.vmap(game.observe)(game.symmetries(state)[0]))
    ends = 0
    for line in range(8):
        state, place = on_host(game.init()), table.init()
        if line >= 4:  # near the end, so that some lines finish; the seats as they come
            state = unstack(random_positions(game, 32, seed=line), 20)
            number = table.class_of[graph.number(state)]
            place = State(jnp.int32(number), jnp.int32(state.mover))
        for _ in range(9):
            assert place.number == table.class_of[graph.number(state)]
            assert rules["player"](place) == compiled(game).player(state)
            assert rules["done"](place) == compiled(game).done(state)
            actions = legal_actions(game, state)
            assert rules["num_legal"](place) == len(actions)
            assert np.flatnonzero(rules["legal"](place)).tolist() == list(range(len(actions)))
            assert (np.asarray(seen(state)) == np.asarray(rules["observe"](place))).all(axis=(1, 2, 3)).any()
            if not actions:
                ends += 1
                np.testing.assert_array_equal(rules["returns"](place), compiled(game).returns(state))
                assert np.abs(rules["returns"](place)).tolist() == [1, 1]
                break
            np.testing.assert_array_equal(rules["returns"](place), [0, 0])
            fill = actions + [actions[0]] * (game.num_actions - len(actions))
            after = on_host(step_all(state, np.array(fill, np.int32)))
            classes = table.class_of[graph.find(after)][: len(actions)]
            assert sorted(classes) == sorted(table.child[place.number, : len(actions)])
            n = int(rng.integers(len(actions)))
            place = rules["step"](place, table.nth_legal(place, jnp.int32(n)))
            state = unstack(after, int(np.flatnonzero(classes == place.number)[0]))
    assert ends > 0 or game == LGAME  # whose random games seldom end so soon


@pytest.mark.slow
def test_a_table_has_no_symmetries_left() -> None:
    table = as_table(HEX3)
    images, actions = table.symmetries(table.init())
    assert images.number.tolist() == [table.start]
    assert actions.tolist() == [list(range(table.num_actions))]
    assert table.everywhere().number.tolist() == list(range(table.num_positions))
    assert as_table(HEX3) is table
