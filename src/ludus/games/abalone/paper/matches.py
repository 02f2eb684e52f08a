"""Games between the agents that curves end in, and against players that search.

Networks choose their best moves, so that two of them would play one game over and over: every game begins with a few
random plies, and each such opening is played in both seats. In every lane another network moves, so that one compiled
program plays all pairs of all seeds.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from ludus.agents.find import find_player
from ludus.core.game import Game
from ludus.games import make_game
from ludus.games.abalone.paper.measures import Counts, counted
from ludus.learners.recipes import Recipe
from ludus.play import host_batch, openings, selfplay
from ludus.play.arena import play_games
from ludus.play.device_batch import play_seated
from ludus.play.host_batch import Ends
from ludus.play.player import LANES as HOST_LANES
from ludus.play.player import Batched, Player, Side, side_of
from ludus.study.data import Series

Agent = tuple[str, Recipe, Any]  # a label, and the weights by seed
OPENING = 4  # random plies
LANES = 1024  # of the device, in one call
NOBODY = 1 << 30  # the place of a game that is not played
KEY = 0


class NetworkGroup(NamedTuple):
    """The networks of one kind."""

    recipe: Recipe
    stack: Any  # weights, every leaf [R, ...]
    row: Int[np.ndarray, "N"]  # of each network in the stack
    member: np.ndarray  # whether a network is of this kind


class AgentNetworks:
    """All networks of some agents, numbered agent by agent, seed by seed."""

    def __init__(self, agents: Sequence[Agent]) -> None:
        self.names = [name for name, _, _ in agents]
        self.seeds = len(jax.tree.leaves(agents[0][2])[0])
        kinds: dict[Any, list[int]] = {}
        for place, (_, recipe, _) in enumerate(agents):
            kinds.setdefault((recipe.learner, recipe.learner.program(recipe.config)), []).append(place)
        self.groups = [self._group(agents, places) for places in kinds.values()]

    def _group(self, agents: Sequence[Agent], places: list[int]) -> NetworkGroup:
        stack = jax.tree.map(lambda *leaves: np.concatenate(leaves), *(agents[place][2] for place in places))
        row = np.zeros(len(agents) * self.seeds, np.int32)
        for number, place in enumerate(places):
            row[self.numbers(place)] = np.arange(self.seeds) + number * self.seeds
        member = np.repeat(np.isin(np.arange(len(agents)), places), self.seeds)
        return NetworkGroup(agents[places[0]][1], stack, row, member)

    def numbers(self, place: int) -> Int[np.ndarray, "S"]:
        """Of an agent's networks."""
        return place * self.seeds + np.arange(self.seeds)

    @property
    def stacks(self) -> list[Any]:
        return [group.stack for group in self.groups]

    def policy(self, game: Game, stacks: Sequence[Any], who: Int[Array, "B"]) -> selfplay.Policy:
        """The best moves of another network in each lane."""

        def move(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
            action, keys = jnp.zeros_like(who), jax.random.split(key, len(who))
            for group, stack in zip(self.groups, stacks, strict=True):
                learner, config = group.recipe.learner, group.recipe.config
                mine = jax.tree.map(lambda leaf, row=group.row: jnp.asarray(leaf)[jnp.asarray(row)[who]], stack)

                def one(key: Any, network: Any, state: Any, learner: Any = learner, config: Any = config) -> Any:
                    alone = jax.tree.map(lambda leaf: leaf[None], state)
                    return learner.policy(config, game, network, 0.0)(key, alone)[0]

                found = jax.vmap(one)(keys, mine, states)
                action = jnp.where(jnp.asarray(group.member)[who], found, action)
            return action

        return move


class MatchLanes(NamedTuple):
    """Which networks meet in which games: the second may be none."""

    one: Int[Any, "B"]  # arrays of the device or of the host
    two: Int[Any, "B"]
    places: Int[Any, "B"]  # of the game: two after another share an opening, with the seats exchanged

    def part(self, begin: int, size: int) -> MatchLanes:
        """So many of them; where there are no more, games of nobody."""
        rows = np.arange(begin, begin + size)
        one, two, places = (each[np.minimum(rows, len(each) - 1)] for each in self)
        return MatchLanes(one, two, np.where(rows < len(self.places), places, NOBODY).astype(np.int32))


def lanes(networks: AgentNetworks, pairs: Sequence[tuple[int, int | None]], games: int) -> MatchLanes:
    """So many games a seed between agents (by their places), network by network of the same seed."""
    one, two = (
        np.concatenate([np.repeat(networks.numbers(pair[side] or 0), games) for pair in pairs]) for side in (0, 1)
    )
    places = np.tile(np.arange(networks.seeds * games), len(pairs))
    return MatchLanes(one.astype(np.int32), two.astype(np.int32), places.astype(np.int32))


def play(game: Game, networks: AgentNetworks, given: MatchLanes, other: Side | None = None) -> Counts:
    """All these games, for the first of the two; against another player, or among themselves."""
    size = min(HOST_LANES if isinstance(other, Player) else LANES, len(given.one))
    parts = []
    for number, begin in enumerate(range(0, len(given.one), size)):
        now = given.part(begin, size)
        key, key_openings = jax.random.fold_in(jax.random.key(KEY), number), jax.random.key(KEY + 1)
        if isinstance(other, Player):
            seated = _of_lanes(game, networks, tuple(now.one.tolist()))
            ends = host_batch.play_batch(game, (seated, other), key, key_openings, now.places, NOBODY, OPENING)
        else:
            ends = _on_device(game, networks, None if other is None else other.policy)(
                networks.stacks, key, key_openings, now
            )
        parts.append(jax.device_get(_counted(game)(ends, now.places % 2)))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(given.one)], *parts)


@functools.lru_cache(maxsize=16)
def _of_lanes(game: Game, networks: AgentNetworks, who: tuple[int, ...]) -> Batched:
    """The same object each time, so that games against many players are compiled once."""
    return Batched.fixed(networks.policy(game, networks.stacks, jnp.asarray(who, jnp.int32)))


@functools.lru_cache(maxsize=16)
def _on_device(game: Game, networks: AgentNetworks, other: selfplay.Policy | None) -> Callable[..., Ends]:
    @jax.jit
    def played(stacks: Any, key: Key[Array, ""], key_openings: Key[Array, ""], now: MatchLanes) -> Ends:
        opening = openings.draw(game, key_openings, now.places // 2, OPENING)
        second = networks.policy(game, stacks, now.two) if other is None else other
        return play_seated(game, (networks.policy(game, stacks, now.one), second), key, now.places % 2, opening)

    return played


@functools.lru_cache(maxsize=4)
def _counted(game: Any) -> Callable[..., Counts]:
    return jax.jit(functools.partial(counted, game))


def series(seed: int, first: str, second: str, counts: Counts) -> Series:
    """Games of two players in one line."""
    score, ahead, won, lost, plies, _ = counts
    numbers = (score == 1).sum(), (score == 0.5).sum(), (ahead == 1).sum(), (ahead == 0).sum()
    sums = won.sum(), lost.sum(), plies.sum()
    return Series(seed, first, second, len(score), *(int(number) for number in (*numbers, *sums)))


def meet(
    agents: Sequence[Agent],
    pairs: Sequence[tuple[str, str]],
    games: int,
    game: Game | None = None,
) -> list[Series]:
    """So many games a seed (an even number) of these pairs. Who is none of the agents is a player by its name."""
    game, networks, found = game or make_game("abalone"), AgentNetworks(agents), []
    by_other: dict[str | None, list[tuple[str, str]]] = {}
    for pair in pairs:
        by_other.setdefault(None if pair[1] in networks.names else pair[1], []).append(pair)
    for name, mine in by_other.items():
        other = None if name is None else side_of(find_player(name, game), game)
        places = [(networks.names.index(a), networks.names.index(b) if name is None else None) for a, b in mine]
        counts = play(game, networks, lanes(networks, places, games), other)
        for number, (pair, seed) in enumerate(itertools.product(mine, range(networks.seeds))):
            its = slice(number * games, (number + 1) * games)
            found.append(series(seed, *pair, Counts(*(each[its] for each in counts))))
    return found


def between(players: Sequence[str], games: int, game: Game | None = None) -> list[Series]:
    """So many games of each two of these players, none of whom has learned."""
    game, found = game or make_game("abalone"), []
    sides = {name: side_of(find_player(name, game), game) for name in players}
    for one, two in itertools.combinations(players, 2):
        played = play_games(game, (sides[one], sides[two]), games, jax.random.key(KEY), openings=OPENING)
        ends = Ends(played.end, played.plies, played.fingerprint[:, 1:], played.final)
        counts = jax.device_get(_counted(game)(ends, np.arange(games, dtype=np.int32) % 2))
        found.append(series(0, one, two, counts))
    return found
