"""Players with a trained network: they play the move that the network rates highest."""

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

from ludus.core.game import Game, each_move
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.learners import targets
from ludus.learners.recipe import Recipe
from ludus.play import transition
from ludus.play.batched import Batched, PolicyOf
from ludus.play.player import Clock, Player, alike
from ludus.play.policies import MASKED, best_moves
from ludus.play.thoughts import ActionRating, Considered, Thoughts, best_first, rated_moves
from ludus.runs import run_folder, tensors
from ludus.runs.files import read_manifest
from ludus.runs.run_info import CONFIG, WEIGHTS, checkpoints, fingerprint, playing_tensors, read_config
from ludus.search.network import host_tree
from ludus.truth import evaluate
from ludus.truth.graph import PARENTS, Graph, in_chunks
from ludus.truth.tabular import TableGame, values_everywhere

Weights = Any
State = Any


class NetworkPlayer(Player):
    """The move that its network rates highest."""

    def __init__(self, name: str, recipe: Recipe, weights: Weights) -> None:
        self.name, self.recipe, self.weights = name, recipe, weights

    def warm(self, line: Line, clock: Clock) -> None:
        self.move(line, clock)

    def thoughts(self, line: Line, clock: Clock) -> Thoughts:
        """From one evaluation of the position; a policy head gives probabilities, and values of the likeliest moves."""
        clock.beat()
        if self.recipe.learner.judge is not None:
            return self._judged(line)
        rated = rated_moves(self.name, self.ratings(line.game), self.weights, line)
        if not self._log_odds:
            unit = self.recipe.learner.unit(self.recipe.config, line.game)
            return best_first([Considered(*pair) for pair in rated], unit=unit)
        moves, log_odds = zip(*rated, strict=True)
        chances = host_tree.softmax(np.array(log_odds)).tolist()
        return best_first([Considered(m, probability=p) for m, p in zip(moves, chances, strict=True)])

    @property
    def _log_odds(self) -> bool:
        return self.recipe.learner.log_odds(self.recipe.config)

    def _judged(self, line: Line) -> Thoughts:
        game, state, actions = line.game, line.state, line.legal()
        look = functools.partial(expander_of(self.recipe, game), self.weights)
        leaf = host_tree.expand(look, [state], [-1])
        chances = host_tree.softmax(np.asarray(leaf.logits[0], np.float64)[actions])
        if not (np.isfinite(chances).all() and np.isfinite(leaf.value[0])):
            raise BadInput(f"{self.name} has values that are not numbers: its training went wrong.")
        likeliest = np.argsort(-chances, kind="stable")[: host_tree.LEAF_BATCH].tolist()
        after = host_tree.expand(look, [state] * len(likeliest), [actions[place] for place in likeliest])
        worth = (after.reward + after.sign * after.value).tolist()
        values = dict(zip(likeliest, worth, strict=False))
        texts = [game.format_move(state, action) for action in actions]
        moves = [Considered(text, values.get(n), float(chances[n])) for n, text in enumerate(texts)]
        return best_first(moves, float(leaf.value[0]))

    # --- batches of games on the device

    def batched(self, game: Game) -> Batched:
        return Batched(_policy_of(self.recipe, game), self.weights)

    # --- for grading

    def choices(self, game: Game) -> ActionRating:
        return _choices(self.recipe, game)

    def ratings(self, game: Game, lookahead: bool = True) -> ActionRating:
        return _ratings(self.recipe, game, lookahead)

    def expected(self, game: Game) -> ActionRating | None:
        if self._log_odds:
            return None
        two_headed = self.recipe.learner.judge is not None  # its ratings are policy log-odds, not expected results
        return _by_afterstates(self.recipe, game, True) if two_headed else _ratings(self.recipe, game, True)

    def order(self, game: Game) -> Any:
        compiled = self.recipe.learner.compiled_order
        return None if compiled is None else compiled(self.recipe.config, game, self.weights, self.name)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        rules, learner = self.recipe.rules(graph.game), self.recipe.learner
        if learner.move_values is not None:
            values = self._everywhere(graph, _ratings(self.recipe, graph.game, True))
            score = np.nan_to_num(values[graph.parent, graph.action], nan=MASKED)
            return graph.among(score == graph.reduce(np.maximum, score, 0)[graph.parent])
        value = _position_value(self.recipe, graph.game)
        if isinstance(rules, TableGame):
            values = values_everywhere(rules, jax.jit(jax.vmap(value, (None, 0)))(self.weights, rules.everywhere()))
        else:
            values = self._everywhere(graph, value)
        return evaluate.greedy(graph, graph.sign * values[graph.child])

    def _everywhere(self, graph: Graph, function: Callable[[Weights, State], Array]) -> np.ndarray:
        """A function of one position, applied to all positions of the graph."""
        return in_chunks(PARENTS, functools.partial(_over_positions(function), self.weights), graph.states)


# One cached function for each recipe and game, so that JAX reuses what it compiled.


@functools.lru_cache(maxsize=32)
def _over_positions(function: Callable[[Weights, State], Array]) -> Callable[[Weights, State], Array]:
    return jax.jit(jax.vmap(function, (None, 0)))


@functools.lru_cache(maxsize=32)
def _policy_of(recipe: Recipe, game: Game) -> PolicyOf:
    return lambda weights: recipe.learner.policy(recipe.config, game, weights, 0.0)


@functools.lru_cache(maxsize=32)
def expander_of(recipe: Recipe, game: Game) -> Callable[[Weights, Any, Any], host_tree.Expansion]:
    """The rules and a network of two heads as one compiled program, for a batch of positions."""
    judge = recipe.learner.judge
    assert judge is not None
    return jax.jit(
        lambda weights, states, actions: host_tree.expander(game, judge(recipe.config, game, weights))(states, actions)
    )


@functools.lru_cache(maxsize=32)
def _position_value(recipe: Recipe, game: Game) -> Callable[[Weights, State], Float[Array, ""]]:
    rules, value = recipe.rules(game), recipe.learner.position_value
    assert value is not None
    return lambda weights, state: value(recipe.config, rules, weights, state)


@functools.lru_cache(maxsize=32)
def _ratings(recipe: Recipe, game: Game, lookahead: bool) -> ActionRating:
    """How a network rates every action of a position; if it rates positions, by the afterstates."""
    learner = recipe.learner
    config = recipe.config if lookahead else learner.without_lookahead(recipe.config)
    if learner.move_values is None:
        return _by_afterstates(recipe, game, lookahead)
    values = learner.move_values
    return lambda weights, state: values(config, game, weights, state)


@functools.lru_cache(maxsize=32)
def _by_afterstates(recipe: Recipe, game: Game, lookahead: bool) -> ActionRating:
    """The rating of each action is the network's value of its afterstate."""
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
def _choices(recipe: Recipe, game: Game) -> ActionRating:
    """All moves of the highest value alike; if the network rates positions, only the first of them."""
    values, first_alone = _ratings(recipe, game, True), recipe.learner.move_values is None

    def choose(weights: Weights, state: State) -> Float[Array, "A"]:
        best = best_moves(values(weights, state), game.legal(state))
        first = best & (jnp.cumsum(best, dtype=jnp.int32) == 1)
        return alike(first if first_alone else best)

    return choose


# --- from a folder


def load_network(folder: Path, game: Game, name: str | None = None) -> NetworkPlayer:
    """The agent of a run folder or a shipped folder; of an unfinished run, its newest checkpoint."""
    config = read_config(folder)
    if config["game"] != game.name:
        raise BadInput(f"the agent '{name or folder}' plays {config['game']}, not {game.name}.")
    recipe, path = Recipe.from_json(config["recipe"]), folder / WEIGHTS
    finished = playing_tensors(folder) == path
    weights = _final_weights(path, config, recipe, game) if finished else _latest_weights(folder, recipe, game)
    return NetworkPlayer(name or str(folder), recipe, weights)


def _final_weights(path: Path, config: dict[str, Any], recipe: Recipe, game: Game) -> Weights:
    # The shapes of the weights are the same without the table, which takes seconds to make.
    rules, learner = replace(recipe, as_table=False).rules(game), recipe.learner
    like = jax.eval_shape(lambda: learner.weights(learner.init(recipe.config, rules, jax.random.key(0))))
    weights = tensors.read_tensors(path, like)
    if read_manifest(path)["extra"].get("config_sha256", fingerprint(config)) != fingerprint(config):
        raise BadInput(f"'{path.parent / CONFIG}' was changed after '{path}' was trained: they do not belong together.")
    return weights


def _latest_weights(folder: Path, recipe: Recipe, game: Game) -> Weights:
    """The weights of the newest checkpoint."""
    if not checkpoints(folder):
        resume = shlex.join(["ludus", "train", "--resume", str(folder)])
        raise BadInput(f"the run '{folder}' has no checkpoint yet: wait for its first report, or go on with {resume}.")
    rules, learner = recipe.rules(game), recipe.learner
    like = jax.eval_shape(lambda: learner.init(recipe.config, rules, jax.random.key(0)))
    found = run_folder.open_run(folder).read_newest(like)
    assert found is not None
    return learner.weights(found[1])
