"""A batch of games with a player that thinks on the host, one position at a time: all lanes advance ply by ply.

The ply is compiled, with the rules of `selfplay`: the ply cap, ties by repetition. Between plies, a device policy
chooses for all lanes, and a host player is asked in the lanes where it is to move. Keys are used as in `device_batch`,
so two device policies play the same games here.
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
from ludus.core.line import Line
from ludus.play import openings as openings_of
from ludus.play import selfplay
from ludus.play.batched import Batched, PolicyOf
from ludus.play.player import RESIGN, Clock, Forfeit, Player, Side


class Ends(NamedTuple):
    """The ends of B games, on the device or on the host."""

    got: Float[Any, "B"]  # the result of the first-named player
    plies: Int[Any, "B"]
    fingerprint: UInt32[Any, "B 2"]  # a hash of the moves
    final: Any  # the last positions, every leaf [B, ...]


#: Callback when games end: their lanes, their ends, and the reason of each forfeit by its index among the lanes.
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
    """Play the games of a match with these numbers, if below `games`; `on_end` is called as games end."""
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
            got[gone] = np.where(who[gone] == 0, -1.0, 1.0)  # the other player wins
            final, live, action[gone] = _kept(gone, record.state, final), live & ~gone, 0
            end(gone, record.state, why)
        if now < len(made):
            action = np.where(now < length, made[now], action)
        prints[live] += (action[live, None] + 1).astype(np.uint32) * tells[now]
        plies[live] += 1
        lanes = move(lanes, jnp.asarray(action))
    return Ends(got, plies, prints, final)


def _asked(player: Player, lines: Sequence[Line], clocks: Sequence[Clock]) -> tuple[list[int], dict[int, str]]:
    """Its moves (`RESIGN` for a forfeit), and the reason of each forfeit by its index."""
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
    """The weight of each ply's move in a game's fingerprint, a weighted sum of two 32-bit words."""
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


@functools.lru_cache(maxsize=16)  # bounded, because a policy may hold a network
def _look(game: Game, *policies_of: PolicyOf | None) -> Callable[..., Any]:
    """A program that gives, for all lanes: the position and the device policies' moves, who is to move, and seeds."""

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
    """A program that plays one ply in every lane."""

    @jax.jit
    def move(lanes: selfplay.Lanes, action: Int[Array, "B"]) -> selfplay.Lanes:
        return selfplay.advance(game, lambda key, states: action, lanes, jax.random.key(0))[0]

    return move
