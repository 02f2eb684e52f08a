"""A batch of games with a player that thinks on the host, one position at a time: all lanes advance ply by ply.

The ply itself is compiled, with the rules of `selfplay`: the ply cap, ties by repetition. Between plies a policy of the
device chooses for all lanes; a player on the host is asked in the lanes where it is to move. Keys are used as on
the device, so two policies of the device play the same games here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from ludus.core.game import Game
from ludus.play import openings as openings_of
from ludus.play import selfplay
from ludus.play.line import Line
from ludus.play.player import RESIGN, Batched, Clock, Forfeit, Player, PolicyOf, Side


class Ends(NamedTuple):
    """How B games came out, for the first of the two players; arrays of the device or of the host."""

    got: Float[Any, "B"]
    plies: Int[Any, "B"]
    fingerprint: UInt32[Any, "B 2"]  # of the moves: games that differ in one have another
    final: Any  # the last positions, every leaf [B, ...]


#: Told of games that end, whenever some do: their lanes, how they came out, and why no move was made (by their order
#: here) in those that were lost by that.
OnEnd = Callable[[Int[np.ndarray, "K"], Ends, Mapping[int, str]], Any]


def play_batch(
    game: Game,
    sides: tuple[Side, Side],
    key: Key[Array, ""],
    key_openings: Key[Array, ""],
    places: Int[np.ndarray, "B"],
    games: int,
    openings: int,
    on_end: OnEnd = lambda lanes, ends, why: None,
) -> Ends:
    """The games of a match at these places, of those below `games`; `on_end` is told of each as it ends."""
    policies = [side.policy_of if isinstance(side, Batched) else None for side in sides]
    weights = tuple(side.weights if isinstance(side, Batched) else None for side in sides)
    look, move = functools.partial(_look(game, *policies), weights), _move(game)
    made, length = _openings(game, key_openings, places // 2, openings)
    seats, steps, live = places % 2, game.max_plies + 1, places < games
    got, plies = np.zeros(len(places), np.float32), np.zeros(len(places), np.int32)
    prints, tells = np.zeros((len(places), 2), np.uint32), fingerprint_weights(steps)
    lanes, final = selfplay.fresh(game, len(places)), None
    lines: dict[int, Line] = {}  # the games so far
    action = np.zeros(len(places), np.int32)

    def end(over: np.ndarray, states: Any, why: Mapping[int, str]) -> None:
        lanes = np.flatnonzero(over)
        where = {lane: n for n, lane in enumerate(lanes.tolist())}
        ends = Ends(got[lanes], plies[lanes], prints[lanes], jax.tree.map(lambda leaf: leaf[lanes], states))
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
        for lane in np.flatnonzero(live).tolist():
            state = state_at(record.state, lane)
            if now:
                lines[lane].follow(int(action[lane]), state)
            else:
                lines[lane] = Line(game, state)
        action, why = np.array(record.action), {}
        for number, side in enumerate(sides):
            asked = np.flatnonzero(live & (who == number) & (now >= length)).tolist()
            if isinstance(side, Player) and asked:
                clocks = [Clock(number=seed) for seed in seeds[number, asked].tolist()]
                action[asked], failed = _asked(side, [lines[lane] for lane in asked], clocks)
                why |= {asked[n]: sentence for n, sentence in failed.items()}
        if (gone := live & (action == RESIGN)).any():
            got[gone] = np.where(who[gone] == 0, -1.0, 1.0)  # of two players, the other has won
            final, live, action[gone] = _kept(gone, record.state, final), live & ~gone, 0
            end(gone, record.state, why)
        if now < len(made):
            action = np.where(now < length, made[now], action)
        prints[live] += (action[live, None] + 1).astype(np.uint32) * tells[now]
        plies[live] += 1
        lanes = move(lanes, jnp.asarray(action))
    return Ends(got, plies, prints, final)


def _asked(player: Player, lines: Sequence[Line], clocks: Sequence[Clock]) -> tuple[list[int], dict[int, str]]:
    """Its moves, and why it makes none where it forfeits."""
    if player.lanes > 1:
        return player.moves(lines, clocks), {}
    actions: list[int] = []
    why: dict[int, str] = {}
    for n, (line, clock) in enumerate(zip(lines, clocks, strict=True)):
        try:
            actions.append(player.move(line, clock))
        except Forfeit as forfeit:
            actions.append(RESIGN)
            why[n] = str(forfeit)
    return actions, why


def state_at(states: Any, lane: int) -> Any:
    """One of a batch of positions."""
    return jax.tree.map(lambda leaf: leaf[lane], states)


def fingerprint_weights(steps: int) -> UInt32[np.ndarray, "T 2"]:
    """Weights of a game's fingerprint: the sum of its moves times these, in 64 bits."""
    return np.random.default_rng(0).integers(0, 2**32, (steps, 2), np.uint32)


def _kept(ended: np.ndarray, new: Any, old: Any) -> Any:
    """The last positions, updated where games have just ended."""
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
