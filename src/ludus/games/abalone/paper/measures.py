"""Strength along a curve: games of many networks against the paper's heuristic player and against a random player.

The paper's player is a minimax search by the distance from the centre; its depth is not given. Here it is one ply,
`minimax:1`. It chooses among its best moves at random, so games from the same start differ.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from ludus.agents.find import find_player
from ludus.games.abalone.notation import MARBLES
from ludus.games.abalone.rules import Abalone
from ludus.learners import valuation
from ludus.learners.learner import Learner
from ludus.play import selfplay
from ludus.play.host_batch import Ends
from ludus.study.study import Measure

HEURISTIC = "minimax:1"
GAMES = 20, 4  # for each seed and point, against the heuristic player and against the random one
QUICK = 4, 2  # the same in an outline
TOGETHER = 64  # networks side by side, on an accelerator
POSITIONS = 256  # to see whether a network lives
VARIES = 1e-5  # a hidden unit that deviates by less is saturated: untrained ones deviate by some 1e-4


class Counts(NamedTuple):
    """The results of B games for one player; arrays of the device or of the host."""

    score: Float[Any, "B"]  # 1 won, 1/2 tied, 0 lost
    ahead: Float[Any, "B"]  # the same with the paper's counting: more marbles win
    won: Int[Any, "B"]  # marbles that it pushed off
    lost: Int[Any, "B"]
    plies: Int[Any, "B"]
    repeated: Bool[Any, "B"]  # whether the game ended as a position came back


def counted(game: Abalone, ends: Ends, seats: Int[Array, "B"]) -> Counts:
    """The results of these games for the player in these seats."""
    ours = ends.final.mover == seats
    own, other = (jax.vmap(lambda side: side.count())(side) for side in (ends.final.own, ends.final.other))
    mine, theirs = jnp.where(ours, own, other), jnp.where(ours, other, own)
    stopped = jax.vmap(game.done)(ends.final) | (ends.plies >= game.max_plies)
    score, ahead = ((1 + jnp.sign(lead).astype(jnp.float32)) / 2 for lead in (ends.got, mine - theirs))
    return Counts(score, ahead, MARBLES - theirs, MARBLES - mine, ends.plies, ~stopped)


class PlyTrail(NamedTuple):
    """One position of each game."""

    own: Int[Array, "B"]  # marbles on the board: the mover's
    other: Int[Array, "B"]
    mover: Int[Array, "B"]
    over: Bool[Array, "B"]
    done: Bool[Array, "B"]  # by the rules, and not by the limit
    print: UInt32[Array, "B 2"]


class PlayedOn(NamedTuple):
    """The results of the same games for one player, in two ways."""

    on: Counts  # to the limit of moves
    house: Counts  # ended where a position first came back


def played_on(
    game: Abalone, policies: tuple[selfplay.Policy, selfplay.Policy], key: Key[Array, ""], seats: Int[Array, "B"]
) -> PlayedOn:
    """Games that are played on when a position comes back, one for each entry of `seats`, the first player's. They are
    also counted as if they had ended there: no player here knows the game so far, so those games are their beginnings.
    """
    policy, lanes = selfplay.seated(game, policies, shift=seats), selfplay.fresh(game, len(seats), ties=False)
    count = jax.vmap(lambda side: side.count())

    def kept(ply: selfplay.PlyRecord) -> PlyTrail:
        state = ply.state
        prints, done = jax.vmap(selfplay.fingerprint)(state), jax.vmap(game.done)(state)
        return PlyTrail(count(state.own), count(state.other), state.mover, ply.over, done, prints)

    _, seen = selfplay.stream(game, policy, lanes, key, game.max_plies + 1, kept)
    last = jnp.argmax(seen.over, axis=0).astype(jnp.int32)  # of the first game; later ones do not count
    again = repeats(seen.print) & ~seen.done
    first = jnp.where(again.any(axis=0), jnp.argmax(again, axis=0).astype(jnp.int32), last + 1)
    never = jnp.zeros_like(again)
    on, house = (_count_at(game, seen, *ends, seats) for ends in ((last, never), (jnp.minimum(first, last), again)))
    return PlayedOn(on, house)


def repeats(prints: UInt32[Array, "T B 2"]) -> Bool[Array, "T B"]:
    """Whether a position was there before, in the same game."""
    same = (prints[:, None] == prints[None]).all(axis=-1)  # [T, T, B]
    earlier = jnp.tri(len(prints), k=-1, dtype=bool)
    return (same & earlier[:, :, None]).any(axis=1)


def _count_at(
    game: Abalone, seen: PlyTrail, when: Int[Array, "B"], ties: Bool[Array, "T B"], seats: Int[Array, "B"]
) -> Counts:
    """The results, had each game ended at this ply; positions that are ties are marked."""

    def at(values: Array) -> Array:
        return jnp.take_along_axis(values, when[None], axis=0)[0]

    ours = at(seen.mover) == seats
    own, other = at(seen.own), at(seen.other)
    mine, theirs = jnp.where(ours, own, other), jnp.where(ours, other, own)
    ahead = (1 + jnp.sign(mine - theirs).astype(jnp.float32)) / 2
    tied = at(ties)
    score = jnp.where(tied, jnp.float32(0.5), ahead)
    return Counts(score, ahead, MARBLES - theirs, MARBLES - mine, when, tied & (when < game.max_plies))


def vitals(config: Any, game: Abalone, network: Any, states: Any) -> dict[str, Float[Array, ""]]:
    """What tells a network that has learned something from one that rates every position the same (`study.life`).

    - `level`: the mean of J.
    - `ratings`: the last sigmoid's input in each position; it shows differences even where J is near 0.
    - `spread` and `size`: its deviation over positions and its mean size.
    - `live`: the share of hidden units that vary.
    """
    inputs = jax.vmap(functools.partial(valuation.inputs_of, config, game))(states)
    values = jax.vmap(functools.partial(valuation.value, config, network))(inputs)
    units = jax.vmap(functools.partial(valuation.units, network))(inputs)
    ratings = units @ network.output + network.output_bias
    return {
        "level": values.mean(),
        "live": (units.std(axis=0) > VARIES).mean(dtype=jnp.float32),
        "spread": ratings.std(),
        "size": jnp.abs(ratings).mean(),
        "ratings": ratings,
    }


def strength(
    learner: Learner, config: Any, game: Abalone, games: tuple[int, int], network: Any, key: Key[Array, ""]
) -> dict[str, Float[Array, ""]]:
    """The results of one network against the heuristic player and against the random one, in both seats in turn. The
    measures `on...` are of games that are played on to the limit of moves, the others of the same games up to where a
    position comes back.
    """
    parts = slice(games[0]), slice(games[0], None)  # of the batch: one opponent's games, and the other's
    seats = jnp.concatenate([jnp.arange(number, dtype=jnp.int32) % 2 for number in games])
    policy = learner.policy(config, game, network, 0.0)
    others = tuple(find_player(name, game).on_device(game).policy for name in (HEURISTIC, "random"))

    def either(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        mine = (jax.tree.map(lambda leaf, part=part: leaf[part], states) for part in parts)
        return jnp.concatenate([other(k, s) for other, k, s in zip(others, jax.random.split(key), mine, strict=True)])

    played = played_on(game, (policy, either), key, seats)
    (on, stopped), (_, random) = (
        jax.tree.map(lambda leaf, part=part: leaf[part].mean(dtype=jnp.float32), played) for part in parts
    )
    return {
        "on": on.ahead,
        "on_won": on.won,
        "on_lost": on.lost,
        "minimax": stopped.score,
        "minimax_ahead": stopped.ahead,
        "won": stopped.won,
        "lost": stopped.lost,
        "minimax_plies": stopped.plies,
        "repeated": stopped.repeated,
        "random": random.score,
        "random_ahead": random.ahead,
    }


def against(game: Abalone, quick: bool) -> Measure:
    """`strength` and `vitals` of a stack of networks: on a processor one after the other, so that a kind of network is
    compiled once, whatever their number; on an accelerator many at once.
    """
    games, on_host = QUICK if quick else GAMES, jax.default_backend() == "cpu"

    @functools.lru_cache(maxsize=16)
    def compiled(learner: Learner, config: Any) -> Any:
        def one(states: Any, network: Any, key: Key[Array, ""]) -> dict[str, Any]:
            return strength(learner, config, game, games, network, key) | vitals(config, game, network, states)

        if on_host:
            return jax.jit(one)
        return jax.jit(lambda states, *given: jax.lax.map(lambda row: one(states, *row), given, batch_size=TOGETHER))

    def measure(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        run, states = compiled(learner, config), positions(game)
        keys = jax.random.split(jax.random.key(0), len(jax.tree.leaves(weights)[0]))
        if not on_host:
            return jax.device_get(run(states, weights, keys))
        rows = (jax.tree.map(lambda leaf, row=row: leaf[row], weights) for row in range(len(keys)))
        found = [jax.device_get(run(states, network, key)) for network, key in zip(rows, keys, strict=True)]
        return {name: np.stack([each[name] for each in found]) for name in found[0]}

    return measure


@functools.lru_cache(maxsize=4)
def positions(game: Abalone) -> Any:
    """Positions of random games, always the same."""
    return jax.jit(lambda key: selfplay.random_positions(game, key, POSITIONS))(jax.random.key(0))
