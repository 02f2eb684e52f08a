"""Agents: one interface for every player, found by name.

`random`; `perfect` (any move that holds the value) and `perfect:hardest` (the one that wins fastest or resists
longest), where the truth is known; `minimax:2`, `alphabeta:4` and the like (`engines`), where the game can be searched;
`htp:COMMAND` for a program of others (`programs`), where the game has a text protocol; the folder of a run; or
`GAME/NAME` for one that comes with the package. `NAME@128` searches by its own network (`searching`).
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.agents.spec import (
    PERFECT,
    SEARCHERS,
    can_be_searched,
    command_of,
    folder_of,
    refuse_strangers,
    searcher_of,
    setup_of,
    thought_of,
)
from ludus.core.game import Game, each_move
from ludus.errors import BadInput
from ludus.games import make_game, shipped
from ludus.learners import targets
from ludus.learners.recipes import Recipe
from ludus.play import selfplay, transition
from ludus.play.policies import MASKED, best_moves
from ludus.runs import run_folder, tensors
from ludus.runs.files import read_manifest
from ludus.runs.records import CONFIG, WEIGHTS, checkpoints, fingerprint, playing_tensors, read_config
from ludus.truth import evaluate, truth_of
from ludus.truth.graph import PARENTS, Graph, in_chunks
from ludus.truth.protocol import Agent
from ludus.truth.solve import solve
from ludus.truth.tabular import TableGame, values_everywhere

Weights = Any
State = Any


class RandomAgent:
    """Every legal move alike."""

    name, weights, chance = "random", None, True

    def policy(self, game: Game) -> selfplay.Policy:
        return _random_policy(game)(None)

    def policy_of(self, game: Game) -> Callable[[Weights], selfplay.Policy]:
        return _random_policy(game)

    def choices(self, game: Game) -> Callable[[Weights, State], Float[Array, "A"]]:
        return _random_choices(game)

    def move_values(self, game: Game, lookahead: bool = True) -> None:
        return None

    def expected(self, game: Game) -> None:
        return None

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        return evaluate.uniform(graph)


@functools.lru_cache(maxsize=16)
def _random_policy(game: Game) -> Callable[[Weights], selfplay.Policy]:
    policy = selfplay.random_policy(game)
    return lambda _: policy


@functools.lru_cache(maxsize=16)
def _random_choices(game: Game) -> Callable[[Weights, State], Float[Array, "A"]]:
    return lambda _, state: _alike(game.legal(state))


def _alike(moves: Array) -> Float[Array, "A"]:
    """Any of these moves, each as likely as another."""
    share = moves.astype(jnp.float32)
    return share / jnp.maximum(share.sum(), 1)


class PerfectAgent:
    """Plays by the truth: any move that holds the value, or the hardest of them."""

    weights, chance = None, True

    def __init__(self, hardest: bool = False) -> None:
        self.hardest = hardest
        self.name = next(name for name, value in PERFECT.items() if value is hardest)

    def policy(self, game: Game) -> selfplay.Policy:
        return truth_of(game).policy(self.hardest)

    def policy_of(self, game: Game) -> Callable[[Weights], selfplay.Policy]:
        policy = self.policy(game)
        return lambda _: policy

    def choices(self, game: Game) -> None:
        return None

    def move_values(self, game: Game, lookahead: bool = True) -> None:
        return None

    def expected(self, game: Game) -> None:
        return None

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        solution = solve(graph.game)
        return evaluate.among(graph, solution.hardest if self.hardest else solution.holding)


class TrainedAgent:
    """A learner's network, playing the move it thinks best."""

    chance = False

    def __init__(self, name: str, recipe: Recipe, weights: Weights) -> None:
        self.name, self.recipe, self.weights = name, recipe, weights

    def policy(self, game: Game) -> selfplay.Policy:
        return self.policy_of(game)(self.weights)

    def policy_of(self, game: Game) -> Callable[[Weights], selfplay.Policy]:
        return _policy_of(self.recipe, game)

    def choices(self, game: Game) -> Callable[[Weights, State], Float[Array, "A"]]:
        return _choices(self.recipe, game)

    def move_values(self, game: Game, lookahead: bool = True) -> Callable[[Weights, State], Float[Array, "A"]]:
        return _move_values(self.recipe, game, lookahead)

    def expected(self, game: Game) -> Callable[[Weights, State], Float[Array, "A"]]:
        two_headed = self.recipe.learner.judge is not None  # then moves are rated by how likely they are the best
        return _by_afterstates(self.recipe, game, True) if two_headed else _move_values(self.recipe, game, True)

    def order(self, game: Game) -> Any:
        """The order in which it tries the moves of a puzzle, in compiled code where it can be had."""
        compiled = self.recipe.learner.compiled_order
        return None if compiled is None else compiled(self.recipe.config, game, self.weights, self.name)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        rules, learner = self.recipe.rules(graph.game), self.recipe.learner
        if learner.move_values is not None:
            values = self._everywhere(graph, _move_values(self.recipe, graph.game, True))
            score = np.nan_to_num(values[graph.parent, graph.action], nan=MASKED)
            return evaluate.among(graph, score == graph.reduce(np.maximum, score, 0)[graph.parent])
        value = _position_value(self.recipe, graph.game)
        if isinstance(rules, TableGame):
            values = values_everywhere(rules, jax.jit(jax.vmap(value, (None, 0)))(self.weights, rules.everywhere()))
        else:
            values = self._everywhere(graph, value)
        return evaluate.greedy(graph, graph.sign * values[graph.child])

    def _everywhere(self, graph: Graph, function: Callable[[Weights, State], Array]) -> np.ndarray:
        """A function of one position, over all of them."""
        return in_chunks(PARENTS, functools.partial(_over_positions(function), self.weights), graph.states)


# One function for each recipe and game, so that what is compiled with it is found again.


@functools.lru_cache(maxsize=32)
def _over_positions(function: Callable[[Weights, State], Array]) -> Callable[[Weights, State], Array]:
    return jax.jit(jax.vmap(function, (None, 0)))


@functools.lru_cache(maxsize=32)
def _policy_of(recipe: Recipe, game: Game) -> Callable[[Weights], selfplay.Policy]:
    return lambda weights: recipe.learner.policy(recipe.config, game, weights, 0.0)


@functools.lru_cache(maxsize=32)
def _position_value(recipe: Recipe, game: Game) -> Callable[[Weights, State], Float[Array, ""]]:
    rules, value = recipe.rules(game), recipe.learner.position_value
    assert value is not None
    return lambda weights, state: value(recipe.config, rules, weights, state)


@functools.lru_cache(maxsize=32)
def _move_values(recipe: Recipe, game: Game, lookahead: bool) -> Callable[[Weights, State], Float[Array, "A"]]:
    """What a network thinks of every action of a position; by where they lead, if it rates positions."""
    learner = recipe.learner
    config = recipe.config if lookahead else learner.without_lookahead(recipe.config)
    if learner.move_values is None:
        return _by_afterstates(recipe, game, lookahead)
    values = learner.move_values
    return lambda weights, state: values(config, game, weights, state)


@functools.lru_cache(maxsize=32)
def _by_afterstates(recipe: Recipe, game: Game, lookahead: bool) -> Callable[[Weights, State], Float[Array, "A"]]:
    """What a network that rates positions thinks of those that the actions lead to."""
    learner = recipe.learner
    config = recipe.config if lookahead else learner.without_lookahead(recipe.config)
    value = learner.position_value
    assert value is not None

    def by_afterstates(weights: Weights, state: State) -> Float[Array, "A"]:
        def worth(reached: State) -> Float[Array, ""]:
            sign = transition.sign(game, state, reached)
            return targets.one_step(jnp.float32(0), sign, value(config, game, weights, reached))

        moves = each_move(game, state, worth)
        found = jnp.where(moves.valid, moves.said, MASKED)
        return jnp.full(game.num_actions, MASKED).at[moves.actions].max(found)

    return by_afterstates


@functools.lru_cache(maxsize=32)
def _choices(recipe: Recipe, game: Game) -> Callable[[Weights, State], Float[Array, "A"]]:
    """The moves of the highest value alike; of positions of the highest value, the first."""
    values, first_alone = _move_values(recipe, game, True), recipe.learner.move_values is None

    def choose(weights: Weights, state: State) -> Float[Array, "A"]:
        best = best_moves(values(weights, state), game.legal(state))
        first = best & (jnp.cumsum(best, dtype=jnp.int32) == 1)
        return _alike(first if first_alone else best)

    return choose


def agents_for(game: Game) -> list[str]:
    """The names of the agents that can play a game, besides run folders."""
    searchers = SEARCHERS if can_be_searched(game.name) else ()
    return ["random", *truth_of(game).solvers, *searchers, *shipped(game.name)]


def find_agent(name: str, game: Game) -> Agent:
    """An agent by its name, for this game."""
    if name == "random":
        return RandomAgent()
    if name in PERFECT:
        truth = truth_of(game)
        if name not in truth.solvers:
            truth.policy(PERFECT[name])  # says why not
        return PerfectAgent(PERFECT[name])
    refuse_strangers([name], game.name)
    if (searcher := searcher_of(name)) is not None:
        from ludus.agents.engine import EngineAgent  # which loads what compiles it

        return EngineAgent(name, searcher, game)
    if (thought := thought_of(name)) is not None:
        from ludus.agents.searching import SearchingAgent

        return SearchingAgent(name, thought, load_agent(folder_of(thought.agent), game, thought.agent), game)
    if (command := command_of(name)) is not None:
        from ludus.agents.program import ProgramAgent

        return ProgramAgent(name, command)
    return load_agent(folder_of(name), game, name)


def game_of(name: str) -> Game | None:
    """The game that a trained agent plays, or a search with one inside; None for an agent that plays any."""
    setup = setup_of(name)
    return None if setup is None else make_game(setup.game, **setup.options)


def load_agent(folder: Path, game: Game, name: str | None = None) -> TrainedAgent:
    """The agent of a run folder, or of a shipped one; that of a run which is not finished, as it stands."""
    config = read_config(folder)
    if config["game"] != game.name:
        raise BadInput(f"the agent '{name or folder}' plays {config['game']}, not {game.name}.")
    recipe, path = Recipe.from_json(config["recipe"]), folder / WEIGHTS
    finished = playing_tensors(folder) == path
    weights = _final_weights(path, config, recipe, game) if finished else _latest_weights(folder, recipe, game)
    return TrainedAgent(name or str(folder), recipe, weights)


def _final_weights(path: Path, config: dict[str, Any], recipe: Recipe, game: Game) -> Weights:
    # Positions of a table look as they do in the game: the shapes are known before it is made, which takes seconds.
    rules, learner = replace(recipe, as_table=False).rules(game), recipe.learner
    like = jax.eval_shape(lambda: learner.weights(learner.init(recipe.config, rules, jax.random.key(0))))
    weights = tensors.read_tensors(path, like)
    if read_manifest(path)["extra"].get("config_sha256", fingerprint(config)) != fingerprint(config):
        raise BadInput(f"'{path.parent / CONFIG}' was changed after '{path}' was trained: they do not belong together.")
    return weights


def _latest_weights(folder: Path, recipe: Recipe, game: Game) -> Weights:
    """Those of the newest checkpoint."""
    if not checkpoints(folder):
        resume = shlex.join(["ludus", "train", "--resume", str(folder)])
        raise BadInput(f"the run '{folder}' has no checkpoint yet: wait for its first report, or go on with {resume}.")
    rules, learner = recipe.rules(game), recipe.learner
    like = jax.eval_shape(lambda: learner.init(recipe.config, rules, jax.random.key(0)))
    found = run_folder.open_run(folder).newest(like)
    assert found is not None
    return learner.weights(found[1])
