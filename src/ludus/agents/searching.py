"""Agents that search by their own network: `NAME@128`, so many simulations a move, and `NAME@2s`, so many seconds.

In matches all positions are searched at once on the device (`learners.gumbel`), each anew. At the board, where somebody
waits, and where a clock runs, a tree grows on the host and is kept from move to move (`learners.growing`). A room
that knows something for certain (its part `certain`) is asked first: a game that is won is then not lost again.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from ludus.agents.players import TrainedAgent
from ludus.agents.spec import Thought
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners.recipes import Recipe
from ludus.play import selfplay
from ludus.play.line import Line
from ludus.search.network import gumbel, host_tree
from ludus.truth import evaluate
from ludus.truth.graph import PARENTS, Graph, in_chunks

CONSIDERED = 16  # moves at the root of a search in matches, at most
PATIENCE = 0.5  # seconds that a room may take to be certain, a move, where no other limit is set


class Known(NamedTuple):
    """What a room knows for certain of a position."""

    winning: int | None = None  # a move that wins
    worthwhile: tuple[int, ...] | None = None  # moves beside which all others lose; None: it cannot say


class SearchingAgent:
    """Plays what a search with its network finds."""

    chance = False

    def __init__(self, name: str, thought: Thought, inside: TrainedAgent, game: Game) -> None:
        if inside.recipe.learner.judge is None:
            raise BadInput(
                f"'{name}' cannot search: '{thought.agent}' has no policy and value to search by, as those of the "
                "learner 'alphazero' have."
            )
        self.name, self.thought, self.inside, self.game = name, thought, inside, game

    @property
    def weights(self) -> Any:
        return self.inside.weights

    @property
    def recipe(self) -> Recipe:
        return self.inside.recipe

    def policy(self, game: Game) -> selfplay.Policy:
        return self.policy_of(game)(self.weights)

    def policy_of(self, game: Game) -> Callable[[Any], selfplay.Policy]:
        if self.thought.simulations is None:
            raise BadInput(f"'{self.name}' thinks by the clock, on the host: it can play, and no more.")
        return _policy_of(self.recipe, game, self.thought.simulations)

    def thinker(self, game: Game) -> Timed | Together | None:
        """How it plays several games at once: on the device alone, if nothing but the network is asked."""
        if self.thought.simulations is None:
            return Timed(self, game)
        return None if part(game, "certain") is None else Together(self, game)

    def at_board(self, game: Game) -> AtBoard:
        """How it plays one game that somebody watches."""
        return AtBoard(self, game)

    def choices(self, game: Game) -> None:
        return None

    def move_values(self, game: Game, lookahead: bool = True) -> Any:
        return self.inside.move_values(game, lookahead)

    def expected(self, game: Game) -> Any:
        return self.inside.expected(game)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        policy = self.policy(graph.game)
        chosen = in_chunks(PARENTS, jax.jit(lambda states: policy(jax.random.key(0), states)), graph.states)
        return evaluate.among(graph, graph.action == np.asarray(chosen)[graph.parent])


@functools.lru_cache(maxsize=16)
def _policy_of(recipe: Recipe, game: Game, simulations: int) -> Callable[[Any], selfplay.Policy]:
    effort = gumbel.Effort(simulations, min(CONSIDERED, game.num_actions), noise=0.0)
    judge = recipe.learner.judge
    assert judge is not None

    def policy_of(weights: Any) -> selfplay.Policy:
        def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
            return gumbel.search(game, judge(recipe.config, game, weights), key, states, effort).action

        return policy

    return policy_of


@functools.lru_cache(maxsize=16)
def _search(recipe: Recipe, game: Game, simulations: int) -> Callable[[Any, Any], Any]:
    policy_of = _policy_of(recipe, game, simulations)
    return jax.jit(lambda weights, states: policy_of(weights)(jax.random.key(0), states))


@functools.lru_cache(maxsize=16)
def _look(recipe: Recipe, game: Game) -> Callable[[Any, Any, Any], host_tree.Leaf]:
    judge = recipe.learner.judge
    assert judge is not None
    return jax.jit(
        lambda weights, states, actions: host_tree.look(game, judge(recipe.config, game, weights))(states, actions)
    )


def known(game: Game, state: Any, seconds: float = PATIENCE) -> Known:
    """What a room is certain of; nothing, if it knows nothing."""
    found = part(game, "certain")
    return Known() if found is None else Known(*found(game, state, seconds))


class Together:
    """Many positions at once: what is certain of each, and a search on the device of those where nothing is."""

    def __init__(self, agent: SearchingAgent, game: Game) -> None:
        self._agent, self._game = agent, game
        assert agent.thought.simulations is not None
        self._search = _search(agent.recipe, game, agent.thought.simulations)
        self._lanes = 1  # of the largest program that was made on an accelerator, where lanes cost less than programs

    def key(self, state: Any) -> int:
        return hash(self._game.format(state))

    def choose(self, states: Sequence[Any], seen: Sequence[Sequence[int]], seeds: Sequence[int]) -> list[int]:
        sure = [known(self._game, state, 0.0).winning for state in states]
        open_places = [place for place, move in enumerate(sure) if move is None]
        if open_places:
            lanes = 1 << (len(open_places) - 1).bit_length()  # few shapes, for few programs
            if jax.default_backend() != "cpu":
                lanes = self._lanes = max(lanes, self._lanes)
            asked = [states[place] for place in open_places]
            asked += [asked[0]] * (lanes - len(asked))
            stacked = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *asked)
            found = np.asarray(self._search(self._agent.weights, stacked))
            for place, move in zip(open_places, found.tolist(), strict=False):
                sure[place] = int(move)
        return [int(move) for move in sure if move is not None]


class Timed:
    """A position at a time, each with a clock and a tree of its own."""

    def __init__(self, agent: SearchingAgent, game: Game) -> None:
        self._agent, self._game = agent, game

    def key(self, state: Any) -> int:
        return hash(self._game.format(state))

    def choose(self, states: Sequence[Any], seen: Sequence[Sequence[int]], seeds: Sequence[int]) -> list[int]:
        return [AtBoard(self._agent, self._game).find(state) for state in states]


class AtBoard:
    """One game, and a tree that is kept from move to move."""

    def __init__(self, agent: SearchingAgent, game: Game) -> None:
        self._agent, self._game = agent, game
        self._tree: host_tree.Tree | None = None
        self._begun: list[int] = []  # the moves of the game to the tree's root
        self._start: Any = None
        self._busy = threading.Lock()

    @property
    def seconds(self) -> float:
        return self._agent.thought.seconds or math.inf

    def move(self, line: Line, seconds: float = math.inf, beat: Callable[[], Any] = lambda: None) -> int:
        if not self._busy.acquire(blocking=False):  # another game is asked about: it has the tree
            return AtBoard(self._agent, self._game).find(line.state, seconds, beat)
        try:
            return self.find(line.state, seconds, beat, self._kept(line))
        finally:
            self._busy.release()

    def find(
        self,
        state: Any,
        seconds: float = math.inf,
        beat: Callable[[], Any] = lambda: None,
        tree: host_tree.Tree | None = None,
    ) -> int:
        """A move for a position, on the tree that there is or on a new one."""
        begun, wanted = time.perf_counter(), self._agent.thought.simulations or math.inf
        seconds = min(seconds, self.seconds)
        certain = known(self._game, state, min(PATIENCE, seconds / 2))
        if certain.winning is not None:
            return certain.winning
        look = functools.partial(_look(self._agent.recipe, self._game), self._agent.weights)
        tree = tree or host_tree.Tree(look, jax.tree.map(np.asarray, state))
        self._tree = tree
        if certain.worthwhile is not None:
            tree.restrict(certain.worthwhile)
        made = 0
        while made < wanted and (made == 0 or time.perf_counter() - begun < seconds):
            beat()
            made += tree.grow(int(min(wanted - made, host_tree.TOGETHER)))
        root = tree.root
        return int(root.actions[root.best()])

    def _kept(self, line: Line) -> host_tree.Tree | None:
        """The tree at this position, if the game went on from where it was grown."""
        tree, begun = self._tree, self._begun
        same = self._start is line.states[0] and line.actions[: len(begun)] == begun
        self._start, self._begun = line.states[0], list(line.actions)
        if tree is None or not same or not all(tree.advance(action) for action in line.actions[len(begun) :]):
            self._tree = None
        return self._tree
