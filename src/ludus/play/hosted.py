"""Games on the host, for players that think a position at a time: lanes go ply by ply, side by side.

A ply is compiled, with the rules of `selfplay`: the ply cap, ties by repetition. In between, whoever plays on the
device is asked for all lanes at once, and a thinker for those where it is to move and the game goes on. Keys are used
as they are on the device, so two players of the device play the same games here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play import openings as openings_of
from ludus.play import selfplay
from ludus.play.selfplay import Policy

RESIGN = -1  # instead of a move, from a thinker that gives up its game
LANES = 64  # at most, side by side: enough for all workers, and games end all along


class Forfeit(BadInput):
    """A thinker makes no move where it has to. Among many games it has lost this one; elsewhere it is an error."""


@runtime_checkable
class Thinker(Protocol):
    """Someone who chooses moves on the host and knows how each game went. One that has a single board says `lanes = 1`:
    then games are played one after the other, and it may raise `Forfeit`.
    """

    def key(self, state: Any) -> int:
        """By which it knows a position again."""
        ...

    def choose(self, states: Sequence[Any], seen: Sequence[Sequence[int]], seeds: Sequence[int]) -> Sequence[int]:
        """A move in each position, or `RESIGN`. `seen` has the keys of the positions that were in its game before, of a
        game where a position that comes back is a tie; chance, where there is any, comes from the seed.
        """
        ...


@runtime_checkable
class Thinking(Protocol):
    """A player that may have a thinker; one that has none at a game has a policy there, as all others have."""

    def policy(self, game: Game) -> Policy: ...

    def thinker(self, game: Game) -> Thinker | None: ...


#: Makes a policy of weights; always the same object for one kind of player.
PolicyOf = Callable[[Any], Policy]


@runtime_checkable
class Learned(Protocol):
    """A player that goes by weights."""

    @property
    def weights(self) -> Any: ...

    def policy(self, game: Game) -> Policy: ...

    def policy_of(self, game: Game) -> PolicyOf: ...


@dataclass(frozen=True, eq=False)
class Weighed:
    """A policy of the device, and apart from it the weights that it goes by: one program serves all weights."""

    policy_of: PolicyOf
    weights: Any


def lanes_of(thinker: Thinker) -> int:
    """How many games it plays side by side, at most."""
    return getattr(thinker, "lanes", LANES)


#: How a player moves: on the device, or on the host.
Mover = Policy | Weighed | Thinker


def mover_of(player: Any, game: Game) -> Mover:
    """How a player moves at a game."""
    found = player.thinker(game) if isinstance(player, Thinking) else None
    if found is not None:
        return found
    if isinstance(player, Learned) and player.weights is not None:
        return Weighed(player.policy_of(game), player.weights)
    return player.policy(game)


def apart(mover: Policy | Weighed) -> tuple[PolicyOf, Any]:
    """What is compiled of a mover, and what that is given."""
    return (mover.policy_of, mover.weights) if isinstance(mover, Weighed) else (_always(mover), None)


@functools.lru_cache(maxsize=64)  # always the same function for the same policy
def _always(policy: Policy) -> PolicyOf:
    return lambda _: policy


class Ends(NamedTuple):
    """How B games came out, for the first of the two players; arrays of the device or of the host."""

    got: Float[Any, "B"]
    plies: Int[Any, "B"]
    line: UInt32[Any, "B 2"]  # tells games apart by their moves
    final: Any  # the last positions, every leaf [B, ...]


#: Told of games that end, whenever some do: their lanes, how they came out, and why no move was made (by their order
#: here) in those that were lost by that.
OnEnd = Callable[[Int[np.ndarray, "K"], Ends, Mapping[int, str]], Any]


def play_batch(
    game: Game,
    movers: tuple[Mover, Mover],
    key: Key[Array, ""],
    key_openings: Key[Array, ""],
    places: Int[np.ndarray, "B"],
    games: int,
    openings: int,
    on_end: OnEnd = lambda lanes, ends, why: None,
) -> Ends:
    """The games of a match at these places, of those below `games`; `on_end` is told of each as it ends."""
    thinkers = [mover if isinstance(mover, Thinker) else None for mover in movers]
    playing = [(None, None) if isinstance(mover, Thinker) else apart(mover) for mover in movers]
    weights = tuple(given for _, given in playing)
    look, move = functools.partial(_look(game, *(policy for policy, _ in playing)), weights), _move(game)
    made, length = _openings(game, key_openings, places // 2, openings)
    seats, steps, live = places % 2, game.max_plies + 1, places < games
    got, plies = np.zeros(len(places), np.float32), np.zeros(len(places), np.int32)
    line, tells = np.zeros((len(places), 2), np.uint32), line_weights(steps)
    lanes, final = selfplay.fresh(game, len(places)), None
    seen: list[list[list[int]]] = [[[] for _ in places] for _ in movers]

    def end(over: np.ndarray, states: Any, why: Mapping[int, str]) -> None:
        lanes = np.flatnonzero(over)
        where = {lane: n for n, lane in enumerate(lanes.tolist())}
        ends = Ends(got[lanes], plies[lanes], line[lanes], jax.tree.map(lambda leaf: leaf[lanes], states))
        on_end(lanes, ends, {where[lane]: sentence for lane, sentence in why.items()})

    for now, key_ply in enumerate(jax.random.split(key, steps)):
        record, who, seeds = jax.device_get(look(lanes, key_ply, jnp.asarray(seats)))
        ended = live & record.over
        if ended.any():
            got[ended] = record.returns[ended, seats[ended]]
            live &= ~ended
            end(ended, record.state, {})
        final = record.state if final is None else _kept(ended, record.state, final)
        if not live.any():
            break
        action, why = np.array(record.action), {}
        for number, thinker in enumerate(thinkers):
            if thinker is None:
                continue
            keys = seen[number]
            asked = np.flatnonzero(live & (who == number) & (now >= length)).tolist()
            if asked:
                states = [state_at(record.state, lane) for lane in asked]
                given = [keys[lane] for lane in asked], seeds[number, asked].tolist()
                action[asked], failed = _asked(thinker, states, *given)
                why |= {asked[n]: sentence for n, sentence in failed.items()}
            if game.repetition_ties:
                for lane in np.flatnonzero(live).tolist():
                    keys[lane].append(thinker.key(state_at(record.state, lane)))
        if (gone := live & (action == RESIGN)).any():
            got[gone] = np.where(who[gone] == 0, -1.0, 1.0)  # of two players, the other has won
            final, live, action[gone] = _kept(gone, record.state, final), live & ~gone, 0
            end(gone, record.state, why)
        if now < len(made):
            action = np.where(now < length, made[now], action)
        line[live] += (action[live, None] + 1).astype(np.uint32) * tells[now]
        plies[live] += 1
        lanes = move(lanes, jnp.asarray(action))
    return Ends(got, plies, line, final)


def _asked(
    thinker: Thinker, states: Sequence[Any], seen: Sequence[Sequence[int]], seeds: Sequence[int]
) -> tuple[list[int], dict[int, str]]:
    """Its moves, and why it makes none where it forfeits."""
    if lanes_of(thinker) > 1:
        return list(thinker.choose(states, seen, seeds)), {}
    actions: list[int] = []
    why: dict[int, str] = {}
    for n, (state, before, seed) in enumerate(zip(states, seen, seeds, strict=True)):
        try:
            actions += thinker.choose([state], [before], [seed])
        except Forfeit as forfeit:
            actions.append(RESIGN)
            why[n] = str(forfeit)
    return actions, why


def state_at(states: Any, lane: int) -> Any:
    """One of a batch of positions."""
    return jax.tree.map(lambda leaf: leaf[lane], states)


def line_weights(steps: int) -> UInt32[np.ndarray, "T 2"]:
    """What the moves of a game are multiplied by, so that 64 bits of their sum tell games apart."""
    return np.random.default_rng(0).integers(0, 2**32, (steps, 2), np.uint32)


def _kept(ended: np.ndarray, new: Any, old: Any) -> Any:
    """The last positions, with those of the games that have ended now."""
    return jax.tree.map(functools.partial(_where, ended), new, old)


def _where(ended: np.ndarray, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    return np.where(ended.reshape(-1, *[1] * (new.ndim - 1)), new, old)


def _openings(
    game: Game, key: Key[Array, ""], pairs: Int[np.ndarray, "B"], plies: int
) -> tuple[Int[np.ndarray, "N B"], Int[np.ndarray, "B"]]:
    if not plies:
        return np.zeros((0, len(pairs)), np.int32), np.zeros(len(pairs), np.int32)
    opening = _drawing(game, plies)(key, jnp.asarray(pairs))
    return np.asarray(opening.actions), np.asarray(opening.length)


@functools.lru_cache(maxsize=16)
def _drawing(game: Game, plies: int) -> Callable[..., Any]:
    return jax.jit(lambda key, pairs: openings_of.draw(game, key, pairs, plies))


@functools.lru_cache(maxsize=16)  # bounded, since a policy may hold a network
def _look(game: Game, *policies_of: PolicyOf | None) -> Callable[..., Any]:
    """How all lanes stand, who is to move there, what is chosen on the device, and seeds for those who think."""

    def nobody(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        return jnp.zeros_like(jax.vmap(game.player)(states))

    @jax.jit
    def look(weights: tuple[Any, ...], lanes: selfplay.Lanes, key: Key[Array, ""], shift: Int[Array, "B"]) -> Any:
        pairs = zip(policies_of, weights, strict=True)
        policies = [nobody if policy_of is None else policy_of(given) for policy_of, given in pairs]
        _, record = selfplay.advance(game, selfplay.seated(game, policies, shift), lanes, key)
        seeds = jax.vmap(lambda key: jax.random.bits(key, shift.shape))(jax.random.split(key, len(policies)))
        return record, (record.player + shift) % len(policies), seeds

    return look


@functools.lru_cache(maxsize=16)
def _move(game: Game) -> Callable[..., Any]:
    """A ply in every lane."""

    @jax.jit
    def move(lanes: selfplay.Lanes, action: Int[Array, "B"]) -> selfplay.Lanes:
        return selfplay.advance(game, lambda key, states: action, lanes, jax.random.key(0))[0]

    return move
