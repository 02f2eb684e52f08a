"""Learning from whole search trees: lessons are true, and a network says the same in JAX and in compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from helpers.batched import unstack
from helpers.positions import random_positions
from helpers.text import refusal

from ludus.agents.network import NetworkPlayer
from ludus.core.game import compiled, legal_actions
from ludus.games.hex.rules import Hex
from ludus.games.solitaire_chess import twin as solitaire_twin
from ludus.games.solitaire_chess.lessons import lessons, mirror
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners import ordering, trees
from ludus.learners.learner import Learner
from ludus.learners.recipe import Recipe
from ludus.search.puzzle.order import Order
from ludus.search.puzzle.solver import PuzzleSolver
from ludus.truth.puzzle import order_of

twin: Any = solitaire_twin
TINY = trees.Config(hidden=(16, 8), rows=64, memory=64, updates=2, batch=16)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def some_weights(learner: Learner, config: Any, game: SolitaireChess) -> Any:
    begun = learner.weights(learner.init(config, game, jax.random.key(3)))
    return jax.tree.map(lambda leaf: leaf + 0.3 * jax.random.normal(jax.random.key(leaf.size), leaf.shape), begun)


def position(game: SolitaireChess, numbers: list[int]) -> tuple[str, list[int]]:
    """What a row of a lesson shows: the board as text, and the legal actions."""
    cells = ["."] * game.size**2
    for number in (n for n in numbers if n < 8 * len(cells)):
        if number % 8 < 6:
            square = number // 8
            cells[(game.size - 1 - square // game.size) * game.size + square % game.size] = "KQRBNP"[number % 8]
    used = [f"{'abcd'[n // 8 % 4]}{n // 32 + 1}={n % 8 - 5}" for n in numbers if n < 8 * len(cells) and n % 8 > 5]
    actions = [n - 8 * len(cells) for n in numbers if 8 * len(cells) <= n < 8 * len(cells) + game.num_actions]
    return " ".join(["".join(cells), *([",".join(used)] if used else [])]), actions


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["paper", "solo"])
def test_lessons_are_true(rules: str) -> None:
    game = SolitaireChess(rules=rules)
    solver = PuzzleSolver(game)
    numbers, solvable, puzzles = lessons(game, 5, 400, 40, 1.0)
    assert 8 <= puzzles <= 400
    assert 0.1 < solvable.mean() < 0.9
    for row in range(0, 400, 7):
        text, actions = position(game, numbers[row].tolist())
        state = game.parse(text)
        census = solver.census(state)
        assert census is not None
        assert census.solvable == bool(solvable[row])
        assert sorted(actions) == legal_actions(game, state)
        seen = np.flatnonzero(np.asarray(trees.inputs(game, state)))
        assert sorted(n for n in numbers[row].tolist() if n < len(mirror(game)) - 1) == seen.tolist()


@pytest.mark.slow
def test_lessons_are_the_same_for_the_same_seed_and_grow() -> None:
    game = SolitaireChess()
    first, again, other = (lessons(game, seed, 200, 40, 0.0) for seed in (1, 1, 2))
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
    sizes = [(lessons(game, 1, 200, 40, progress)[0] < 128).sum(axis=1).max() for progress in (0.0, 0.25, 0.5)]
    assert sizes[0] == 3  # of puzzles of four, after a move
    assert sizes[0] < sizes[1] < sizes[2] <= 8


def test_a_mirror_image_is_its_own_inverse_and_the_games() -> None:
    game = SolitaireChess()
    turned = mirror(game)
    assert np.array_equal(turned[turned], np.arange(len(turned)))
    state = game.parse("2R1/N2K/2RQ/PB2")
    image = unstack(game.symmetries(state)[0], 1)
    seen, other = (set(np.flatnonzero(np.asarray(trees.inputs(game, each))).tolist()) for each in (state, image))
    assert {int(turned[number]) for number in seen} == other != seen


@pytest.mark.slow
@pytest.mark.parametrize("game", [SolitaireChess(), SolitaireChess(size=5, rules="solo")], ids=lambda g: g.rules)
def test_compiled_code_sees_what_the_network_sees(game: SolitaireChess) -> None:
    look, moves = ordering.looker(twin, True), np.zeros(game.max_legal, np.int16)
    states, seen = random_positions(game, 20), np.zeros(trees.num_inputs(game), np.float32)
    for k in range(20):
        state = unstack(states, k)
        board = twin.from_state(game, state)
        look(board, moves, twin.moves(board, moves), seen)
        assert np.array_equal(seen, np.asarray(trees.inputs(game, state)))


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "inputs"), [("trees", ""), ("dqn", "planes"), ("dqn", "moves")])
def test_a_compiled_order_is_that_of_the_network(learner: str, inputs: str) -> None:
    """Wherever it has to choose, in positions of all kinds."""
    game, name = SolitaireChess(), "tiny"
    settings: dict[str, Any] = {"inputs": inputs, "head": "full"} if inputs else {}
    recipe = Recipe.of(name, learner, hidden=(16, 8), **settings)
    agent = NetworkPlayer(name, recipe, some_weights(recipe.learner, recipe.config, game))
    order, values = order_of(agent, game), jax.jit(agent.ratings(game))
    assert isinstance(order, Order)
    states, actions, rates = random_positions(game, 30), np.zeros(128, np.int16), np.zeros(128, np.float32)
    for k in range(30):
        state = unstack(states, k)
        board = twin.from_state(game, state)
        count = twin.moves(board, actions)
        order.rate(board, actions, count, rates, order.parameters)
        said = np.asarray(values(agent.weights, state))[actions[:count]]
        if learner == "trees":  # a likelihood, of what is not over
            over = [bool(compiled(game).done(compiled(game).step(state, int(a)))) for a in actions[:count]]
            rates[:count] = np.where(over, said, 1 / (1 + np.exp(-np.clip(rates[:count], -80, 80))))
        np.testing.assert_allclose(rates[:count], said, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_it_learns_what_can_be_solved() -> None:
    game = SolitaireChess(size=3)
    config = trees.Config(hidden=(64, 16), games=10_000, rows=512, memory=8192, updates=16, batch=256)
    advance = jax.jit(lambda state: trees.advance(config, game, state))
    state, losses = jax.jit(lambda key: trees.init(config, game, key))(jax.random.key(0)), []
    for _ in range(20):
        state, metrics = advance(state)
        losses.append(float(metrics["loss"]))
    assert np.mean(losses[-3:]) < 0.6 * losses[0]
    numbers, solvable, _ = lessons(game, 99, 512, config.width, 0.0)
    fresh = float(trees.loss_of(state.network, jax.numpy.asarray(numbers), jax.numpy.asarray(solvable)))
    assert fresh < 0.4


def test_a_game_without_lessons_is_refused() -> None:
    game = Hex(size=3)
    assert refusal(lambda: trees.init(TINY, game, jax.random.key(0))) == (
        "hex gives no lessons in solving puzzles; take another recipe."
    )
