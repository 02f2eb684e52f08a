"""A batch of games between two players on the device, as one compiled program. Short games take one call; long games
take several calls of some plies each, so that results are reported early and the batch stops when all games are over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from ludus.core.arrays import select
from ludus.core.game import Game
from ludus.play import openings as openings_of
from ludus.play import selfplay
from ludus.play.batched import Batched, PolicyOf
from ludus.play.host_batch import Ends, OnEnd, fingerprint_weights
from ludus.play.openings import Opening
from ludus.play.selfplay import Policy

PLIES = 16  # per call, for long games


class GamesUnderWay(NamedTuple):
    """B games in progress on the device."""

    lanes: selfplay.Lanes
    live: Bool[Array, "B"]
    ends: Ends  # so far


#: The inputs of a ply, for all lanes: its key, its number, the opening moves, and the weights of the fingerprint.
Ply = tuple[Any, Any, Any, Any]


def play_batch(
    game: Game,
    sides: tuple[Batched, Batched],
    key: Key[Array, ""],
    key_openings: Key[Array, ""],
    places: Int[np.ndarray, "B"],
    games: int,
    openings: int,
    on_end: OnEnd,
) -> None:
    """Play the games of a match with these numbers, if below `games`; `on_end` is called as games end."""
    (policy_a, weights_a), (policy_b, weights_b) = ((side.policy_of, side.weights) for side in sides)
    live = places < games  # the last batch may have more lanes than there are games
    if game.max_plies < PLIES:
        whole = _whole(game, policy_a, policy_b, openings)(weights_a, weights_b, key, key_openings, jnp.asarray(places))
        ends, lanes = jax.device_get(whole), np.flatnonzero(live)
        return on_end(lanes, jax.tree.map(lambda leaf: leaf[lanes], ends), {})
    begin, play_on = _in_parts(game, policy_a, policy_b, openings)
    under_way, plies, length = begin(key, key_openings, jnp.asarray(places))
    for first in range(0, len(plies[0]), PLIES):
        some = jax.tree.map(lambda each, first=first: each[first : first + PLIES], plies)
        under_way = play_on(weights_a, weights_b, under_way, some, length, jnp.asarray(places % 2))
        still, ends = jax.device_get((under_way.live, under_way.ends))
        ended = np.flatnonzero(live & ~still)
        if len(ended):
            on_end(ended, jax.tree.map(lambda leaf, ended=ended: leaf[ended], ends), {})
        live &= still
        if not live.any():
            break


@functools.lru_cache(maxsize=16)  # bounded, because a policy may hold a network
def _whole(game: Game, a: PolicyOf, b: PolicyOf, openings: int) -> Callable[..., Ends]:
    """A batch of whole games as one program. Weights are arguments and shapes are fixed: a match is compiled once."""

    @jax.jit
    def whole(weights_a: Any, weights_b: Any, key: Key[Array, ""], key_openings: Key[Array, ""], places: Array) -> Ends:
        opening = _opening(game, key_openings, places, openings)
        return play_seated(game, (a(weights_a), b(weights_b)), key, places % 2, opening)

    return whole


def _opening(game: Game, key: Key[Array, ""], places: Array, plies: int) -> Opening | None:
    return openings_of.draw(game, key, places // 2, plies) if plies else None


@functools.lru_cache(maxsize=16)
def _in_parts(
    game: Game, a: PolicyOf, b: PolicyOf, openings: int
) -> tuple[Callable[..., Any], Callable[..., GamesUnderWay]]:
    """The same games in parts: a program that begins a batch, and one that plays some plies of it."""

    @jax.jit
    def begin(key: Key[Array, ""], key_openings: Key[Array, ""], places: Array) -> Any:
        batch = len(places)
        plies, length = _plies(game, key, batch, _opening(game, key_openings, places, openings))
        more = -(game.max_plies + 1) % PLIES  # pad to parts of one length; all games are over before the padding
        plies = jax.tree.map(lambda each: jnp.concatenate([each, each[-1:].repeat(more, axis=0)]), plies)
        return _fresh(game, batch), plies, length

    @jax.jit
    def play_on(
        weights_a: Any, weights_b: Any, under_way: GamesUnderWay, plies: Ply, length: Array | None, seats: Array
    ) -> GamesUnderWay:
        policy = selfplay.seated(game, (a(weights_a), b(weights_b)), shift=seats)
        return _some_plies(game, policy, seats, under_way, plies, length)

    return begin, play_on


def play_seated(
    game: Game,
    policies: tuple[Policy, Policy],
    key: Key[Array, ""],
    seats: Int[Array, "B"],
    opening: Opening | None = None,
) -> Ends:
    """Play one game for each entry of `seats`, the seat of the first player."""
    plies, length = _plies(game, key, len(seats), opening)
    policy = selfplay.seated(game, policies, shift=seats)
    return _some_plies(game, policy, seats, _fresh(game, len(seats)), plies, length).ends


def _fresh(game: Game, batch: int) -> GamesUnderWay:
    lanes = selfplay.fresh(game, batch)
    ends = Ends(
        jnp.zeros(batch, jnp.float32), jnp.zeros(batch, jnp.int32), jnp.zeros((batch, 2), jnp.uint32), lanes.state
    )
    return GamesUnderWay(lanes, jnp.ones(batch, bool), ends)


def _plies(game: Game, key: Key[Array, ""], batch: int, opening: Opening | None) -> tuple[Ply, Int[Array, "B"] | None]:
    """The inputs of all plies of a game, and the length of each lane's opening, if there are openings."""
    steps = game.max_plies + 1
    made = length = None
    if opening is not None:
        made = jnp.zeros((steps, batch), jnp.int32).at[: len(opening.actions)].set(opening.actions)
        length = opening.length
    tells = jnp.asarray(fingerprint_weights(steps))
    return (jax.random.split(key, steps), jnp.arange(steps, dtype=jnp.int32), made, tells), length


def _some_plies(
    game: Game,
    policy: Policy,
    seats: Int[Array, "B"],
    under_way: GamesUnderWay,
    plies: Ply,
    length: Int[Array, "B"] | None,
) -> GamesUnderWay:
    """Play the games on for these plies."""

    def ply(before: GamesUnderWay, given: Ply) -> tuple[GamesUnderWay, None]:
        (lanes, live, ends), (key, now, made, tells) = before, given

        def choose(key: Key[Array, ""], states: Any, again: selfplay.Again) -> Int[Array, "B"]:
            action = selfplay.ask(policy, key, states, again)
            return action if length is None else jnp.where(now < length, made, action)

        lanes, record = selfplay.advance(game, selfplay.HistoryPolicy(choose), lanes, key)
        got = jnp.take_along_axis(record.returns, seats[:, None], axis=1)[:, 0]
        moved = live & ~record.over
        move = jnp.where(moved, record.action + 1, 0).astype(jnp.uint32)
        ends = Ends(
            jnp.where(live & record.over, got, ends.got),
            ends.plies + moved.astype(jnp.int32),
            ends.fingerprint + move[:, None] * tells[None],
            jax.vmap(select)(live, record.state, ends.final),  # ignore what follows a game's end
        )
        return GamesUnderWay(lanes, moved, ends), None

    return jax.lax.scan(ply, under_way, plies)[0]
