"""Tree-search players with a network: `NAME@128` (simulations a move) and `NAME@2s` (seconds a move).

Matches search all positions in one batch on the device (`search.network.gumbel`), each from a new root. In a single
game, where a person waits or a clock runs, a tree grows on the host and is reused for the next move
(`search.network.host_tree`). If the room can prove results (its part `certain`), it is asked first, so that a won game
is not lost again.
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

from ludus.agents.network import NetworkPlayer, expander_of
from ludus.agents.spec import AgentSpec
from ludus.core.game import Game
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners.recipe import Recipe
from ludus.play.batched import Batched, PolicyOf
from ludus.play.player import Clock, Player
from ludus.play.selfplay import Policy
from ludus.play.thoughts import ActionRating, Considered, Thoughts
from ludus.search.network import gumbel, host_tree
from ludus.truth.graph import PARENTS, Graph, in_chunks

CONSIDERED = 16  # root moves of a search in matches, at most
PATIENCE = 0.5  # seconds a move for the room's proof, at most
LINES, AHEAD = 3, 6  # moves whose variations are shown, and their plies


class Certain(NamedTuple):
    """What a room has proved of a position."""

    winning: int | None = None  # a move that wins
    worthwhile: tuple[int, ...] | None = None  # all other moves lose, every move if it is empty; None: unknown


class TreeSearchPlayer(Player):
    """Plays the best move of a tree search with its network."""

    only_plays = "thinks by the clock, on the host"

    def __init__(self, spec: AgentSpec, inside: NetworkPlayer) -> None:
        if inside.recipe.learner.judge is None:
            raise BadInput(
                f"'{spec.name}' cannot search: '{spec.inside}' has no policy and value to search by, as those of the "
                "learner 'alphazero' have."
            )
        self.name, self.inside = spec.name, inside
        self.weights, self.recipe = inside.weights, inside.recipe
        self.simulations, self.seconds = spec.simulations, spec.seconds or math.inf
        self._lanes = 1  # largest batch compiled so far; on an accelerator padding is cheaper than compiling again
        self._tree: host_tree.SearchTree | None = None
        self._begun: list[int] = []  # the game's moves up to the tree's root
        self._start: Any = None
        self._busy = threading.Lock()

    # --- one game on the host: the tree is reused from move to move

    def move(self, line: Line, clock: Clock) -> int:
        if not self._busy.acquire(blocking=False):  # another game uses the tree
            return self._move(line, clock, keeps=False)
        try:
            return self._move(line, clock, keeps=True)
        finally:
            self._busy.release()

    def warm(self, line: Line, clock: Clock) -> None:
        """By `thoughts`, which does not change the kept tree."""
        self.thoughts(line, clock._replace(seconds=0.0))

    def _move(self, line: Line, clock: Clock, keeps: bool) -> int:
        """Search on the kept tree (`keeps`) if it has this position, else on a new one."""
        begun = time.perf_counter()
        sure = certain(line.game, line.state, min(PATIENCE, clock.seconds / 2, self.seconds / 2))
        tree = self._kept(line) if keeps else None
        if sure.winning is not None:
            return sure.winning
        tree = tree or self._planted(line)
        if keeps:
            self._tree = tree
        root = self._grown(tree, sure, clock, begun).root
        return int(root.actions[root.best()])

    def thoughts(self, line: Line, clock: Clock) -> Thoughts:
        """From a new tree, so that asking does not change its later moves. Each visited move has its mean result;
        each move has its probability in the improved policy.
        """
        sure = certain(line.game, line.state, 0.0)
        root = self._grown(self._planted(line), Certain(), clock, time.perf_counter()).root
        chances = host_tree.softmax(root.improved())
        known = [_known(sure, action) for action in root.actions.tolist()]
        order = sorted(range(len(known)), key=lambda n: (-(known[n] or 0), -root.visits[n], -chances[n]))
        moves = tuple(self._considered(line, root, n, float(chances[n]), known[n], n in order[:LINES]) for n in order)
        return Thoughts(moves, moves[0].value)

    def _considered(
        self, line: Line, root: host_tree.Node, place: int, chance: float, known: float | None, told: bool
    ) -> Considered:
        """One root move, as `thoughts` reports it."""
        text, visits = line.game.format_move(line.state, int(root.actions[place])), int(root.visits[place])
        value, words = float(root.total[place] / visits) if visits else None, ""
        if known is not None:
            value, words = known, "wins, proved" if known > 0 else "loses, proved"
        variation = _variation(line.game, root, place) if told else ()
        return Considered(text, value, chance, words, variation, visits, known is not None)

    def _planted(self, line: Line) -> host_tree.SearchTree:
        look = functools.partial(expander_of(self.recipe, line.game), self.weights)
        return host_tree.SearchTree(look, jax.tree.map(np.asarray, line.state))

    def _grown(self, tree: host_tree.SearchTree, sure: Certain, clock: Clock, begun: float) -> host_tree.SearchTree:
        """Run the simulations of the name, or as many as the time allows."""
        if sure.worthwhile is not None:
            tree.restrict(sure.worthwhile)
        wanted, seconds, made = self.simulations or math.inf, min(clock.seconds, self.seconds), 0
        while made < wanted and (made == 0 or time.perf_counter() - begun < seconds):
            clock.beat()
            made += tree.grow(int(min(wanted - made, host_tree.LEAF_BATCH)))
        return tree

    def _kept(self, line: Line) -> host_tree.SearchTree | None:
        """The kept tree, advanced to this position; None if the game did not pass through its root."""
        tree, begun = self._tree, self._begun
        same = self._start is line.states[0] and line.actions[: len(begun)] == begun
        self._start, self._begun = line.states[0], list(line.actions)
        if tree is None or not same or not all(tree.advance(action) for action in line.actions[len(begun) :]):
            self._tree = None
        return self._tree

    # --- many games: on the host with a time limit, on the device with a number of simulations

    def moves(self, lines: Sequence[Line], clocks: Sequence[Clock]) -> list[int]:
        """Proved wins first; then one batched search on the device for all other positions."""
        if self.simulations is None:  # a new tree for each position
            return [self._move(line, clock, keeps=False) for line, clock in zip(lines, clocks, strict=True)]
        found = [certain(line.game, line.state, 0.0).winning for line in lines]
        uncertain = [place for place, move in enumerate(found) if move is None]
        if uncertain:
            lanes = 1 << (len(uncertain) - 1).bit_length()  # few shapes, so few compilations
            if jax.default_backend() != "cpu":
                lanes = self._lanes = max(lanes, self._lanes)
            asked = [lines[place].state for place in uncertain]
            asked += [asked[0]] * (lanes - len(asked))
            stacked = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *asked)
            searched = np.asarray(_search(self.recipe, lines[0].game, self.simulations)(self.weights, stacked))
            for place, move in zip(uncertain, searched.tolist(), strict=False):
                found[place] = int(move)
        return [int(move) for move in found if move is not None]

    def hosted(self, game: Game) -> bool:
        """Whether the host takes part: with a time limit, or if the room proves results."""
        return self.simulations is None or part(game, "certain") is not None

    def batched(self, game: Game) -> Batched | None:
        if self.simulations is None:
            return None
        return Batched(_policy_of(self.recipe, game, self.simulations), self.weights)

    # --- for grading

    def ratings(self, game: Game, lookahead: bool = True) -> ActionRating:
        return self.inside.ratings(game, lookahead)

    def expected(self, game: Game) -> ActionRating | None:
        return self.inside.expected(game)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        policy = self.on_device(graph.game).policy
        chosen = in_chunks(PARENTS, jax.jit(lambda states: policy(jax.random.key(0), states)), graph.states)
        return graph.among(graph.action == np.asarray(chosen)[graph.parent])


def certain(game: Game, state: Any, seconds: float) -> Certain:
    """What the room has proved of a position within some seconds; empty if it has no such part."""
    found = part(game, "certain")
    return Certain() if found is None else Certain(*found(game, state, seconds))


def _known(sure: Certain, action: int) -> float | None:
    """The proved result of a move, if any."""
    if action == sure.winning:
        return 1.0
    return -1.0 if sure.worthwhile is not None and action not in sure.worthwhile else None


def _variation(game: Game, node: host_tree.Node, place: int) -> tuple[str, ...]:
    """The principal variation of one move of this node, as far as the tree has it."""
    texts: list[str] = []
    while len(texts) < AHEAD:
        texts.append(game.format_move(node.state, int(node.actions[place])))
        edge = node.children[place]
        if edge is None or edge.sign == 0 or not edge.node.visits.any():
            break
        node, place = edge.node, edge.node.best()
    return tuple(texts)


@functools.lru_cache(maxsize=16)
def _policy_of(recipe: Recipe, game: Game, simulations: int) -> PolicyOf:
    effort = gumbel.GumbelSettings(simulations, min(CONSIDERED, game.num_actions), noise=0.0)
    judge = recipe.learner.judge
    assert judge is not None

    def policy_of(weights: Any) -> Policy:
        def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
            return gumbel.search(game, judge(recipe.config, game, weights), key, states, effort).action

        return policy

    return policy_of


@functools.lru_cache(maxsize=16)
def _search(recipe: Recipe, game: Game, simulations: int) -> Callable[[Any, Any], Any]:
    policy_of = _policy_of(recipe, game, simulations)
    return jax.jit(lambda weights, states: policy_of(weights)(jax.random.key(0), states))
