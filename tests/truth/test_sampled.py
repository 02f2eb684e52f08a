"""Where nothing exact is known: refusals, and strength by games against the random player."""

from __future__ import annotations

import random

import jax
import pytest
from helpers.batched import on_host, unstack
from helpers.cases import reference_of
from helpers.text import refusal

from ludus.agents.network import NetworkPlayer
from ludus.core.game import Game
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners.recipe import Recipe
from ludus.play import arena
from ludus.play.player import RandomPlayer
from ludus.play.scores import score_interval
from ludus.truth import truth_of
from ludus.truth.protocol import Truth
from ludus.truth.sampled import grade_by_games

HEX = Hex(size=4)
RATES_MOVES = Recipe.of("", "negamax", hidden=(8,))
RATES_POSITIONS = Recipe.of("", "afterstate", hidden=(8,))


def agent_of(recipe: Recipe) -> NetworkPlayer:
    state = jax.eval_shape(lambda: recipe.learner.init(recipe.config, HEX, jax.random.key(0)))
    shapes = recipe.learner.weights(state)
    leaves, tree = jax.tree.flatten(shapes)
    keys = jax.random.split(jax.random.key(3), len(leaves))
    filled = [jax.random.normal(key, leaf.shape, leaf.dtype) for key, leaf in zip(keys, leaves, strict=True)]
    return NetworkPlayer("some", recipe, jax.tree.unflatten(tree, filled))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [RATES_MOVES, RATES_POSITIONS], ids=["moves", "positions"])
def test_it_is_what_a_match_shows(recipe: Recipe) -> None:
    agent = agent_of(recipe)
    found = grade_by_games(agent, HEX, 1024)
    assert found == grade_by_games(agent, HEX, 1024)
    match = arena.match(HEX, agent, RandomPlayer(), 1024, jax.random.key(1))
    assert found.result.games == 1024
    assert found.result.ci95 is not None
    assert found.result.ci95[0] < match.score < found.result.ci95[1]
    assert found.result.ci95 == score_interval(found.result.wins, found.result.draws, found.result.losses)
    document = found.to_json()
    assert (document["against"], document["sampled"]) == ("random", 1024)
    assert document["wins"] + document["draws"] + document["losses"] == 1024
    assert "games" not in document  # which is how many games it has learned from


@pytest.mark.parametrize("game", [Abalone(), Hex(size=11)], ids=lambda game: game.name)
def test_what_is_not_known_is_refused_in_a_sentence(game: Game) -> None:
    truth = truth_of(game)
    assert isinstance(truth, Truth)
    assert (truth.solvers, truth.grades) == ((), ())
    for ask in (lambda: truth.solve(game.init()), truth.count, truth.policy, lambda: truth.policy(hardest=True)):
        assert refusal(ask).startswith(game.name)


@pytest.mark.slow
def test_of_a_puzzle_it_is_the_share_solved() -> None:
    """By the random player, of puzzles of three pieces; and of others of the kind, by the slow rules."""
    game = SolitaireChess(size=3, pieces=3)
    found = grade_by_games(RandomPlayer(), game, 2048)
    document = found.to_json()
    assert document["sampled"] == 2048 == document["wins"] + document["losses"]
    assert document["draws"] == 0
    assert "against" not in document
    slow, chance, solved = reference_of(game), random.Random(0), 0
    puzzles = on_host(jax.jit(jax.vmap(game.sample))(jax.random.split(jax.random.key(1), 500)))
    for k in range(500):
        text = game.format(unstack(puzzles, k))
        while moves := slow.moves(text):
            text = slow.play(text, chance.choice(moves))
        solved += slow.result(text) == (1.0,)
    low, high = score_interval(solved, 0, 500 - solved)
    assert low < document["score"] < high
    assert 0 < document["score"] < 1
    assert found.summary() == f"solves {100 * document['score']:.1f}% of 2,048 puzzles"
    assert found.lines()[0].startswith(found.summary())
