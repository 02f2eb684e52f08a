"""Random plies (thirty million a game in `make campaign`), every position checked on the device as it is played."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from helpers.positions import STARTS, starts_of

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.game import Game
from ludus.games import make_game, names
from ludus.games.abalone import rules as abalone
from ludus.games.hex import rules as hex
from ludus.games.hex.flood import flood
from ludus.games.hex.rules import Hex
from ludus.games.lgame import rules as lgame
from ludus.games.solitaire_chess import geometry as solitaire_chess
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.play import selfplay

CHUNK, MILLION = 32, 1_000_000

Checks = dict[str, jax.Array]


def within(one: Bits, two: Bits) -> jax.Array:
    return ~(one - two).any()


def disjoint(*sets: Bits) -> jax.Array:
    together = functools.reduce(Bits.__or__, sets)
    return together.count() == sum((one.count() for one in sets), jnp.int32(0))


def every_game(game: Game, state: Any, action: jax.Array, moved: Any) -> Checks:
    """What holds in any position that is played on from."""
    legal, count = game.legal(state), game.num_legal(state)
    number = jnp.cumsum(legal, dtype=jnp.int32)[action] - 1
    return {
        "the mask has as many moves as are counted": legal.sum(dtype=jnp.int32) == count,
        "there is a move": (count > 0) & (count <= game.max_legal),
        "the move made is legal": legal[action],
        "it is the n-th legal move": game.nth_legal(state, number) == action,
        "the turn is a seat's": (game.player(moved) >= 0) & (game.player(moved) < game.num_players),
    }


def abalone_checks(game: Any, state: abalone.State, moved: abalone.State) -> Checks:
    board = abalone.geometry().board
    lost = state.other.count() - moved.own.count()
    return {
        "marbles stand on the board, and none in the padding": within(moved.own | moved.other, board),
        "no cell has two marbles": disjoint(moved.own, moved.other),
        "the mover keeps its marbles": moved.other.count() == state.own.count(),
        "the other side loses one at most": (lost == 0) | (lost == 1),
        "no side has more than fourteen": (moved.own.count() <= 14) & (moved.other.count() <= 14),
        "the turn passes": moved.mover == 1 - state.mover,
    }


def hex_checks(game: Hex, state: hex.State, moved: hex.State) -> Checks:
    stride, _, _, board, edges, _ = hex.geometry(game.size)

    def flooded(side: hex.Side, seat: jax.Array) -> jax.Array:
        """Whether the sets kept with the position are those of a flood from the edges."""
        same = []
        for kept, ends in ((side.first, [first for first, _ in edges]), (side.last, [last for _, last in edges])):
            edge = bits.where(seat == 0, *ends)
            scratch = flood(side.stones & edge, side.stones, stride)
            scratch = bits.where((side.first & side.last).any(), side.stones, scratch)  # all of them, once it has won
            same.append(within(kept, scratch) & within(scratch, kept))
        return same[0] & same[1]

    joined = [(side.first & side.last).any() for side in (moved.own, moved.other)]
    added = moved.other.stones - state.own.stones
    swapped = (moved.own.stones.count() == 0) & (moved.other.stones.count() == 1) & (state.other.stones.count() == 1)
    one_more = within(state.own.stones, moved.other.stones) & (added.count() == 1)
    untouched = within(moved.own.stones, state.other.stones) & within(state.other.stones, moved.own.stones)
    return {
        "stones stand on the board": within(moved.own.stones | moved.other.stones, board),
        "no cell has two stones": disjoint(moved.own.stones, moved.other.stones),
        "one stone is added": one_more,
        "the other stones stay": untouched | swapped if game.swap else untouched,
        "the edge sets are those of a flood": flooded(moved.own, moved.mover) & flooded(moved.other, 1 - moved.mover),
        "at most one side has won": ~(joined[0] & joined[1]),
        "the turn passes": moved.mover == 1 - state.mover,
    }


def lgame_checks(game: Any, state: lgame.State, moved: lgame.State) -> Checks:
    pieces = lgame.cover(moved.own), lgame.cover(moved.other), moved.neutrals
    return {
        "ten squares are covered": disjoint(*pieces) & (sum((p.count() for p in pieces), jnp.int32(0)) == 10),
        "there are two neutrals": moved.neutrals.count() == 2,
        "one neutral moves at most": (moved.neutrals - state.neutrals).count() <= 1,
        "the mover's L has moved": moved.other != state.own,
        "the other L has not": moved.own == state.other,
        "the turn passes": moved.mover == 1 - state.mover,
    }


def solitaire_checks(game: Any, state: solitaire_chess.State, moved: solitaire_chess.State) -> Checks:
    board = solitaire_chess.geometry(game.size).board
    gained = functools.reduce(jnp.maximum, (m.count() - s.count() for m, s in zip(moved[:6], state[:6], strict=True)))
    return {
        "pieces stand on the board": within(moved.occupied, board),
        "no square has two": disjoint(*moved[:6]),
        "one piece is captured": moved.occupied.count() == state.occupied.count() - 1,
        "no piece changes its kind": gained <= 0,
        "the king stays": moved.kings.count() == state.kings.count(),
        "only pieces have captured": disjoint(moved.once, moved.twice)
        & within(moved.once | moved.twice, moved.occupied),
        "a capture is counted": (game.rules == "paper") | ((moved.once | moved.twice) & state.occupied).any(),
    }


#: What holds between a position and the next; a game that is not named here has what holds in every game.
CHECKS: dict[str, Callable[[Any, Any, Any], Checks]] = {
    "abalone": abalone_checks,
    "hex": hex_checks,
    "lgame": lgame_checks,
    "solitaire-chess": solitaire_checks,
}


def campaign(game: Game, wanted: int, lanes: int = 4096) -> dict[str, int]:
    """Plays at least so many plies, so many games side by side; returns how often each check failed."""
    starts = starts_of(game, 0) if game.name in STARTS else None

    def check(state: Any, action: jax.Array) -> Checks:
        moved = game.step(state, action)
        special = CHECKS[game.name](game, state, moved) if game.name in CHECKS else {}
        return every_game(game, state, action, moved) | special

    def keep(record: selfplay.PlyRecord) -> tuple[jax.Array, Checks]:
        live = ~record.over
        checks = jax.vmap(check)(record.state, record.action)
        failed = {what: (live & ~holds).sum(dtype=jnp.int32) for what, holds in checks.items()}
        winners = (record.returns > 0).sum(axis=1, dtype=jnp.int32)
        failed["at most one seat wins"] = (winners > 1).sum(dtype=jnp.int32)
        return live.sum(dtype=jnp.int32), failed

    @jax.jit
    def run(games: selfplay.Lanes, key: jax.Array, pool: Any) -> Any:
        policy = selfplay.random_policy(game)
        games, kept = selfplay.stream(game, policy, games, key, CHUNK, keep, pool)
        return games, jax.tree.map(lambda leaf: leaf.sum(axis=0), kept)

    games, plies, failures = selfplay.fresh(game, lanes, starts), 0, {}
    for seed in itertools.count():
        games, (played, failed) = run(games, jax.random.key(seed), starts)
        plies += int(played)
        failures = {what: failures.get(what, 0) + int(count) for what, count in failed.items()}
        if plies >= wanted:
            break
    return {what: count for what, count in failures.items() if count}


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [*(make_game(name) for name in names()), Hex(size=5, swap=True), make_game("solitaire-chess", rules="solo")],
    ids=Game.describe,
)
def test_thirty_thousand_plies_break_no_rule(game: Game) -> None:
    assert campaign(game, 30_000, lanes=512) == {}


@pytest.mark.campaign
@pytest.mark.parametrize(
    "game",
    [
        *(make_game(name) for name in names()),
        *(Hex(size=size, swap=size % 2 == 0) for size in (2, 3, 4, 7, 8, 13, 19)),
        *(SolitaireChess(size=size, pieces=4, rules=rules) for size in (3, 5, 8) for rules in ("paper", "solo")),
    ],
    ids=Game.describe,
)
def test_thirty_million_plies_break_no_rule(game: Game) -> None:
    assert campaign(game, 30 * MILLION) == {}
