"""Self-play on the device: many lanes side by side, one compiled loop over plies, `vmap` over seeds.

This module has what is common to all games: the seats, the ply cap, ties by repetition, and auto-reset. A lane is a
sequence of positions. In each position a move is made, or the game is `over`; after an `over` position the lane
continues with a fresh start. So every position is recorded, also the final ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from ludus.core.arrays import below, select
from ludus.core.barrier import barrier_for_lanes
from ludus.core.game import Rules, S

#: Chooses a move in each of B positions: `(key, states) -> actions`.
Policy = Callable[[Key[Array, ""], Any], Int[Array, "B"]]
#: For K positions a lane (every leaf [B, K, ...]): whether each would repeat a position of the lane's game, a tie.
Again = Callable[[Any], Bool[Array, "B K"]]


@dataclass(frozen=True)
class HistoryPolicy:
    """A policy that can ask which positions would repeat one of its game. Without the history, none would."""

    choose: Callable[[Key[Array, ""], Any, Again], Int[Array, "B"]]

    def __call__(self, key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        return self.choose(key, states, _never)


def ask(policy: Policy, key: Key[Array, ""], states: Any, again: Again) -> Int[Array, "B"]:
    """The policy's moves; a `HistoryPolicy` is given the history too."""
    return policy.choose(key, states, again) if isinstance(policy, HistoryPolicy) else policy(key, states)


def _never(states: Any) -> Bool[Array, "B K"]:
    return jnp.zeros(jax.tree.leaves(states)[0].shape[:2], bool)


class Lanes(NamedTuple):
    """B games in progress."""

    state: Any  # every leaf [B, ...]
    ply: Int[Array, "B"]
    clock: Int[Array, ""]
    seen: UInt32[Array, "T 2 B"]  # hashes of the last T positions; T is 0 without ties by repetition


class PlyRecord(NamedTuple):
    """One position of each lane, and the move made there."""

    state: Any
    player: Int[Array, "B"]
    action: Int[Array, "B"]  # meaningless if the game is over
    over: Bool[Array, "B"]
    returns: Float[Array, "B P"]  # zero unless over


def random_policy(game: Rules[S]) -> Policy:
    """Every legal move equally likely."""

    def policy(key: Key[Array, ""], states: S) -> Int[Array, "B"]:
        count = jax.vmap(game.num_legal)(states)
        return jax.vmap(game.nth_legal)(states, below(jax.random.bits(key, count.shape), count))

    return policy


def seated(game: Rules[S], policies: Sequence[Policy], shift: Int[Array, "B"] | None = None) -> Policy:
    """One policy per seat. In a lane with shift k, policy (s + k) mod P plays seat s: shift 1 swaps the sides."""

    def choose(key: Key[Array, ""], states: S, again: Again) -> Int[Array, "B"]:
        keys = jax.random.split(key, len(policies))
        choices = jnp.stack([ask(policy, k, states, again) for policy, k in zip(policies, keys, strict=True)])
        who = jax.vmap(game.player)(states)
        who = who if shift is None else (who + shift) % len(policies)
        return jnp.take_along_axis(choices, who[None], axis=0)[0]

    return HistoryPolicy(choose)


def fresh(game: Rules[S], num_lanes: int, starts: S | None = None, ties: bool = True) -> Lanes:
    """B lanes at the game's start, or at the first B starts of a pool (every leaf [P, ...]), repeated if P < B. Without
    `ties` they remember no positions, and no game of theirs ends by repetition.
    """
    if starts is None:
        state = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (num_lanes, *np.shape(leaf))), game.init())
    else:
        pool = len(jax.tree.leaves(starts)[0])
        state = jax.tree.map(lambda leaf: leaf[jnp.arange(num_lanes) % pool], starts)
    memory = game.max_plies + 1 if game.repetition_ties and ties else 0
    return Lanes(state, jnp.zeros(num_lanes, jnp.int32), jnp.int32(0), jnp.zeros((memory, 2, num_lanes), jnp.uint32))


def advance(
    game: Rules[S], policy: Policy, lanes: Lanes, key: Key[Array, ""], starts: S | None = None
) -> tuple[Lanes, PlyRecord]:
    """One ply in every lane; a lane whose game is over begins the next one instead."""
    key_policy, key_start = (key, key) if starts is None else jax.random.split(key)
    state, ply, clock, seen = lanes
    done = jax.vmap(game.done)(state)
    over, returns = done | (ply >= game.max_plies), jax.vmap(game.returns)(state)
    if len(seen):
        repeated, seen = _remember(seen, jax.vmap(fingerprint)(state), ply, clock)
        tie = repeated & ~done
        over, returns = over | tie, jnp.where(tie[:, None], jnp.float32(0), returns)
    over, action = barrier_for_lanes(over), barrier_for_lanes(ask(policy, key_policy, state, been(game, lanes)))
    moved = jax.vmap(game.step)(state, action)
    if starts is None:
        start = fresh(game, len(ply)).state
    else:
        pool = len(jax.tree.leaves(starts)[0])
        chosen = jax.random.randint(key_start, ply.shape, 0, pool)
        start = jax.tree.map(lambda leaf: leaf[chosen], starts)
    record = PlyRecord(
        state, jax.vmap(game.player)(state), action, over, jnp.where(over[:, None], returns, jnp.float32(0))
    )
    following = jax.vmap(select)(over, start, moved)
    return Lanes(following, jnp.where(over, 0, ply + 1), clock + 1, seen), record


def stream(
    game: Rules[S],
    policy: Policy,
    lanes: Lanes,
    key: Key[Array, ""],
    plies: int,
    keep: Callable[[PlyRecord], Any] = lambda record: record,
    starts: S | None = None,
) -> tuple[Lanes, Any]:
    """Play `plies` plies in every lane, game after game. Returns `keep(record)` of each ply, time first."""

    def body(lanes: Lanes, key: Key[Array, ""]) -> tuple[Lanes, Any]:
        lanes, record = advance(game, policy, lanes, key, starts)
        return lanes, keep(record)

    return jax.lax.scan(body, lanes, jax.random.split(key, plies))


class Episodes(NamedTuple):
    """B whole games, time first. A game's positions end with its first `over`; the rest is padding."""

    state: Any  # every leaf [T + 1, B, ...]
    player: Int[Array, "T+1 B"]
    action: Int[Array, "T+1 B"]
    live: Bool[Array, "T+1 B"]  # a move was made here
    returns: Float[Array, "B P"]
    plies: Int[Array, "B"]


def play(game: Rules[S], policy: Policy, key: Key[Array, ""], num_games: int, starts: S | None = None) -> Episodes:
    """Play whole games from the start (or from the pool's starts, in order), each to its end or the ply cap."""
    lanes = fresh(game, num_games, starts)
    _, record = stream(game, policy, lanes, key, game.max_plies + 1)
    ended = jnp.cumsum(record.over, axis=0, dtype=jnp.int32)
    first = record.over & (ended == 1)
    live = ended == 0
    returns = (record.returns * first[..., None].astype(jnp.float32)).sum(axis=0)
    return Episodes(record.state, record.player, record.action, live, returns, live.sum(axis=0, dtype=jnp.int32))


def random_positions(game: Rules, key: Key[Array, ""], count: int) -> Any:
    """Unfinished positions of random games, at a uniformly random ply of each game."""
    lanes = fresh(game, count)
    key_play, key_when = jax.random.split(key)
    tape = min(game.max_plies + 1, 64)
    _, record = stream(game, random_policy(game), lanes, key_play, tape)
    length = jnp.argmax(jnp.concatenate([record.over, jnp.ones((1, count), bool)]), axis=0)  # of the first game
    when = below(jax.random.bits(key_when, (count,)), length)
    return jax.tree.map(lambda leaf: leaf[when, jnp.arange(count)], record.state)


def fingerprint(state: tuple[Any, ...]) -> UInt32[Array, "2"]:
    """A 64-bit hash of a position, mixed from all words of its state by multiplication."""
    low, high = jnp.uint32(0x9E3779B9), jnp.uint32(0x85EBCA6B)
    for leaf in jax.tree.leaves(state):
        for word in jnp.asarray(leaf).astype(jnp.uint32).reshape(-1):
            low = (low ^ word) * np.uint32(0xCC9E2D51)
            low = low ^ (low >> 15)
            high = (high ^ word) * np.uint32(0x1B873593)
            high = high ^ (high >> 13)
    return jnp.stack([low, high])


def _remember(
    seen: UInt32[Array, "T 2 B"], now: UInt32[Array, "B 2"], ply: Int[Array, "B"], clock: Int[Array, ""]
) -> tuple[Bool[Array, "B"], UInt32[Array, "T 2 B"]]:
    """Whether each lane's position is a repetition in its game, and the memory with this position added.

    All lanes write to the same slot, `clock % T`. A slot belongs to a lane's current game if its age is at most `ply`.
    """
    size = len(seen)
    age = (clock - jnp.arange(size)) % size  # 0: the slot that is written now, still with the oldest entry
    same = (seen == now.T[None]).all(axis=1)
    again = (same & (age[:, None] > 0) & (age[:, None] <= ply[None])).any(axis=0)
    return again, seen.at[clock % size].set(now.T)


def lane_after(game: Rules[S], states: Sequence[S]) -> Lanes:
    """One lane with the game of these positions; the last is the current one."""
    lane = fresh(game, 1)
    size = len(lane.seen)
    kept = states[-size:] if size else states[-1:]
    if size:
        rest = size - len(kept)  # pad to a fixed length: one compiled program
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *kept)
        stacked = jax.tree.map(lambda leaf: np.concatenate([leaf, np.repeat(leaf[-1:], rest, axis=0)]), stacked)
        lane = lane._replace(seen=_fingerprints(stacked)[:, :, None])
    ply = jnp.int32(len(kept) - 1)
    now = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], states[-1])
    return lane._replace(state=now, ply=ply[None], clock=ply)


@jax.jit
def _fingerprints(states: Any) -> UInt32[Array, "N 2"]:
    return jax.vmap(fingerprint)(states)


def been(game: Rules[S], lanes: Lanes) -> Again:
    """A test whether positions repeat one of each lane's game, or its current one; always false without such ties."""
    state, ply, clock, seen = lanes
    if not len(seen):
        return _never
    now = jax.vmap(fingerprint)(state)
    age = (clock - jnp.arange(len(seen))) % len(seen)
    earlier = (age[:, None] > 0) & (age[:, None] <= ply[None])

    def again(states: Any) -> Bool[Array, "B K"]:
        found = jax.vmap(jax.vmap(fingerprint))(states)
        same = (seen[:, None] == jnp.moveaxis(found, 0, -1)[None]).all(axis=2)  # [T, K, B]
        return (same & earlier[:, None]).any(axis=0).T | (found == now[:, None]).all(axis=-1)

    return again
