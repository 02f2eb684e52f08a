"""Games between the final agents of the curves, and against players that search.

Networks choose their best moves, so two networks would always play the same game. Therefore every game begins with a
few random plies, and each such opening is played with both seat orders. Every lane has a network of its own, so one
compiled program plays all pairs of all seeds.
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
from ludus.games.abalone.paper.standings import REFERENCES, net
from ludus.learners.recipe import Recipe
from ludus.play import host_batch, openings, selfplay
from ludus.play.arena import play_games
from ludus.play.batched import Batched
from ludus.play.device_batch import play_seated
from ludus.play.host_batch import Ends
from ludus.play.player import LANES as HOST_LANES
from ludus.play.player import Player, Side, side_of
from ludus.study.data import Series

Agent = tuple[str, Recipe, Any]  # a label, and the weights by seed
OPENING = 4  # random plies
LANES = 1024  # of the device, in one call
NOBODY = 1 << 30  # the place of a game that only fills a batch
KEY = 0


class NetworkGroup(NamedTuple):
    """The networks that one compiled program can play."""

    recipe: Recipe
    stack: Any  # weights, every leaf [R, ...]
    row: Int[np.ndarray, "N"]  # of each network in the stack
    member: np.ndarray  # whether a network is in this group


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
        """The numbers of an agent's networks."""
        return place * self.seeds + np.arange(self.seeds)

    @property
    def stacks(self) -> list[Any]:
        return [group.stack for group in self.groups]

    def policy(self, game: Game, stacks: Sequence[Any], who: Int[Array, "B"]) -> selfplay.Policy:
        """The best moves, by the given network of each lane."""

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
    """Which networks meet in which games; the second is unused where the opponent is another player."""

    one: Int[Any, "B"]  # arrays of the device or of the host
    two: Int[Any, "B"]
    places: Int[Any, "B"]  # the game's number: games 2k and 2k + 1 share an opening, with the seats exchanged

    def part(self, begin: int, size: int) -> MatchLanes:
        """A batch of this size; the last one is filled up with games that do not count."""
        rows = np.arange(begin, begin + size)
        one, two, places = (each[np.minimum(rows, len(each) - 1)] for each in self)
        return MatchLanes(one, two, np.where(rows < len(self.places), places, NOBODY).astype(np.int32))


def lanes(networks: AgentNetworks, pairs: Sequence[tuple[int, int | None]], games: int) -> MatchLanes:
    """So many games a seed between agents, given by their places: networks of the same seed meet."""
    one, two = (
        np.concatenate([np.repeat(networks.numbers(pair[side] or 0), games) for pair in pairs]) for side in (0, 1)
    )
    places = np.tile(np.arange(networks.seeds * games), len(pairs))
    return MatchLanes(one.astype(np.int32), two.astype(np.int32), places.astype(np.int32))


def play(game: Game, networks: AgentNetworks, given: MatchLanes, other: Side | None = None) -> Counts:
    """Play all these games, against another player or among the networks; counted for the first network."""
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
    """Cached: the same object for each opponent, so that its games are compiled once."""
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
    """The games of two players, summed up."""
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
    """So many games a seed (an even number) between these pairs. A second name that no agent has is a player's."""
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
    """So many games between every two of these players, which do not learn."""
    game, found = game or make_game("abalone"), []
    sides = {name: side_of(find_player(name, game), game) for name in players}
    for one, two in itertools.combinations(players, 2):
        played = play_games(game, (sides[one], sides[two]), games, jax.random.key(KEY), openings=OPENING)
        ends = Ends(played.end, played.plies, played.fingerprint[:, 1:], played.final)
        counts = jax.device_get(_counted(game)(ends, np.arange(games, dtype=np.int32) % 2))
        found.append(series(0, one, two, counts))
    return found


def nets_meet(agents: Sequence[Agent], games: int) -> list[Series]:
    """Every network against the reference networks of figure 7."""
    references = [net(number) for number in REFERENCES]
    pairs = itertools.product((name for name, _, _ in agents), references)
    return meet(agents, [(a, b) for a, b in pairs if a != b], games)


def meet_searches(agents: Sequence[Agent], depths: Sequence[int], games: int) -> list[Series]:
    return meet(agents, [(name, f"alphabeta:{depth}") for depth in depths for name, _, _ in agents], games)


def all_meet(agents: Sequence[Agent], others: Sequence[str], games: int) -> list[Series]:
    """Everyone against everyone: networks seed by seed, and the others as many games in all."""
    names = [name for name, _, _ in agents]
    pairs = [*itertools.combinations(names, 2), *itertools.product(names, others)]
    return [*meet(agents, pairs, games), *between(others, games * AgentNetworks(agents).seeds)]
