"""Players: one class for every kind of player.

Matches, ladders, grades, the terminal, the page, Python and the text protocol use only this class. A player answers one
position at a time on the host (`move`, `thoughts`), or has a compiled policy for thousands of games at once
(`batched`), or both. The defaults here are for what a kind of player cannot do.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ludus.core.game import Game
from ludus.core.line import Line
from ludus.errors import BadInput, shorten
from ludus.play.batched import Batched, PolicyOf
from ludus.play.selfplay import ask, been, lane_after, random_policy
from ludus.play.thoughts import ActionRating, Considered, Thoughts, best_first, rated_moves

RESIGN = -1  # instead of an action, from a player that resigns
LANES = 64  # games side by side on the host, at most: enough for all workers


class Forfeit(BadInput):
    """A player fails to move. In a match it loses this game; elsewhere this is an error."""


def no_beat() -> None:
    """The callback that never stops a search."""


class Clock(NamedTuple):
    """The conditions of a move: the seed, the time limit, and a callback that may stop it."""

    seed: int = 0
    number: int = 0  # of the move; seed and number together determine the random choices
    seconds: float = math.inf  # at most; a player's own limit may be less
    #: Called regularly by long searches; an exception from it ends the search.
    beat: Callable[[], Any] = no_beat

    @staticmethod
    def at(line: Line, seed: int, seconds: float = math.inf, beat: Callable[[], Any] = no_beat) -> Clock:
        """The clock of this game's next move: the terminal, the page and Python give the same move for a seed."""
        return Clock(seed, len(line.actions), seconds, beat)

    def chance(self) -> random.Random:
        return random.Random((self.seed << 32) + self.number)


class Player:
    """A network, a search, a table or an external program, as a player."""

    name: str
    chance: bool = False  # whether it moves by chance; two deterministic players need openings
    lanes: int = LANES  # games that it plays side by side on the host, at most
    weights: Any = None  # an argument of the functions below, so that they are compiled once for all weights
    only_plays: ClassVar[str] = "thinks a position at a time, on the host"  # why it has no device policy

    # --- one game on the host

    def move(self, line: Line, clock: Clock) -> int:
        """An action, or `RESIGN`. The same seed gives the same move, unless the time limit stops it."""
        found = self.on_device(line.game)
        seeds = np.uint32(clock.seed), np.uint32(clock.number)
        lane = lane_after(line.game, line.states)
        return int(_one_game(line.game, found.policy_of)(found.weights, *seeds, lane))

    def warm(self, line: Line, clock: Clock) -> None:
        """Compile what the first move needs, if anything. Its later moves do not depend on this call."""

    def moves(self, lines: Sequence[Line], clocks: Sequence[Clock]) -> list[int]:
        """A move in each of several games. A player may override it to batch them, with moves as good as `move`'s."""
        return [self.move(line, clock) for line, clock in zip(lines, clocks, strict=True)]

    def thoughts(self, line: Line, clock: Clock) -> Thoughts | None:
        """Its ratings of the moves; None if it does not rate moves."""
        rating = self.expected(line.game)
        if rating is None:
            return None
        clock.beat()
        return best_first([Considered(*pair) for pair in rated_moves(self.name, rating, self.weights, line)])

    # --- batches of games on the device

    def batched(self, game: Game) -> Batched | None:
        """Its policy for the device; None if it has none."""
        return None

    def hosted(self, game: Game) -> bool:
        """Whether matches ask it on the host."""
        return self.batched(game) is None

    def on_device(self, game: Game) -> Batched:
        """Its policy for the device; refuses if it has none."""
        found = self.batched(game)
        return self.refuse() if found is None else found

    def refuse(self) -> NoReturn:
        raise BadInput(f"'{shorten(self.name)}' {self.only_plays}: it can play, and no more.")

    # --- for grading, without playing a game

    def choices(self, game: Game) -> ActionRating | None:
        """The probability that it plays each action; None if unknown."""
        return None

    def ratings(self, game: Game, lookahead: bool = True) -> ActionRating | None:
        """The numbers that it chooses by, in any unit (not always expected results); None if it has none."""
        return None

    def expected(self, game: Game) -> ActionRating | None:
        """The expected result of each action, from -1 to 1; None if it has none."""
        return None

    def probabilities(self, graph: Any) -> Float[np.ndarray, "E"]:
        """The probability of each move of a whole game graph (`truth.graph.Graph`)."""
        self.refuse()

    def order(self, game: Game) -> Any:
        """Its move order for a puzzle search, as compiled code; None if it has none."""
        return None


class RandomPlayer(Player):
    """Every legal move equally likely."""

    name: str = "random"
    chance: bool = True

    def move(self, line: Line, clock: Clock) -> int:
        return clock.chance().choice(line.legal())  # nothing is compiled for it

    def batched(self, game: Game) -> Batched:
        return _random(game)

    def choices(self, game: Game) -> ActionRating:
        return _random_choices(game)

    def probabilities(self, graph: Any) -> Float[np.ndarray, "E"]:
        return graph.among(np.ones(len(graph.child)))


@functools.lru_cache(maxsize=16)
def _random(game: Game) -> Batched:
    return Batched.fixed(random_policy(game))


@functools.lru_cache(maxsize=16)
def _random_choices(game: Game) -> ActionRating:
    return lambda _, state: alike(game.legal(state))


def alike(moves: Array) -> Float[Array, "A"]:
    """The uniform distribution over these moves."""
    share = moves.astype(jnp.float32)
    return share / jnp.maximum(share.sum(), 1)


@functools.lru_cache(maxsize=64)  # bounded, because a policy may hold a network
def _one_game(game: Game, policy_of: PolicyOf) -> Callable[[Any, Any, Any, Any], Any]:
    """One compiled program for a game and a kind of player: weights and seeds are arguments."""

    def move(weights: Any, seed: Any, number: Any, lane: Any) -> Any:
        key = jax.random.fold_in(jax.random.key(seed), number)
        return ask(policy_of(weights), key, lane.state, been(game, lane))[0]

    return jax.jit(move)


#: A player in a batch of games: its device policy, or the player itself, asked on the host.
Side = Batched | Player


def side_of(player: Player, game: Game) -> Side:
    return player if player.hosted(game) else player.on_device(game)
